// Bytes of a pipe to messages: lines, bounded; what is no message is noise; what breaks a rule is a fault.
import { isUtf8 } from 'node:buffer';
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
    let from = 0;
    while (!this.#dead && from < bytes.length) {
      const end = bytes.indexOf(0x0a, from);
      if (end === -1) {
        this.#keep(bytes.subarray(from));
        return;
      }
      const rest = bytes.subarray(from, end);
      from = end + 1;
      if (this.#partialBytes === 0) this.#line(rest);
      else if (this.#keep(rest)) {
        const line = Buffer.concat(this.#partial, this.#partialBytes);
        this.#partial = [];
        this.#partialBytes = 0;
        this.#line(line);
      }
    }
  }

  /** The pipe has ended: what is unfinished now stays so. */
  end(): void {
    if (this.#dead) return;
    this.#dead = true;
    const cut = this.#partialBytes > 0 ? `${this.#partialBytes} bytes of a line that has no end` : undefined;
    if (cut !== undefined && this.#partial[0]?.[0] !== 0x7b)
      this.#events.noise(excerpt(Buffer.concat(this.#partial).toString('utf8')), this.#partialBytes);
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

  #line(line: Buffer): void {
    let from = 0;
    let end = line.length;
    while (from < end && isSpace(line[from]!)) from++;
    while (end > from && isSpace(line[end - 1]!)) end--;
    const body = line.subarray(from, end);
    const looksLikeFrame = body[0] === 0x7b && body[body.length - 1] === 0x7d;
    if (line.length > LINE_BYTES) this.#tooLong(String(line.length));
    else if (body.length === 0) return;
    else if (!looksLikeFrame) this.#events.noise(excerpt(body.toString('utf8')), line.length);
    else if (isUtf8(body)) this.#parse(body.toString('utf8'), line.length + 1);
    else this.#fault({ code: 'RUNCERT_WIRE_UTF8', message: `a line of ${line.length} bytes that is no UTF-8` });
  }

  #parse(text: string, bytes: number): void {
    const parsed = parseMessage(text);
    if (!parsed.ok) {
      this.#fault(parsed.fault);
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

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;
