// Links in this process that pass the real codecs, on virtual time: bytes as a pipe carries them, or messages as a WebSocket does.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../common/json.ts';
import { encodeText } from '../../conformance/wire/fragment.ts';
import { type Generation, rulesOf } from '../../conformance/wire/generation.ts';
import { LineDecoder } from '../../conformance/wire/lines.ts';
import type { CloseReason, Link, LinkEvents } from '../../conformance/wire/link.ts';
import { encodePieces, PieceDecoder } from '../../conformance/wire/pieces.ts';

/** Cuts or joins what one message was encoded to, before it is written. */
export type Chunking = (bytes: Buffer) => Iterable<Buffer>;

/** Writes one message, or whatever else it likes. */
export type Writer = (
  text: string,
  write: (bytes: Buffer) => void,
  encode: (text: string) => readonly Buffer[],
) => void;

export interface PipeOptions {
  readonly codec: 'lines' | 'pieces';
  /** What the far side is; the near side finds out. */
  readonly generation?: Generation;
  readonly chunking?: Chunking;
  /** How the far side writes; in order unless told otherwise. */
  readonly far?: Writer;
}

export function pipes({ codec, generation, chunking = whole, far }: PipeOptions): readonly [near: Link, far: Link] {
  const ends = [new PipeEnd(codec, chunking, inOrder), new PipeEnd(codec, chunking, far ?? inOrder)] as const;
  ends[0].other = ends[1];
  ends[1].other = ends[0];
  if (generation !== undefined) ends[1].tune(generation);
  return ends;
}

const whole: Chunking = (bytes) => [bytes];
const inOrder: Writer = (text, write, encode) => {
  for (const bytes of encode(text)) write(bytes);
};

/** Pieces of these sizes, again and again. */
export const chunksOf = (...sizes: readonly number[]): Chunking =>
  function* (bytes) {
    for (let from = 0, i = 0; from < bytes.length; i++) {
      const size = sizes[i % sizes.length]!;
      yield bytes.subarray(from, from + size);
      from += size;
    }
  };

/** Says that the sender closes here. */
export const HANG_UP = Buffer.alloc(0);

class PipeEnd implements Link {
  readonly kind: Link['kind'];
  other: PipeEnd | undefined;
  #codec: PipeOptions['codec'];
  #chunking: Chunking;
  #writer: Writer;
  #generation: Generation | undefined;
  #decoder: { write(bytes: Buffer): void; end(): void } | undefined;
  #events: LinkEvents | undefined;
  #early: Buffer[] = [];
  #closed = false;

  constructor(codec: PipeOptions['codec'], chunking: Chunking, writer: Writer) {
    this.kind = codec === 'lines' ? 'stdio' : 'websocket';
    this.#codec = codec;
    this.#chunking = chunking;
    this.#writer = writer;
  }

  tune(generation: Generation): void {
    this.#generation = generation;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    const Decoder = this.#codec === 'lines' ? LineDecoder : PieceDecoder;
    const decoder = new Decoder(
      {
        message: (message, cost) => {
          if (!this.#closed) events.message(message, cost);
        },
        noise: (text, bytes) => events.noise?.(text, bytes),
        fault: ({ code, message, fatal }) => {
          events.fault?.(code, message);
          if (fatal) this.#end({ clean: false, message });
        },
      },
      () => rulesOf(this.#generation),
    );
    queueMicrotask(() => {
      this.#decoder = decoder;
      for (const bytes of this.#early.splice(0)) decoder.write(bytes);
    });
  }

  send(message: JsonObject): void {
    if (this.#closed) return;
    const write = (bytes: Buffer): void => {
      const parts = this.#codec === 'lines' && bytes !== HANG_UP ? this.#chunking(bytes) : [bytes];
      for (const part of parts) queueMicrotask(() => this.other?.arrive(part));
    };
    this.#writer(JSON.stringify(message), write, (text) => this.#encode(text));
  }

  arrive(bytes: Buffer): void {
    if (this.#closed) return;
    if (bytes === HANG_UP) {
      this.#decoder?.end();
      this.#end({ clean: true, message: 'the far side closed' });
    } else if (this.#decoder === undefined) this.#early.push(bytes);
    else this.#decoder.write(bytes);
  }

  close(reason = 'closed'): void {
    this.#end({ clean: true, message: reason });
    queueMicrotask(() => this.other?.arrive(HANG_UP));
  }

  /** A WebSocket joins the frames of a message itself; a pipe knows bytes only. */
  #encode(text: string): readonly Buffer[] {
    if (this.#codec === 'lines') {
      const lines = encodeText(text);
      checkLines(text, lines);
      return [Buffer.from(lines)];
    }
    const messages: Buffer[] = [];
    let open = '';
    const pieces = encodePieces(text, rulesOf(this.#generation));
    const alone = Buffer.byteLength(text) <= 65_536;
    check(
      alone === (pieces.length === 1) && pieces.every((piece) => Buffer.byteLength(piece.text) <= 65_536),
      'pieces',
    );
    for (const piece of pieces) {
      open += piece.text;
      if (!piece.fin) continue;
      messages.push(Buffer.from(open));
      open = '';
    }
    return messages;
  }

  #end(reason: CloseReason): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events?.close(reason);
  }
}

/** What a reader of the SDK may count on: a line of its own up to 16 KiB, else a series with sizes and offsets in bytes. */
function checkLines(text: string, written: string): void {
  const lines = written.split('\n');
  check(lines.pop() === '', 'the last line end');
  const total_size = Buffer.byteLength(text);
  if (total_size <= 16_384) {
    check(lines.length === 1 && lines[0] === text, 'a line of its own');
    return;
  }
  const parts = lines.map((line) => JSON.parse(line) as JsonObject);
  check(isDeepStrictEqual(parts[0], { type: 'chunk_start', total_size }), 'chunk_start');
  check(isDeepStrictEqual(parts.at(-1), { type: 'chunk_end' }), 'chunk_end');
  let offset = 0;
  for (const part of parts.slice(1, -1)) {
    const size = Buffer.byteLength(String(part['data']));
    check(part['type'] === 'chunk_data' && part['offset'] === offset && size <= 16_384, 'chunk_data');
    offset += size;
  }
}

function check(right: boolean, what: string): void {
  if (!right) throw new Error(`${what} is not as the SDK writes it`);
}
