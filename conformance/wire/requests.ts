// Our requests that wait for answers: numbers, time limits, and what a far side may answer to which.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';

export type { Answer } from './waiting.ts';

import { type Answer, type Asked, Call, CLOSED, closed, givenUp, MALFORMED, Stream, type Waiting } from './waiting.ts';

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

export class Requests {
  #options: RequestsOptions;
  #seq: number;
  #pending = new Map<number, Waiting>();
  /** Requests that we stopped waiting for; the far side may go on. */
  #left = new Set<number>();
  readonly #leave = (seq: number): void => {
    if (this.#pending.delete(seq)) this.#left.add(seq);
  };

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#seq = options.firstSeq;
  }

  get unfinished(): number {
    return this.#pending.size + this.#left.size;
  }

  call(action: string, data: JsonObject, options: CallOptions): Promise<Answer> {
    if (this.#options.isClosed()) return Promise.resolve(closed(action));
    if (options.signal?.aborted) return Promise.resolve(givenUp(action));
    return new Promise((resolve) => {
      const asked = this.#asked(action, options);
      this.#wait(asked, data, new Call(asked, resolve));
    });
  }

  stream(action: string, data: JsonObject, options: CallOptions): AsyncIterableIterator<Answer, void> {
    const asked = this.#asked(action, options);
    const stream = new Stream(asked);
    if (this.#options.isClosed()) stream.take(CLOSED);
    else if (!options.signal?.aborted) this.#wait(asked, data, stream);
    return stream;
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
      pending.take(MALFORMED);
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

  #asked(action: string, { timeout = this.#options.timeout, signal }: CallOptions): Asked {
    const seq = ++this.#seq;
    return { seq, action, clock: this.#options.clock, timeout, signal, leave: this.#leave };
  }

  #wait({ seq, action }: Asked, data: JsonObject, waiting: Waiting): void {
    this.#pending.set(seq, waiting);
    this.#options.send({ seq_id: seq, action, data });
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
}
