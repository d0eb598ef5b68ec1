// Every kind of target is opened, driven once and closed: in this process, as real children, over real sockets.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../common/json.ts';
import { realClock, VirtualClock } from '../driving/clock.ts';
import { CaseRecorder } from '../recording/recorder.ts';
import { connect } from '../wire/connect.ts';
import { Listener } from '../wire/listen.ts';
import { Peer } from '../wire/peer.ts';
import { defineHost, defineRunner } from './define.ts';
import { moduleHost } from './module-host.ts';
import { moduleRunner, playPlugin } from './module-runner.ts';
import { resolveTarget, type TargetSpec } from './resolve.ts';
import type { Harness, Session, Target } from './target.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const manifest = {
  id: 'plugin:acme/echo/default',
  name: 'default',
  label: { en_US: 'Echo' },
  capabilities: { streaming: true },
  permissions: { history: ['page'] },
  context: {},
};
const echo = defineRunner({
  manifest,
  async *run(_context, api) {
    const { items } = await api.call('history_page', { limit: 1 });
    await api.clock.sleep(5);
    yield { type: 'message.delta', data: { chunk: { content: JSON.stringify(items) } } };
    yield { type: 'run.completed', data: {} };
  },
});

function harnessOf(target: Target): {
  harness: Harness;
  recorder: CaseRecorder;
  run<T>(work: () => Promise<T>): Promise<T>;
} {
  const clock = target.time === 'virtual' ? new VirtualClock() : realClock;
  const recorder = new CaseRecorder(clock);
  const harness = { clock, grace: 1000, recorder: () => recorder };
  return { harness, recorder, run: (work) => (clock instanceof VirtualClock ? clock.run(work) : work()) };
}

async function oneRun(session: Session): Promise<JsonObject[]> {
  const results: JsonObject[] = [];
  session.peer.handle('history_page', () => ({ items: ['an item'], has_more: false }));
  const request = { runner_name: 'default', plugin_author: 'acme', plugin_name: 'echo', context: { run_id: 'r1' } };
  for await (const { code, data } of session.peer.stream('run_agent', request)) {
    expect(code).toBe(0);
    results.push(data);
  }
  return results;
}
const RESULTS = [
  { run_id: 'r1', sequence: 1, type: 'message.delta', data: { chunk: { content: '["an item"]' } } },
  { run_id: 'r1', sequence: 2, type: 'run.completed', data: {} },
];

/** A plugin as a child: the same runner, written without any SDK. */
const PLUGIN = `
  const send = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
  const ok = (seq_id, data, chunk_status = 'continue') => send({ seq_id, code: 0, message: 'success', data, chunk_status });
  const manifest = ${JSON.stringify({ name: 'default', spec: { capabilities: { streaming: true }, permissions: { history: ['page'] } } })};
  const waiting = new Map();
  let seq = 40;
  const ask = (action, data) => new Promise((resolve) => { waiting.set(++seq, resolve); send({ seq_id: seq, action, data }); });
  const on = {
    initialize_plugin: () => ({}),
    list_agent_runners: () => ({ runners: [{ plugin_author: 'acme', plugin_name: 'echo', runner_name: 'default', manifest: ${JSON.stringify(manifest)} }] }),
  };
  console.log('Running plugin in current directory');
  console.error('started with', process.env.API_KEY);
  require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
    const frame = JSON.parse(line);
    if ('code' in frame) return waiting.get(frame.seq_id)?.(frame.data);
    if (frame.action === 'run_agent') {
      const { items } = await ask('history_page', { run_id: frame.data.context.run_id, limit: 1 });
      ok(frame.seq_id, { run_id: 'r1', sequence: 1, type: 'message.delta', data: { chunk: { content: JSON.stringify(items) } } });
      ok(frame.seq_id, { run_id: 'r1', sequence: 2, type: 'run.completed', data: {} });
      return ok(frame.seq_id, {}, 'end');
    }
    if (frame.action === 'die') process.exit(3);
    const answer = on[frame.action];
    if (answer) ok(frame.seq_id, answer(frame.data));
    else send({ seq_id: frame.seq_id, code: 1, message: 'ValueError: Action ' + frame.action + ' not found', data: {} });
  });
  if (process.argv[1] !== 'runtime') ask('register_plugin', { plugin_container: { manifest: { manifest: { metadata: { author: 'acme', name: 'echo', version: '0.1.0' } } },
    components: [{ manifest: { manifest: { kind: 'AgentRunner', metadata: { name: 'default', label: {} }, spec: manifest.spec } } }] }, prod_mode: true });`;

const host = defineHost({
  connect(peer) {
    let runs = 0;
    peer
      .handle('driver_hello', () => ({
        host: { name: 'toy', version: '1' },
        revision: '2026-06-03',
        limits: { result_bytes: 10, calls_per_second: null },
        features: ['status'],
      }))
      .handle('driver_reset', () => {
        runs = 0;
        return {};
      })
      .handle('driver_submit', () => ({ run_id: `run-${++runs}` }))
      .handle('state_get', () => {
        throw new Error('unauthorized');
      });
  },
});

async function open(spec: TargetSpec, outside: Record<string, string> = {}) {
  const target = await resolveTarget({ startTimeout: 5000, ...spec }, { PATH: process.env['PATH'] ?? '', ...outside });
  const { harness, recorder } = harnessOf(target);
  const session = await target.open(harness);
  closers.push(() => session.close());
  return { session, recorder, target };
}

describe('in this process', () => {
  test('a runner: the same frames as of a plugin, on virtual time', async () => {
    const target = moduleRunner(echo);
    const { harness, recorder, run } = harnessOf(target);
    await run(async () => {
      const session = await target.open(harness);
      expect(session.info).toMatchObject({ kind: 'module', seat: 'module', name: 'acme/echo' });
      expect(session.info.traits).toEqual(
        expect.arrayContaining(['seat:module', 'capability:streaming', 'permission:history:page']),
      );
      expect(await oneRun(session)).toEqual(RESULTS);
      expect(await session.reset()).toBe(true);
      await session.close();
    });
    const actions = recorder.facts.flatMap((fact) =>
      (fact.fact === 'sent' || fact.fact === 'received') && 'action' in fact.frame
        ? [`${fact.fact} ${fact.frame['action']}`]
        : [],
    );
    expect(actions).toEqual([
      'received register_plugin',
      'sent initialize_plugin',
      'sent run_agent',
      'received history_page',
    ]);
  });

  test('a runner is cancelled, told its deadline, and its mistakes go out as they are', async () => {
    const reasons: unknown[] = [];
    const target = moduleRunner(
      defineRunner({
        manifest,
        async *run(context, { signal, clock }) {
          if (context['run_id'] === 'bad') throw new Error('oops');
          await clock.sleep(60_000, signal);
          reasons.push(signal.reason);
          yield { type: 'run.failed', data: { code: 'cancelled', message: 'x' } };
        },
      }),
    );
    const { harness, run } = harnessOf(target);
    await run(async () => {
      const { peer } = await target.open(harness);
      const go = async (context: JsonObject): Promise<string[]> => {
        const words: string[] = [];
        for await (const { code, message } of peer.stream(
          'run_agent',
          { runner_name: 'default', context },
          { timeout: 90_000 },
        ))
          words.push(`${code} ${message}`);
        return words;
      };
      const cancelled = go({ run_id: 'a' });
      await harness.clock.sleep(10);
      await peer.call('cancel_run', { run_id: 'a', reason: 'stop it' });
      await cancelled;
      await go({ run_id: 'b', runtime: { deadline_at: harness.clock.now() / 1000 + 1 } });
      expect(await go({ run_id: 'bad' })).toEqual(['1 oops']);
      expect((await peer.call('cancel_run', { run_id: 'none' })).code).toBe(0);
    });
    expect(reasons).toEqual(['stop it', 'deadline_exceeded']);
  });

  test('a host: what it declares and which Host APIs it has become traits', async () => {
    const target = moduleHost(host);
    const { harness, run } = harnessOf(target);
    await run(async () => {
      const session = await target.open(harness);
      expect(session.info.traits).toEqual([
        'seat:host',
        'feature:status',
        'limit:result_bytes',
        'api:any',
        'api:state_get',
      ]);
      expect((await session.peer.call('driver_submit', {})).data).toEqual({ run_id: 'run-1' });
      expect(await session.reset()).toBe(true);
      expect((await session.peer.call('driver_submit', {})).data).toEqual({ run_id: 'run-1' });
      await session.close();
    });
  });

  test('a module file is loaded, TypeScript too, and told what is wrong with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'runcert-module-'));
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const good = write(
      'runner.ts',
      `export default { runcert: 'runner', manifest: ${JSON.stringify(manifest)} as object, async *run() { yield { type: 'run.completed', data: {} } } };`,
    );
    expect((await resolveTarget({ kind: 'module', file: good, party: 'runner' })).party).toBe('runner');
    await expect(resolveTarget({ kind: 'module', file: good, party: 'host' })).rejects.toMatchObject({
      code: 'RUNCERT_MODULE',
    });
    for (const bad of [join(folder, 'none.ts'), write('empty.mjs', ''), write('broken.ts', 'export default {')])
      await expect(resolveTarget({ kind: 'module', file: bad })).rejects.toMatchObject({
        code: 'RUNCERT_MODULE',
        place: bad,
      });
  });
});

describe('as a child', () => {
  test('a plugin on stdio, with the secret it was passed blotted out', async () => {
    const { session, target } = await open(
      { kind: 'plugin', command: [process.execPath, '-e', PLUGIN], env: ['API_KEY', 'OTHER=1'] },
      { API_KEY: 'very-secret-key' },
    );
    expect(session.info).toMatchObject({
      kind: 'plugin',
      name: 'acme/echo',
      version: '0.1.0',
      declared: { generation: 'J' },
    });
    expect(await oneRun(session)).toEqual(RESULTS);
    expect(await session.reset()).toBe(true);
    expect(target.secrets).toEqual(['very-secret-key']);
  });

  test('its death is recorded with its exit code and the end of its stderr', async () => {
    const { session, recorder } = await open(
      { kind: 'plugin', command: [process.execPath, '-e', PLUGIN], env: ['API_KEY'] },
      { API_KEY: 'very-secret-key' },
    );
    expect((await session.peer.call('die', {})).lost).toBe('closed');
    const life = recorder.facts.flatMap((fact) =>
      fact.fact === 'life' ? [{ event: fact.event, detail: fact.detail }] : [],
    );
    expect(life.map(({ event }) => event)).toEqual(['started', 'disconnected', 'exited', 'stderr']);
    expect(life[2]?.detail).toEqual({ code: 3, signal: null });
    expect(life[3]?.detail).toEqual({ text: 'started with [blotted]\n', bytes: 29 });
    expect(await session.reset()).toBe(false);
  });

  test('a Runtime on stdio', async () => {
    const { session } = await open({ kind: 'runtime', command: [process.execPath, '-e', PLUGIN, 'runtime'] });
    expect(session.info).toMatchObject({
      seat: 'runtime',
      name: 'Runtime with acme/echo',
      declared: { generation: 'J' },
    });
    expect(session.info.traits).toEqual(expect.arrayContaining(['seat:runtime', 'capability:streaming']));
    expect(await oneRun(session)).toEqual(RESULTS);
  });

  test.each([
    ['no such program', { command: ['/no/such/program'] }, 'RUNCERT_TARGET_START', 'start'],
    [
      'exits at once',
      { command: [process.execPath, '-e', 'console.error("no license"); process.exit(4)'] },
      'RUNCERT_TARGET_DIED',
      'handshake',
    ],
    [
      'says nothing',
      { command: [process.execPath, '-e', 'setInterval(() => {}, 1000)'], startTimeout: 300, patience: 100 },
      'RUNCERT_TARGET_HUNG',
      'handshake',
    ],
  ] as const)('a plugin that %s', async (_name, spec, code, step) => {
    const failed = open({ kind: 'plugin', ...spec }).catch((error: unknown) => error);
    expect(await failed).toMatchObject({ code, step, exit: 2 });
    if (code === 'RUNCERT_TARGET_DIED') expect(((await failed) as Error).message).toMatch(/code 4.*no license/s);
  });
});

describe('by WebSocket', () => {
  test('a plugin that connects, and only with its key', async () => {
    const token = 'k'.repeat(40);
    const play = async (key: string): Promise<void> => {
      await realClock.sleep(100);
      const link = await connect('ws://127.0.0.1:47131/plugin/debug/ws', {
        headers: { 'X-LangBot-Plugin-Debug-Key': key },
      });
      const peer = new Peer(link, { clock: realClock, firstSeq: 500, watch: { received: () => {} } });
      closers.push(() => peer.close());
      playPlugin(echo, peer, realClock);
    };
    const spec: TargetSpec = {
      kind: 'plugin-listen',
      url: 'ws://127.0.0.1:47131/plugin/debug/ws',
      token,
      startTimeout: 700,
    };
    const wrong = play('x'.repeat(40)).catch((error: unknown) => error);
    await expect(open(spec)).rejects.toMatchObject({ code: 'RUNCERT_TARGET_CONNECT' });
    expect(await wrong).toBeInstanceOf(Error);
    const right = play(token);
    const { session } = await open(spec);
    await right;
    expect(session.info).toMatchObject({ kind: 'plugin-listen', name: 'acme/echo' });
    expect(await oneRun(session)).toEqual(RESULTS);
  });

  test('a host by URL, and one that connects', async () => {
    const listener = await Listener.on('ws://127.0.0.1:0/control/ws');
    closers.push(() => listener.close());
    void listener
      .accept(5000)
      .then((link) => link && host.connect(new Peer(link, { clock: realClock }), { clock: realClock }));
    const { session } = await open({ kind: 'host-url', url: listener.url });
    expect(session.info).toMatchObject({ kind: 'host-url', seat: 'host', name: 'toy', version: '1' });
    expect(await session.reset()).toBe(true);

    const later = realClock.sleep(100).then(async () => {
      const peer = new Peer(await connect('ws://127.0.0.1:47132/x'), { clock: realClock });
      closers.push(() => peer.close());
      host.connect(peer, { clock: realClock });
    });
    const other = await open({ kind: 'host-listen', url: 'ws://127.0.0.1:47132/x' });
    await later;
    expect(other.session.info.traits).toContain('api:state_get');
  });

  test('nobody there, and no WebSocket address', async () => {
    await expect(open({ kind: 'host-url', url: 'ws://127.0.0.1:1/' })).rejects.toMatchObject({
      code: 'RUNCERT_TARGET_CONNECT',
      exit: 2,
    });
    await expect(open({ kind: 'host-url', url: 'http://x/' })).rejects.toMatchObject({
      code: 'RUNCERT_USAGE',
      exit: 64,
    });
    await expect(open({ kind: 'plugin', command: ['x'], env: ['NOT_SET'] })).rejects.toMatchObject({
      code: 'RUNCERT_ENV',
    });
    await expect(open({ kind: 'plugin', command: ['x'], generation: 'Q' })).rejects.toMatchObject({
      code: 'RUNCERT_USAGE',
    });
  });
});
