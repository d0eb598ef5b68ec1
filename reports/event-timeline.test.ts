import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import { timelineOf } from './event-timeline.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'runcert-timeline-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const log = async (lines: readonly string[]): Promise<string> => {
  const path = join(dir, 'events.ndjson');
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
};

test('events stand in the lane of their thread, task or session, and those that break a clause say which', async () => {
  const path = await log([
    '{"type":"session.created","session_id":"s"}',
    '{"type":"turn.started","sequence":7,"threadId":"t","timestamp":"2026-06-03T10:00:00Z"}',
    'not json',
    '{"type":"task.created","task_id":"k"}',
    '{"x":1}',
  ]);
  const outcome = sampleOutcome([
    sampleClause('runtime/a', 'fail', { facts: [4] }),
    sampleClause('runtime/b', 'fail', { facts: [4, 2] }),
    sampleClause('runtime/c', 'pass', { facts: [1] }),
  ]);
  expect((await timelineOf(path, outcome)).timeline).toEqual([
    { sequence: 1, type: 'session.created', lane: 'session s', detail: 'line 1' },
    {
      sequence: 7,
      type: 'turn.started',
      lane: 'thread t',
      time: '2026-06-03T10:00:00Z',
      detail: 'line 2',
      breaks: ['runtime/b'],
      event: { type: 'turn.started', sequence: 7, threadId: 't', timestamp: '2026-06-03T10:00:00Z' },
    },
    {
      sequence: 4,
      type: 'task.created',
      lane: 'task k',
      detail: 'line 4',
      breaks: ['runtime/a', 'runtime/b'],
      event: { type: 'task.created', task_id: 'k' },
    },
    { sequence: 5, type: '(no type)', lane: 'runtime', detail: 'line 5' },
  ]);
});

test('of a long log the beginning is shown, and every violation', async () => {
  const path = await log(
    Array.from({ length: 5000 }, (_, at) => `{"type":"model.delta","sequence":${at},"threadId":"t"}`),
  );
  const { timeline: entries } = await timelineOf(
    path,
    sampleOutcome([sampleClause('runtime/a', 'fail', { facts: [4000, 4500] })]),
  );
  expect(entries.length).toBe(400);
  expect(entries.filter(({ breaks }) => breaks !== undefined).map(({ sequence }) => sequence)).toEqual([3999, 4499]);
});
