// Far ends that break the wire, or only stretch it: what each writes in the midst of a run, and what the recording must say of it.
import { HANG_UP, type PipeOptions, type Writer } from './pipes.ts';

export interface Saboteur {
  readonly id: string;
  readonly codec: PipeOptions['codec'];
  /** As which generation it registers; J where nothing is said. */
  readonly generation?: 'A';
  /** Before which message it writes: the third, when hands are shaken and a run is under way, or the first result. */
  readonly before?: 'result';
  readonly writes: (say: Say) => void;
  /** What is recorded, in order: faults by their code and how their words begin, noise, error answers of the harness. */
  readonly told: readonly (readonly [code: string, words: string])[];
  /** The run goes on as if nothing had been; or the connection ends; or the run goes on and a clause must fail. */
  readonly ends?: 'died' | 'judged';
}

interface Say {
  /** The message that is due; it goes out afterwards unless it is taken. */
  readonly due: string;
  take(): string;
  /** The message before it. */
  readonly last: string;
  /** A line of a pipe, or a message of a WebSocket. */
  say(...texts: readonly (string | Buffer)[]): void;
  /** Bytes as they are. */
  raw(...bytes: readonly (string | Buffer)[]): void;
  /** A message of any size, encoded in order. */
  send(text: string): void;
  hangUp(): void;
}

/** Says its piece once, when the third message is due. A generation of the SDK shows in the registration. */
export const writerOf = ({ codec, generation, before, writes }: Saboteur): Writer => {
  let count = 0;
  let said = false;
  let last = '';
  return (text, write, encode) => {
    const due = generation === 'A' ? text.replace('"prod_mode"', '"registration_capability":"c","prod_mode"') : text;
    const send = (whole: string): void => encode(whole).forEach(write);
    let taken = false;
    const raw = (...all: readonly (string | Buffer)[]): void =>
      all.forEach((bytes) => {
        write(Buffer.from(bytes));
      });
    const now = before === 'result' ? due.includes('"chunk_status"') && due.includes('"type":') : count === 2;
    count++;
    if (now && !said) {
      said = true;
      writes({
        due,
        take: () => {
          taken = true;
          return due;
        },
        last,
        raw,
        say: (...texts) =>
          raw(...texts.map((one) => (codec === 'pieces' ? one : Buffer.concat([Buffer.from(one), Buffer.from('\n')])))),
        send,
        hangUp: () => write(HANG_UP),
      });
    }
    if (!taken) send(due);
    last = due;
  };
};

const [JSON_, FRAGMENT, SHAPE, LARGE] = [
  'RUNCERT_WIRE_JSON',
  'RUNCERT_WIRE_FRAGMENT',
  'RUNCERT_FRAME_SHAPE',
  'RUNCERT_WIRE_TOO_LARGE',
] as const;
const NEITHER = [SHAPE, 'An object that is neither a request (action) nor a response (code).'] as const;
const NO_JSON = 'text that looks like a frame and is no JSON';

const series = (
  text: string,
  { total = Buffer.byteLength(text) as unknown, shift = 0, size = 16_384 } = {},
): string[] => [
  JSON.stringify({ type: 'chunk_start', total_size: total }),
  ...Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    JSON.stringify({ type: 'chunk_data', data: text.slice(i * size, (i + 1) * size), offset: i * size + shift }),
  ),
  '{"type":"chunk_end"}',
];
const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
/** As many values as `parseMessage` counts: brackets and commas. */
const values = (count: number): string => `{"a":[${'0,'.repeat(count - 2)}0]}`;

/** Of one line each: what stands there, and what is told. */
const oneLine: readonly (readonly [id: string, text: string | Buffer, ...told: Saboteur['told']])[] = [
  ['a-log', 'INFO: started', ['noise', 'INFO: started']],
  ['a-padded-log', ' \t spaced out \r', ['noise', 'spaced out']],
  ['a-long-log', 'y'.repeat(500), ['noise', `${'y'.repeat(400)}… (500 characters)`]],
  ['a-log-of-400', 'y'.repeat(400), ['noise', 'y'.repeat(400)]],
  ['a-log-cut-at-a-pair', `${'y'.repeat(399)}😀${'y'.repeat(9)}`, ['noise', `${'y'.repeat(399)}… (410 characters)`]],
  ['a-log-of-a-whole-line', 'y'.repeat(65_536), ['noise', `${'y'.repeat(400)}… (65536 characters)`]],
  ['blanks', ' \t\r'],
  ['nothing', ''],
  ['a-bracket', '{', ['noise', '{']],
  ['a-closing-bracket', '}', ['noise', '}']],
  ['a-list', '[1]', ['noise', '[1]']],
  ['brackets-and-words', '{"a":1} and so on', ['noise', '{"a":1} and so on']],
  ['words-and-brackets', 'so: {"a":1}', ['noise', 'so: {"a":1}']],
  ['a-padded-frame', ' \t\r{"a":1}\r \t', NEITHER],
  ['no-json', '{"a":}', [JSON_, `${NO_JSON}: `]],
  ['nan', '{"a":NaN}', [JSON_, `${NO_JSON} (NaN and Infinity are no JSON, though Python writes them): `]],
  ['minus-infinity', '{"a": -Infinity}', [JSON_, `${NO_JSON} (NaN and Infinity`]],
  ['nan-in-quotes', '{"a":"NaN",}', [JSON_, `${NO_JSON}: `]],
  ['a-name-with-nan', '{"a":xNaN}', [JSON_, `${NO_JSON}: `]],
  ['a-huge-number', '{"a":[{"b":1e999}]}', ['RUNCERT_WIRE_NUMBER', 'a number too large for a double']],
  ['a-huge-negative-number', '{"a":-1E+999}', ['RUNCERT_WIRE_NUMBER', 'a number too large for a double']],
  ['a-huge-integer', `{"a":${'9'.repeat(309)}}`, ['RUNCERT_WIRE_NUMBER', 'a number too large for a double']],
  ['a-large-number', '{"a":[1e300,null,{"b":true}]}', NEITHER],
  ['a-huge-number-in-quotes', '{"a":"1e999"}', NEITHER],
  ['no-utf8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), ['RUNCERT_WIRE_UTF8', 'a line of 5 bytes that is no UTF-8']],
  ['a-log-of-no-utf8', Buffer.from([0x79, 0xff]), ['noise', 'y\ufffd']],
  ['deep', nested(512), NEITHER],
  ['too-deep', nested(513), ['RUNCERT_WIRE_TOO_DEEP', 'JSON nested 513 levels deep; at most 512 are read']],
  ['deep-in-a-string', `{"a":"${'[{'.repeat(2000)}\\"","b":"\\\\"}`, NEITHER],
  ['a-type-of-its-own', '{"type":"other"}', NEITHER],
  ['data-outside', '{"type":"chunk_data","data":"x","offset":0}', [FRAGMENT, 'chunk_data outside a fragment series']],
  ['end-outside', '{"type":"chunk_end"}', [FRAGMENT, 'chunk_end outside a fragment series']],
  ['seq-0', '{"seq_id":0,"code":0,"message":"","data":{}}', ['RUNCERT_FRAME_UNKNOWN_SEQ', 'A response to request 0,']],
  [
    'seq-999',
    '{"seq_id":999,"code":0,"message":"","data":{}}',
    ['RUNCERT_FRAME_UNKNOWN_SEQ', 'A response to request 999,'],
  ],
  ['seq-no-integer', '{"seq_id":"1","code":0,"data":{}}', [SHAPE, 'A response whose seq_id is no integer.']],
  [
    'request-without-seq',
    '{"action":"nowhere","data":{}}',
    [SHAPE, 'A request whose seq_id is no integer.'],
    ['answer', 'no such run'],
  ],
  [
    'action-no-text',
    '{"seq_id":7,"action":5,"data":{}}',
    [SHAPE, 'A request whose action is no text.'],
    ['answer', 'action must be a string'],
  ],
  [
    'data-no-object',
    '{"seq_id":7,"action":"nowhere","data":[]}',
    [SHAPE, 'A request for nowhere whose data is no object.'],
    ['answer', 'data must be an object in a request for nowhere'],
  ],
  ['both-kinds', '{"seq_id":7,"action":"nowhere","code":0,"data":{}}', ['answer', 'no such run']],
];

const written: readonly Saboteur[] = oneLine.map(([id, text, ...told]) => ({
  id,
  codec: 'lines',
  writes: ({ say }) => say(text),
  told,
}));

/** A series that carries the message that is due, in some way of its own. */
const inSeries = (
  id: string,
  lines: (due: string) => readonly string[],
  told: Saboteur['told'],
  more: Partial<Saboteur> = {},
): Saboteur => ({ id, codec: 'lines', writes: ({ take, say }) => say(...lines(take())), told, ...more });

const wrongTotal = (id: string, total: unknown, words: string): Saboteur =>
  inSeries(id, (due) => series(due, { total }), [
    [FRAGMENT, `total_size must be an integer from 0 to 16777216, and is ${words}`],
    [FRAGMENT, `total_size said ${words} bytes, and `],
  ]);

const fragmented: readonly Saboteur[] = [
  inSeries('small-series', (due) => series(due, { size: 7 }), []),
  inSeries('wrong-offset', (due) => series(due, { shift: 1 }), [[FRAGMENT, 'offset must be 0, and is 1']]),
  inSeries('wrong-total', (due) => series(due, { total: 5 }), [[FRAGMENT, 'total_size said 5 bytes, and ']]),
  wrongTotal('total-a-text', '5', '"5"'),
  wrongTotal('total-a-fraction', 1.5, '1.5'),
  wrongTotal('total-below-zero', -1, '-1'),
  wrongTotal('total-too-large', 16_777_217, '16777217'),
  inSeries('total-the-largest', (due) => series(due, { total: 16_777_216 }), [[FRAGMENT, 'total_size said 16777216']]),
  inSeries('total-missing', (due) => ['{"type":"chunk_start"}', ...series(due).slice(1)], [
    [FRAGMENT, 'total_size must be an integer from 0 to 16777216, and is missing'],
    [FRAGMENT, 'total_size said missing bytes, and '],
  ]),
  inSeries('data-no-text', (due) => series(due).toSpliced(1, 0, '{"type":"chunk_data","data":7,"offset":0}'), [
    [FRAGMENT, 'data of a fragment must be text, and is 7'],
  ]),
  inSeries('a-frame-between', (due) => series(due).toSpliced(1, 0, '{"seq_id":999,"code":0,"data":{}}'), [
    ['RUNCERT_WIRE_INTERLEAVED', 'a whole message inside a fragment series'],
  ]),
  inSeries('a-log-between', (due) => series(due).toSpliced(1, 0, 'hm'), [['noise', 'hm']]),
  inSeries('two-series', (due) => [...series('{"a":1}'), ...series(due)], [NEITHER]),
  inSeries('a-series-of-nothing', (due) => [...series(''), due], [[JSON_, `${NO_JSON}: `]]),
  inSeries('a-series-of-a-list', (due) => [...series('[1]'), due], [[JSON_, 'a JSON value that is no object']]),
  inSeries('many-lines', (due) => series(due.padEnd(5000), { size: 1 }), []),
  inSeries(
    'too-many-lines',
    (due) => series(due.padEnd(4097), { size: 1 }),
    [[FRAGMENT, 'more than 4096 lines in one message']],
    { generation: 'A', ends: 'died' },
  ),
  inSeries('as-many-lines-as-may-be', (due) => series(due.padEnd(4095), { size: 1 }), [], { generation: 'A' }),
  inSeries('wrong-offset-A', (due) => series(due, { shift: 1 }), [[FRAGMENT, 'offset must be 0, and is 1']], {
    generation: 'A',
    ends: 'died',
  }),
  inSeries('wrong-total-A', (due) => series(due, { total: 5 }), [[FRAGMENT, 'total_size said 5 bytes, and ']], {
    generation: 'A',
    ends: 'died',
  }),
  inSeries('no-end-A', (due) => ['{"type":"chunk_end"}', due], [[FRAGMENT, 'chunk_end outside']], { generation: 'A' }),
  {
    id: 'too-large-a-series',
    codec: 'lines',
    writes: ({ say }) => say(...series('y'.repeat(16 * 1024 * 1024 + 1), { size: 60_000 })),
    told: [
      [FRAGMENT, 'total_size must be an integer from 0 to 16777216, and is 16777217'],
      [LARGE, 'a fragmented message over 16777216 bytes'],
    ],
    ends: 'died',
  },
  {
    id: 'too-many-values',
    codec: 'lines',
    writes: ({ send }) => send(values(500_001)),
    told: [[LARGE, 'a message of about 500001 values; at most 500000 are read']],
  },
  { id: 'many-values', codec: 'lines', writes: ({ send }) => send(values(500_000)), told: [NEITHER] },
];

const cutShort: readonly Saboteur[] = [
  {
    id: 'a-line-without-end',
    codec: 'lines',
    writes: ({ raw, hangUp }) => {
      raw('{"seq_id"');
      hangUp();
    },
    told: [['RUNCERT_WIRE_CUT', 'the stream ended within a message: 9 bytes of a line that has no end']],
    ends: 'died',
  },
  {
    id: 'a-log-without-end',
    codec: 'lines',
    writes: ({ raw, hangUp }) => {
      raw('bye', ' now');
      hangUp();
    },
    told: [['noise', 'bye now']],
    ends: 'died',
  },
  {
    id: 'a-series-without-end',
    codec: 'lines',
    writes: ({ take, say, hangUp }) => {
      say(...series(take()).slice(0, -1));
      hangUp();
    },
    told: [['RUNCERT_WIRE_CUT', 'the stream ended within a message: a fragment series without chunk_end']],
    ends: 'died',
  },
  { id: 'hangs-up', codec: 'lines', writes: ({ hangUp }) => hangUp(), told: [], ends: 'died' },
  {
    id: 'a-line-too-long',
    codec: 'lines',
    writes: ({ say }) => say('y'.repeat(65_537)),
    told: [['RUNCERT_WIRE_LINE_TOO_LONG', 'a line of 65537 bytes; readers of every SDK generation break at 65536']],
    ends: 'died',
  },
  {
    id: 'a-line-too-long-in-parts',
    codec: 'lines',
    writes: ({ raw }) => raw('y'.repeat(40_000), 'y'.repeat(25_537)),
    told: [['RUNCERT_WIRE_LINE_TOO_LONG', 'a line of over 65536 bytes']],
    ends: 'died',
  },
  {
    id: 'a-line-too-long-to-its-end',
    codec: 'lines',
    writes: ({ raw }) => raw('y'.repeat(40_000), `${'y'.repeat(25_537)}\n{}\n`),
    told: [['RUNCERT_WIRE_LINE_TOO_LONG', 'a line of over 65536 bytes']],
    ends: 'died',
  },
  {
    id: 'a-whole-line-in-parts',
    codec: 'lines',
    writes: ({ raw }) => raw('y'.repeat(40_000), 'y'.repeat(25_536), '\n'),
    told: [['noise', `${'y'.repeat(400)}… (65536 characters)`]],
  },
  {
    id: 'too-long-among-others',
    codec: 'lines',
    writes: ({ raw }) => raw(`${'y'.repeat(65_537)}\n{}\nhm\n`),
    told: [['RUNCERT_WIRE_LINE_TOO_LONG', 'a line of 65537 bytes']],
    ends: 'died',
  },
  {
    id: 'lines-in-one-go',
    codec: 'lines',
    writes: ({ raw }) => raw('one\ntwo é\n{"a":1}\nth', 'ree\n\n{}', '\n'),
    told: [['noise', 'one'], ['noise', 'two é'], NEITHER, ['noise', 'three'], NEITHER],
  },
];

const answers: readonly Saboteur[] = [
  {
    id: 'answered-twice',
    codec: 'lines',
    writes: ({ last, say }) => say(last),
    told: [['RUNCERT_FRAME_ANSWERED_TWICE', 'Another response to request ']],
  },
  {
    id: 'an-end-behind-an-answer',
    codec: 'lines',
    writes: ({ last, say }) => say(last.replace('"chunk_status":"continue"', '"chunk_status":"end"')),
    told: [],
  },
  {
    id: 'a-chunk-without-code',
    before: 'result',
    codec: 'lines',
    writes: ({ due, say }) => say(due.replace('"code":0', '"code":"0"')),
    told: [[SHAPE, 'A response (seq_id ']],
    ends: 'judged',
  },
  {
    id: 'a-chunk-without-data',
    before: 'result',
    codec: 'lines',
    writes: ({ due, say }) => say(due.replace(/"data":.*/, '"data":[]}')),
    told: [[SHAPE, 'A response (seq_id ']],
    ends: 'judged',
  },
  {
    id: 'both-kinds-A',
    codec: 'lines',
    generation: 'A',
    writes: ({ say }) => say('{"seq_id":999,"action":"nowhere","code":0,"data":{}}'),
    told: [['RUNCERT_FRAME_UNKNOWN_SEQ', 'A response to request 999,']],
  },
  {
    id: 'busy-A',
    before: 'result',
    codec: 'lines',
    generation: 'A',
    writes: ({ raw }) => raw('{"seq_id":7,"action":"nowhere","data":{}}\n'.repeat(129)),
    told: [
      ...Array.from({ length: 128 }, () => ['answer', 'no such run'] as const),
      ['answer', 'Runtime connection is busy (max 128 concurrent actions)'],
    ],
  },
  {
    id: 'busy',
    before: 'result',
    codec: 'lines',
    writes: ({ raw }) => raw('{"seq_id":7,"action":"nowhere","data":{}}\n'.repeat(129)),
    told: Array.from({ length: 129 }, () => ['answer', 'no such run'] as const),
  },
];

const onSocket = (
  id: string,
  writes: Saboteur['writes'],
  told: Saboteur['told'],
  more: Partial<Saboteur> = {},
): Saboteur => ({ id: `socket-${id}`, codec: 'pieces', writes, told, ...more });

const pieced: readonly Saboteur[] = [
  onSocket('log', ({ say }) => say('hello'), [['noise', 'hello']]),
  onSocket('blank', ({ say }) => say(' \n', ''), []),
  onSocket('padded', ({ take, say }) => say(` \n${take()}`), []),
  onSocket('no-utf8', ({ say }) => say(Buffer.from([0x7b, 0xff, 0x7d])), [
    ['RUNCERT_WIRE_UTF8', 'a message of 3 bytes that is no UTF-8'],
  ]),
  onSocket('no-utf8-between', ({ say }) => say('{"a":', Buffer.from([0xff])), [
    ['RUNCERT_WIRE_UTF8', 'a message of 1 bytes that is no UTF-8'],
  ]),
  onSocket(
    'in-pieces',
    ({ take, say }) => {
      const due = take();
      say(due.slice(0, 1), due.slice(1, 20), due.slice(20));
    },
    [],
  ),
  onSocket('letter-by-letter', ({ take, say }) => say(...take()), []),
  onSocket('cut-in-strings', ({ say }) => say('{"a', '\\', '"]}{[', '\\\\', '":"', '\\\\\\', '"}', '\\\\"}'), [
    NEITHER,
  ]),
  onSocket('brackets-in-a-string', ({ say }) => say('{"', '}]', '":1}'), [NEITHER]),
  onSocket('no-json', ({ say }) => say('{"a":}'), [[JSON_, `${NO_JSON}: `]]),
  onSocket(
    'cut',
    ({ say, hangUp }) => {
      say('{"a":', '[');
      hangUp();
    },
    [['RUNCERT_WIRE_CUT', 'the connection ended within a message: 6 bytes that are no JSON yet']],
    { ends: 'died' },
  ),
  onSocket(
    'too-deep',
    ({ say }) => say('{"a":', '[ '.repeat(512)),
    [['RUNCERT_WIRE_TOO_DEEP', 'JSON nested 513 levels deep']],
    {},
  ),
  onSocket(
    'too-many-pieces',
    ({ say }) => say('{"a":[', ...Array.from({ length: 4096 }, () => '1,')),
    [[LARGE, '8198 bytes in a row that are no JSON together']],
    { ends: 'died' },
  ),
  onSocket('as-many-pieces-as-may-be', ({ say }) => say('{"a":[', ...Array.from({ length: 4094 }, () => '1,'), '1]}'), [
    NEITHER,
  ]),
  onSocket(
    'too-many-bytes',
    ({ say }) => say('{"a":"', 'y'.repeat(8 * 1024 * 1024), 'y'.repeat(8 * 1024 * 1024)),
    [[LARGE, '16777222 bytes in a row that are no JSON together']],
    { ends: 'died' },
  ),
  onSocket('too-large-a-message', ({ say }) => say(`{"a":"${'y'.repeat(16 * 1024 * 1024)}"}`), [
    [LARGE, 'a message of 16777224 characters'],
  ]),
  onSocket(
    'one-piece-one-message-A',
    ({ say }) => say('{"a":', '1}'),
    [
      [JSON_, `${NO_JSON}: `],
      ['noise', '1}'],
    ],
    { generation: 'A' },
  ),
];

export const saboteurs: readonly Saboteur[] = [...written, ...fragmented, ...cutShort, ...answers, ...pieced];
