// The one clock. Real targets run on real time; targets in this process run on virtual time,
// which stands still while anything can still happen and then leaps to the next timer.

export interface Clock {
  readonly kind: 'virtual' | 'real';
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`; at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fire` after `ms`; what it gives back calls that off. */
  after(ms: number, fire: () => void): () => void;
}

const LONGEST = 2 ** 31 - 1;

export const realClock: Clock = {
  kind: 'real',
  now: () => Date.now(),
  sleep: (ms, signal) => sleepOn(realClock, ms, signal),
  after: (ms, fire) => {
    const timer = setTimeout(fire, Math.min(ms, LONGEST));
    return () => clearTimeout(timer);
  },
};

const sleepOn = (clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      callOff();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const callOff = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });

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
    return sleepOn(this, ms, signal);
  }

  after(ms: number, fire: () => void): () => void {
    const timer: Timer = { due: this.#now + Math.max(0, ms), order: this.#order++, fire };
    this.#timers.push(timer);
    return () => this.#remove(timer);
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
    if (best !== undefined) this.#remove(best);
    return best;
  }

  #remove(timer: Timer): void {
    const at = this.#timers.indexOf(timer);
    if (at !== -1) this.#timers.splice(at, 1);
  }
}

/** Resolves when all promise jobs that can run have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
