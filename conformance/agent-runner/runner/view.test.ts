import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact, RecordingHead } from '../../recording/fact.ts';
import { runnerJudges } from './judges/index.ts';
import { assemble } from './view.ts';

const head: RecordingHead = {
  recording: 'runcert',
  version: 1,
  protocol: 'agent-runner',
  revision: '2026-06-03',
  party: 'runner',
  target: { kind: 'plugin', name: 'x', declared: {}, traits: [] },
  grace: 1000,
  clock: 'real',
};

const at = (n: number, fact: object): Fact => ({ n, at: n * 10, ...fact }) as Fact;
const sent = (n: number, frame: object): Fact => at(n, { fact: 'sent', frame });
const received = (n: number, frame: object): Fact => at(n, { fact: 'received', frame });
const context = { run_id: 'r', runtime: { deadline_at: 1.5 } };

const facts: Fact[] = [
  at(0, { fact: 'case', id: 'c', area: 'a', epoch: 1000, stimulus: {} }),
  sent(1, { seq_id: 1, action: 'run_agent', data: { runner_name: 'default', context } }),
  received(2, { seq_id: 1, action: 'state_get', data: { run_id: 'r', scope: 'actor', key: 'k' } }),
  sent(3, { seq_id: 1, code: 0, message: 'success', data: { value: 1 }, chunk_status: 'continue' }),
  received(4, { seq_id: 1, code: 0, data: { run_id: 'r', type: 'run.completed', data: {} }, chunk_status: 'continue' }),
  sent(5, { seq_id: 2, action: 'cancel_run', data: { run_id: 'r', reason: 'x' } }),
  received(6, { seq_id: 1, code: 0, data: {}, chunk_status: 'end' }),
  received(7, { seq_id: 2, code: 1, message: 'Action cancel_run not found', data: {} }),
  received(8, { seq_id: 1, code: 0, data: { run_id: 'r', type: 'late', data: {} }, chunk_status: 'continue' }),
  received(9, { seq_id: 9, action: 'call_tool', data: { run_id: 'another' } }),
  received(10, { hello: 1 }),
  at(11, { fact: 'end', how: 'done' }),
];

describe('the view of a runner case', () => {
  it('sets runs, calls, cancel, end and what does not fit in order', () => {
    const view = assemble(head, facts);
    const [run] = view.runs;
    expect(run).toMatchObject({ runId: 'r', deadline: 500, n: 1, end: { n: 6, how: 'end' } });
    expect(run!.results.map(({ type }) => type)).toEqual(['run.completed']);
    expect(run!.late.map(({ type }) => type)).toEqual(['late']);
    expect(run!.calls).toMatchObject([{ action: 'state_get', answered: { n: 3 }, replies: [{ code: 0 }] }]);
    expect(run!.cancel).toMatchObject({ n: 5, answered: { n: 7 }, understood: false });
    expect(view.otherCalls.map(({ action }) => action)).toEqual(['call_tool']);
    expect(view.strays).toHaveLength(1);
    expect(view.end?.how).toBe('done');
  });

  it('takes any recording, and so does every judge', () => {
    const word = fc.constantFrom(
      'run_agent',
      'cancel_run',
      'list_agent_runners',
      'get_plugin_container',
      'register_plugin',
      'history_page',
      'get_binary_storage',
      '',
    );
    const id = fc.constantFrom<unknown>('r', 's', 1, null, undefined);
    const inner = fc.record(
      {
        run_id: id,
        context: fc.oneof(fc.constant(context), fc.jsonValue()),
        type: fc.constantFrom('message.delta', 'run.failed', 'tool.call.completed', 7),
        data: fc.jsonValue(),
        runners: fc.jsonValue(),
        scope: fc.jsonValue(),
        before_cursor: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const frame = fc.record(
      {
        seq_id: fc.constantFrom<unknown>(1, 2, 'x', null),
        action: word,
        code: fc.constantFrom<unknown>(0, 1, 'a'),
        data: fc.oneof(inner, fc.jsonValue()),
        chunk_status: fc.constantFrom('end', 'continue', 5),
      },
      { requiredKeys: [] },
    );
    const fact = fc.oneof(
      fc.record({ fact: fc.constantFrom('sent', 'received'), frame }),
      fc.record({ fact: fc.constant('end'), how: fc.constantFrom('done', 'time', 'died', 'interrupted') }),
    );
    const declared = fc.oneof(
      fc.constant({}),
      fc.record({ runners: fc.jsonValue() }),
      fc.constant({ runners: [{ id: 'plugin:a/b/c', name: 'c', capabilities: { interrupt: true } }] }),
    );
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 25 }), declared, (list, said) => {
        const whole = { ...head, target: { ...head.target, declared: said as Record<string, unknown> } };
        const view = assemble(
          whole,
          list.map((one, n) => at(n, one)),
        );
        for (const { judge } of runnerJudges)
          for (const finding of judge(view)) expect(finding.kind).toBeTypeOf('string');
      }),
      { numRuns: 600, seed: 7 },
    );
  });
});
