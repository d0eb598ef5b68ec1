// Bytes of a pipe to messages: lines, bounded; what is no message is noise; what breaks a rule is a fault.
import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonObject } from '../../common/json.ts';
import { Assembler } from './fragment.ts';
import { LINE_BYTES, type WireRules } from './generation.ts';
import { costOf, excerpt, parseMessage, type WireFault } from './text.ts';

export interface DecoderEvents {
  /** `cost`: bytes on the wire or in memory, whichever is more. */
  readonly message: (message: JsonObject, cost: number) => void;
  readonly noise: (text: string, bytes: number) => void;
  readonly fault: (fault: WireFault) => void;
}

/** Reads frames from the bytes of a pipe, however they are cut. After a fatal fault it reads no more. */
export class LineDecoder {
  #events: DecoderEvents;
  #rules: () => WireRules;
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #assembler = new Assembler();
  #dead = false;

  constructor(events: DecoderEvents, rules: () => WireRules) {
    this.#events = events;
    this.#rules = rules;
  }

  write(bytes: Buffer): void {
    if (this.#dead) return;
    const last = bytes.lastIndexOf(0x0a);
    let from = 0;
    if (last !== -1 && this.#partialBytes > 0) {
      from = bytes.indexOf(0x0a) + 1;
      if (!this.#keep(bytes.subarray(0, from - 1))) return;
      const line = Buffer.concat(this.#partial, this.#partialBytes);
      this.#partial = [];
      this.#partialBytes = 0;
      this.#line(line);
    }
    if (from <= last) this.#lines(bytes.subarray(from, last));
    if (!this.#dead && last < bytes.length - 1) this.#keep(bytes.subarray(last + 1));
  }

  /** The pipe has ended: what is unfinished now stays so. */
  end(): void {
    if (this.#dead) return;
    this.#dead = true;
    const cut = this.#partialBytes > 0 ? `${this.#partialBytes} bytes of a line that has no end` : undefined;
    if (cut !== undefined && this.#partial[0]?.[0] !== 0x7b)
      this.#events.noise(excerpt(Buffer.concat(this.#partial).toString()), this.#partialBytes);
    else if (cut !== undefined || this.#assembler.within)
      this.#fault({
        code: 'RUNCERT_WIRE_CUT',
        message: `the stream ended within a message: ${cut ?? 'a fragment series without chunk_end'}`,
      });
  }

  #keep(bytes: Buffer): boolean {
    this.#partialBytes += bytes.length;
    if (this.#partialBytes > LINE_BYTES) {
      this.#partial = [];
      this.#tooLong(`over ${LINE_BYTES}`);
      return false;
    }
    // A copy: a slice would keep the whole read buffer alive.
    if (bytes.length > 0) this.#partial.push(Buffer.from(bytes));
    return true;
  }

  #tooLong(size: string): void {
    this.#fault({
      code: 'RUNCERT_WIRE_LINE_TOO_LONG',
      message: `a line of ${size} bytes; readers of every SDK generation break at ${LINE_BYTES} (cut messages over 16 KiB into fragments)`,
      fatal: true,
    });
  }

  /** Whole lines: as one text where that is cheap, since what the SDK sends is ASCII. */
  #lines(block: Buffer): void {
    const text = isAscii(block) ? block.toString('latin1') : undefined;
    for (let from = 0; !this.#dead && from <= block.length; ) {
      const found = text === undefined ? block.indexOf(0x0a, from) : text.indexOf('\n', from);
      const end = found === -1 ? block.length : found;
      if (text === undefined) this.#line(block.subarray(from, end));
      else this.#text(text.slice(from, end), end - from);
      from = end + 1;
    }
  }

  #line(line: Buffer): void {
    if (isUtf8(line)) this.#text(line.toString(), line.length);
    else if (looksLikeFrame(line.toString('latin1')) && line.length <= LINE_BYTES)
      this.#fault({ code: 'RUNCERT_WIRE_UTF8', message: `a line of ${line.length} bytes that is no UTF-8` });
    else this.#text(line.toString(), line.length);
  }

  #text(line: string, bytes: number): void {
    if (bytes > LINE_BYTES) this.#tooLong(String(bytes));
    else if (looksLikeFrame(line)) this.#parse(line, bytes + 1);
    else if (/\S/.test(line)) this.#events.noise(excerpt(line.trim()), bytes);
  }

  #parse(text: string, bytes: number): void {
    const parsed = parseMessage(text);
    if (!parsed.ok) {
      this.#fault(parsed.fault);
      return;
    }
    if (!this.#assembler.within && !('type' in parsed.value)) {
      this.#events.message(parsed.value, costOf(bytes, parsed.values));
      return;
    }
    const taken = this.#assembler.take(parsed.value, this.#rules(), (fault) => this.#fault(fault));
    if (this.#dead || taken.kind === 'taken') return;
    if (taken.kind === 'plain') this.#events.message(parsed.value, costOf(bytes, parsed.values));
    else {
      const whole = parseMessage(taken.text);
      if (whole.ok) this.#events.message(whole.value, costOf(taken.bytes, whole.values));
      else this.#fault(whole.fault);
    }
  }

  #fault(fault: WireFault): void {
    if (fault.fatal) this.#dead = true;
    this.#events.fault(fault);
  }
}

/** As in the SDK: what begins and ends with brackets, white space aside, is meant to be a frame. */
function looksLikeFrame(line: string): boolean {
  let from = 0;
  let end = line.length - 1;
  while (from < end && isSpace(line.charCodeAt(from))) from++;
  while (end > from && isSpace(line.charCodeAt(end))) end--;
  return end > from && line.charCodeAt(from) === 0x7b && line.charCodeAt(end) === 0x7d;
}

const isSpace = (char: number): boolean => char === 0x20 || char === 0x09 || char === 0x0d;
