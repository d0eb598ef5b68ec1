// A plugin process that misbehaves in one named way: `node hostile.mjs MODE`. It shares no code with Runcert.
// Where HOSTILE_PIDS names a file, the process and its children write their ids into it.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const mode = process.argv[2];
const note = (pid) => process.env.HOSTILE_PIDS && appendFileSync(process.env.HOSTILE_PIDS, `${pid}\n`);
note(process.pid);

const raw = (text) => process.stdout.write(text);
const line = (value) => raw(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
/** Writes before anything else happens, whatever the pipe takes. */
const now = (bytes) => {
  for (let rest = Buffer.from(bytes); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const forever = () => setInterval(() => {}, 1000);
/** Writes a text again and again as fast as it is read. */
const pour = (stream, text, total = Number.POSITIVE_INFINITY) => {
  let sent = 0;
  const more = () => {
    while (sent < total) {
      sent += text.length;
      if (!stream.write(text)) return stream.once('drain', more);
    }
  };
  more();
};
const child = (detached, stdio = 'ignore') => {
  const script = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)';
  const { pid } = spawn(process.execPath, ['-e', script], { stdio, detached });
  note(pid);
};

const component = {
  manifest: {
    manifest: {
      kind: 'AgentRunner',
      metadata: { name: 'default', label: {} },
      spec: { capabilities: { streaming: true }, permissions: {} },
    },
  },
};
const container = {
  manifest: { manifest: { metadata: { author: 'acme', name: 'hostile', version: '6.6.6' } } },
  components: [component],
};
const register = (plugin_container = container) =>
  line({
    seq_id: 1,
    action: 'register_plugin',
    data: {
      plugin_container,
      prod_mode: true,
      plugin_debug_key: '',
      ...(mode.startsWith('A-') ? { registration_capability: '' } : {}),
    },
  });
const ok = (seq_id, data, chunk_status = 'continue') =>
  line({ seq_id, code: 0, message: 'success', data, chunk_status });
const delta = (seq_id, content = 'x') =>
  ok(seq_id, { run_id: 'r', type: 'message.delta', data: { chunk: { role: 'assistant', content } } });
const completed = (seq_id) => {
  ok(seq_id, { run_id: 'r', type: 'run.completed', data: { finish_reason: 'stop' } });
  ok(seq_id, {}, 'end');
};
const text = (seq_id, length) =>
  JSON.stringify({
    seq_id,
    code: 0,
    message: 'success',
    data: { run_id: 'r', type: 'message.completed', data: { text: 'y'.repeat(length) } },
    chunk_status: 'continue',
  });
const series = (whole, { offsets = (i) => i, total = whole.length, end = true, between } = {}) => {
  line({ type: 'chunk_start', total_size: total });
  for (let i = 0; i < whole.length; i += 16384) {
    line({ type: 'chunk_data', data: whole.slice(i, i + 16384), offset: offsets(i) });
    between?.();
  }
  if (end) line({ type: 'chunk_end' });
};

/** What it does instead of registering. */
const atStart = {
  'exit-0': () => process.exit(0),
  'exit-3': () => {
    console.error('license expired');
    process.exit(3);
  },
  'killed-at-start': () => process.kill(process.pid, 'SIGKILL'),
  silent: forever,
  'dies-mid-frame-at-start': () => {
    now('{"seq_id":1,"action":"register_pl');
    process.exit(0);
  },
  'closes-stdout': () => {
    closeSync(1);
    forever();
  },
  'line-of-64-mib': () => {
    pour(process.stdout, 'x'.repeat(65536), 64 * 1024 * 1024);
    forever();
  },
  'no-newline-ever': () => pour(process.stdout, '{"a":"'.repeat(10000)),
  'floods-1-gb-of-logs': () => pour(process.stdout, `${'a log line '.repeat(20)}\n`.repeat(200), 1024 ** 3),
  'floods-1-gb-of-frames': () =>
    pour(
      process.stdout,
      `${JSON.stringify({ seq_id: 9, code: 0, message: '', data: { text: 'x'.repeat(4000) } })}\n`.repeat(20),
      1024 ** 3,
    ),
  'floods-dense-frames': () =>
    pour(process.stdout, `{"seq_id":9,"code":0,"message":"","data":{"a":[${'{},'.repeat(20_000)}{}]}}\n`),
  'nested-brackets-in-fragments': () => {
    series(`{"seq_id":1,"action":"register_plugin","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    forever();
  },
  'nested-brackets-in-a-line': () => {
    line(`{"seq_id":1,"action":"register_plugin","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    forever();
  },
  'broken-utf8': () => {
    now(
      Buffer.concat([
        Buffer.from('{"seq_id":1,"action":"'),
        Buffer.from([0xff, 0xfe, 0xc0]),
        Buffer.from('","data":{}}\n'),
      ]),
    );
    forever();
  },
  'registers-a-text': () => register('a container'),
  'registers-a-number-as-action': () => {
    line({ seq_id: 1, action: 5, data: {} });
    forever();
  },
  'exits-and-leaves-a-child-with-its-pipes': () => {
    child(false, 'inherit');
    setTimeout(() => process.exit(0), 200);
  },
};

/** What it answers to a run; everything before it is in order. */
const onRun = {
  honest: (seq) => {
    delta(seq);
    completed(seq);
  },
  'dies-mid-run': (seq) => {
    delta(seq);
    setTimeout(() => process.exit(0), 50);
  },
  'dies-mid-frame': (seq) => {
    delta(seq);
    now(`{"seq_id":${seq},"code":0,"mess`);
    process.exit(1);
  },
  'dies-by-signal': () => process.kill(process.pid, 'SIGSEGV'),
  'never-ends': (seq) => delta(seq),
  'answers-late': (seq) => setTimeout(() => completed(seq), 1500),
  'answers-another-seq': (seq) => completed(seq + 1000),
  'answers-twice': (seq) => {
    completed(seq);
    completed(seq);
  },
  'streams-without-end': (seq) =>
    pour(
      process.stdout,
      `${JSON.stringify({ seq_id: seq, code: 0, message: 'success', data: { run_id: 'r', type: 'message.delta', data: { chunk: { content: 'x'.repeat(2000) } } }, chunk_status: 'continue' })}\n`.repeat(
        20,
      ),
    ),
  'floods-requests': () => {
    for (let i = 0; i < 20_000; i++) line({ seq_id: 100 + i, action: 'history_page', data: { run_id: 'r', i } });
  },
  'wrong-offsets': (seq) => series(text(seq, 40_000), { offsets: (i) => i + 1 }),
  'A-wrong-offsets': (seq) => series(text(seq, 40_000), { offsets: (i) => i + 1 }),
  'wrong-total': (seq) => series(text(seq, 40_000), { total: 7 }),
  'no-chunk-end': (seq) => {
    series(text(seq, 40_000), { end: false });
    completed(seq);
  },
  'interleaved-fragments': (seq) => series(text(seq, 40_000), { between: () => completed(seq) }),
  'two-series-at-once': (seq) => {
    const [one, other] = [text(seq, 40_000), text(seq, 50_000)];
    line({ type: 'chunk_start', total_size: one.length });
    line({ type: 'chunk_data', data: one.slice(0, 16384), offset: 0 });
    series(other);
    line({ type: 'chunk_data', data: one.slice(16384, 32768), offset: 16384 });
    line({ type: 'chunk_end' });
  },
  'fragments-that-are-no-json': (seq) => series(`${text(seq, 40_000)}}`),
  'endless-fragments': () => {
    line({ type: 'chunk_start', total_size: 1 });
    pour(process.stdout, `${JSON.stringify({ type: 'chunk_data', data: 'z'.repeat(16000), offset: 0 })}\n`);
  },
  'a-million-empty-objects': (seq) => series(`{"seq_id":${seq},"code":0,"data":{"a":[${'{},'.repeat(1_000_000)}{}]}}`),
  'proto-keys': (seq) =>
    line(
      `{"seq_id":${seq},"__proto__":{"code":0,"polluted":true},"code":0,"message":"","data":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"run_id":"r","type":"__proto__"}}`,
    ),
  'duplicate-keys': (seq) =>
    line(
      `{"seq_id":${seq},"code":0,"message":"","data":{"run_id":"r","type":"run.completed","type":"nonsense","data":{}},"code":0}`,
    ),
  nan: (seq) =>
    line(`{"seq_id":${seq},"code":0,"message":"","data":{"run_id":"r","type":"run.completed","data":{"cost":NaN}}}`),
  'huge-numbers': (seq) =>
    line(`{"seq_id":${seq},"code":0,"message":"","data":{"run_id":"r","type":"run.completed","data":{"cost":1e999}}}`),
  'numbers-of-a-megabyte': (seq) =>
    series(`{"seq_id":${seq},"code":0,"message":"","data":{"n":${'9'.repeat(1_000_000)}}}`),
  'lone-surrogates': (seq) => {
    delta(seq, '\ud800');
    line(`{"seq_id":${seq},"code":0,"message":"\\udfff","data":{"run_id":"r","type":"\\ud83d"}}`);
  },
  'wrong-types': (seq) => {
    for (const wrong of [
      { code: '0' },
      { code: null },
      { code: 0.5 },
      { data: null },
      { data: [] },
      { data: 'x' },
      { data: 7 },
    ])
      line({ seq_id: seq, code: 0, message: 5, data: {}, chunk_status: 9, ...wrong });
    for (const seq_id of ['x', null, {}, 1.5, 2 ** 60]) line({ seq_id, code: 0, message: '', data: {} });
  },
  'neither-request-nor-response': () => {
    for (const value of ['{}', '{"hello":1}', '[]', 'null', '7', '""']) line(value);
  },
  'closes-stdin': () => {
    closeSync(0);
    setInterval(() => line({ seq_id: 55, action: 'asked_so_that_it_is_answered', data: {} }), 20);
  },
  'prints-10000-logs': (seq) => {
    for (let i = 0; i < 10_000; i++) line(`log ${i} ${'.'.repeat(100)}`);
    delta(seq);
  },
  'writes-1-gb-to-stderr': (seq) => {
    pour(process.stderr, 'an error line\n'.repeat(5000), 1024 ** 3);
    setTimeout(() => delta(seq), 100);
  },
  'ignores-sigterm': (seq) => delta(seq),
  'leaves-a-grandchild': (seq) => {
    child(false);
    delta(seq);
  },
  'leaves-a-detached-grandchild': (seq) => {
    child(true);
    delta(seq);
  },
};

if (mode === 'ignores-sigterm') for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});
if (mode in atStart) atStart[mode]();
else if (mode in onRun || mode.startsWith('init-')) {
  const input = createInterface({ input: process.stdin }).on('line', (received) => {
    const frame = JSON.parse(received);
    if (frame.action === 'initialize_plugin') {
      if (mode === 'init-refused')
        line({ seq_id: frame.seq_id, code: 1, message: 'RuntimeError: no database', data: {} });
      else if (mode === 'init-ignored') return;
      else if (mode === 'init-answers-null') line({ seq_id: frame.seq_id, code: 0, message: 'success', data: null });
      else if (mode === 'init-dies') process.exit(5);
      else ok(frame.seq_id, {});
    } else if (frame.action === 'run_agent') onRun[mode](frame.seq_id);
  });
  if (mode === 'ignores-sigterm') input.on('close', forever);
  register(
    { 'init-no-runner': {}, 'init-wrong-types': { manifest: [], components: [7, null, { manifest: 'x' }] } }[mode],
  );
} else {
  console.error(`there is no mode ${mode}; there are: ${[...Object.keys(atStart), ...Object.keys(onRun)].join(' ')}`);
  process.exit(64);
}
