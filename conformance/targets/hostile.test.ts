// Targets that hang, flood, lie and die, each as a real process or socket: opening or the run ends in time,
// the fault and whose it is are recorded, memory stays bounded, no process is left, and nothing is called a pass.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../common/json.ts';
import { realClock } from '../driving/clock.ts';
import { drive } from '../driving/drive.ts';
import type { Suite } from '../driving/suite.ts';
import { hold, judge } from '../judging/judge.ts';
import type { Fact, FactOf } from '../recording/fact.ts';
import { CaseRecorder } from '../recording/recorder.ts';
import { exists } from '../wire/child.ts';
import { resolveTarget } from './resolve.ts';
import type { Target } from './target.ts';

const HOSTILE = fileURLToPath(new URL('./hostile/hostile.mjs', import.meta.url));
const SOCKET = fileURLToPath(new URL('./hostile/hostile-socket.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'runcert-hostile-'));

/** What one hostile target may make Runcert's memory grow by. */
const MEMORY_BOUND = 160 * 1024 * 1024;
/** From the start of a session to its end, whatever the target does. */
const TIME_BOUND = 50_000;
/** For targets that are expected to hang, and for those that are expected to get further than that. */
const SHORT = 1200;
const LONG = 25_000;
const PATH = { PATH: process.env['PATH'] ?? '' };

// Bounds are for slow and busy machines; alone, most of these take less than a second.
vi.setConfig({ testTimeout: 2 * TIME_BOUND });

const stray: unknown[] = [];
const onStray = (reason: unknown): void => void stray.push(reason);
beforeAll(() => void process.on('unhandledRejection', onStray));
afterAll(() => {
  process.off('unhandledRejection', onStray);
  expect(stray).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

/** A protocol of one rule: a run ends with run.completed, and its frames keep the rules of the wire. */
const suite = (patience: number): Suite<readonly Fact[]> => ({
  protocol: 'hostile',
  revision: '1',
  party: 'runner',
  clauses: [
    {
      id: 'hostile/1/ends',
      section: '1',
      level: 'MUST',
      party: 'runner',
      area: 'run',
      text: 'A run ends.',
      source: 'test',
    },
  ],
  areas: [
    {
      id: 'run',
      runs: 1,
      valid: () => true,
      stimulus: () => fc.constant({}),
      async play(_stimulus, { session }) {
        session.peer.handle('history_page', () => new Promise(() => {}));
        const request = { runner_name: 'default', context: { run_id: 'r' } };
        for await (const _ of session.peer.stream('run_agent', request, { timeout: patience }));
        await realClock.sleep(50);
      },
      timeOf: () => 20_000,
    },
  ],
  judges: [
    judge('hostile/1/ends', function* (facts) {
      const { n } = facts.find(({ fact }) => fact === 'end')!;
      const fault = facts.find((fact) => fact.fact === 'fault' && fact.by === 'target') as FactOf<'fault'> | undefined;
      const frames = facts.flatMap((fact) => (fact.fact === 'received' ? [fact.frame] : []));
      const last = frames[frames.length - 2]?.['data'] as JsonObject | undefined;
      const ends = frames[frames.length - 1]?.['chunk_status'] === 'end' && last?.['type'] === 'run.completed';
      yield hold(fault === undefined && ends, n, {
        expected: 'run.completed and an end',
        found: fault?.code ?? 'none',
      });
    }),
  ],
  assemble: (_head, facts) => facts,
  reference: () => {
    throw new Error('there is none');
  },
  mutants: [],
  variants: [],
});

const faultsOf = (facts: readonly Fact[]): string[] => [
  ...new Set(facts.flatMap((fact) => (fact.fact === 'fault' ? [`${fact.by} ${fact.code}`] : []))),
];

/** Drives a target to a verdict, as `runcert certify` does, and gives what was recorded of its one case. */
async function certify(
  target: Target,
  patience = LONG,
): Promise<{ verdict: string; reason: string; facts: readonly Fact[] }> {
  const begun = realClock.now();
  let facts: readonly Fact[] = [];
  const { outcome } = await drive(
    suite(patience),
    target,
    { seed: 1, shrinkPlays: 0, version: 'test' },
    {
      case: (seen) => {
        facts = seen;
      },
    },
  );
  expect(realClock.now() - begun).toBeLessThan(TIME_BOUND);
  expect(facts.length).toBeLessThan(60_000);
  return { verdict: outcome.verdict, reason: outcome.reason ?? '', facts };
}

/** Only opens a target, and gives the error it fails with and what was recorded until then. */
async function open(target: Target): Promise<{ code: string; message: string; faults: readonly string[] }> {
  const recorder = new CaseRecorder(realClock);
  const begun = realClock.now();
  const failed = await target.open({ clock: realClock, grace: 1000, recorder: () => recorder }).then(
    (session) => session.close().then(() => ({ code: 'none', message: 'it was opened' })),
    (error: Error & { readonly code?: string }) => ({ code: error.code ?? 'crash', message: error.message }),
  );
  expect(realClock.now() - begun).toBeLessThan(TIME_BOUND);
  return { ...failed, faults: faultsOf(recorder.facts) };
}

/** The process of a mode, and a check that nothing of it is left. */
async function child(mode: string, startTimeout = LONG): Promise<{ target: Target; nothingLeft(): void }> {
  const pids = join(mkdtempSync(join(folder, 'pids-')), mode);
  const command = [process.execPath, HOSTILE, mode];
  const target = await resolveTarget(
    { kind: 'plugin', command, env: [`HOSTILE_PIDS=${pids}`], startTimeout, patience: 300 },
    PATH,
  );
  const nothingLeft = (): void => {
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    expect(started.filter(exists)).toEqual([]);
  };
  return { target, nothingLeft };
}

/** Opens a host behind a socket that misbehaves. */
async function faceSocket(mode: string, startTimeout = LONG): ReturnType<typeof open> {
  const server = spawn(process.execPath, [SOCKET, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const port = await new Promise<string>((resolve) =>
      server.stdout.once('data', (data) => resolve(String(data).trim())),
    );
    return await open(await resolveTarget({ kind: 'host-url', url: `ws://127.0.0.1:${port}/`, startTimeout }, {}));
  } finally {
    server.kill('SIGKILL');
  }
}

test('the same program passes when it behaves', async () => {
  const { target, nothingLeft } = await child('honest');
  expect(await certify(target)).toMatchObject({ verdict: 'conformant' });
  nothingLeft();
});

/** How much this process grew at most while something went on. */
async function grown(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let peak = before;
  const meter = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  await work().finally(() => clearInterval(meter));
  return peak - before;
}

describe('memory stays bounded, one by one', () => {
  test.each([
    'line-of-64-mib',
    'no-newline-ever',
    'nested-brackets-in-fragments',
    'nested-brackets-in-a-line',
    'floods-1-gb-of-logs',
    'floods-1-gb-of-frames',
    'floods-dense-frames',
    'streams-without-end',
    'floods-requests',
    'endless-fragments',
    'a-million-empty-objects',
    'writes-1-gb-to-stderr',
  ])('%s', async (mode) => {
    const { target, nothingLeft } = await child(mode, mode === 'nested-brackets-in-fragments' ? SHORT : LONG);
    let verdict = '';
    const growth = await grown(async () => {
      ({ verdict } = await certify(target, 1000));
    });
    nothingLeft();
    expect(verdict).not.toBe('conformant');
    expect(growth).toBeLessThan(MEMORY_BOUND);
  });

  test.each([
    'pings-for-ever',
    'sends-64-mib',
    'fragments-for-ever',
    'sends-garbage-texts',
    'floods-frames',
    'endless-headers',
  ])('a socket that %s', async (mode) => {
    expect(await grown(() => faceSocket(mode))).toBeLessThan(MEMORY_BOUND);
  });
});

describe.concurrent('never gets as far as a run: inconclusive, and the error says why', () => {
  test.each([
    ['exit-0', 'RUNCERT_TARGET_DIED', /exited with code 0/, []],
    ['exit-3', 'RUNCERT_TARGET_DIED', /code 3.*license expired/s, []],
    ['killed-at-start', 'RUNCERT_TARGET_DIED', /SIGKILL/, []],
    ['silent', 'RUNCERT_TARGET_HUNG', /nothing within 1200 ms/, []],
    ['dies-mid-frame-at-start', 'RUNCERT_TARGET_DIED', /exited with code 0/, ['target RUNCERT_WIRE_CUT']],
    ['closes-stdout', 'RUNCERT_TARGET_DIED', /closed its stdout/, []],
    ['line-of-64-mib', 'RUNCERT_TARGET_DIED', /65536/, ['target RUNCERT_WIRE_LINE_TOO_LONG']],
    ['no-newline-ever', 'RUNCERT_TARGET_DIED', /65536/, ['target RUNCERT_WIRE_LINE_TOO_LONG']],
    ['floods-1-gb-of-logs', 'RUNCERT_TARGET_DIED', /bytes in one case/, ['target RUNCERT_FLOOD']],
    [
      'floods-1-gb-of-frames',
      'RUNCERT_TARGET_DIED',
      /bytes in one case/,
      ['target RUNCERT_FRAME_UNKNOWN_SEQ', 'target RUNCERT_FLOOD'],
    ],
    [
      'floods-dense-frames',
      'RUNCERT_TARGET_DIED',
      /bytes in one case/,
      ['target RUNCERT_FRAME_UNKNOWN_SEQ', 'target RUNCERT_FLOOD'],
    ],
    ['nested-brackets-in-fragments', 'RUNCERT_TARGET_HUNG', /nothing within/, ['target RUNCERT_WIRE_TOO_DEEP']],
    ['nested-brackets-in-a-line', 'RUNCERT_TARGET_DIED', /65536/, ['target RUNCERT_WIRE_LINE_TOO_LONG']],
    ['broken-utf8', 'RUNCERT_TARGET_HUNG', /nothing within/, ['target RUNCERT_WIRE_UTF8']],
    ['registers-a-text', 'RUNCERT_TARGET_HANDSHAKE', /plugin_container/, []],
    ['registers-a-number-as-action', 'RUNCERT_TARGET_HUNG', /register_plugin/, ['target RUNCERT_FRAME_SHAPE']],
    ['exits-and-leaves-a-child-with-its-pipes', 'RUNCERT_TARGET_DIED', /exited with code 0/, []],
    ['init-no-runner', 'RUNCERT_TARGET_NO_RUNNER', /AgentRunner/, []],
    ['init-wrong-types', 'RUNCERT_TARGET_NO_RUNNER', /AgentRunner/, []],
    ['init-refused', 'RUNCERT_TARGET_HANDSHAKE', /no database/, []],
    ['init-ignored', 'RUNCERT_TARGET_HUNG', /initialize_plugin/, []],
    ['init-answers-null', 'RUNCERT_TARGET_HANDSHAKE', /no response frame/, ['target RUNCERT_FRAME_SHAPE']],
    ['init-dies', 'RUNCERT_TARGET_DIED', /code 5/, []],
  ] as const)('%s', async (mode, code, words, faults) => {
    const { target, nothingLeft } = await child(mode, code === 'RUNCERT_TARGET_HUNG' ? SHORT : LONG);
    const opened = await open(target);
    nothingLeft();
    expect(opened).toEqual({ code, message: expect.stringMatching(words), faults });
    const { verdict, reason } = await certify(target);
    nothingLeft();
    expect({ verdict, reason }).toEqual({ verdict: 'inconclusive', reason: expect.stringMatching(words) });
  });

  test('a program that is not there, and a file that is none', async () => {
    for (const command of [['/no/such/program'], [HOSTILE]]) {
      const target = await resolveTarget({ kind: 'plugin', command }, PATH);
      expect(await open(target)).toMatchObject({ code: 'RUNCERT_TARGET_START' });
      expect(await certify(target)).toMatchObject({ verdict: 'inconclusive' });
    }
  });
});

describe.concurrent('misbehaves in a run: not conformant, and the recording says what it did', () => {
  test.each([
    ['dies-mid-run', 'died', []],
    ['dies-mid-frame', 'died', ['target RUNCERT_WIRE_CUT']],
    ['dies-by-signal', 'died', []],
    ['never-ends', 'done', []],
    ['answers-late', 'done', []],
    ['answers-another-seq', 'done', ['target RUNCERT_FRAME_UNKNOWN_SEQ']],
    ['answers-twice', 'done', ['target RUNCERT_FRAME_ANSWERED_TWICE']],
    ['streams-without-end', 'died', ['target RUNCERT_FLOOD']],
    ['floods-requests', 'done', []],
    ['wrong-offsets', 'done', ['target RUNCERT_WIRE_FRAGMENT']],
    ['A-wrong-offsets', 'died', ['target RUNCERT_WIRE_FRAGMENT']],
    ['wrong-total', 'done', ['target RUNCERT_WIRE_FRAGMENT']],
    ['no-chunk-end', 'done', ['target RUNCERT_WIRE_INTERLEAVED']],
    ['interleaved-fragments', 'done', ['target RUNCERT_WIRE_INTERLEAVED']],
    [
      'two-series-at-once',
      'done',
      // The second start lies within the first series, no offset fits any more, and what is joined is no JSON.
      ['target RUNCERT_WIRE_INTERLEAVED', 'target RUNCERT_WIRE_FRAGMENT', 'target RUNCERT_WIRE_JSON'],
    ],
    ['fragments-that-are-no-json', 'done', ['target RUNCERT_WIRE_JSON']],
    ['endless-fragments', 'died', ['target RUNCERT_WIRE_FRAGMENT', 'target RUNCERT_WIRE_TOO_LARGE']],
    ['a-million-empty-objects', 'done', ['target RUNCERT_WIRE_TOO_LARGE']],
    ['proto-keys', 'done', []],
    ['duplicate-keys', 'done', []],
    ['nan', 'done', ['target RUNCERT_WIRE_JSON']],
    ['huge-numbers', 'done', ['target RUNCERT_WIRE_NUMBER']],
    ['numbers-of-a-megabyte', 'done', ['target RUNCERT_WIRE_NUMBER']],
    ['lone-surrogates', 'done', []],
    ['wrong-types', 'done', ['target RUNCERT_FRAME_SHAPE']],
    ['neither-request-nor-response', 'done', ['target RUNCERT_FRAME_SHAPE']],
    ['closes-stdin', 'died', ['target RUNCERT_TARGET_STDIN_CLOSED']],
    ['prints-10000-logs', 'done', []],
    ['writes-1-gb-to-stderr', 'done', []],
    ['ignores-sigterm', 'done', []],
    ['leaves-a-grandchild', 'done', []],
    ['leaves-a-detached-grandchild', 'done', []],
  ] as const)('%s', async (mode, how, faults) => {
    const { target, nothingLeft } = await child(mode);
    // What is to die gets time for it; what only hangs is not waited for long.
    const { verdict, facts } = await certify(
      target,
      how === 'died' ? 10_000 : mode === 'a-million-empty-objects' ? 5_000 : 700,
    );
    nothingLeft();
    expect(verdict).toBe('not-conformant');
    expect(faultsOf(facts)).toEqual(faults);
    expect(facts[facts.length - 1]).toMatchObject({ fact: 'end', how });
  });
});

describe.concurrent('a socket that misbehaves', () => {
  const codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4999];
  const bad = [0, 999, 1005, 1006, 1015, 2000, 5000];

  test.each([
    ['accepts-tcp-only', 'RUNCERT_TARGET_CONNECT', []],
    ['answers-http-500', 'RUNCERT_TARGET_CONNECT', []],
    ['redirects', 'RUNCERT_TARGET_CONNECT', []],
    ['speaks-no-http', 'RUNCERT_TARGET_CONNECT', []],
    ['endless-headers', 'RUNCERT_TARGET_CONNECT', []],
    ['wrong-accept-key', 'RUNCERT_TARGET_CONNECT', []],
    ['silent', 'RUNCERT_TARGET_HUNG', []],
    ['closes-tcp', 'RUNCERT_TARGET_DIED', []],
    ['sends-binary', 'RUNCERT_TARGET_HUNG', ['target RUNCERT_WIRE_UTF8']],
    ['sends-broken-utf8', 'RUNCERT_TARGET_DIED', ['target RUNCERT_WIRE_UTF8']],
    ['pings-for-ever', 'RUNCERT_TARGET_DIED', ['target RUNCERT_WIRE_PINGS']],
    ['sends-64-mib', 'RUNCERT_TARGET_DIED', ['target RUNCERT_WIRE_TOO_LARGE']],
    ['fragments-for-ever', 'RUNCERT_TARGET_DIED', ['target RUNCERT_WIRE_TOO_LARGE']],
    ['sends-a-reserved-opcode', 'RUNCERT_TARGET_DIED', ['target RUNCERT_WIRE_SOCKET']],
    ['sends-masked-frames', 'RUNCERT_TARGET_DIED', ['target RUNCERT_WIRE_SOCKET']],
    ['sends-garbage-texts', 'RUNCERT_TARGET_DIED', ['target RUNCERT_FLOOD']],
    ['floods-frames', 'RUNCERT_TARGET_DIED', ['target RUNCERT_FRAME_UNKNOWN_SEQ', 'target RUNCERT_FLOOD']],
    ['dies-mid-frame', 'RUNCERT_TARGET_DIED', []],
    ['half-a-message', 'RUNCERT_TARGET_DIED', ['target RUNCERT_WIRE_CUT']],
  ] as const)('%s', async (mode, code, faults) => {
    const seen = await faceSocket(mode, code === 'RUNCERT_TARGET_HUNG' || mode === 'accepts-tcp-only' ? SHORT : LONG);
    expect(seen).toMatchObject({ code, faults });
  });

  test('closes with every code there is, and with codes there are not', async () => {
    const all = await Promise.all(
      [...codes, ...bad].map(async (closes) => ({ closes, ...(await faceSocket(`closes-with-${closes}`)) })),
    );
    for (const { closes, code, message, faults } of all) {
      expect({ closes, code }).toEqual({ closes, code: 'RUNCERT_TARGET_DIED' });
      if (codes.includes(closes)) expect(message).toContain(`closed with code ${closes}`);
      else expect(faults).toEqual(['target RUNCERT_WIRE_SOCKET']);
    }
  });
});

describe('a client that misbehaves', () => {
  async function faceClients(
    act: (url: string) => Promise<unknown>,
  ): Promise<{ facts: readonly Fact[]; failed: string | undefined }> {
    const port = 47200 + Math.floor(realClock.now() % 1000);
    const target = await resolveTarget({
      kind: 'plugin-listen',
      url: `ws://127.0.0.1:${port}/`,
      startTimeout: SHORT,
    });
    const recorder = new CaseRecorder(realClock);
    const acting = realClock.sleep(50).then(() => act(`ws://127.0.0.1:${port}/`));
    const failed = await target.open({ clock: realClock, grace: 1000, recorder: () => recorder }).then(
      (session) => session.close().then(() => undefined),
      (error: { code: string }) => error.code,
    );
    await acting;
    return { facts: recorder.facts, failed };
  }
  const dial = async (url: string) => {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(url);
    socket.on('error', () => {});
    return { socket, over: new Promise<void>((resolve) => socket.on('close', () => resolve())) };
  };

  test('two connections at once: the first has the seat, the second is turned away and told', async () => {
    const { facts, failed } = await faceClients(async (url) => {
      const first = await dial(url);
      await realClock.sleep(100);
      const second = await dial(url);
      await Promise.all([first.over, second.over]);
    });
    expect(failed).toBe('RUNCERT_TARGET_HUNG');
    expect(facts).toContainEqual(
      expect.objectContaining({
        fact: 'fault',
        by: 'target',
        code: 'RUNCERT_WIRE_CONNECTION',
        message: expect.stringMatching(/one connection at a time/),
      }),
    );
  });

  test('a storm of reconnects is turned away and bounded', async () => {
    const { facts, failed } = await faceClients(async (url) => {
      const first = await dial(url);
      for (let i = 0; i < 30; i++) await Promise.all(Array.from({ length: 50 }, async () => (await dial(url)).over));
      await first.over;
    });
    expect(failed).toBe('RUNCERT_TARGET_HUNG');
    expect(facts.filter(({ fact }) => fact === 'fault').length).toBeLessThanOrEqual(101);
  });
});
