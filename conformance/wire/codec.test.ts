// The codec by properties: any message, any chunking, any UTF-8 boundary, any interleaving, all generations.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonical, type JsonObject } from '../../common/json.ts';
import { cut, encodeLines } from './fragment.ts';
import { FRAGMENT_BYTES, type Generation, LINE_BYTES, PIECE_BYTES, rulesOf } from './generation.ts';
import { LineDecoder } from './lines.ts';
import { encodePieces, PieceDecoder } from './pieces.ts';
import type { WireFault } from './text.ts';

const generation = fc.constantFrom<Generation | undefined>('S', 'J', 'A', undefined);

/** Text with what is hard on a wire: quotes, escapes, all planes, lone surrogates, line ends. */
const hardText = fc.string({ unit: 'binary', maxLength: 200 });
const longText = fc
  .tuple(fc.constantFrom('a', '"', '\\', '\n', 'é', '字', '😀', '\u0001', '\ud800'), fc.nat({ max: 90_000 }), hardText)
  .map(([unit, times, rest]) => rest + unit.repeat(times) + rest);
const frame: fc.Arbitrary<JsonObject> = fc.record({
  seq_id: fc.integer(),
  action: hardText,
  data: fc.dictionary(
    hardText,
    fc.oneof({ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<never> }, longText),
  ),
});

interface Seen {
  readonly messages: JsonObject[];
  readonly noise: string[];
  readonly faults: WireFault[];
}

function watch(): Seen & { events: ConstructorParameters<typeof LineDecoder>[0] } {
  const seen: Seen = { messages: [], noise: [], faults: [] };
  return {
    ...seen,
    events: {
      message: (message) => seen.messages.push(message),
      noise: (text) => seen.noise.push(text),
      fault: (fault) => seen.faults.push(fault),
    },
  };
}

/** Cuts bytes at any places, also inside code points. */
function chop(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let from = 0, i = 0; from < bytes.length; i++) {
    // Byte by byte where the text is short; a long one would only take time.
    const size = sizes.length === 0 ? bytes.length : Math.max(1 + (bytes.length >> 12), sizes[i % sizes.length]!);
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  return chunks;
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 70_000 })), { maxLength: 6 });
const texts = (frames: readonly JsonObject[]): string[] => frames.map(canonical);

describe('stdio lines', () => {
  test('whatever is encoded comes back, however the bytes are chunked, with logs between the messages', () => {
    const logs = fc.array(
      fc.string({ unit: 'binary', maxLength: 60 }).map((text) => `log ${text.replace(/[\r\n]/g, ' ')}`),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(frame, logs), { maxLength: 4 }), sizes, generation, (frames, cuts, peer) => {
        const lines = frames.flatMap(([message, noise]) => [...encodeLines(JSON.stringify(message)), ...noise]);
        const { messages, noise, faults, events } = watch();
        const decoder = new LineDecoder(events, () => rulesOf(peer));
        for (const chunk of chop(Buffer.from(lines.map((line) => `${line}\n`).join('')), cuts)) decoder.write(chunk);
        decoder.end();
        expect(faults).toEqual([]);
        // As JSON carries it: -0 is 0, and undefined members are none.
        expect(texts(messages)).toEqual(frames.map(([message]) => canonical(JSON.parse(JSON.stringify(message)))));
        expect(noise.length).toBe(frames.flatMap(([, log]) => log).length);
      }),
      { numRuns: 150, seed: 11 },
    );
  });

  test('no line is longer than the readers of the SDK take, and offsets count bytes', () => {
    fc.assert(
      fc.property(frame, (message) => {
        const text = JSON.stringify(message);
        const lines = encodeLines(text);
        expect(lines.length > 1).toBe(Buffer.byteLength(text) > FRAGMENT_BYTES);
        let offset = 0;
        for (const line of lines) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LINE_BYTES);
          expect(line).not.toContain('\n');
          const piece = lines.length > 1 ? JSON.parse(line) : {};
          if (piece.type === 'chunk_start') expect(piece.total_size).toBe(Buffer.byteLength(text));
          if (piece.type !== 'chunk_data') continue;
          expect(piece.offset).toBe(offset);
          expect(Buffer.byteLength(piece.data)).toBeLessThanOrEqual(FRAGMENT_BYTES);
          offset += Buffer.byteLength(piece.data);
        }
      }),
      { numRuns: 150, seed: 12 },
    );
  });

  test('text is cut at code points, never inside', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 4, max: 40 }), (text, bytes) => {
        const whole = Buffer.from(text).toString();
        const pieces = [...cut(text, bytes)];
        expect(pieces.map(({ piece }) => piece).join('')).toBe(whole);
        for (const { piece } of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(bytes);
      }),
      { numRuns: 500, seed: 13 },
    );
  });

  test('any bytes at all: never throws, never holds more than a line and a message', () => {
    const pieceOfFrame = fc.constantFrom(
      '{"type":"chunk_start","total_size":3}',
      '{"type":"chunk_data","data":"x","offset":0}',
      '{"type":"chunk_end"}',
      '{"type":"chunk_data","data":7}',
      '{}',
      '{"a":NaN}',
      '{"a":1e999}',
      '[1]',
      '',
      '{',
      '}',
    );
    const line = fc.oneof(
      pieceOfFrame.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), sizes, generation, (lines, cuts, peer) => {
        const decoder = new LineDecoder(watch().events, () => rulesOf(peer));
        for (const chunk of chop(Buffer.concat(lines.flatMap((bytes) => [bytes, Buffer.from('\n')])), cuts))
          decoder.write(chunk);
        decoder.end();
      }),
      { numRuns: 500, seed: 14 },
    );
  });

  test('the chunking never changes what is read', () => {
    const anyLine = fc.oneof(
      frame.map((message) => encodeLines(JSON.stringify(message)).join('\n')),
      fc.string({ unit: 'binary', maxLength: 30 }),
    );
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 5 }), sizes, sizes, generation, (lines, one, other, peer) => {
        const bytes = Buffer.from(lines.join('\n'));
        const read = (cuts: readonly number[]): unknown => {
          const { messages, noise, faults, events } = watch();
          const decoder = new LineDecoder(events, () => rulesOf(peer));
          for (const chunk of chop(bytes, cuts)) decoder.write(chunk);
          decoder.end();
          return { messages: texts(messages), noise, faults };
        };
        expect(read(one)).toEqual(read(other));
      }),
      { numRuns: 100, seed: 15 },
    );
  });
});

describe('faults of stdio', () => {
  const read = (lines: readonly (string | Buffer)[], peer?: Generation, unfinished = false): Seen => {
    const { events, ...seen } = watch();
    const decoder = new LineDecoder(events, () => rulesOf(peer));
    lines.forEach((line, i) => {
      decoder.write(Buffer.from(line as string));
      if (!unfinished || i < lines.length - 1) decoder.write(Buffer.from('\n'));
    });
    decoder.end();
    return seen;
  };
  const codes = ({ faults }: Seen): string[] => faults.map(({ code }) => code);
  const start = '{"type":"chunk_start","total_size":8}';
  const data = (text: string, offset: unknown): string => JSON.stringify({ type: 'chunk_data', data: text, offset });
  const end = '{"type":"chunk_end"}';

  test('a wrong offset breaks A and is only reported for S and J', () => {
    const lines = [start, data('{"a"', 0), data(':17}', 5), end];
    expect(read(lines, 'J')).toMatchObject({ messages: [{ a: 17 }], faults: [{ code: 'RUNCERT_WIRE_FRAGMENT' }] });
    expect(read(lines, 'A')).toMatchObject({ messages: [], faults: [{ code: 'RUNCERT_WIRE_FRAGMENT', fatal: true }] });
  });

  test.each([
    ['a wrong total', ['{"type":"chunk_start","total_size":9}', data('{"a":17}', 0), end], ['RUNCERT_WIRE_FRAGMENT']],
    [
      'a total that is no number',
      ['{"type":"chunk_start"}', data('{"a":17}', 0), end],
      ['RUNCERT_WIRE_FRAGMENT', 'RUNCERT_WIRE_FRAGMENT'],
    ],
    [
      'data that is no text',
      [start, '{"type":"chunk_data","data":[1],"offset":0}', end],
      ['RUNCERT_WIRE_FRAGMENT', 'RUNCERT_WIRE_FRAGMENT', 'RUNCERT_WIRE_JSON'],
    ],
    ['a fragment outside a series', [data('x', 0), end], ['RUNCERT_WIRE_FRAGMENT', 'RUNCERT_WIRE_FRAGMENT']],
    ['a series without an end', [start, data('{"a"', 0)], ['RUNCERT_WIRE_CUT']],
    [
      'a message inside a series',
      [start, data('{"a"', 0), '{"b":1}', data(':17}', 4), end],
      ['RUNCERT_WIRE_INTERLEAVED'],
    ],
    ['two series at once', [start, data('{"a"', 0), start, data(':17}', 4), end], ['RUNCERT_WIRE_INTERLEAVED']],
    ['NaN', ['{"a":NaN}'], ['RUNCERT_WIRE_JSON']],
    ['a number beyond doubles', ['{"a":{"b":[-1e400]}}'], ['RUNCERT_WIRE_NUMBER']],
    ['broken UTF-8', [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])], ['RUNCERT_WIRE_UTF8']],
    ['brackets 100 000 deep', [`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`], ['RUNCERT_WIRE_TOO_DEEP']],
    ['no JSON that looks like a frame', ['{oops}'], ['RUNCERT_WIRE_JSON']],
  ] as const)('%s', (_name, lines, expected) => {
    expect(codes(read(lines))).toEqual(expected);
  });

  test('a stream that ends within a line', () => {
    expect(codes(read(['{"seq_id":1,', '{"seq_id'], undefined, true))).toEqual(['RUNCERT_WIRE_CUT']);
  });

  test('a line of 64 KiB is read and one byte more breaks the connection', () => {
    const line = (size: number): string => `{"a":"${'x'.repeat(size - 8)}"}`;
    expect(read([line(LINE_BYTES)]).messages.length).toBe(1);
    expect(read([line(LINE_BYTES + 1), '{"b":1}'])).toMatchObject({
      messages: [],
      faults: [{ code: 'RUNCERT_WIRE_LINE_TOO_LONG', fatal: true }],
    });
  });

  test('a series over 16 MiB ends the connection and is not kept', () => {
    const seen = read([start, ...Array.from({ length: 600 }, (_, i) => data('x'.repeat(30_000), i * 30_000))]);
    expect(codes(seen)).toEqual([...Array(0), 'RUNCERT_WIRE_TOO_LARGE']);
  });

  test('__proto__ and constructor are plain members and touch nothing', () => {
    const { messages } = read([
      '{"seq_id":1,"__proto__":{"polluted":true},"data":{"constructor":{"prototype":{"polluted":true}}}}',
    ]);
    expect(Object.keys(messages[0] ?? {})).toEqual(['seq_id', '__proto__', 'data']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('of duplicate keys the last one counts', () => {
    expect(read(['{"a":1,"a":2}']).messages).toEqual([{ a: 2 }]);
  });
});

describe('WebSocket messages', () => {
  /** What the receiver gets: frames up to `fin` are one message. */
  function messagesOf(text: string, peer: Generation | undefined): Buffer[] {
    const messages: string[] = [];
    let open = '';
    for (const piece of encodePieces(text, rulesOf(peer))) {
      expect(Buffer.byteLength(piece.text)).toBeLessThanOrEqual(PIECE_BYTES);
      open += piece.text;
      if (piece.fin) messages.push(open);
      if (piece.fin) open = '';
    }
    expect(open).toBe('');
    return messages.map((message) => Buffer.from(message));
  }

  test('whatever is sent to a generation, the same generation reads', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 4 }), generation, (frames, peer) => {
        const { messages, faults, events } = watch();
        const decoder = new PieceDecoder(events, () => rulesOf(peer));
        for (const message of frames.flatMap((one) => messagesOf(JSON.stringify(one), peer))) decoder.write(message);
        decoder.end();
        expect(faults).toEqual([]);
        expect(texts(messages)).toEqual(frames.map((message) => canonical(JSON.parse(JSON.stringify(message)))));
      }),
      { numRuns: 150, seed: 21 },
    );
  });

  test('a peer of unknown generation is read whichever way it cuts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(frame, generation), { maxLength: 4 }), (frames) => {
        const { messages, faults, events } = watch();
        const decoder = new PieceDecoder(events, () => rulesOf(undefined));
        for (const [message, sender] of frames)
          for (const piece of messagesOf(JSON.stringify(message), sender)) decoder.write(piece);
        expect(faults).toEqual([]);
        expect(messages.length).toBe(frames.length);
      }),
      { numRuns: 100, seed: 22 },
    );
  });

  test('garbage is noise or a fault, and the next message is read, but for an S or J peer within a message', () => {
    for (const peer of ['A', undefined] as const) {
      const { messages, noise, faults, events } = watch();
      const decoder = new PieceDecoder(events, () => rulesOf(peer));
      for (const text of ['hello', '{broken', '[1]', '{"a":1}']) decoder.write(Buffer.from(text));
      expect({ messages, noise, codes: faults.map(({ code }) => code) }).toEqual({
        messages: [{ a: 1 }],
        noise: ['hello', '[1]'],
        codes: ['RUNCERT_WIRE_JSON'],
      });
    }
    const { messages, faults, events } = watch();
    const decoder = new PieceDecoder(events, () => rulesOf('J'));
    for (const text of ['{broken', '{"a":1}']) decoder.write(Buffer.from(text));
    decoder.end();
    expect({ messages, codes: faults.map(({ code }) => code) }).toEqual({ messages: [], codes: ['RUNCERT_WIRE_CUT'] });
  });

  test('pieces that never become JSON are given up at 16 MiB', () => {
    const { faults, events } = watch();
    const decoder = new PieceDecoder(events, () => rulesOf('J'));
    for (let i = 0; i < 300; i++) decoder.write(Buffer.from(`${i === 0 ? '{"a":"' : ''}${'x'.repeat(60_000)}`));
    expect(faults[0]).toMatchObject({ code: 'RUNCERT_WIRE_TOO_LARGE', fatal: true });
  });
});
