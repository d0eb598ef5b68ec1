// One end of the protocol on a link: makes requests, answers requests, streams both ways.
// It is the same for both seats; what it sees and sends goes through `watch`, the choke point of the recording.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';
import { dataOf, failure, kindOf, success } from './frame.ts';
import type { CloseReason, Link } from './link.ts';

/** A response as it came; `code` 0 is success. Transport failures come as code -1 with a `lost` reason. */
export interface Answer {
  readonly code: number;
  readonly message: string;
  readonly data: JsonObject;
  /** Set when no answer came: time ran out, or the link closed. */
  readonly lost?: 'timeout' | 'closed';
}

/** Answers a request: one object, or a stream of them. Throwing gives an error frame with the error's message and `data`. */
export type Handler = (
  data: JsonObject,
  request: JsonObject,
) => JsonObject | Promise<JsonObject> | AsyncIterable<JsonObject>;

/** Thrown by a handler to answer with an error frame that carries data. */
export class Refusal extends Error {
  readonly data: JsonObject;
  constructor(message: string, data: JsonObject = {}) {
    super(message);
    this.data = data;
  }
}

export interface PeerOptions {
  readonly clock: Clock;
  /** Milliseconds a call waits for its answer, and a stream for its next chunk. */
  readonly timeout?: number;
  /** The first number of our requests. */
  readonly firstSeq?: number;
  /** Sees every frame, before it is handled or sent. */
  readonly watch?: {
    sent?(frame: JsonObject): void;
    received?(frame: JsonObject): void;
    noise?(text: string, bytes: number): void;
    fault?(code: string, message: string): void;
    closed?(reason: CloseReason): void;
  };
}

interface Pending {
  push(frame: JsonObject): void;
  lose(): void;
}

export class Peer {
  #link: Link;
  #options: PeerOptions;
  #seq: number;
  #pending = new Map<number, Pending>();
  #handlers = new Map<string, Handler>();
  #fallback: ((action: string, data: JsonObject, request: JsonObject) => ReturnType<Handler>) | undefined;
  #closed: CloseReason | undefined;
  readonly closed: Promise<CloseReason>;

  constructor(link: Link, options: PeerOptions) {
    this.#link = link;
    this.#options = options;
    this.#seq = options.firstSeq ?? 0;
    this.closed = new Promise((resolve) => {
      link.open({
        message: (frame) => this.#receive(frame),
        noise: (text, bytes) => options.watch?.noise?.(text, bytes),
        fault: (code, message) => options.watch?.fault?.(code, message),
        close: (reason) => {
          if (this.#closed !== undefined) return;
          this.#closed = reason;
          options.watch?.closed?.(reason);
          for (const pending of [...this.#pending.values()]) pending.lose();
          resolve(reason);
        },
      });
    });
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  handle(action: string, handler: Handler): this {
    this.#handlers.set(action, handler);
    return this;
  }

  /** Answers every action that has no handler of its own. */
  handleOther(handler: (action: string, data: JsonObject, request: JsonObject) => ReturnType<Handler>): this {
    this.#fallback = handler;
    return this;
  }

  /** Makes a request and waits for its one answer. Never throws: what went wrong is in the answer. */
  async call(
    action: string,
    data: JsonObject,
    options: { readonly timeout?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Answer> {
    for await (const answer of this.stream(action, data, { ...options, unary: true })) return answer;
    return { code: 0, message: 'success', data: {} };
  }

  /** Makes a request and gives its answers one by one, to `end` or the first error. */
  async *stream(
    action: string,
    data: JsonObject,
    options: { readonly timeout?: number; readonly signal?: AbortSignal; readonly unary?: boolean } = {},
  ): AsyncGenerator<Answer, void, void> {
    const seq_id = ++this.#seq;
    const inbox: JsonObject[] = [];
    let wake: (() => void) | undefined;
    let lost = this.isClosed;
    this.#pending.set(seq_id, {
      push: (frame) => {
        inbox.push(frame);
        wake?.();
      },
      lose: () => {
        lost = true;
        wake?.();
      },
    });
    try {
      if (!lost) await this.send({ seq_id, action, data });
      for (;;) {
        if (inbox.length === 0 && !lost) {
          const stop = new AbortController();
          const stopped = (): void => wake?.();
          options.signal?.addEventListener('abort', stopped, { once: true });
          const arrived = new Promise<void>((resolve) => {
            wake = resolve;
          });
          const timeout = options.timeout ?? this.#options.timeout ?? 15_000;
          const outcome = await Promise.race([
            arrived.then(() => 'woken' as const),
            this.#options.clock.sleep(timeout, stop.signal).then(() => 'timeout' as const),
          ]);
          stop.abort();
          options.signal?.removeEventListener('abort', stopped);
          if (options.signal?.aborted && inbox.length === 0) return;
          if (outcome === 'timeout' && inbox.length === 0 && !lost) {
            yield { code: -1, message: `no answer to ${action} within ${timeout} ms`, data: {}, lost: 'timeout' };
            return;
          }
        }
        const frame = inbox.shift();
        if (frame === undefined) {
          if (!lost) continue;
          yield { code: -1, message: `the link closed before ${action} was answered`, data: {}, lost: 'closed' };
          return;
        }
        const code = typeof frame['code'] === 'number' ? frame['code'] : 1;
        if (code === 0 && frame['chunk_status'] === 'end' && !options.unary) return;
        yield { code, message: String(frame['message'] ?? ''), data: dataOf(frame) };
        if (code !== 0 || options.unary) return;
      }
    } finally {
      this.#pending.delete(seq_id);
    }
  }

  /** Sends any frame as it is. */
  async send(frame: JsonObject): Promise<void> {
    if (this.isClosed) return;
    this.#options.watch?.sent?.(frame);
    await this.#link.send(frame);
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  #receive(frame: JsonObject): void {
    this.#options.watch?.received?.(frame);
    const kind = kindOf(frame);
    if (kind === 'response') this.#pending.get(frame['seq_id'] as number)?.push(frame);
    else if (kind === 'request') void this.#answer(frame);
    else
      this.#options.watch?.fault?.(
        'RUNCERT_FRAME_SHAPE',
        'An object that is neither a request (action) nor a response (code).',
      );
  }

  async #answer(request: JsonObject): Promise<void> {
    const seq_id = (request['seq_id'] ?? -1) as number;
    const action = String(request['action']);
    try {
      if (!isObject(request['data'])) throw new Refusal(`data must be an object in a request for ${action}`);
      const handler = this.#handlers.get(action);
      if (handler === undefined && this.#fallback === undefined) throw new Refusal(`Action ${action} not found`);
      const result = handler ? handler(request['data'], request) : this.#fallback!(action, request['data'], request);
      if (isStream(result)) {
        for await (const chunk of result) await this.send(success(seq_id, chunk));
        await this.send(success(seq_id, {}, 'end'));
      } else {
        await this.send(success(seq_id, await result));
      }
    } catch (error) {
      const data = error instanceof Refusal ? error.data : {};
      await this.send(failure(seq_id, error instanceof Error ? error.message : String(error), data));
    }
  }
}

const isStream = (value: unknown): value is AsyncIterable<JsonObject> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
