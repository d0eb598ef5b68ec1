// Our requests that wait for answers: numbers, time limits, and what a far side may answer to which.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';
import { Queue } from './queue.ts';

/** A response as it came; `code` 0 is success. Transport failures come as code -1 with a `lost` reason. */
export interface Answer {
  readonly code: number;
  readonly message: string;
  readonly data: JsonObject;
  /** Set when no answer came: time ran out, the link closed, the caller gave up, or what came is no response. */
  readonly lost?: 'timeout' | 'closed' | 'aborted' | 'malformed';
}

export interface CallOptions {
  /** Milliseconds to wait for the answer, or for the next chunk of a stream. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

export interface RequestsOptions {
  readonly clock: Clock;
  readonly timeout: number;
  readonly firstSeq: number;
  readonly send: (frame: JsonObject) => void;
  readonly fault: (code: string, message: string) => void;
  readonly isClosed: () => boolean;
}

/** A request that waits: `take` gets what comes for it. */
interface Pending {
  readonly unary: boolean;
  take(answer: Answer | 'end'): void;
}

export class Requests {
  #options: RequestsOptions;
  #seq: number;
  #pending = new Map<number, Pending>();
  /** Requests that we stopped waiting for; the far side may go on. */
  #left = new Set<number>();

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#seq = options.firstSeq;
  }

  get unfinished(): number {
    return this.#pending.size + this.#left.size;
  }

  call(action: string, data: JsonObject, { timeout = this.#options.timeout, signal }: CallOptions): Promise<Answer> {
    if (this.#options.isClosed()) return Promise.resolve(closed(action));
    if (signal?.aborted) return Promise.resolve(givenUp(action));
    const seq_id = ++this.#seq;
    return new Promise((resolve) => {
      this.#pending.set(
        seq_id,
        new Call(action, this.#options.clock, timeout, signal, resolve, () => this.#leave(seq_id)),
      );
      this.#options.send({ seq_id, action, data });
    });
  }

  async *stream(action: string, data: JsonObject, options: CallOptions): AsyncGenerator<Answer, void, void> {
    if (options.signal?.aborted) return;
    if (this.#options.isClosed()) return yield closed(action);
    const { clock } = this.#options;
    const seq_id = ++this.#seq;
    const timeout = options.timeout ?? this.#options.timeout;
    const inbox = new Queue<Answer | 'end'>();
    let wake: (() => void) | undefined;
    let waiting = false;
    let since = clock.now();
    const put = (next: Answer | 'end'): void => {
      inbox.push(next);
      wake?.();
    };
    this.#pending.set(seq_id, { unary: false, take: put });
    // One timer a stream, not one a chunk: when it fires too early it waits for the rest.
    const check = (): void => {
      if (!waiting) since = clock.now();
      const rest = since + timeout - clock.now();
      if (rest > 0) cancelTimer = clock.after(rest, check);
      else put(late(action, timeout));
    };
    let cancelTimer = clock.after(timeout, check);
    const gaveUp = (): void => wake?.();
    options.signal?.addEventListener('abort', gaveUp, { once: true });
    try {
      this.#options.send({ seq_id, action, data });
      for (;;) {
        if (inbox.length === 0) {
          if (options.signal?.aborted) return;
          since = clock.now();
          waiting = true;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          waiting = false;
        }
        const next = inbox.shift();
        if (next === undefined) continue;
        if (next === 'end') return;
        yield next.lost === 'closed' ? closed(action) : next;
        if (next.code !== 0) return;
      }
    } finally {
      cancelTimer();
      options.signal?.removeEventListener('abort', gaveUp);
      this.#leave(seq_id);
    }
  }

  /** Takes a response; what fits no request is a fault, unless it is only late. */
  take(frame: JsonObject): void {
    const { seq_id, code, data } = frame;
    const seq = seq_id as number;
    const end = frame['chunk_status'] === 'end';
    const pending = this.#pending.get(seq);
    if (!Number.isSafeInteger(seq_id)) this.#malformed('A response whose seq_id is no integer.');
    else if (pending === undefined) this.#late(seq, end, code);
    else if (!Number.isInteger(code) || !isObject(data)) {
      const what = isObject(data) ? 'code is no integer' : 'data is no object';
      this.#malformed(`A response (seq_id ${seq}) whose ${what}.`);
      // A stream goes on without it, as in the SDK; a single answer is lost, and waiting would not bring it back.
      if (!pending.unary) return;
      this.#pending.delete(seq);
      pending.take({ code: -1, message: 'the answer is no response frame', data: {}, lost: 'malformed' });
    } else {
      if (pending.unary || end || code !== 0) this.#pending.delete(seq);
      if (end && code === 0 && !pending.unary) pending.take('end');
      else pending.take({ code: code as number, message: String(frame['message'] ?? ''), data });
    }
  }

  loseAll(): void {
    const pending = [...this.#pending.entries()];
    for (const [seq] of pending) this.#pending.delete(seq);
    for (const [, one] of pending) one.take(CLOSED);
    this.#left.clear();
  }

  #malformed(message: string): void {
    this.#options.fault('RUNCERT_FRAME_SHAPE', message);
  }

  #late(seq: number, end: boolean, code: unknown): void {
    const { fault, firstSeq } = this.#options;
    if (this.#left.has(seq)) {
      // Late for us, but a legal answer to what we asked.
      if (end || code !== 0) this.#left.delete(seq);
    } else if (seq <= firstSeq || seq > this.#seq)
      fault('RUNCERT_FRAME_UNKNOWN_SEQ', `A response to request ${seq}, which was never made.`);
    // An `end` may follow an error or a single answer.
    else if (!end)
      fault('RUNCERT_FRAME_ANSWERED_TWICE', `Another response to request ${seq}, which was answered to its end.`);
  }

  /** Stops waiting; the far side may go on. */
  #leave(seq: number): void {
    if (this.#pending.delete(seq)) this.#left.add(seq);
  }
}

/** One answer, or none in time. A class, since every call makes one: closures for each of its ends cost as much as its frames. */
class Call implements Pending {
  readonly unary = true;
  readonly #action: string;
  readonly #resolve: (answer: Answer) => void;
  readonly #callOff: () => void;

  constructor(
    action: string,
    clock: Clock,
    timeout: number,
    signal: AbortSignal | undefined,
    resolve: (answer: Answer) => void,
    leave: () => void,
  ) {
    this.#action = action;
    this.#resolve = resolve;
    const off = clock.after(timeout, () => {
      leave();
      this.take(late(action, timeout));
    });
    if (signal === undefined) this.#callOff = off;
    else {
      const giveUp = (): void => {
        leave();
        this.take(givenUp(action));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#callOff = () => {
        off();
        signal.removeEventListener('abort', giveUp);
      };
    }
  }

  take(answer: Answer | 'end'): void {
    this.#callOff();
    this.#resolve(answer === 'end' ? EMPTY : answer.lost === 'closed' ? closed(this.#action) : answer);
  }
}

const EMPTY: Answer = { code: 0, message: 'success', data: {} };
const CLOSED: Answer = { code: -1, message: 'closed', data: {}, lost: 'closed' };
const closed = (action: string): Answer => ({
  code: -1,
  message: `the link closed before ${action} was answered`,
  data: {},
  lost: 'closed',
});
const givenUp = (action: string): Answer => ({
  code: -1,
  message: `${action} was given up`,
  data: {},
  lost: 'aborted',
});
const late = (action: string, timeout: number): Answer => ({
  code: -1,
  message: `no answer to ${action} within ${timeout} ms`,
  data: {},
  lost: 'timeout',
});
