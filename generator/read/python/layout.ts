// Lines, brackets and indentation as Python's own tokenizer holds them. The grammar is more forgiving than Python is,
// and what Python rejects a document must not contain.
import { Unreadable } from '../../diagnostics.ts';
import type { Python } from './syntax.ts';

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** As deep as CPython itself goes. */
const MAX_BRACKETS = 200;

interface Width {
  /** Columns with tabs at 8, and with tabs at 1: Python refuses lines on which the two would nest differently. */
  readonly wide: number;
  readonly narrow: number;
}

/** Throws at the first line that Python would reject for its layout. */
export function checkLayout(python: Python): void {
  const { text } = python;
  const fail = (offset: number, message: string, remedy: string): never => {
    throw new Unreadable(
      'python-layout',
      message,
      python.placeAt(Math.min(offset, Math.max(0, text.length - 1))),
      remedy,
    );
  };
  const open: { readonly bracket: string; readonly at: number }[] = [];
  const indents: Width[] = [{ wide: 0, narrow: 0 }];
  let opensBody = false;
  let at = 0;
  let lineStart = true;
  let lastToken = '';
  /** Where the statement before this line begins. */
  let before = 0;

  while (at < text.length) {
    if (lineStart) {
      const start = at;
      const width = { wide: 0, narrow: 0 };
      for (; text[at] === ' ' || text[at] === '\t' || text[at] === '\f'; at++) {
        if (text[at] === '\f') width.wide = width.narrow = 0;
        else {
          width.wide = text[at] === '\t' ? (Math.floor(width.wide / 8) + 1) * 8 : width.wide + 1;
          width.narrow += 1;
        }
      }
      lineStart = false;
      const blank = at >= text.length || text[at] === '\n' || text[at] === '#';
      if (!blank) {
        step(width, start);
        opensBody = false;
        before = at;
      }
      continue;
    }
    const char = text[at] as string;
    if (char === '#') {
      at = endOfLine(text, at);
    } else if (char === '\n') {
      if (open.length === 0) {
        opensBody = opensBody || lastToken === ':';
        lineStart = true;
        lastToken = '';
      }
      at += 1;
    } else if (char === '\\') {
      if (text[at + 1] !== '\n') fail(at, 'A backslash may only stand at the end of a line.', 'Remove it.');
      if (at + 2 >= text.length) fail(at, 'The block ends after a backslash.', 'Remove it.');
      at += 2;
    } else if (char === '"' || char === "'") {
      at = endOfString(at);
      lastToken = char;
    } else {
      if (char in PAIRS) {
        const top = open.pop();
        if (top?.bracket !== PAIRS[char])
          fail(
            at,
            top === undefined ? `"${char}" closes nothing.` : `"${char}" closes the "${top.bracket}" of another kind.`,
            'Balance the brackets.',
          );
      } else if ('([{'.includes(char)) {
        open.push({ bracket: char, at });
        if (open.length > MAX_BRACKETS)
          fail(at, `Brackets are nested more than ${MAX_BRACKETS} deep.`, 'Name the parts with aliases.');
      }
      if (!/\s/u.test(char)) lastToken = char;
      else if (char !== ' ' && char !== '\t' && char !== '\f')
        fail(
          at,
          `Character U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} is no space that Python takes.`,
          'Use plain spaces.',
        );
      at += 1;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) fail(unclosed.at, `"${unclosed.bracket}" is never closed.`, 'Close it.');
  if (opensBody || lastToken === ':')
    fail(text.length, 'An indented block was expected after ":".', 'Add its lines, indented.');

  function step(width: Width, offset: number): void {
    const current = indents.at(-1) as Width;
    if (width.wide === current.wide) {
      if (width.narrow !== current.narrow)
        fail(offset, 'Tabs and spaces are mixed here in a way that Python refuses.', 'Indent with spaces only.');
      if (opensBody) fail(offset, 'An indented block was expected here.', 'Indent this line.');
    } else if (width.wide > current.wide) {
      if (width.narrow <= current.narrow)
        fail(offset, 'Tabs and spaces are mixed here in a way that Python refuses.', 'Indent with spaces only.');
      if (!opensBody && /^(?:class|def|for|async|if|with|while)\b/u.test(text.slice(before)))
        fail(before, 'There is no ":" at the end of this line, but the next one is indented.', 'Add the ":".');
      if (!opensBody)
        fail(offset, 'This line is indented, but nothing before it opens a block.', 'Remove the indentation.');
      indents.push(width);
    } else {
      if (opensBody) fail(offset, 'An indented block was expected here.', 'Indent this line.');
      while ((indents.at(-1) as Width).wide > width.wide) indents.pop();
      const outer = indents.at(-1) as Width;
      if (outer.wide !== width.wide)
        fail(offset, 'The indentation of this line matches no line above it.', 'Indent it as its neighbours.');
      if (outer.narrow !== width.narrow)
        fail(offset, 'Tabs and spaces are mixed here in a way that Python refuses.', 'Indent with spaces only.');
    }
  }

  function endOfString(start: number): number {
    const quote = text[start] as string;
    const long = text.startsWith(quote.repeat(3), start);
    const mark = long ? quote.repeat(3) : quote;
    for (let i = start + mark.length; i < text.length; i++) {
      if (text[i] === '\\') i += 1;
      else if (text.startsWith(mark, i)) return i + mark.length;
      else if (text[i] === '\n' && !long) break;
    }
    return fail(
      start,
      long ? 'This text in triple quotes is never closed.' : 'This string is not closed on its line.',
      `Add ${mark} at its end.`,
    );
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
