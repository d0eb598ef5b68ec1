// A LangBot run as events: everything that was told, and nothing that was not.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../common/json.ts';
import { Inspection } from '../agent-runtime/judges/inspection.ts';
import { replayAll } from '../agent-runtime/replay.ts';
import { Bridge } from './bridge.ts';
import type { Moment, Story } from './story.ts';

const context = {
  run_id: 'r1',
  trigger: { type: 'message.received', source: 'api' },
  event: { event_id: 'e1' },
  conversation: { conversation_id: 'c1' },
  input: { text: 'Hello' },
  resources: { tools: [{ tool_name: 'search' }] },
};
const result = (type: string, data: object = {}, more: object = {}): object => ({ type, data, ...more });

function story(results: readonly object[], more: readonly Moment[] = [], over: Partial<Story> = {}): Story {
  const from = over.n ?? 0;
  return {
    runId: 'r1',
    host: 'host',
    runner: 'plugin:a/b/c',
    context,
    n: from,
    began: 0,
    moments: [...results.map((value, i): Moment => ({ n: from + i + 1, at: i, kind: 'result', value })), ...more],
    ...over,
  };
}

function bridged(...stories: readonly Story[]): JsonObject[] {
  const events: JsonObject[] = [];
  new Bridge('host', (event) => events.push(event)).tell(stories);
  const inspection = new Inspection({ recall: (place) => events[place] });
  for (const [i, event] of events.entries()) inspection.take(event, i, 100);
  inspection.end();
  const violations = [...inspection.book.pages.values()].flatMap(({ clause, first }) =>
    first.map((one) => [clause, one]),
  );
  expect(violations, 'every bridged log is a sound log').toEqual([]);
  return events;
}
const types = (events: readonly JsonObject[]): string[] => events.map(({ type }) => String(type));
const models = (events: readonly JsonObject[]): Record<string, Record<string, JsonObject[]>> =>
  replayAll(events).show({ ended: true })[0]!.models as never;
const warnings = (events: readonly JsonObject[]): unknown[] =>
  events.filter(({ type }) => type === 'runtime.warning').map(({ payload }) => (payload as JsonObject)['code']);

describe('the bridge', () => {
  const completed = [
    result('message.delta', { chunk: { role: 'assistant', content: 'Hel' } }),
    result('message.delta', { chunk: { role: 'assistant', content: 'lo' } }),
    result('message.completed', { message: { role: 'assistant', content: 'Hello' } }),
    result('run.completed', { finish_reason: 'stop' }),
  ];

  it('completes a task when the host shows that it delivered, and not before', () => {
    const seen: Moment = { n: 90, at: 9, kind: 'observed', delivered: true };
    expect(models(bridged(story(completed)))['task_snapshot']!['tasks']![0]).toMatchObject({
      status: 'stale',
      last_known: 'running',
    });
    const { task_snapshot } = models(bridged(story(completed, [seen])));
    expect(task_snapshot!['tasks']![0]).toMatchObject({ task_id: 'task:e1', status: 'completed', objective: 'Hello' });
  });

  it('takes a completed message for no completed turn', () => {
    const events = bridged(story(completed.slice(0, 3)));
    expect(types(events)).not.toContain('turn.completed');
    const { thread_read_model, task_snapshot } = models(events);
    expect(thread_read_model!['threads']![0]).toMatchObject({ status: 'stale', last_outcome: 'unknown' });
    expect(task_snapshot!['lost']).toEqual(['task:e1']);
    expect(warnings(events)).toEqual(['no_terminal_result']);
  });

  it('lets nothing wait for an action that nobody will answer', () => {
    const events = bridged(story([result('action.requested', { action: 'ban', target: 'x' }), ...completed]));
    expect(types(events)).not.toContain('action.required');
    expect(models(events)['thread_read_model']!['threads']![0]).toMatchObject({
      status: 'completed',
      pending_requests: [],
    });
  });

  it('tells why a tool was allowed where the host knows it, and marks it where it does not', () => {
    const call = (id: string, name: string): object[] => [
      result('tool.call.started', { tool_call_id: id, tool_name: name, parameters: { q: 1 } }),
      result('tool.call.completed', {
        tool_call_id: id,
        tool_name: name,
        ...(id === 'b' ? { error: 'no' } : { result: 'x' }),
      }),
    ];
    const events = bridged(
      story([
        ...call('a', 'search'),
        ...call('b', 'own'),
        result('tool.call.completed', { tool_call_id: 'z' }),
        ...completed,
      ]),
    );
    expect(models(events)['permission_sandbox_summary']!['explained']).toMatchObject([
      {
        tool_call_id: 'r1/a',
        name: 'search',
        status: 'completed',
        permitted: 'allowed',
        because: { source: 'host_policy' },
      },
      { tool_call_id: 'r1/b', name: 'own', status: 'failed', permitted: 'unavailable' },
    ]);
    expect(warnings(events)).toEqual(['unpaired_tool_result']);
  });

  it.each([
    [{ code: 'boom', message: 'm', retryable: false }, 'failed'],
    [{ code: 'boom', error: 'm', retryable: true }, 'waiting_resource'],
    [{ code: 'deadline_exceeded', message: 'm' }, 'timed_out'],
    [{ code: 'cancelled', message: 'm' }, 'cancelled'],
  ])('run.failed %j leaves the task %s, its attempt failed', (data, status) => {
    const cancel: Moment = { n: 0.5, at: 0, kind: 'cancel', reason: 'enough' };
    const events = bridged(story([result('run.failed', data)], data.code === 'cancelled' ? [cancel] : []));
    const [task] = models(events)['task_snapshot']!['tasks']!;
    expect(task).toMatchObject({ status, attempts: [{ run_id: 'r1', status: 'failed', failure_category: data.code }] });
  });

  it('applies nothing after the end, nothing twice and nothing it does not know', () => {
    const numbered = [...completed].map((one, i) => ({ ...one, sequence: i + 1 }));
    const events = bridged(
      story([numbered[0]!, numbered[0]!, result('x.y', {}, { sequence: 1.5 }), ...numbered.slice(1), ...completed]),
    );
    expect(types(events).filter((type) => type === 'model.delta')).toHaveLength(2);
    expect(types(events).filter((type) => type === 'turn.completed')).toHaveLength(1);
    expect(new Set(warnings(events))).toEqual(new Set(['repeated_result', 'unknown_type', 'after_the_end']));
  });

  it('keeps bytes out of events, and the last chunk from saying everything again', () => {
    const events = bridged(
      story([
        result('message.delta', { chunk: { content: 'Hel' } }),
        result('message.delta', { chunk: { content: 'Hello', all_content: 'Hello', is_final: true } }),
        result('message.completed', {
          message: { role: 'assistant', content: [{ type: 'image', image_base64: 'A'.repeat(4000) }] },
        }),
        result('run.completed'),
      ]),
    );
    expect(JSON.stringify(events)).not.toContain('AAAA');
    expect(
      events.filter(({ type }) => type === 'model.delta').map(({ payload }) => (payload as JsonObject)['text']),
    ).toEqual(['Hel', 'lo']);
  });

  it('makes another attempt of a run for the same event, and another thread of one beside it', () => {
    const again = story(completed, [], { runId: 'r2', n: 50 });
    const [task] = models(bridged(story(completed), again))['task_snapshot']!['tasks']!;
    expect(task).toMatchObject({ attempts: [{ run_id: 'r1' }, { run_id: 'r2' }] });
    const beside = story(completed, [], { runId: 'r3', n: 1.5, context: { ...context, event: { event_id: 'e2' } } });
    const threads = models(bridged(story(completed), beside))['thread_read_model']!['threads']!;
    expect(threads.map(({ thread_id, status }) => [thread_id, status])).toEqual([
      ['c1/main', 'completed'],
      ['c1/main#2', 'completed'],
    ]);
  });
});
