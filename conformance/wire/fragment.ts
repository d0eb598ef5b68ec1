// Large messages on stdio go as a series of lines: chunk_start, chunk_data with byte offsets, chunk_end.
import type { JsonObject } from '../../common/json.ts';
import { FRAGMENT_BYTES, MESSAGE_BYTES, type WireRules } from './generation.ts';
import type { WireFault } from './text.ts';

/** Cuts text into pieces of at most `bytes` UTF-8 bytes, never inside a code point. */
export function* cut(text: string, bytes: number): Generator<{ readonly piece: string; readonly offset: number }> {
  const whole = Buffer.from(text);
  for (let offset = 0; offset < whole.length; ) {
    let end = Math.min(offset + bytes, whole.length);
    // 10xxxxxx continues a code point; behind the end there is none.
    while ((whole[end]! & 0xc0) === 0x80) end--;
    yield { piece: whole.toString('utf8', offset, end), offset };
    offset = end;
  }
}

/** The lines that carry one message, without their line ends. */
export function encodeLines(text: string): string[] {
  const total_size = Buffer.byteLength(text);
  if (total_size <= FRAGMENT_BYTES) return [text];
  const lines = [JSON.stringify({ type: 'chunk_start', total_size })];
  for (const { piece, offset } of cut(text, FRAGMENT_BYTES))
    lines.push(JSON.stringify({ type: 'chunk_data', data: piece, offset }));
  lines.push('{"type":"chunk_end"}');
  return lines;
}

/** The same as one text, ready to be written. */
export const encodeText = (text: string): string =>
  // Three bytes a character at most: short texts need no counting.
  text.length * 3 <= FRAGMENT_BYTES ? `${text}\n` : `${encodeLines(text).join('\n')}\n`;

export type Assembled =
  | { readonly kind: 'message'; readonly text: string; readonly bytes: number }
  /** The line belongs to a series, or is swallowed by one. */
  | { readonly kind: 'taken' }
  /** An ordinary message. */
  | { readonly kind: 'plain' };

/** Puts series together again, and says what is wrong with them. */
export class Assembler {
  #pieces: string[] | undefined;
  #bytes = 0;
  #lines = 0;
  #total: unknown;

  /** Within a series whose `chunk_end` has not come. */
  get within(): boolean {
    return this.#pieces !== undefined;
  }

  take(line: JsonObject, rules: WireRules, fault: (fault: WireFault) => void): Assembled {
    const wrong = (message: string): void =>
      fault({ code: 'RUNCERT_WIRE_FRAGMENT', message, fatal: rules.strictFragments });
    const type = line['type'];
    if (this.#pieces === undefined) {
      if (type === 'chunk_start') this.#start(line['total_size'], wrong);
      else if (type === 'chunk_data' || type === 'chunk_end')
        fault({ code: 'RUNCERT_WIRE_FRAGMENT', message: `${type} outside a fragment series` });
      else return { kind: 'plain' };
      return TAKEN;
    }
    if (++this.#lines > rules.fragmentLines) {
      fault({
        code: 'RUNCERT_WIRE_FRAGMENT',
        message: `more than ${rules.fragmentLines} lines in one message`,
        fatal: true,
      });
      this.#pieces = undefined;
    } else if (type === 'chunk_data') this.#piece(line, wrong, fault);
    else if (type === 'chunk_end') return this.#end(wrong);
    else
      fault({
        code: 'RUNCERT_WIRE_INTERLEAVED',
        message: 'a whole message inside a fragment series; every SDK generation swallows it, and so does Runcert',
      });
    return TAKEN;
  }

  #start(total: unknown, wrong: (message: string) => void): void {
    if (typeof total !== 'number' || !Number.isInteger(total) || total < 0 || total > MESSAGE_BYTES)
      wrong(`total_size must be an integer from 0 to ${MESSAGE_BYTES}, and is ${brief(total)}`);
    this.#pieces = [];
    this.#bytes = 0;
    this.#lines = 0;
    this.#total = total;
  }

  #piece(line: JsonObject, wrong: (message: string) => void, fault: (fault: WireFault) => void): void {
    const { data, offset } = line;
    if (typeof data !== 'string') {
      wrong(`data of a fragment must be text, and is ${brief(data)}`);
      return;
    }
    if (offset !== this.#bytes) wrong(`offset must be ${this.#bytes}, and is ${brief(offset)}`);
    this.#bytes += Buffer.byteLength(data);
    if (this.#bytes > MESSAGE_BYTES) {
      this.#pieces = undefined;
      const message = `a fragmented message over ${MESSAGE_BYTES} bytes`;
      fault({ code: 'RUNCERT_WIRE_TOO_LARGE', message, fatal: true });
    } else this.#pieces?.push(data);
  }

  #end(wrong: (message: string) => void): Assembled {
    const text = (this.#pieces ?? []).join('');
    this.#pieces = undefined;
    if (this.#total !== this.#bytes) wrong(`total_size said ${brief(this.#total)} bytes, and ${this.#bytes} came`);
    return { kind: 'message', text, bytes: this.#bytes };
  }
}

const TAKEN: Assembled = { kind: 'taken' };
const brief = (value: unknown): string => (JSON.stringify(value) ?? 'missing').slice(0, 60);
