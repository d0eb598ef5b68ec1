// A recording in blocks: whole cases, a megabyte or so together, still as text. Whoever judges a block parses it, so that
// threads can share that work; cutting a file looks at few of its lines.
import { RuncertError } from '../../common/error.ts';
import { factIn, headIn, kindOf } from './check.ts';
import type { Fact, RecordingHead } from './fact.ts';
import { linesOf, NEWLINE } from './lines.ts';

/** The bytes from which on the next case begins another block. */
const BLOCK = 1 << 20;
/** The most facts one case may hold. */
export const CASE_LIMIT = 200_000;

/** Plain data, so that it can go to another thread. */
export interface Block {
  readonly path: string;
  readonly head: RecordingHead;
  /** Lines, each with its newline; the blank ones are left out. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The number that each of these lines has in the file. */
  readonly lines: readonly number[];
}

/** Reads a recording block by block; the head is checked here, facts where the block is read. */
export async function* blocksOf(path: string): AsyncGenerator<Block, void, void> {
  let head: RecordingHead | undefined;
  let at = 0;
  let kept: Buffer[] = [];
  let lines: number[] = [];
  let bytes = 0;
  /** Lines since the block was large enough, none of which began a case. */
  let beyond = 0;
  const block = (): Block => {
    const whole = { path, head: head!, bytes: joined(kept, bytes), lines };
    [kept, lines, bytes, beyond] = [[], [], 0, 0];
    return whole;
  };
  try {
    for await (const some of linesOf(path)) {
      for (const line of some) {
        at++;
        if (isBlank(line)) continue;
        if (head === undefined) {
          head = headIn(line.toString('utf8'), () => `${path}:${at}`);
          continue;
        }
        // A case that never ends is handed on once it is too long, for the reader of the block to say so.
        if (bytes >= BLOCK && (beginsCase(line) || ++beyond > CASE_LIMIT)) yield block();
        kept.push(line);
        lines.push(at);
        bytes += line.length + 1;
      }
    }
  } catch (error) {
    // What was read before is looked at first: an error there comes first in the file.
    if (kept.length > 0) yield block();
    throw error;
  }
  if (head === undefined) {
    throw new RuncertError('RUNCERT_RECORDING_EMPTY', 'The recording is empty.', {
      place: path,
      remedy: 'Record something first, e.g. with `runcert certify`.',
    });
  }
  if (kept.length > 0) yield block();
}

/** The cases of a block, checked line by line. A recording made elsewhere may have no `case` facts: it is one case then. */
export function* casesIn({ path, bytes, lines }: Block): Generator<readonly Fact[], void, void> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let facts: Fact[] = [];
  let from = 0;
  for (const line of lines) {
    const place = (): string => `${path}:${line}`;
    const to = text.indexOf(NEWLINE, from);
    const fact = factIn(text.toString('utf8', from, to), place);
    from = to + 1;
    if (fact.fact === 'case' && facts.length > 0) {
      yield facts;
      facts = [];
    }
    facts.push(fact);
    if (facts.length > CASE_LIMIT) throw tooLong(place());
  }
  if (facts.length > 0) yield facts;
}

function joined(lines: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const line of lines) {
    whole.set(line, at);
    at += line.length;
    whole[at++] = NEWLINE;
  }
  return whole;
}

const isBlank = (line: Buffer): boolean => {
  const first = line[0];
  return first === undefined || ((first <= 0x20 || first >= 0x80) && line.toString('utf8').trim() === '');
};

/** Asked of few lines. The word may stand anywhere in a line, so that only parsing makes sure. */
function beginsCase(line: Buffer): boolean {
  if (!line.includes('"case"')) return false;
  try {
    return kindOf(JSON.parse(line.toString('utf8'))) === 'case';
  } catch {
    return false;
  }
}

const tooLong = (place: string): RuncertError =>
  new RuncertError('RUNCERT_RECORDING_CASE_TOO_LONG', `More than ${CASE_LIMIT} facts without a new case.`, {
    place,
    remedy: 'Put a {"fact": "case", …} line before each independent exchange, so that it can be judged piece by piece.',
  });
