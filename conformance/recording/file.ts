// Recordings on disk: NDJSON, the head first, then facts; gzipped where the name ends in .gz.
// Written as they come; read case by case, never whole.

import { createReadStream, createWriteStream } from 'node:fs';
import { PassThrough, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Compile } from 'typebox/schema';
import { EXIT, RuncertError } from '../../common/error.ts';
import { Fact, RecordingHead } from './fact.ts';

/** The longest line that is read, in bytes: a frame of 16 MiB and what stands around it. */
const LINE_LIMIT = 24 * 1024 * 1024;
const NEWLINE = 0x0a;
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
let compiled: Checks | undefined;
interface Checks {
  readonly head: Check;
  /** One for each kind of fact: the kind says which branch of the union was meant. */
  readonly fact: ReadonlyMap<string, Check>;
}
interface Check {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly [boolean, readonly { readonly instancePath: string; readonly message: string }[]];
}

function compile(): Checks {
  const branches = Fact.anyOf.map((branch) => [branch.properties.fact.const, Compile(branch) as Check] as const);
  return { head: Compile(RecordingHead) as Check, fact: new Map(branches) };
}

export interface RecordedCase {
  readonly head: RecordingHead;
  readonly facts: readonly Fact[];
}

/**
 * Reads a recording case by case. A recording made elsewhere may have no `case` facts: it is one case then.
 * Every line is checked; the error names the line and what is wrong with it.
 */
export async function* readRecording(path: string): AsyncGenerator<RecordedCase, void, void> {
  compiled ??= compile();
  const { head: isHead, fact: isFact } = compiled;
  let head: RecordingHead | undefined;
  let facts: Fact[] = [];
  let line = 0;
  for await (const lines of linesOf(path)) {
    for (const text of lines) {
      line++;
      if (text.trim() === '') continue;
      const value = parse(text, path, line);
      if (head === undefined) {
        if (!isHead.Check(value)) throw notAHead(isHead.Errors(value)[1], `${path}:${line}`);
        head = value as RecordingHead;
        continue;
      }
      const check = isFact.get(kindOf(value));
      if (!check?.Check(value)) throw notAFact(check?.Errors(value)[1], `${path}:${line}`, [...isFact.keys()]);
      const fact = value as Fact;
      if (fact.fact === 'case' && facts.length > 0) {
        yield { head, facts };
        facts = [];
      }
      facts.push(fact);
      if (facts.length > CASE_LIMIT) throw tooLong(`${path}:${line}`);
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

const kindOf = (value: unknown): string => String((value as { readonly fact?: unknown } | null)?.fact);

function parse(text: string, path: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RuncertError('RUNCERT_RECORDING_NOT_JSON', `This line is not JSON: ${(error as Error).message}`, {
      place: `${path}:${line}`,
      remedy: 'A recording is NDJSON, one object a line. A torn last line can be deleted.',
      cause: error,
    });
  }
}

const notAHead = (errors: SchemaErrors, place: string): RuncertError =>
  notA('head', place, errors, 'The first line must be the head: {"recording": "runcert", "version": 1, …}.');

const notAFact = (errors: SchemaErrors | undefined, place: string, kinds: readonly string[]): RuncertError =>
  notA(
    'fact',
    place,
    errors ?? [{ instancePath: '/fact', message: `must be one of ${kinds.join(', ')}` }],
    'Each line after the head is one fact: {"n", "at", "fact", …}.',
  );

function notA(what: string, place: string, errors: SchemaErrors, remedy: string): RuncertError {
  const first = errors[0];
  const where = first === undefined || first.instancePath === '' ? '' : ` at ${first.instancePath}`;
  return new RuncertError(
    'RUNCERT_RECORDING_INVALID',
    `This line is no ${what} of a recording${where}: ${first?.message ?? 'it has another shape'}.`,
    { place, remedy },
  );
}

const tooLong = (place: string): RuncertError =>
  new RuncertError('RUNCERT_RECORDING_CASE_TOO_LONG', `More than ${CASE_LIMIT} facts without a new case.`, {
    place,
    remedy: 'Put a {"fact": "case", …} line before each independent exchange, so that it can be judged piece by piece.',
  });

/** The lines of a file, as many at a time as one read brings: a promise for each would cost more than its JSON. */
async function* linesOf(path: string): AsyncGenerator<readonly string[], void, void> {
  let rest: Buffer[] = [];
  let kept = 0;
  try {
    for await (const chunk of bytesOf(path)) {
      const lines: string[] = [];
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        const end = chunk.subarray(from, to);
        lines.push((rest.length === 0 ? end : Buffer.concat([...rest, end])).toString('utf8'));
        rest = [];
        kept = 0;
        from = to + 1;
      }
      if (lines.length > 0) yield lines;
      rest.push(chunk.subarray(from));
      kept += chunk.length - from;
      if (kept > LINE_LIMIT) {
        throw new RuncertError('RUNCERT_RECORDING_LINE_TOO_LONG', `A line is longer than ${LINE_LIMIT} bytes.`, {
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
  if (kept > 0) yield [Buffer.concat(rest).toString('utf8')];
}

function bytesOf(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  if (!path.endsWith('.gz')) return file;
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

const cannotWrite = (path: string, error: Error): RuncertError =>
  new RuncertError('RUNCERT_CANNOT_WRITE', `The recording cannot be written: ${error.message}`, {
    place: String(path),
    remedy: 'Is there room on the disk, and is --out writable?',
    exit: EXIT.inconclusive,
    cause: error,
  });
