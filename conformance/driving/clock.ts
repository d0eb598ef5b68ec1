// The one clock. Real targets run on real time; targets in this process run on virtual time,
// which stands still while anything can still happen and then leaps to the next timer.

export interface Clock {
  readonly kind: 'virtual' | 'real';
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`; at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  kind: 'real',
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
      signal?.addEventListener('abort', done, { once: true });
    }),
};

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Where virtual time begins unless told otherwise: a fixed instant, so that runs repeat to the byte. */
export const VIRTUAL_EPOCH = Date.UTC(2026, 5, 3);

/**
 * Virtual time for code that waits on promises and on this clock alone.
 * @example
 * const clock = new VirtualClock();
 * await clock.run(async () => { await clock.sleep(60_000); }); // takes no time
 */
export class VirtualClock implements Clock {
  readonly kind = 'virtual';
  #now: number;
  #order = 0;
  #timers: Timer[] = [];

  constructor(start = VIRTUAL_EPOCH) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer: Timer = { due: this.#now + Math.max(0, ms), order: this.#order++, fire: () => done() };
      const done = (): void => {
        signal?.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = (): void => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        resolve();
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#timers.push(timer);
    });
  }

  /** Runs `work` to its end, leaping from timer to timer whenever nothing else can happen. Rejects when all stands still for ever. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    let over = false;
    const result = work().finally(() => {
      over = true;
    });
    result.catch(() => {});
    let idle = 0;
    while (!over) {
      await settled();
      if (over) break;
      const next = this.#take();
      if (next !== undefined) {
        idle = 0;
        this.#now = Math.max(this.#now, next.due);
        next.fire();
      } else if (++idle > 1000) {
        throw new Error('Virtual time stands still: nothing is scheduled and the work is not done.');
      }
    }
    return result;
  }

  #take(): Timer | undefined {
    let best: Timer | undefined;
    for (const timer of this.#timers) {
      if (best === undefined || timer.due < best.due || (timer.due === best.due && timer.order < best.order))
        best = timer;
    }
    if (best !== undefined) this.#timers = this.#timers.filter((timer) => timer !== best);
    return best;
  }
}

/** Resolves when all promise jobs that can run have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
