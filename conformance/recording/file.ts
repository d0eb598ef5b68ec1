// Recordings on disk: NDJSON, the head first, then facts; gzipped where the name ends in .gz.
// Written as they come; read case by case, never whole.

import { createWriteStream } from 'node:fs';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { EXIT, RuncertError } from '../../common/error.ts';
import { blocksOf, casesIn } from './blocks.ts';
import type { Fact, RecordingHead } from './fact.ts';

export class RecordingWriter {
  readonly #path: string;
  readonly #stream: Transform;
  readonly #written: Promise<void>;
  #broken: Error | undefined;
  /** One wait for all cases that end while the disk is behind. */
  #draining: Promise<void> | undefined;

  constructor(path: string, head: RecordingHead) {
    this.#path = path;
    // Frames repeat themselves: the quickest level already takes nine tenths away.
    // Some cases may wait to be packed, so that the next ones are driven meanwhile.
    const room = { highWaterMark: 1 << 22 };
    this.#stream = path.endsWith('.gz') ? createGzip({ level: 1, ...room }) : new PassThrough(room);
    this.#written = pipeline(this.#stream, createWriteStream(path));
    this.#written.catch((error: Error) => {
      this.#broken = error;
    });
    this.#stream.write(`${JSON.stringify(head)}\n`);
  }

  /** Writes the facts of one case; waits while the disk is behind. */
  async write(facts: readonly Fact[]): Promise<void> {
    if (this.#broken !== undefined) throw cannotWrite(this.#path, this.#broken);
    if (facts.length === 0) return;
    const text = `${facts.map((fact) => JSON.stringify(fact)).join('\n')}\n`;
    if (this.#stream.write(text)) return;
    this.#draining ??= this.#drained();
    await this.#draining;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#stream.off('drain', done).off('close', done);
        this.#draining = undefined;
        resolve();
      };
      this.#stream.on('drain', done).on('close', done);
    });
  }

  async close(): Promise<void> {
    this.#stream.end();
    await this.#written.catch((error: Error) => {
      throw cannotWrite(this.#path, error);
    });
  }
}

/** One whole recording of a single case, as text. */
export const recordingText = (head: RecordingHead, facts: readonly Fact[]): string =>
  [head, ...facts].map((line) => `${JSON.stringify(line)}\n`).join('');

export interface RecordedCase {
  readonly head: RecordingHead;
  readonly facts: readonly Fact[];
}

/** Reads a recording case by case; every line is checked. */
export async function* readRecording(path: string): AsyncGenerator<RecordedCase, void, void> {
  for await (const block of blocksOf(path)) for (const facts of casesIn(block)) yield { head: block.head, facts };
}

const cannotWrite = (path: string, error: Error): RuncertError =>
  new RuncertError('RUNCERT_CANNOT_WRITE', `The recording cannot be written: ${error.message}`, {
    place: String(path),
    remedy: 'Is there room on the disk, and is --out writable?',
    exit: EXIT.inconclusive,
    cause: error,
  });
