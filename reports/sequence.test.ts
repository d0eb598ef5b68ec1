import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsOf, sampleReport, sampleStream } from './samples.ts';
import { essential, isGap, type Step, seatsOf, stepsOf } from './sequence.ts';

const { outcome } = sampleReport();
const way = ({ from, to, label }: Step): string => `${from} → ${to}: ${label}`;

test('a plugin under test: Runcert plays Runtime and Host, answers go back the way they came', () => {
  expect(seatsOf(outcome)).toEqual({ target: ['runner'], harness: ['runtime', 'host'] });
  expect(stepsOf(outcome, sampleStream(), [8]).map(way)).toEqual([
    'runner → runtime: register_plugin',
    'runtime → runner: register_plugin → ok',
    'host → runner: run_agent',
    'runner → host: message.delta',
    'runner → host: call_tool',
    'host → runner: error unauthorized',
    'runner → host: run.completed',
    'runner → host: message.completed',
    'runner → host: end of stream',
    'runner → runner: case over',
  ]);
});

test('a host under test: the driver stands in the Runtime, the calls come from the Runner', () => {
  const host = { party: 'host' as const, target: { ...outcome.target, traits: [] } };
  const facts = factsOf([
    { fact: 'sent', frame: { seq_id: 1, action: 'driver_submit', data: {} } },
    { fact: 'received', frame: { seq_id: 5, action: 'run_agent', data: {} } },
    { fact: 'received', frame: { seq_id: 1, code: 0, message: '', data: { run_id: 'r' }, chunk_status: 'continue' } },
    { fact: 'sent', frame: { seq_id: 2, action: 'state_get', data: {} } },
    {
      fact: 'sent',
      frame: { seq_id: 5, code: 0, message: '', data: { type: 'run.completed' }, chunk_status: 'continue' },
    },
    { fact: 'received', frame: { seq_id: 9, action: 'no_such_action', data: {} } },
    { fact: 'fault', by: 'target', code: 'RUNCERT_X', message: 'm' },
  ]);
  expect(stepsOf(host, facts, []).map(way)).toEqual([
    'runtime → host: driver_submit',
    'host → runner: run_agent',
    'host → runtime: driver_submit → ok',
    'runner → host: state_get',
    'runner → host: run.completed',
    'host → runtime: no_such_action',
    'host → host: RUNCERT_X',
  ]);
});

test('a Runtime under test takes two lanes', () => {
  const runtime = { ...outcome, target: { ...outcome.target, traits: ['seat:runtime'] } };
  expect(seatsOf(runtime).target).toEqual(['runtime', 'runner']);
});

test('an Agent Runtime and what drives it: two lanes, and no runner', () => {
  expect(seatsOf({ ...outcome, party: 'runtime' })).toEqual({ target: ['runtime'], harness: ['host'] });
});

test('of a long stream what proves the violation always stays, and what is left out is counted', () => {
  const steps = (marks: readonly number[], length: number): Step[] =>
    Array.from({ length }, (_, n) => ({
      n,
      at: n,
      from: 'host',
      to: 'runner',
      label: 'x',
      tone: 'request',
      marked: marks.includes(n),
      body: {},
    }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 }), fc.array(fc.nat(399), { maxLength: 4 }), (length, marks) => {
      const all = steps(marks, length);
      const shown = essential(all, 40);
      const kept = shown.filter((step): step is Step => !isGap(step));
      expect(kept.length).toBeLessThanOrEqual(40);
      expect(kept.filter(({ marked }) => marked).length).toBe(all.filter(({ marked }) => marked).length);
      const left = shown.reduce((sum, step) => sum + (isGap(step) ? step.left : 0), 0);
      expect(left + kept.length).toBe(length);
      expect(kept.map(({ n }) => n)).toEqual([...kept.map(({ n }) => n)].sort((a, b) => a - b));
    }),
  );
  const tail = essential(steps([4], 40), 40);
  expect(tail.map((step) => (isGap(step) ? `… ${step.left} …` : step.n))).toEqual([
    ...Array.from({ length: 11 }, (_, n) => n),
    '… 26 …',
    37,
    38,
    39,
  ]);
});
