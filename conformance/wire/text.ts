// JSON text from a stranger: how deep and how long it may be, and what is wrong with it when it is no frame.
import { isObject, type JsonObject } from '../../common/json.ts';
import { MESSAGE_BYTES } from './generation.ts';

/** Deeper than any protocol model by far, and shallow enough for code that walks values recursively. */
export const MAX_DEPTH = 512;

/** More values than any message of the protocol holds; their objects would take far more memory than their text. */
const MAX_VALUES = 500_000;

/** Depth d takes 2d characters at least, so that short texts need no look; their values are taken to be many. */
const SHORT = 2 * MAX_DEPTH;

export interface WireFault {
  readonly code: `RUNCERT_${string}`;
  readonly message: string;
  /** The connection cannot go on after this. */
  readonly fatal?: boolean;
}

export type Parsed =
  /** `values` is about how many values it holds, itself included. */
  | { readonly ok: true; readonly value: JsonObject; readonly values: number }
  | { readonly ok: false; readonly fault: WireFault };

/**
 * Parses one message. Keys such as `__proto__` stay plain own members, and of duplicate keys the last one counts, as in Python.
 * Numbers that no double holds are refused: kept, they would turn into `null` in the recording.
 */
export function parseMessage(text: string): Parsed {
  if (text.length > MESSAGE_BYTES) return bad('RUNCERT_WIRE_TOO_LARGE', `a message of ${text.length} characters`);
  const short = text.length <= SHORT;
  const { deepest, values } = short ? { deepest: 0, values: text.length / 10 } : scanned(text);
  if (deepest > MAX_DEPTH)
    return bad('RUNCERT_WIRE_TOO_DEEP', `JSON nested ${deepest} levels deep; at most ${MAX_DEPTH} are read`);
  if (values > MAX_VALUES)
    return bad('RUNCERT_WIRE_TOO_LARGE', `a message of about ${values} values; at most ${MAX_VALUES} are read`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const python = /(?<![\w"])-?(NaN|Infinity)(?![\w"])/.test(text)
      ? ' (NaN and Infinity are no JSON, though Python writes them)'
      : '';
    return bad('RUNCERT_WIRE_JSON', `text that looks like a frame and is no JSON${python}: ${excerpt(why, 160)}`);
  }
  if (!isObject(value)) return bad('RUNCERT_WIRE_JSON', 'a JSON value that is no object where a frame belongs');
  if (MAYBE_HUGE.test(text) && !allFinite(value))
    return bad('RUNCERT_WIRE_NUMBER', 'a number too large for a double (over about 1.8e308)');
  return { ok: true, value, values };
}

const MAYBE_HUGE = /\d[eE]\+?\d{3}|\d{309}/;
const bad = (code: `RUNCERT_${string}`, message: string): Parsed => ({ ok: false, fault: { code, message } });

function allFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(allFinite);
}

/** Memory that a small value takes, whatever its text: `{}` is two characters and many bytes. */
const VALUE_BYTES = 40;

/** What a message costs whoever keeps it. */
export const costOf = (bytes: number, values: number): number => Math.max(bytes, values * VALUE_BYTES);

function scanned(text: string): DepthScan {
  const scan = new DepthScan();
  scan.read(text);
  return scan;
}

/** Follows brackets and strings through text that comes in pieces, without keeping it. */
export class DepthScan {
  depth = 0;
  deepest = 0;
  /** Brackets opened and commas, strings aside: about the number of values. */
  values = 0;
  /** Brackets were opened and all are closed again. */
  whole = false;
  #inString = false;
  #escaped = false;

  read(text: string): void {
    let { depth, deepest, values } = this;
    let i = this.#inString ? this.#closingQuote(text, 0) : 0;
    for (; i < text.length; i++) {
      const c = text.charCodeAt(i);
      // Strings are leapt over: most of a message is inside of them.
      if (c === 0x22) i = this.#closingQuote(text, i + 1) - 1;
      else if (c === 0x7b || c === 0x5b) {
        values++;
        if (++depth > deepest) deepest = depth;
      } else if (c === 0x7d || c === 0x5d) depth--;
      else if (c === 0x2c) values++;
    }
    this.depth = depth;
    this.deepest = deepest;
    this.values = values;
    this.whole = deepest > 0 && depth <= 0 && !this.#inString;
  }

  /** The place after the quote that ends the string; the end of the text where it has not come yet. */
  #closingQuote(text: string, from: number): number {
    for (let at = from; ; ) {
      const quote = text.indexOf('"', at);
      const end = quote === -1 ? text.length : quote;
      let backslashes = 0;
      while (end - 1 - backslashes >= from && text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
      // A backslash at the end of the last piece reaches into this one.
      const reached = end - backslashes === from && this.#escaped ? 1 : 0;
      const escaped = (backslashes + reached) % 2 === 1;
      this.#inString = quote === -1 || escaped;
      this.#escaped = quote === -1 && escaped;
      if (quote === -1) return text.length;
      if (!escaped) return quote + 1;
      at = quote + 1;
      from = at;
    }
  }
}

/** The start of a text, cut at a code point, for facts and messages that must stay small. */
export function excerpt(text: string, length = 400): string {
  if (text.length <= length) return text;
  const cut = /[\uD800-\uDBFF]/.test(text[length - 1] ?? '') ? length - 1 : length;
  return `${text.slice(0, cut)}… (${text.length} characters)`;
}
