// One end of the protocol on a link: makes requests, answers requests, streams both ways.
// It is the same for both seats; what it sees and sends goes through `watch`, the choke point of the recording.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';
import { failure, kindOf, success } from './frame.ts';
import { detectGeneration, type Generation, rulesOf } from './generation.ts';
import type { CloseReason, Link } from './link.ts';
import { type Answer, type CallOptions, Requests } from './requests.ts';

export type { Answer, CallOptions } from './requests.ts';

/** Answers a request: one object, or a stream of them. Throwing gives an error frame with the error's message and `data`. */
export type Handler = (
  data: JsonObject,
  request: JsonObject,
) => JsonObject | Promise<JsonObject> | AsyncIterable<JsonObject>;

const REFUSAL = Symbol.for('runcert.refusal');

/** Thrown by a handler to answer with an error frame that carries data. */
export class Refusal extends Error {
  readonly [REFUSAL] = true;
  readonly data: JsonObject;
  constructor(message: string, data: JsonObject = {}) {
    super(message);
    this.data = data;
  }

  /** A module may bring a Runcert of its own along: what it throws is a refusal all the same. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && REFUSAL in value;
  }
}

export interface PeerOptions {
  readonly clock: Clock;
  /** Milliseconds a call waits for its answer, and a stream for its next chunk. */
  readonly timeout?: number;
  /** The first number of our requests. */
  readonly firstSeq?: number;
  /** What the far side is; found out from what it sends where that is possible. */
  readonly generation?: Generation;
  /** Sees every frame, before it is handled or sent. */
  readonly watch?: {
    sent?(frame: JsonObject): void;
    /** `cost`: bytes on the wire or in memory, whichever is more. */
    received?(frame: JsonObject, cost: number): void;
    noise?(text: string, bytes: number): void;
    /** A rule was broken; by the far side unless `by` says that it was us. */
    fault?(code: string, message: string, by?: 'target' | 'harness'): void;
    closed?(reason: CloseReason): void;
  };
}

export class Peer {
  #link: Link;
  #options: PeerOptions;
  #requests: Requests;
  #handlers = new Map<string, Handler>();
  #fallback: ((action: string, data: JsonObject, request: JsonObject) => ReturnType<Handler>) | undefined;
  #answering = 0;
  #closed: CloseReason | undefined;
  #generation: Generation | undefined;
  readonly closed: Promise<CloseReason>;

  constructor(link: Link, options: PeerOptions) {
    this.#link = link;
    this.#options = options;
    this.#generation = options.generation;
    this.#requests = new Requests({
      clock: options.clock,
      timeout: options.timeout ?? 15_000,
      firstSeq: options.firstSeq ?? 0,
      send: (frame) => void this.#post(frame),
      fault: (code, message) => options.watch?.fault?.(code, message),
      isClosed: () => this.isClosed,
    });
    this.closed = new Promise((resolve) => {
      link.open({
        message: (frame, cost) => this.#receive(frame, cost),
        noise: (text, bytes) => options.watch?.noise?.(text, bytes),
        fault: (code, message) => options.watch?.fault?.(code, message),
        close: (reason) => {
          if (this.#closed !== undefined) return;
          this.#closed = reason;
          options.watch?.closed?.(reason);
          this.#requests.loseAll();
          resolve(reason);
        },
      });
    });
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** What the far side is, as given or as found out. */
  get generation(): Generation | undefined {
    return this.#generation;
  }

  /** Nothing is under way: every request of ours was answered to its end, and every one of theirs by us. */
  get quiet(): boolean {
    return this.#answering === 0 && this.#requests.unfinished === 0;
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
  call(action: string, data: JsonObject, options: CallOptions = {}): Promise<Answer> {
    return this.#requests.call(action, data, options);
  }

  /** Makes a request and gives its answers one by one, to `end` or the first error. Ends without a word when the caller gave up. */
  stream(action: string, data: JsonObject, options: CallOptions = {}): AsyncIterableIterator<Answer, void> {
    return this.#requests.stream(action, data, options);
  }

  /** Sends any frame as it is. */
  async send(frame: JsonObject): Promise<void> {
    await this.#post(frame);
  }

  /** Sends without a promise where nothing has to be waited for. Never throws. */
  #post(frame: JsonObject): Promise<void> | void {
    if (this.isClosed) return;
    this.#options.watch?.sent?.(frame);
    try {
      return this.#link.send(frame);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#options.watch?.fault?.('RUNCERT_WIRE_SEND', `a frame could not be sent: ${why}`, 'harness');
    }
  }

  async close(reason?: string): Promise<void> {
    await this.#link.close(reason);
  }

  #receive(frame: JsonObject, cost: number): void {
    this.#options.watch?.received?.(frame, cost);
    // The watch may have ended the connection over this very frame.
    if (this.isClosed) return;
    if (this.#generation === undefined) {
      const found = detectGeneration(frame);
      if (found !== undefined) {
        this.#generation = found;
        this.#link.tune?.(found);
      }
    }
    const kind = kindOf(frame, rulesOf(this.#generation).codeFirst);
    if (kind === 'response') this.#requests.take(frame);
    else if (kind === 'request') void this.#answer(frame);
    else
      this.#options.watch?.fault?.(
        'RUNCERT_FRAME_SHAPE',
        'An object that is neither a request (action) nor a response (code).',
      );
  }

  async #answer(request: JsonObject): Promise<void> {
    const seq_id = (request['seq_id'] ?? -1) as number;
    const limit = rulesOf(this.#generation).maxInFlight;
    if (this.#answering >= limit)
      return this.send(failure(seq_id, `Runtime connection is busy (max ${limit} concurrent actions)`));
    this.#answering++;
    try {
      const { action, data } = this.#check(request);
      const handler = this.#handlers.get(action);
      if (handler === undefined && this.#fallback === undefined) throw new Refusal(`Action ${action} not found`);
      const result = handler ? handler(data, request) : this.#fallback!(action, data, request);
      if (isStream(result)) {
        for await (const chunk of result) {
          // Leaving the loop ends the handler too, where the far side is gone.
          if (this.isClosed) return;
          await this.send(success(seq_id, chunk));
        }
        await this.send(success(seq_id, {}, 'end'));
      } else {
        await this.send(success(seq_id, await result));
      }
    } catch (error) {
      const data = error instanceof Refusal ? error.data : {};
      await this.send(failure(seq_id, error instanceof Error ? error.message : String(error), data));
    } finally {
      this.#answering--;
    }
  }

  #check(request: JsonObject): { readonly action: string; readonly data: JsonObject } {
    const { seq_id, action, data } = request;
    const wrong = (message: string): void => this.#options.watch?.fault?.('RUNCERT_FRAME_SHAPE', message);
    if (!Number.isSafeInteger(seq_id)) wrong('A request whose seq_id is no integer.');
    if (typeof action !== 'string') {
      wrong('A request whose action is no text.');
      throw new Refusal('action must be a string');
    }
    if (!isObject(data)) {
      wrong(`A request for ${action.slice(0, 80)} whose data is no object.`);
      throw new Refusal(`data must be an object in a request for ${action.slice(0, 80)}`);
    }
    return { action, data };
  }
}

const isStream = (value: unknown): value is AsyncIterable<JsonObject> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
