// Frames a second per link, with everything that a session does to them (limits, checks, time-outs, recording),
// against a bare loop over the same link: the least that any client does. It writes and parses JSON, finds the caller
// by `seq_id` and lets it await its answer; it checks nothing, limits nothing and keeps nothing. Goal: at least 0.7 of it.
// Run: npx tsx bench/wire.ts   (`--only=memory` measures one link, `--no-record` leaves the recording out,
// `--cpu` counts this process's CPU time instead of the wall clock, for a machine that has other work to do)
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '../common/json.ts';
import { realClock } from '../conformance/driving/clock.ts';
import { CaseRecorder } from '../conformance/recording/recorder.ts';
import { watchFor } from '../conformance/targets/watch.ts';
import { connect } from '../conformance/wire/connect.ts';
import { type Link, memoryLink } from '../conformance/wire/link.ts';
import { Peer } from '../conformance/wire/peer.ts';
import { StdioLink } from '../conformance/wire/stdio.ts';
import { limit } from './measure.ts';

const CHUNKS = 10_000;
const CALLS = 5_000;
const WINDOW = 64;
const GOAL = 0.7;
const ROUNDS = Number(process.argv.find((word) => word.startsWith('--rounds='))?.slice(9) ?? 21);
const ONLY = process.argv.find((word) => word.startsWith('--only='))?.slice(7);
const CPU = process.argv.includes('--cpu');
const RECORD = !process.argv.includes('--no-record');

/** The far side, the same for both: streams results for a `run`, echoes everything else. */
const FAR = `
  const handle = ({ seq_id, action, data }, send) => {
    if (action === 'run') {
      for (let i = 0; i < data.chunks; i++) send({ seq_id, code: 0, message: 'success', data: { run_id: 'r', type: 'message.delta', sequence: i, data: { chunk: { role: 'assistant', content: 'word '.repeat(20) } } }, chunk_status: 'continue' });
      send({ seq_id, code: 0, message: 'success', data: {}, chunk_status: 'end' });
    } else send({ seq_id, code: 0, message: 'success', data, chunk_status: 'continue' });
  };`;
const STDIO = `${FAR}
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\\n');
    rest = lines.pop();
    let out = '';
    for (const line of lines) handle(JSON.parse(line), (frame) => { out += JSON.stringify(frame) + '\\n'; });
    process.stdout.write(out);
  });`;
type Handle = (frame: JsonObject, send: (frame: JsonObject) => void) => void;
const far = (): Handle => new Function(`${FAR}; return handle`)() as Handle;

/** A way to write and read whole texts, and nothing more. */
interface Bare {
  send(text: string): void;
  receive: (text: string) => void;
  close(): void;
}

/** The least that a client can be: a waiting caller for every number. */
class BareClient {
  readonly #bare: Bare;
  readonly #waiting = new Map<number, (frame: JsonObject) => void>();
  #seq = 0;

  constructor(bare: Bare) {
    this.#bare = bare;
    bare.receive = (text) => {
      const frame = JSON.parse(text) as JsonObject;
      this.#waiting.get(frame['seq_id'] as number)?.(frame);
    };
  }

  call(action: string, data: JsonObject): Promise<JsonObject> {
    const seq_id = ++this.#seq;
    return new Promise((resolve) => {
      this.#waiting.set(seq_id, (frame) => {
        this.#waiting.delete(seq_id);
        resolve(frame);
      });
      this.#bare.send(JSON.stringify({ seq_id, action, data }));
    });
  }

  /** Hands every answer over as it comes, and resolves at the end. */
  stream(action: string, data: JsonObject, take: (frame: JsonObject) => void): Promise<void> {
    const seq_id = ++this.#seq;
    return new Promise((resolve) => {
      this.#waiting.set(seq_id, (frame) => {
        if (frame['chunk_status'] !== 'end') return take(frame);
        this.#waiting.delete(seq_id);
        resolve();
      });
      this.#bare.send(JSON.stringify({ seq_id, action, data }));
    });
  }
}

const bareRun = (client: BareClient): Promise<number> =>
  timed(() => client.stream('run', { chunks: CHUNKS }, refuseErrors));

const bareCalls = (client: BareClient): Promise<number> =>
  timed(() => inWindow(async () => refuseErrors(await client.call('echo', { run_id: 'r', limit: 50 }))));

const ourRun = (peer: Peer): Promise<number> =>
  timed(async () => {
    for await (const answer of peer.stream('run', { chunks: CHUNKS })) refuseErrors(answer);
  });

const ourCalls = (peer: Peer): Promise<number> =>
  timed(() => inWindow(async () => refuseErrors(await peer.call('echo', { run_id: 'r', limit: 50 }))));

/** As many calls at a time as the window is wide. */
async function inWindow(call: () => Promise<void>): Promise<void> {
  let asked = 0;
  const ask = async (): Promise<void> => {
    while (asked++ < CALLS) await call();
  };
  await Promise.all(Array.from({ length: WINDOW }, ask));
}

function refuseErrors({ code, message }: { readonly code?: unknown; readonly message?: unknown }): void {
  if (code !== 0) throw new Error(String(message));
}

/** A peer that records as a session does, a new case for every measurement; or one that only carries. */
function recording(link: Link): { peer: Peer; anew(): void } {
  let recorder = new CaseRecorder(realClock);
  const { watch } = watchFor({ clock: realClock, grace: 0, recorder: () => recorder }, () => {});
  return {
    peer: new Peer(link, { clock: realClock, generation: 'J', ...(RECORD ? { watch } : {}) }),
    anew: () => {
      recorder = new CaseRecorder(realClock);
    },
  };
}

const links: Record<string, () => Promise<{ bare: Bare; link: Link; close(): unknown }>> = {
  memory: async () => {
    const handle = far();
    const bare: Bare = {
      receive: () => {},
      send: (text) =>
        queueMicrotask(() =>
          handle(JSON.parse(text), (frame) => {
            const answer = JSON.stringify(frame);
            queueMicrotask(() => bare.receive(answer));
          }),
        ),
      close: () => {},
    };
    const [near, other] = memoryLink();
    other.open({ message: (message) => handle(message, (frame) => other.send(frame)), close: () => {} });
    return { bare, link: near, close: () => near.close() };
  },
  stdio: async () => {
    const child = spawn(process.execPath, ['-e', STDIO], { stdio: ['pipe', 'pipe', 'inherit'] });
    let rest = '';
    const bare: Bare = { receive: () => {}, send: (text) => child.stdin.write(`${text}\n`), close: () => child.kill() };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) bare.receive(line);
    });
    const link = new StdioLink({ command: [process.execPath, '-e', STDIO], env: { PATH: process.env['PATH'] ?? '' } });
    return { bare, link, close: () => link.close() };
  },
  websocket: async () => {
    const handle = new Function(`${FAR}; return handle`)() as (text: string, send: (text: string) => void) => void;
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
    server.on('connection', (socket) =>
      socket.on('message', (data) => handle(JSON.parse(String(data)), (frame) => socket.send(JSON.stringify(frame)))),
    );
    await once(server, 'listening');
    const url = `ws://127.0.0.1:${(server.address() as { port: number }).port}/`;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, 'open');
    const bare: Bare = { receive: () => {}, send: (text) => socket.send(text), close: () => socket.close() };
    socket.on('message', (data) => bare.receive(String(data)));
    const link = await connect(url);
    return { bare, link, close: () => link.close().then(() => server.close()) };
  },
};

const ratios: { readonly what: string; readonly ratio: number }[] = [];
for (const [name, open] of Object.entries(links)) {
  if (ONLY !== undefined && name !== ONLY) continue;
  const { bare, link, close } = await open();
  const { peer, anew } = recording(link);
  const client = new BareClient(bare);
  const times = {
    bareRun: [] as number[],
    ourRun: [] as number[],
    bareCalls: [] as number[],
    ourCalls: [] as number[],
  };
  // In turn, so that what else the machine does hits both alike.
  for (let round = 0; round < ROUNDS; round++) {
    times.bareRun.push(await bareRun(client));
    anew();
    times.ourRun.push(await ourRun(peer));
    times.bareCalls.push(await bareCalls(client));
    anew();
    times.ourCalls.push(await ourCalls(peer));
  }
  bare.close();
  await close();
  const say = (what: string, frames: number, ours: readonly number[], theirs: readonly number[]): void => {
    const perSecond = (ms: number): string => `${Math.round(frames / ms)}k`.padStart(5);
    console.log(
      `${name.padEnd(9)} ${what.padEnd(7)} ${perSecond(best(ours))} frames/s, bare ${perSecond(best(theirs))}`,
    );
    ratios.push({ what: `${name} ${what}`, ratio: best(theirs) / best(ours) });
  };
  say('stream', CHUNKS, times.ourRun, times.bareRun);
  say('calls', 2 * CALLS, times.ourCalls, times.bareCalls);
}
console.log('');
for (const { what, ratio } of ratios) limit(`${what}: at least ${GOAL} of a bare loop`, ratio, ratio >= GOAL);
process.exit();

/** The quickest of all rounds: what else the machine does only ever slows one down. */
function best(values: readonly number[]): number {
  return Math.min(...values);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = now();
  await work();
  return now() - from;
}

function now(): number {
  if (!CPU) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
