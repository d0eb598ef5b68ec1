// What waits for the answer to a request: a call for one, a stream for all of them.
// Classes, for there is one for every request: closures and generators would cost as much as the frames themselves.
import type { JsonObject } from '../../common/json.ts';
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

/** A request that waits; `take` gets what comes for it. */
export interface Waiting {
  readonly unary: boolean;
  take(answer: Answer | 'end'): void;
}

/** What was asked, and how long to wait for the answer, or for the next one of a stream. */
export interface Asked {
  /** The number of the request. */
  readonly seq: number;
  readonly action: string;
  readonly clock: Clock;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Told when nobody waits any longer, though the far side may go on. */
  readonly leave: (seq: number) => void;
}

/** One answer, or none in time. */
export class Call implements Waiting {
  readonly unary = true;
  readonly #asked: Asked;
  readonly #resolve: (answer: Answer) => void;
  readonly #callOff: () => void;
  readonly #giveUp: (() => void) | undefined;

  constructor(asked: Asked, resolve: (answer: Answer) => void) {
    this.#asked = asked;
    this.#resolve = resolve;
    this.#callOff = asked.clock.after(asked.timeout, () => this.#lose(late(asked)));
    if (asked.signal === undefined) return;
    this.#giveUp = () => this.#lose(givenUp(asked.action));
    asked.signal.addEventListener('abort', this.#giveUp, { once: true });
  }

  take(answer: Answer | 'end'): void {
    this.#callOff();
    if (this.#giveUp !== undefined) this.#asked.signal?.removeEventListener('abort', this.#giveUp);
    this.#resolve(answer === 'end' ? EMPTY : named(answer, this.#asked.action));
  }

  #lose(answer: Answer): void {
    this.#asked.leave(this.#asked.seq);
    this.take(answer);
  }
}

type Step = IteratorResult<Answer, void>;

/** Every answer up to `end` or the first error. Ends without a word when the caller gave up. */
export class Stream implements Waiting, AsyncIterableIterator<Answer, void> {
  readonly unary = false;
  readonly #asked: Asked;
  readonly #inbox = new Queue<Answer | 'end'>();
  readonly #gaveUp = (): void => this.#wake?.(this.#over());
  #wake: ((step: Step) => void) | undefined;
  #done = false;
  #since: number;
  #callOff: () => void;

  constructor(asked: Asked) {
    this.#asked = asked;
    this.#since = asked.clock.now();
    this.#callOff = asked.clock.after(asked.timeout, () => this.#check());
    asked.signal?.addEventListener('abort', this.#gaveUp, { once: true });
  }

  take(answer: Answer | 'end'): void {
    if (this.#wake === undefined) this.#inbox.push(answer);
    else this.#wake(this.#step(answer));
  }

  next(): Promise<Step> {
    if (this.#done) return Promise.resolve(OVER);
    const answer = this.#inbox.shift();
    if (answer !== undefined) return Promise.resolve(this.#step(answer));
    if (this.#asked.signal?.aborted) return Promise.resolve(this.#over());
    this.#since = this.#asked.clock.now();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  return(): Promise<Step> {
    return Promise.resolve(this.#over());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #step(answer: Answer | 'end'): Step {
    this.#wake = undefined;
    if (answer === 'end') return this.#over();
    if (answer.code !== 0) this.#over();
    return { done: false, value: named(answer, this.#asked.action) };
  }

  /** One timer a stream, not one a chunk: when it fires too early it waits for the rest. */
  #check(): void {
    const { clock, timeout } = this.#asked;
    if (this.#wake === undefined) this.#since = clock.now();
    const rest = this.#since + timeout - clock.now();
    if (rest > 0) this.#callOff = clock.after(rest, () => this.#check());
    else this.take(late(this.#asked));
  }

  #over(): Step {
    this.#wake = undefined;
    if (this.#done) return OVER;
    this.#done = true;
    this.#callOff();
    this.#asked.signal?.removeEventListener('abort', this.#gaveUp);
    this.#asked.leave(this.#asked.seq);
    return OVER;
  }
}

const OVER: Step = { done: true, value: undefined };
const EMPTY: Answer = { code: 0, message: 'success', data: {} };
const lost = (reason: NonNullable<Answer['lost']>, message: string): Answer => ({
  code: -1,
  message,
  data: {},
  lost: reason,
});
/** The link closed, for whoever waits. */
export const CLOSED: Answer = lost('closed', 'closed');
export const MALFORMED: Answer = lost('malformed', 'the answer is no response frame');
export const closed = (action: string): Answer => lost('closed', `the link closed before ${action} was answered`);
export const givenUp = (action: string): Answer => lost('aborted', `${action} was given up`);
const late = ({ action, timeout }: Asked): Answer => lost('timeout', `no answer to ${action} within ${timeout} ms`);
const named = (answer: Answer, action: string): Answer => (answer === CLOSED ? closed(action) : answer);
