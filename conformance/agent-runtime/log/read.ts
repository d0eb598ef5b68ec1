// A log as it lies on the disk: one event a line, read as a stream. What is broken is told with its line; what is sound goes on.

import { isAscii } from 'node:buffer';
import { closeSync, openSync, readSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { firstError } from '../../../common/document.ts';
import { RuncertError } from '../../../common/error.ts';
import { isObject } from '../../../common/json.ts';

const CHUNK = 256 * 1024;
/** A longer line is not read. */
export const LONGEST_LINE = 64 * 1024 * 1024;
/** JSON that is nested deeper is not read: what handles it further is recursive. */
export const DEEPEST = 500;
/** A shorter line cannot be nested deep enough to harm. */
const SHALLOW = 4096;
const TOLD = 100;
/** Where in a longer line the fault lies is not looked for if the parser does not say. */
const POINTED = 64 * 1024;

export interface Flaw {
  readonly line: number;
  readonly column?: number;
  readonly message: string;
}

export interface LogReading {
  lines: number;
  /** Lines with nothing on them: they are passed over. */
  blank: number;
  bytes: number;
  /** Lines that are JSON objects. */
  objects: number;
  /** Lines in the middle that are none; the first hundred in words. */
  flaws: Flaw[];
  flawCount: number;
  /** The last line is cut off: its writer was stopped, or still writes. */
  torn: Flaw | undefined;
}

/** Sees every sound line. `offset` is where it begins in the file, `bytes` how long it is. */
export type TakeLine = (json: unknown, line: number, offset: number, bytes: number) => void;

export interface ReadOptions {
  readonly take: TakeLine;
  /** Told of a line in the middle that could not be read: the log has a hole there. */
  readonly hole?: (flaw: Flaw) => void;
  /** Asked before each line: true stops reading. */
  readonly stop?: () => boolean;
}

export async function readLog(path: string, { take, hole, stop }: ReadOptions): Promise<LogReading> {
  const atOnce = (await mustBeReadable(path)).isFile();
  const reading: LogReading = { lines: 0, blank: 0, bytes: 0, objects: 0, flaws: [], flawCount: 0, torn: undefined };
  // One buffer for the whole log: a new one for every chunk would cost more than finding lines in it.
  let buffer = Buffer.allocUnsafe(2 * CHUNK);
  /** Where the line that is not whole yet begins in the file, and how much of it lies at the start of the buffer. */
  let offset = 0;
  let rest = 0;
  let skipping = false;
  let encoding: 'latin1' | 'utf8' = 'utf8';

  const flaw = (found: Flaw): void => {
    reading.flawCount++;
    if (reading.flaws.length < TOLD) reading.flaws.push(found);
    hole?.(found);
  };
  const line = (from: number, to: number, flawed: (found: Flaw) => void): void => {
    reading.lines++;
    let text = buffer.toString(encoding, from, to);
    if (reading.lines === 1 && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    let json: unknown;
    try {
      if (text.length > SHALLOW && depthOf(text) > DEEPEST) {
        flawed({ line: reading.lines, message: `JSON nested deeper than ${DEEPEST} levels` });
        return;
      }
      json = JSON.parse(text);
    } catch (error) {
      if (text.trim() === '') reading.blank++;
      else flawed(flawOf(error as Error, text, reading.lines));
      return;
    }
    if (isObject(json)) reading.objects++;
    take(json, reading.lines, offset + from, to - from);
  };
  const tear = (found: Flaw): void => {
    reading.torn = found;
  };

  const file = await open(path);
  try {
    for (;;) {
      if (rest + CHUNK > buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
      // A file is there at once; only of what is still written (a pipe) the rest has to be waited for.
      const bytesRead = atOnce
        ? readSync(file.fd, buffer, rest, CHUNK, null)
        : (await file.read(buffer, rest, CHUNK, null)).bytesRead;
      if (bytesRead === 0) break;
      const end = rest + bytesRead;
      const filled = buffer.subarray(0, end);
      if (reading.bytes === 0) mustBeText(filled, path);
      reading.bytes += bytesRead;
      // Plain ASCII, as most of a log is, needs no decoding.
      encoding = isAscii(filled) ? 'latin1' : 'utf8';
      let from = 0;
      for (let to = filled.indexOf(10, rest); to !== -1; to = filled.indexOf(10, from)) {
        if (stop?.()) return reading;
        if (skipping) {
          skipping = false;
          reading.lines++;
          flaw({ line: reading.lines, message: `the line is longer than ${LONGEST_LINE} bytes` });
        } else line(from, to, flaw);
        from = to + 1;
      }
      offset += from;
      buffer.copyWithin(0, from, end);
      rest = end - from;
      if (rest > 0 && (skipping || rest > LONGEST_LINE)) {
        skipping = true;
        offset += rest;
        rest = 0;
      }
    }
  } finally {
    await file.close();
  }
  if (stop?.()) return reading;
  if (skipping) tear({ line: ++reading.lines, message: `the line is longer than ${LONGEST_LINE} bytes` });
  else if (rest > 0) line(0, rest, tear);
  return reading;
}

function flawOf(error: Error, text: string, line: number): Flaw {
  const at = /position (\d+)/.exec(error.message)?.[1] ?? (text.length <= POINTED ? firstError(text) : undefined);
  // The message quotes the line: what would steer a terminal is written out.
  const words = error.message
    .replace(/ in JSON at position \d+.*$/s, '')
    .slice(0, 120)
    .replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
  return { line, ...(at === undefined ? {} : { column: Number(at) + 1 }), message: `no JSON: ${words}` };
}

/** How deep brackets are nested, outside of texts. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === 92) i++;
      else if (code === 34) quoted = false;
    } else if (code === 34) quoted = true;
    else if (code === 91 || code === 123) deepest = Math.max(deepest, ++depth);
    else if (code === 93 || code === 125) depth--;
  }
  return deepest;
}

async function mustBeReadable(path: string): Promise<Stats> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new RuncertError('RUNCERT_LOG_UNREADABLE', `The log cannot be read: ${error.message}.`, {
      place: path,
      remedy: 'Name a file with one event a line (NDJSON).',
      cause: error,
    });
  });
  if (found.isDirectory()) {
    throw new RuncertError('RUNCERT_LOG_UNREADABLE', 'This is a folder, not a log.', {
      place: path,
      remedy: 'Name a file with one event a line (NDJSON).',
    });
  }
  return found;
}

/** Kinds of file that are easily taken for a log, by their first bytes. */
function mustBeText(chunk: Buffer, path: string): void {
  const no = (what: string, remedy: string): never => {
    throw new RuncertError('RUNCERT_LOG_KIND', `This is ${what}, not an event log.`, { place: `${path}:1`, remedy });
  };
  const start = chunk.subarray(0, 4).toString('latin1');
  if (start.startsWith('\x1f\x8b')) no('a gzip file', 'Unpack it first: gunzip -c FILE > events.ndjson');
  if (start.startsWith('PK\x03\x04')) no('a zip file', 'Unpack it first.');
  if (start.startsWith('\x28\xb5\x2f\xfd')) no('a zstd file', 'Unpack it first: zstd -dc FILE > events.ndjson');
  if (start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff'))
    no('UTF-16 text', 'Write it as UTF-8: iconv -f UTF-16 -t UTF-8');
  if (chunk.subarray(0, 1024).includes(0)) no('a binary file', 'A log is text: one event a line (NDJSON).');
  const head = chunk.subarray(0, 512).toString('utf8').trimStart();
  if (/^\[\s*(\{|\]|$)/.test(head)) no('a JSON array', "Write one event a line: jq -c '.[]' FILE > events.ndjson");
  if (/^\{\s*"recording"\s*:\s*"runcert"/.test(head)) no('a recording of Runcert', 'Judge it with `runcert judge`.');
}

/** Gives back events by the offset of their line, for comparing an event with one of the same id. */
export class LogFile {
  #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
  }

  readonly recall = (offset: number): unknown => {
    const parts: Buffer[] = [];
    for (let at = offset; ; ) {
      const buffer = Buffer.alloc(16 * 1024);
      const read = readSync(this.#file, buffer, 0, buffer.length, at);
      const end = buffer.indexOf(10);
      parts.push(buffer.subarray(0, end === -1 || end > read ? read : end));
      at += read;
      if (read === 0 || (end !== -1 && end < read)) break;
    }
    try {
      return JSON.parse(
        Buffer.concat(parts)
          .toString('utf8')
          .replace(/^\uFEFF/, ''),
      );
    } catch {
      return undefined;
    }
  };

  close(): void {
    closeSync(this.#file);
  }
}
