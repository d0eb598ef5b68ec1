// Logs as they really lie on disks: whole, torn, broken, empty, or something else. What is sound is judged and folded, what is not is told with its line.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import { REMEMBERED } from '../intake/identity.ts';
import { logOf } from '../stimuli/log.ts';
import { sessionOps } from '../stimuli/sessions.ts';
import { checkLog } from './check.ts';
import { LogFile, readLog } from './read.ts';
import { replayLog } from './replay.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcert-log-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function file(content: string | Buffer): string {
  const path = join(folder, `${files++}.ndjson`);
  writeFileSync(path, content);
  return path;
}

const turn = (session: string): JsonObject[] =>
  ['session.created', 'thread.started', 'turn.submitted', 'turn.started', 'turn.completed'].map((type, i) => ({
    type,
    event_id: `${session}_${i + 1}`,
    timestamp: '2026-05-08T10:00:00Z',
    sequence: i + 1,
    session_id: session,
    ...(i > 0 ? { thread_id: `${session}_a` } : {}),
    ...(i > 1 ? { turn_id: `${session}_t1` } : {}),
    payload: {},
  }));
const lines = (events: readonly JsonObject[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const whole = turn('s1');
const check = async (content: string | Buffer) => (await checkLog(file(content), { version: 'test' })).outcome;
const notes = (outcome: { notes: readonly { kind: string; text: string }[] }): string[] =>
  outcome.notes.map(({ kind, text }) => `${kind}: ${text}`);

describe('a log that is', () => {
  it('whole is conformant', async () => {
    expect(await check(lines(whole))).toMatchObject({ verdict: 'conformant', notes: [] });
  });

  it('cut off in its last line is judged up to there', async () => {
    const outcome = await check(`${lines(whole)}{"type":"turn.sub`);
    expect(outcome).toMatchObject({ verdict: 'conformant', target: { declared: { events: 5 } } });
    expect(notes(outcome)).toEqual([
      'torn-line: line 6: the last line is cut off (no JSON: Unterminated string); all before it was judged',
    ]);
  });

  it('broken in the middle is judged around it, and never called conformant', async () => {
    const broken = `${lines(whole.slice(0, 2))}{"type": nonsense}\n${lines(whole.slice(2))}`;
    const outcome = await check(broken);
    expect(outcome).toMatchObject({
      verdict: 'inconclusive',
      reason: '1 line is no event (the first: line 3); what is sound was judged',
      target: { declared: { events: 5 } },
    });
    expect(notes(outcome)[0]).toMatch(/^broken-line: line 3, column 11: no JSON/);
    const again = await check(`${broken}${lines([whole.at(-1)!, { ...whole.at(-1)!, event_id: 'other' }])}`);
    expect(again.verdict, 'a fault in the sound part still counts').toBe('not-conformant');
    const { log, sessions } = await replayLog(file(broken));
    expect(log.broken_lines).toMatchObject([{ line: 3, column: 11 }]);
    expect(sessions[0]!.models['thread_read_model']).toMatchObject({ freshness: { partial: true, status: 'stale' } });
  });

  it.each([
    ['empty', ''],
    ['blank', '\n  \n\r\n'],
  ])('%s says so', async (_, content) => {
    expect(await check(content)).toMatchObject({ verdict: 'inconclusive', reason: 'the log is empty' });
    expect(await replayLog(file(content))).toMatchObject({ at: 0, sessions: [] });
  });

  it('full of blank lines and a mark of its byte order is read all the same, with the lines that an editor counts', async () => {
    const outcome = await check(`\uFEFF${lines(whole.slice(0, 3))}\n\r\n${lines(whole.slice(3))}oops\n${lines([])}`);
    expect(outcome.target.declared).toMatchObject({ events: 5 });
    expect(notes(outcome)[0]).toMatch(/^broken-line: line 8, column 1/);
  });

  it.each([
    ['a gzip file', gzipSync(lines(whole)), 'gunzip'],
    ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]), 'text'],
    ['a JSON array', JSON.stringify(whole, null, 1), 'jq'],
    ['UTF-16 text', Buffer.from(`\uFEFF${lines(whole)}`, 'utf16le'), 'iconv'],
    ['No line is an event', 'hello\nworld\n', 'one event a line'],
    ['No line is an event', JSON.stringify(whole[0], null, 2), 'jq -c'],
    ['No line is an event: none has a type or an event_id', '{"a":1}\n3\n', 'one event a line'],
  ])('%s is named for what it is', async (what, content, remedy) => {
    for (const attempt of [() => checkLog(file(content), { version: 'test' }), () => replayLog(file(content))])
      await expect(attempt()).rejects.toMatchObject({
        code: 'RUNCERT_LOG_KIND',
        message: expect.stringContaining(what),
        remedy: expect.stringContaining(remedy),
        place: expect.stringMatching(/:1(:\d+)?$/),
      });
  });

  it('a folder, or not there, is named for what it is', async () => {
    const dir = join(folder, 'dir');
    mkdirSync(dir);
    await expect(checkLog(dir, { version: 'test' })).rejects.toMatchObject({ message: /folder/ });
    await expect(replayLog(join(folder, 'none'))).rejects.toMatchObject({ code: 'RUNCERT_LOG_UNREADABLE' });
  });

  it('no JSON cannot steer a terminal with what is quoted of it', async () => {
    const outcome = await check(`${lines(whole)}\u001b[31mred\n`);
    expect(notes(outcome)[0]).toMatch(/\\u001b\[31mred/);
  });
});

describe('reading', () => {
  it('gives every line once, in order, and finds it again, wherever chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 90_000 }), fc.constantFrom('x', 'é', '𝚀', '"\\')), {
          minLength: 1,
          maxLength: 20,
        }),
        fc.boolean(),
        async (parts, ended) => {
          const events = parts.map(([n, text], i) => ({ i, text: text.repeat(n) }));
          const path = file(ended ? lines(events) : lines(events).slice(0, -1));
          const seen: unknown[] = [];
          const again = new LogFile(path);
          const reading = await readLog(path, {
            take: (json, line, offset, bytes) => {
              seen.push(json);
              expect(line).toBe(seen.length);
              expect(bytes).toBe(Buffer.byteLength(JSON.stringify(json)));
              expect(again.recall(offset)).toEqual(json);
            },
          });
          again.close();
          expect(seen).toEqual(events);
          expect(reading).toMatchObject({ lines: events.length, flawCount: 0, torn: undefined });
        },
      ),
      { numRuns: 15, seed: 1 },
    );
  });
});

describe('replay of a log', () => {
  const many = Array.from({ length: 40 }, (_, i) => turn(`s${i}`)).flat();

  it('holds the session that was asked for, however many come after it', async () => {
    const path = file(lines(many));
    const { sessions, log } = await replayLog(path, { session: 's0', sessions: 3 });
    expect(sessions.map(({ session_id }) => session_id)).toEqual(['s0']);
    expect(log.dropped_sessions).toBeGreaterThan(30);
    expect(sessions).toEqual((await replayLog(path, { session: 's0', sessions: 100 })).sessions);
    await expect(replayLog(path, { session: 'nobody' })).rejects.toMatchObject({ message: /"nobody"/ });
  });

  it('at an event is the replay of the log up to it', async () => {
    const events = logOf(fc.sample(sessionOps(14), { numRuns: 1, seed: 4 })[0]!);
    expect(events.length).toBeGreaterThan(10);
    for (const at of [1, 2, events.length >> 1, events.length]) {
      const cut = await replayLog(file(lines(events.slice(0, at))), { live: true });
      expect((await replayLog(file(lines(events)), { at })).sessions).toEqual(cut.sessions);
    }
    await expect(replayLog(file(lines(events)), { at: events.length + 1 })).rejects.toMatchObject({
      message: new RegExp(`has ${events.length} events`),
    });
  });
});

describe('a process that was decided about', () => {
  const about = (type: string, sequence: number, payload: JsonObject): JsonObject => ({
    ...whole[3]!,
    type,
    event_id: `p${sequence}`,
    sequence,
    payload: { process_id: 'p1', ...payload },
  });
  const decision = (said: string): JsonObject => ({
    decision: said,
    decision_source: 'rule',
    decision_reason: 'a rule',
    approval_action_id: 'a1',
  });
  const log = (...events: readonly JsonObject[]): string => lines([...whole.slice(0, 4), ...events]);
  const failing = async (content: string): Promise<string[]> =>
    (await check(content)).clauses.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  const started = about('process.started', 6, { command: 'make', cwd: '/' });

  it('runs when it was allowed, and not when it was denied', async () => {
    expect(await failing(log(about('permission.evaluated', 5, decision('allow')), started))).toEqual([]);
    expect(await failing(log(about('permission.evaluated', 5, decision('deny')), started))).toEqual([
      'ar/9.8/run-was-allowed',
    ]);
  });

  it('runs when whoever was asked allows it', async () => {
    const asked = about('permission.evaluated', 5, decision('ask'));
    const resolved = (said: string): JsonObject => about('permission.resolved', 6, { decision: said });
    const then = { ...started, event_id: 'p7', sequence: 7 };
    expect(await failing(log(asked, resolved('allow'), then))).toEqual([]);
    expect(await failing(log(asked, resolved('deny'), then))).toEqual(['ar/9.8/run-was-allowed']);
    expect(await failing(log(asked, started))).toEqual([]);
  });

  it('may fail for that reason and never start', async () => {
    const failed = about('process.failed', 6, { category: 'permission' });
    expect(await failing(log(about('permission.evaluated', 5, decision('deny')), failed))).toEqual([]);
    expect(await failing(log(about('permission.evaluated', 5, decision('allow')), failed))).toEqual([
      'ar/9.8/refusal-explained',
    ]);
  });
});

it('says how far back ids are compared when a log is longer than that', async () => {
  const [first] = whole;
  const event = (i: number): JsonObject => ({ ...first!, event_id: `e${i}`, sequence: i + 1, session_id: 's1' });
  const long = Array.from({ length: REMEMBERED + 1 }, (_, i) => event(i));
  const outcome = await check(lines([...long, { ...event(1), payload: { title: 'other' } }]));
  expect(notes(outcome)).toEqual([expect.stringMatching(/^id-window: .* last 131072 events/)]);
  expect(outcome.clauses.find(({ id }) => id === 'ar/3/event-id-unique')?.verdict).toBe('fail');
});
