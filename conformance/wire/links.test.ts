// The links with real processes and real sockets.
import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../common/json.ts';
import { realClock } from '../driving/clock.ts';
import { exists } from './child.ts';
import { connect } from './connect.ts';
import type { Generation } from './generation.ts';
import type { Link } from './link.ts';
import { Listener } from './listen.ts';
import { Peer } from './peer.ts';
import { StdioLink } from './stdio.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const env = { PATH: process.env['PATH'] ?? '' };
const node = (script: string, options: { patience?: number } = {}): StdioLink => {
  const link = new StdioLink({ command: [process.execPath, '-e', script], env, ...options });
  closers.push(() => link.close());
  return link;
};

/** Answers every line with the same data, as a message of one line; enough for messages under 16 KiB. */
const ECHO = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { seq_id, data } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ seq_id, code: 0, message: 'success', data, chunk_status: 'continue' }) + '\\n');
  });`;

interface Watched {
  readonly peer: Peer;
  readonly faults: string[];
  readonly noise: string[];
}
function watched(link: Link, generation?: Generation): Watched {
  const faults: string[] = [];
  const noise: string[] = [];
  const watch = { fault: (code: string) => faults.push(code), noise: (text: string) => noise.push(text) };
  return {
    peer: new Peer(link, { clock: realClock, timeout: 5000, watch, ...(generation && { generation }) }),
    faults,
    noise,
  };
}

describe('stdio', () => {
  test('calls cross the pipes, logs between them are noise, stderr is kept', async () => {
    const link = node(`console.log('Running plugin in current directory'); console.error('a log');${ECHO}`);
    const { peer, noise, faults } = watched(link);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => peer.call('echo', { i, text: '字😀"\n' })));
    expect(answers.map(({ data }) => data['i'])).toEqual(Array.from({ length: 50 }, (_, i) => i));
    await peer.close();
    expect(noise).toEqual(['Running plugin in current directory']);
    expect(faults).toEqual([]);
    expect(link.stderr.text).toBe('a log\n');
    expect(link.child.alive).toBe(false);
  });

  test('the child sees the given environment and nothing else', async () => {
    const { peer } = watched(
      node(
        `process.stdin.once('data', (line) => console.log(JSON.stringify({ seq_id: JSON.parse(line).seq_id, code: 0, data: process.env })))`,
      ),
    );
    const { data } = await peer.call('env', {});
    expect(Object.keys(data)).toEqual(['PATH']);
  });

  test.each([
    ['exits 0', 'process.exit(0)', /exited with code 0/],
    ['exits 3', 'process.exit(3)', /exited with code 3/],
    ['dies by a signal', 'process.kill(process.pid, "SIGKILL")', /ended by SIGKILL/],
    ['closes stdout and goes on', 'require("node:fs").closeSync(1); setInterval(() => {}, 1000)', /closed its stdout/],
  ])('a child that %s: the reason says so, and nothing is left', async (_name, script, reason) => {
    const link = node(script, { patience: 200 });
    const { peer } = watched(link);
    const answer = await peer.call('echo', {});
    expect(answer.lost).toBe('closed');
    expect((await peer.closed).message).toMatch(reason);
    await peer.close();
    expect(link.child.alive).toBe(false);
  });

  test('a program that is not there is told as such', async () => {
    const link = new StdioLink({ command: ['/no/such/program'], env });
    expect((await watched(link).peer.closed).message).toMatch(/could not be started: .*ENOENT/);
    await link.close();
  });

  test('a child that ignores SIGTERM, and its child, are killed', async () => {
    const link = node(
      `process.on('SIGTERM', () => {}); require('node:child_process').spawn('sleep', ['1000'], { stdio: 'ignore' });
       process.stdin.resume(); setInterval(() => {}, 1000); console.log('ready')`,
      { patience: 200 },
    );
    const { peer, noise } = watched(link);
    while (noise.length === 0) await realClock.sleep(20);
    await peer.close();
    expect(link.child.alive).toBe(false);
  });

  test('a grandchild with a session of its own is found and ended', async () => {
    const link = node(
      `const { pid } = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
       console.log(pid); process.stdin.resume(); setInterval(() => {}, 1000);`,
      { patience: 200 },
    );
    const { peer, noise } = watched(link);
    while (noise.length === 0) await realClock.sleep(20);
    await peer.close();
    await realClock.sleep(50);
    expect(exists(Number(noise[0]))).toBe(false);
  });

  test('a child that never reads does not hold a call beyond its time', async () => {
    const { peer } = watched(node('setInterval(() => {}, 1000)', { patience: 100 }));
    const calls = await Promise.all(
      Array.from({ length: 40 }, () => peer.call('fill', { text: 'x'.repeat(15_000) }, { timeout: 300 })),
    );
    expect(calls.every(({ lost }) => lost === 'timeout')).toBe(true);
  });
});

describe('WebSocket', () => {
  async function sockets(
    generation: Generation | undefined,
    reads = generation,
  ): Promise<{ near: Watched; far: Watched }> {
    const listener = await Listener.on('ws://127.0.0.1:0/plugin/debug/ws', { ...(generation && { generation }) });
    closers.push(() => listener.close());
    const [far, near] = await Promise.all([
      connect(listener.url, { ...(reads && { generation: reads }) }),
      listener.accept(2000),
    ]);
    if (near === undefined) throw new Error('no connection');
    closers.push(
      () => near.close(),
      () => far.close(),
    );
    return { near: watched(near, generation), far: watched(far, reads) };
  }

  test.each(['S', 'J', 'A', undefined] as const)('small and large messages both ways (%s)', async (generation) => {
    const { near, far } = await sockets(generation);
    far.peer.handle('echo', (data) => data);
    for (const text of ['x', '😀'.repeat(50_000), 'y'.repeat(1_500_000), '"\\'.repeat(40_000)]) {
      const answer = await near.peer.call('echo', { text });
      expect(answer.data['text'] === text).toBe(true);
    }
    expect([...near.faults, ...far.faults]).toEqual([]);
  });

  test('what an A sender cuts, an S or J reader takes; the other way round it is lost', async () => {
    const text = 'x'.repeat(200_000);
    const down = await sockets('A', 'J');
    down.near.peer.handle('echo', () => ({ text }));
    expect((await down.far.peer.call('echo', {})).data['text'] === text).toBe(true);
    const up = await sockets('J', 'A');
    up.near.peer.handle('echo', () => ({ text }));
    expect((await up.far.peer.call('echo', {}, { timeout: 300 })).lost).toBe('timeout');
    expect(up.far.faults[0]).toBe('RUNCERT_WIRE_JSON');
  });

  test('only loopback without a token, and only who shows the token', async () => {
    await expect(Listener.on('ws://0.0.0.0:0/')).rejects.toMatchObject({ code: 'RUNCERT_LISTEN_URL' });
    await expect(Listener.on('http://127.0.0.1:0/')).rejects.toMatchObject({ code: 'RUNCERT_LISTEN_URL' });
    await expect(Listener.on('nonsense')).rejects.toMatchObject({ code: 'RUNCERT_LISTEN_URL' });
    const refused: string[] = [];
    const listener = await Listener.on('ws://127.0.0.1:0/', {
      token: 'a-long-token',
      tokenHeaders: ['X-Key'],
      refused: (why) => refused.push(why),
    });
    closers.push(() => listener.close());
    await expect(connect(listener.url)).rejects.toMatchObject({ code: 'RUNCERT_TARGET_CONNECT' });
    await expect(connect(listener.url, { headers: { 'X-Key': 'another' } })).rejects.toThrow();
    expect(refused.length).toBe(2);
    const link = await connect(listener.url, { headers: { 'X-Key': 'a-long-token' } });
    await expect(connect(listener.url, { headers: { Authorization: 'Bearer a-long-token' } })).rejects.toThrow(/503/);
    await link.close();
  });

  test('the far side’s close code is in the reason', async () => {
    const { near, far } = await sockets(undefined);
    await far.peer.close();
    expect(await near.peer.closed).toMatchObject({ clean: true, socketCode: 1000 });
    const none = await Listener.on('ws://127.0.0.1:0/');
    closers.push(() => none.close());
    expect(await none.accept(20)).toBeUndefined();
  });

  test('messages that come before anybody listens are not lost', async () => {
    const { WebSocket } = await import('ws');
    const listener = await Listener.on('ws://127.0.0.1:0/');
    closers.push(() => listener.close());
    const socket = new WebSocket(listener.url);
    socket.on('open', () => socket.send('{"seq_id":1,"action":"hello","data":{}}'));
    const link = await listener.accept(2000);
    await realClock.sleep(50);
    const got: JsonObject[] = [];
    link?.open({ message: (message) => got.push(message), close: () => {} });
    await realClock.sleep(0);
    expect(got).toEqual([{ seq_id: 1, action: 'hello', data: {} }]);
    socket.terminate();
  });
});
