// The plain subset of YAML in which clause files are written, read in one pass. It is twenty times as fast as a whole YAML parser,
// which matters because clauses are half of what `runcert generate` reads. Whatever is not plain gives `undefined`, and the
// whole parser reads it instead: a test holds the two equal wherever this one answers.

export interface PlainItem {
  readonly value: Readonly<Record<string, string | readonly string[]>>;
  /** Where the item's first key stands. */
  readonly line: number;
  readonly column: number;
}

/** The items of `name:`, a list of flat maps. */
export function readPlainList(source: string, name: string): PlainItem[] | undefined {
  if (/[^\n\u0020-\u007e\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\uffef\u{10000}-\u{10ffff}]/u.test(source))
    return undefined;
  const lines = source.split('\n');
  const items: { value: Record<string, string | readonly string[]>; line: number; column: number }[] = [];
  const top = new Set<string>();
  let listed = false;
  let dash = -1;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (/^ *(?:#.*)?$/u.test(line)) continue;
    const key = /^( *)(- )?([a-z_]+):(?: +(.*))?$/u.exec(line);
    if (key === null) return undefined;
    const [, indent = '', item, word = '', rest = ''] = key;
    const column = indent.length + (item === undefined ? 0 : 2);
    let into: Record<string, string | readonly string[]> | undefined;
    if (indent === '' && item === undefined) {
      if (top.has(word)) return undefined;
      top.add(word);
      if (word === name) {
        if (rest !== '' && !rest.startsWith('#')) return undefined;
        listed = true;
        continue;
      }
      listed = false;
    } else {
      if (!listed) return undefined;
      if (item !== undefined) {
        if (dash < 0) dash = indent.length;
        if (indent.length !== dash) return undefined;
        items.push({ value: {}, line: at + 1, column: column + 1 });
      } else if (column !== dash + 2) return undefined;
      into = items.at(-1)?.value;
      if (into === undefined || Object.hasOwn(into, word) || word === '__proto__') return undefined;
    }
    const read = rest === '>-' ? folded(lines, at, column) : { value: scalar(rest), last: at };
    if (read?.value === undefined) return undefined;
    // A line that is indented deeper would go on with the value: that is for the whole parser.
    if (indentAfter(lines, read.last + 1, /^ *(?:#.*)?$/u) > column) return undefined;
    if (into !== undefined) into[word] = read.value;
    at = read.last;
  }
  return top.has(name) && items.length > 0 ? items : undefined;
}

/** `>-`: the lines below, all indented alike, joined by spaces. */
function folded(lines: readonly string[], at: number, column: number): { value: string; last: number } | undefined {
  const indent = /^ */u.exec(lines[at + 1] ?? '')![0].length;
  if (indent <= column) return undefined;
  const texts: string[] = [];
  let last = at;
  for (; last + 1 < lines.length; last++) {
    const line = lines[last + 1] as string;
    const own = /^ */u.exec(line)![0].length;
    if (line.trim() === '' || own <= column) break;
    if (own !== indent || line.endsWith(' ')) return undefined;
    texts.push(line.slice(indent));
  }
  // A blank line, or a comment between, may belong to the text.
  if (
    texts.length === 0 ||
    (last + 1 < lines.length && (lines[last + 1] as string).trim() === '' && continues(lines, last + 1, column))
  )
    return undefined;
  if (/^ *#/u.test(lines[last + 1] ?? '')) {
    const own = /^ */u.exec(lines[last + 1] as string)![0].length;
    if (own > column) return undefined;
  }
  return { value: texts.join(' '), last };
}

const continues = (lines: readonly string[], from: number, column: number): boolean =>
  indentAfter(lines, from, /^ *$/u) > column;

/** The indentation of the first line from there on that is not to be passed over; -1 at the end. */
function indentAfter(lines: readonly string[], from: number, pass: RegExp): number {
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] as string;
    if (!pass.test(line)) return /^ */u.exec(line)![0].length;
  }
  return -1;
}

const WORD = '[A-Za-z0-9_./][A-Za-z0-9_./|:*+-]*';
const QUOTED = '"(?:[^"\\\\]|\\\\["\\\\])*"';
const FLOW = new RegExp(`^\\[ *(?:(?:${WORD}|${QUOTED})(?:, *(?:${WORD}|${QUOTED}))*)? *\\]$`, 'u');

/** A value on one line: quoted, a list in brackets, or plain words that can mean nothing else. */
function scalar(text: string): string | readonly string[] | undefined {
  if (new RegExp(`^${QUOTED}$`, 'u').test(text)) return JSON.parse(text) as string;
  if (FLOW.test(text)) {
    const members = text.slice(1, -1).match(new RegExp(`${QUOTED}|${WORD}`, 'gu')) ?? [];
    return members.some((member) => member.endsWith(':'))
      ? undefined
      : members.map((member) => (member.startsWith('"') ? (JSON.parse(member) as string) : member));
  }
  const plain = /^[A-Za-z0-9§(/][^\n]*$/u.test(text) && !/: |:$| #|^\(?[-?:,[\]{}#&*!|>'"%@`]| $/u.test(text);
  return plain ? text : undefined;
}
