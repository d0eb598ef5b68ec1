// Bytes → text, with limits: what is not UTF-8, or is no document at all, is refused with its place.
import { Unreadable } from '../diagnostics.ts';

export interface DocumentText {
  /** As it is named in messages and outputs: never an absolute path. */
  readonly file: string;
  readonly text: string;
  readonly lines: readonly string[];
}

const MAX_BYTES = 8 * 1024 * 1024;

export function decodeDocument(file: string, bytes: Uint8Array): DocumentText {
  const at = (line: number, column: number) => ({ file, line, column, section: '' });
  if (bytes.length > MAX_BYTES) {
    throw new Unreadable(
      'too-large',
      `The document has ${bytes.length} bytes; at most ${MAX_BYTES} are read.`,
      at(1, 1),
      'Split it into several documents in one revision folder.',
    );
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const bad = firstBadByte(bytes);
    throw new Unreadable(
      'not-utf8',
      `The document is not UTF-8: byte ${bad.offset} cannot be read.`,
      at(bad.line, bad.column),
      'Save it as UTF-8.',
    );
  }
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    const before = text.slice(0, nul).split(/\r\n|\r|\n/u);
    throw new Unreadable(
      'not-text',
      'The document holds a NUL character: it is not text.',
      at(before.length, (before.at(-1)?.length ?? 0) + 1),
      'Give the Markdown document itself.',
    );
  }
  // One kind of line end from here on, so that every place is right.
  const unix = text.replace(/\r\n?/gu, '\n');
  return { file, text: unix, lines: unix.split('\n') };
}

function firstBadByte(bytes: Uint8Array): { offset: number; line: number; column: number } {
  // The longest valid prefix by bisection: decoding with `stream` accepts a character cut off at the end.
  const readable = (length: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (readable(middle)) low = middle;
    else high = middle - 1;
  }
  const before = new TextDecoder('utf-8').decode(bytes.subarray(0, low), { stream: true }).split(/\r\n|\r|\n/u);
  return { offset: low, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
