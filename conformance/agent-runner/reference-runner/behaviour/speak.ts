// Saying something on a surface (§5.7): in deltas where the runner and the surface stream, in messages no larger than it takes.
import { Buffer } from 'node:buffer';
import type { ResultBody, Results, Run } from '../parts.ts';

/** Collects what is said and gives it out as messages. */
export class Speaker {
  #run: Run;
  #message = '';
  /** Something has left already. */
  heard = false;

  constructor(run: Run) {
    this.#run = run;
  }

  /** Says one more piece; a message that is full is completed first. */
  async *say(piece: string): Results {
    const { parts } = this.#run;
    const streaming = parts.streams(this.#run);
    const [first = '', ...more] = parts.fit(this.#run, this.#message + piece);
    yield* this.#grow(first, streaming);
    for (const next of more) {
      yield* this.stop();
      yield* this.#grow(next, streaming);
    }
  }

  /** Completes the message that was begun, if one was. */
  async *stop(): Results {
    if (this.#message === '') return;
    const whole = this.#message;
    this.#message = '';
    this.heard = true;
    yield this.#run.parts.completed(whole);
  }

  *#grow(whole: string, streaming: boolean): Generator<ResultBody> {
    const piece = whole.slice(this.#message.length);
    this.#message = whole;
    if (piece === '' || !streaming) return;
    this.heard = true;
    yield this.#run.parts.delta(piece, whole);
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

/** Both sides must want it: the manifest promises it, the surface shows it. */
export const streams = ({ context, parts }: Run): boolean =>
  context.delivery.streaming &&
  parts.manifests.some(
    (manifest) => (manifest['capabilities'] as { streaming?: unknown } | undefined)?.streaming === true,
  );

/** Messages within the surface's limit, in UTF-8 bytes and never through a character. One that cannot fit at all is left out. */
export function fit({ context }: Run, whole: string): readonly string[] {
  const limit = context.delivery.maxBytes;
  if (limit === undefined || Buffer.byteLength(whole) <= limit) return [whole];
  const messages: string[] = [];
  let message = '';
  let size = 0;
  for (const character of whole) {
    const bytes = Buffer.byteLength(character);
    if (bytes > limit) continue;
    if (size + bytes > limit) {
      messages.push(message);
      message = '';
      size = 0;
    }
    message += character;
    size += bytes;
  }
  messages.push(message);
  return messages;
}
