// Foreign text as data: whatever a target said is made visible, cut to size and escaped for the place it goes to.
import { createHash } from 'node:crypto';

/** Control characters, bidirectional overrides, invisible tags and broken surrogates: all that could act instead of being read. */
const ACTS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

/** The text with everything that acts shown as `\u{…}`. Line breaks and tabs stay. */
export const visible = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(ACTS, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);

/** The same on one line. */
export const oneLine = (text: string): string =>
  visible(text)
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ');

/** Cuts what is too long, says so, and never splits a character. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

/** Cuts to a width with a bare `…`, where there is no room for more. */
export function clip(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(width - 2)) ? width - 2 : width - 1;
  return `${text.slice(0, end)}…`;
}

/** Breaks a line between words; a word that is longer than the width is broken itself. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : /[\ud800-\udbff]/.test(rest.charAt(width - 1)) ? width - 1 : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** For text and attributes of HTML and XML alike. */
export const escapeXml = (text: string): string => visible(text).replace(/[&<>"']/g, (sign) => XML[sign] ?? sign);

/** For an XML attribute, where a parser would turn line breaks into spaces. */
export const escapeAttribute = (text: string): string =>
  escapeXml(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');

/** Markdown prose: every ASCII punctuation mark that could mean something stands behind a backslash. */
export const escapeMarkdown = (text: string): string =>
  oneLine(text).replace(/(?<!\w)-|[!-+:-@[-`{-~]/g, (sign) => `\\${sign}`);

/** Markdown code span on one line, safe in a table too. */
export function codeSpan(text: string): string {
  const line = oneLine(text).replaceAll('|', '\\|');
  if (line.trim() === '') return '` `';
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || (line.startsWith(' ') && line.endsWith(' ')) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A command line for a POSIX shell: each word quoted where it must be. */
export const shellWords = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${visible(word).replaceAll("'", `'\\''`)}'`)).join(' ');

/** JSON in a bounded number of characters: long strings and long lists are cut inside, with a note. */
export function boundedJson(value: unknown, limit: number, indent = 2): string {
  const whole = sizeLeft(value, limit) > 0 ? safeStringify(value, indent) : undefined;
  if (whole !== undefined && whole.length <= limit) return whole;
  return cut(safeStringify(shortened(value, 0), indent), limit);
}

const safeStringify = (value: unknown, indent: number): string => JSON.stringify(value, null, indent) ?? 'null';

/** What is left of `room` after the value, roughly; it stops looking when nothing is, so that a huge frame costs little. */
function sizeLeft(value: unknown, room: number, depth = 0): number {
  if (typeof value === 'string') return room - value.length;
  if (typeof value !== 'object' || value === null) return room - 4;
  if (depth > DEEPEST_WHOLE) return 0;
  let left = room - 2;
  for (const key in value) {
    if (left <= 0) return left;
    left = sizeLeft((value as Record<string, unknown>)[key], left - key.length, depth + 1);
  }
  return left;
}

/** Deeper values are never printed whole: a target may nest until the stack is gone. */
const DEEPEST_WHOLE = 60;
const LONG_STRING = 300;
const LONG_LIST = 12;
const DEEP = 12;

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cut(value, LONG_STRING);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEP) return '… (deeper levels left out)';
  if (Array.isArray(value)) {
    const head = value.slice(0, LONG_LIST).map((item) => shortened(item, depth + 1));
    return value.length > LONG_LIST ? [...head, `… (${value.length - LONG_LIST} more items)`] : head;
  }
  const members = Object.entries(value);
  const kept = members
    .slice(0, LONG_LIST * 2)
    .map(([key, member]) => [cut(key, LONG_STRING), shortened(member, depth + 1)]);
  const more = members.length - kept.length;
  return Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more members`]] : kept);
}

/** A file name or anchor for a clause: readable where the id is plain, never a path, and never that of another clause. */
export function slugOf(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9.-]*(\/[A-Za-z0-9][A-Za-z0-9.-]*)*$/.test(id) && id.length <= 120)
    return id.replaceAll('/', '_');
  const plain = id
    .replace(/[^A-Za-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 60);
  return `${plain}_-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
}

/** Escaped for HTML in at most about `limit` characters, escapes included. */
export function escapeWithin(text: string, limit: number): string {
  const escaped = escapeXml(cut(text, limit));
  if (escaped.length <= limit * 1.25 + 60) return escaped;
  return escapeXml(cut(text, Math.max(1, Math.floor((limit * limit) / escaped.length))));
}
