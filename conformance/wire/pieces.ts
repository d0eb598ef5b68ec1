// Messages of a WebSocket to frames of the protocol: one to one (A), or joined until they are JSON (S, J).
import { isUtf8 } from 'node:buffer';
import { cut } from './fragment.ts';
import { MESSAGE_BYTES, PIECE_BYTES, type WireRules } from './generation.ts';
import type { DecoderEvents } from './lines.ts';
import { costOf, DepthScan, excerpt, MAX_DEPTH, parseMessage } from './text.ts';

/** How one message goes out: a list of WebSocket frames; `fin` ends a WebSocket message. */
export function encodePieces(text: string, rules: WireRules): { readonly text: string; readonly fin: boolean }[] {
  if (text.length * 3 <= PIECE_BYTES || Buffer.byteLength(text) <= PIECE_BYTES) return [{ text, fin: true }];
  const pieces = [...cut(text, PIECE_BYTES)];
  return pieces.map(({ piece }, i) => ({ text: piece, fin: rules.large === 'pieces' || i === pieces.length - 1 }));
}

/** Reads frames from WebSocket messages. Joining is bounded and follows brackets, so that it never parses twice. */
export class PieceDecoder {
  #events: DecoderEvents;
  #rules: () => WireRules;
  #held: string[] = [];
  #heldBytes = 0;
  #scan = new DepthScan();

  constructor(events: DecoderEvents, rules: () => WireRules) {
    this.#events = events;
    this.#rules = rules;
  }

  write(message: Buffer): void {
    const text = isUtf8(message) ? message.toString() : undefined;
    if (text === undefined) {
      this.#drop();
      const what = `a message of ${message.length} bytes that is no UTF-8`;
      this.#events.fault({ code: 'RUNCERT_WIRE_UTF8', message: what });
    } else if (this.#held.length > 0) this.#join(text, message.length);
    else if (/^\s*$/.test(text)) return;
    else if (!/^\s*\{/.test(text)) this.#events.noise(excerpt(text), message.length);
    else if (this.#joins(message.length)) this.#join(text, message.length);
    else this.#whole(text, message.length);
  }

  #joins(bytes: number): boolean {
    const { join } = this.#rules();
    // A sender that cuts at code points may fall up to three bytes short of a full piece.
    return join === 'always' || (join === 'full' && bytes >= PIECE_BYTES - 3);
  }

  end(): void {
    if (this.#held.length === 0) return;
    this.#events.fault({
      code: 'RUNCERT_WIRE_CUT',
      message: `the connection ended within a message: ${this.#heldBytes} bytes that are no JSON yet`,
    });
    this.#drop();
  }

  #join(text: string, bytes: number): void {
    this.#held.push(text);
    this.#heldBytes += bytes;
    this.#scan.read(text);
    if (this.#scan.deepest > MAX_DEPTH || this.#scan.whole) {
      const joined = this.#held.join('');
      const size = this.#heldBytes;
      this.#drop();
      this.#whole(joined, size);
    } else if (this.#heldBytes > MESSAGE_BYTES || this.#held.length > 4096) {
      const size = this.#heldBytes;
      this.#drop();
      this.#events.fault({
        code: 'RUNCERT_WIRE_TOO_LARGE',
        message: `${size} bytes in a row that are no JSON together`,
        fatal: true,
      });
    }
  }

  #whole(text: string, bytes: number): void {
    const parsed = parseMessage(text);
    if (parsed.ok) this.#events.message(parsed.value, costOf(bytes, parsed.values));
    else this.#events.fault(parsed.fault);
  }

  #drop(): void {
    this.#held = [];
    this.#heldBytes = 0;
    this.#scan = new DepthScan();
  }
}
