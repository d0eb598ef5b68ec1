// Saying something on a surface (§5.7): in deltas where the runner and the surface stream, in messages no larger than it takes.
import { Buffer } from 'node:buffer';
import type { ResultBody, Results, Run } from '../parts.ts';

/** Collects what is said and gives it out as messages. */
export class Speaker {
  #run: Run;
  #message = '';

  constructor(run: Run) {
    this.#run = run;
  }

  /** Says one more piece; a message that is full is completed first. */
  async *say(piece: string): Results {
    const [first, ...more] = this.#run.parts.fit(this.#run, this.#message + piece);
    yield* this.#grow(first!);
    for (const next of more) {
      yield* this.stop();
      yield* this.#grow(next);
    }
  }

  /** Completes the message that was begun, if one was. */
  async *stop(): Results {
    if (this.#message === '') return;
    yield this.#run.parts.completed(this.#message);
    this.#message = '';
  }

  *#grow(whole: string): Generator<ResultBody> {
    const { parts } = this.#run;
    if (parts.streams(this.#run)) yield parts.delta(whole.slice(this.#message.length), whole);
    this.#message = whole;
  }
}

export const delta = (piece: string): ResultBody => ({
  type: 'message.delta',
  data: { chunk: { role: 'assistant', content: piece } },
});

export const completed = (content: string): ResultBody => ({
  type: 'message.completed',
  data: { message: { role: 'assistant', content } },
});

/** The reference declares streaming; the surface must want it too. */
export const streams = ({ context }: Run): boolean => context.delivery.supports_streaming;

/** Messages within the surface's limit, in UTF-8 bytes and never through a character. */
export function fit({ context }: Run, whole: string): readonly string[] {
  const limit = context.delivery.max_message_size ?? Number.POSITIVE_INFINITY;
  const messages: string[] = [];
  let message = '';
  let size = 0;
  for (const character of whole) {
    const bytes = Buffer.byteLength(character);
    if (size + bytes > limit) {
      messages.push(message);
      message = '';
      size = 0;
    }
    message += character;
    size += bytes;
  }
  return [...messages, message];
}
