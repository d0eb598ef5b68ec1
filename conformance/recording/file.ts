// Recordings on disk: NDJSON, the head first, then facts; gzipped where the name ends in .gz.
// Written as they come; read case by case, never whole.

import { createReadStream, createWriteStream } from 'node:fs';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Compile } from 'typebox/schema';
import { EXIT, RuncertError } from '../../common/error.ts';
import { Fact, RecordingHead } from './fact.ts';

/** The longest line that is read, in characters: a frame of 16 MiB and what stands around it. */
const LINE_LIMIT = 24 * 1024 * 1024;
/** The most facts one case may hold. */
export const CASE_LIMIT = 200_000;

export class RecordingWriter {
  readonly #path: string;
  readonly #stream: Transform;
  readonly #written: Promise<void>;
  #broken: Error | undefined;

  constructor(path: string, head: RecordingHead) {
    this.#path = path;
    // Frames repeat themselves: the quickest level already takes nine tenths away.
    this.#stream = path.endsWith('.gz') ? createGzip({ level: 1 }) : new PassThrough();
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
    if (!this.#stream.write(text)) await this.#drained();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#stream.off('drain', done).off('close', done);
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

/** Compiled when the first recording is read, and once. */
let compiled:
  | { readonly isHead: ReturnType<typeof compileHead>; readonly isFact: ReturnType<typeof compileFact> }
  | undefined;
const compileHead = () => Compile(RecordingHead);
const compileFact = () => Compile(Fact);

export interface RecordedCase {
  readonly head: RecordingHead;
  readonly facts: readonly Fact[];
}

/**
 * Reads a recording case by case. A recording made elsewhere may have no `case` facts: it is one case then.
 * Every line is checked; the error names the line and what is wrong with it.
 */
export async function* readRecording(path: string): AsyncGenerator<RecordedCase, void, void> {
  compiled ??= { isHead: compileHead(), isFact: compileFact() };
  const { isHead, isFact } = compiled;
  let head: RecordingHead | undefined;
  let facts: Fact[] = [];
  let line = 0;
  for await (const text of linesOf(path)) {
    line++;
    if (text.trim() === '') continue;
    const place = `${path}:${line}`;
    const value = parse(text, place);
    if (head === undefined) {
      const [ok, errors] = isHead.Errors(value);
      if (!ok)
        throw notA(
          'head',
          place,
          errors,
          'The first line must be the head: {"recording": "runcert", "version": 1, …}.',
        );
      head = value as RecordingHead;
      continue;
    }
    const [ok, errors] = isFact.Errors(value);
    if (!ok)
      throw notA(
        'fact',
        place,
        factErrors(value, errors),
        'Each line after the head is one fact: {"n", "at", "fact", …}.',
      );
    const fact = value as Fact;
    if (fact.fact === 'case' && facts.length > 0) {
      yield { head, facts };
      facts = [];
    }
    facts.push(fact);
    if (facts.length > CASE_LIMIT) {
      throw new RuncertError('RUNCERT_RECORDING_CASE_TOO_LONG', `More than ${CASE_LIMIT} facts without a new case.`, {
        place,
        remedy:
          'Put a {"fact": "case", …} line before each independent exchange, so that it can be judged piece by piece.',
      });
    }
  }
  if (head === undefined) {
    throw new RuncertError('RUNCERT_RECORDING_EMPTY', 'The recording is empty.', {
      place: path,
      remedy: 'Record something first, e.g. with `runcert certify`.',
    });
  }
  if (facts.length > 0) yield { head, facts };
}

type SchemaErrors = readonly { readonly instancePath: string; readonly message: string }[];

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RuncertError('RUNCERT_RECORDING_NOT_JSON', `This line is not JSON: ${(error as Error).message}`, {
      place,
      remedy: 'A recording is NDJSON, one object a line. A torn last line can be deleted.',
      cause: error,
    });
  }
}

function notA(what: string, place: string, errors: SchemaErrors, remedy: string): RuncertError {
  const first = errors[0];
  const where = first === undefined || first.instancePath === '' ? '' : ` at ${first.instancePath}`;
  return new RuncertError(
    'RUNCERT_RECORDING_INVALID',
    `This line is no ${what} of a recording${where}: ${first?.message ?? 'it has another shape'}.`,
    { place, remedy },
  );
}

const KINDS = ['case', 'sent', 'received', 'noise', 'did', 'shown', 'life', 'fault', 'end'];

/** A union's errors speak of every branch; the kind that was meant says more. */
function factErrors(value: unknown, errors: SchemaErrors): SchemaErrors {
  const kind = typeof value === 'object' && value !== null ? (value as { fact?: unknown }).fact : undefined;
  if (typeof kind !== 'string' || !KINDS.includes(kind))
    return [{ instancePath: '/fact', message: `must be one of ${KINDS.join(', ')}` }];
  const branch = (Fact.anyOf as readonly { properties: { fact: { const: string } } }[]).find(
    (one) => one.properties.fact.const === kind,
  );
  const [, found] = branch === undefined ? [false, errors] : Compile(branch as never).Errors(value);
  return found as SchemaErrors;
}

async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  let rest = '';
  try {
    for await (const chunk of textOf(path)) {
      rest += chunk;
      let from = 0;
      for (let to = rest.indexOf('\n', from); to !== -1; to = rest.indexOf('\n', from)) {
        yield rest.slice(from, to);
        from = to + 1;
      }
      rest = rest.slice(from);
      if (rest.length > LINE_LIMIT) {
        throw new RuncertError('RUNCERT_RECORDING_LINE_TOO_LONG', `A line is longer than ${LINE_LIMIT} characters.`, {
          place: path,
          remedy: 'Is this NDJSON? One fact stands on one line.',
        });
      }
    }
  } catch (error) {
    if (error instanceof RuncertError) throw error;
    throw new RuncertError(
      'RUNCERT_RECORDING_UNREADABLE',
      `The recording cannot be read: ${(error as Error).message}`,
      { place: path, remedy: 'Check the path and its permissions.', cause: error },
    );
  }
  if (rest !== '') yield rest;
}

function textOf(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  if (!path.endsWith('.gz')) return file.setEncoding('utf8');
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip).setEncoding('utf8');
}

const cannotWrite = (path: string, error: Error): RuncertError =>
  new RuncertError('RUNCERT_CANNOT_WRITE', `The recording cannot be written: ${error.message}`, {
    place: String(path),
    remedy: 'Is there room on the disk, and is --out writable?',
    exit: EXIT.inconclusive,
    cause: error,
  });
