// A whole report for tests and for looking at: failures with their streams, a comparison, a kill matrix, a timeline.
import type { Matrix, MatrixRow } from '../conformance/driving/matrix.ts';
import type { Clause } from '../conformance/judging/clause.ts';
import type { ClauseResult, Outcome, Verdict } from '../conformance/judging/outcome.ts';
import { sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import type { Fact, NewFact, RecordingHead } from '../conformance/recording/fact.ts';
import type { Extras, Recording, TimelineEntry } from './extras.ts';
import { casePath, recordingPath } from './folder.ts';

/** A run whose target never answered. */
export const unreachedOutcome = (reason: string): Outcome => {
  const outcome = sampleOutcome(
    Array.from({ length: 30 }, (_, at) => sampleClause(`v1/7/c${at}`, 'inconclusive', { reason })),
    { notes: [{ kind: 'remedy', text: 'Check the path and that the file may be executed.' }] },
  );
  return {
    ...outcome,
    reason: `the target could not be reached: ${reason}`,
    counts: { ...outcome.counts, stimuli: 0 },
  };
};

export const SAMPLE_HEAD: RecordingHead = {
  recording: 'runcert',
  version: 1,
  protocol: 'agent-runner',
  revision: '2026-06-03',
  party: 'runner',
  target: { kind: 'plugin', name: 'demo/echo', version: '1.2.3', declared: {}, traits: ['seat:plugin'] },
  grace: 1000,
  clock: 'virtual',
  seed: 42,
};

/** Numbers facts and spreads them in time. */
export const factsOf = (facts: readonly NewFact[]): Fact[] =>
  facts.map((fact, n) => ({ n, at: n * 12, ...fact }) as Fact);

const sent = (frame: Record<string, unknown>): NewFact => ({ fact: 'sent', frame });
const received = (frame: Record<string, unknown>): NewFact => ({ fact: 'received', frame });
const chunk = (seq_id: number, data: unknown, chunk_status = 'continue'): Record<string, unknown> => ({
  seq_id,
  code: 0,
  message: 'success',
  data,
  chunk_status,
});

/** A runner that calls a tool after it said that it was done. */
export const sampleStream = (): Fact[] =>
  factsOf([
    { fact: 'case', id: 'results-17', area: 'results', epoch: 0, stimulus: { events: ['message'], text: 'hi' } },
    received({ seq_id: 1, action: 'register_plugin', data: { author: 'demo', name: 'echo' } }),
    sent(chunk(1, {})),
    sent({
      seq_id: 7,
      action: 'run_agent',
      data: { runner_name: 'default', context: { run_id: 'run-1', input: { text: 'hi' } } },
    }),
    received(
      chunk(7, {
        type: 'message.delta',
        run_id: 'run-1',
        sequence: 1,
        data: { chunk: { role: 'assistant', content: 'h' } },
      }),
    ),
    received({
      seq_id: 2,
      action: 'call_tool',
      data: { run_id: 'run-1', tool_name: 'search', parameters: { q: 'hi' } },
    }),
    sent({
      seq_id: 2,
      code: 1,
      message: 'refused',
      data: { error: { code: 'unauthorized', message: 'no such grant' } },
      chunk_status: 'continue',
    }),
    received(chunk(7, { type: 'run.completed', run_id: 'run-1', sequence: 2, data: {} })),
    received(
      chunk(7, {
        type: 'message.completed',
        run_id: 'run-1',
        sequence: 3,
        data: { message: { role: 'assistant', content: 'hi' } },
      }),
    ),
    received(chunk(7, {}, 'end')),
    { fact: 'end', how: 'done' },
  ]);

const clause = (id: string, verdict: Verdict, text: string, more: Partial<ClauseResult> = {}): ClauseResult =>
  sampleClause(id, verdict, { text, ...more });
const evidence = (id: string, facts: readonly number[]): Partial<ClauseResult> => ({
  case: casePath(id),
  recording: recordingPath(id),
  facts: [...facts],
});

const BROKEN = 'v1/7.1/terminal-is-last';
const WARNED = 'v1/7.3/sequence-rises';
const EXCUSED = 'v1/8.2/no-undeclared-tool-call';

export function sampleReport(): { readonly outcome: Outcome; readonly extras: Extras } {
  const outcome = sampleOutcome(
    [
      clause('v1/4.1/manifest-valid', 'pass', 'A runner describes itself with a manifest that the model accepts.'),
      clause('v1/4.1/id-stable', 'pass', 'The id of a runner is author, plugin and component, and stays the same.'),
      clause('v1/4.3/capabilities-honest', 'pass', 'What a manifest declares is what the runner can do.', {
        level: 'SHOULD',
      }),
      clause(
        'v1/5.2/context-accepted',
        'pass',
        'Every context that the model allows is accepted, unknown fields included.',
        { occasions: 412 },
      ),
      clause('v1/5.4/attachments-by-reference', 'not-applicable', 'Large inputs are read by reference.', {
        reason: 'the target does not declare capability:attachments',
      }),
      clause(BROKEN, 'fail', 'A run ends with exactly one terminal result, and nothing follows it.', {
        occasions: 96,
        violations: 11,
        expected: 'nothing after run.completed',
        found: 'message.completed, 12 ms after the terminal result',
        ...evidence(BROKEN, [8]),
      }),
      clause('v1/7.2/unknown-type-ignored', 'pass', 'A result type that a reader does not know is passed over.', {
        occasions: 61,
      }),
      clause(WARNED, 'fail', 'Where a sequence is given, it rises by one from 1.', {
        level: 'SHOULD',
        occasions: 80,
        violations: 2,
        expected: '2',
        found: '3',
        ...evidence(WARNED, [8]),
      }),
      clause(EXCUSED, 'fail', 'No tool is called that the context did not grant.', {
        occasions: 40,
        violations: 40,
        expected: 'no call of a tool that was not granted',
        found: 'call_tool search',
        excused: { reason: 'Known: demo/echo#12, mended in 1.3', expires: '2026-12-31' },
        ...evidence(EXCUSED, [5]),
      }),
      clause('v1/8.3/no-call-after-end', 'pass', 'After the terminal result no Host API is called.', { occasions: 33 }),
      clause('v1/10/cancel-answered', 'inconclusive', 'A cancel is answered, also for a run that is over.', {
        level: 'SHOULD',
        reason: 'the target died before the answer',
      }),
      clause('v1/10/deadline-kept', 'pass', 'After the deadline and its grace the stream is over.', { occasions: 25 }),
      clause('v1/11/may-log', 'not-exercised', 'A runner may write a log.', {
        level: 'MAY',
        reason: 'no stimulus gave the target an occasion',
      }),
      clause('v1/12/new-duty', 'fail', 'A duty that the next requirement set will demand.', {
        required: false,
        expected: 'a',
        found: 'b',
      }),
    ],
    {
      unjudged: [
        { id: 'v1/9/keys-not-logged', reason: 'What a runner writes to its own log is not seen from outside.' },
      ],
      notes: [{ kind: 'unknown-field', text: 'message.delta carries x_trace, which no model knows', count: 14 }],
    },
  );
  const previous = sampleOutcome(
    outcome.clauses.map((result) =>
      result.id === BROKEN
        ? { ...result, verdict: 'pass' }
        : result.id === 'v1/10/deadline-kept'
          ? { ...result, verdict: 'fail' }
          : result,
    ),
  );
  const recording: Recording = { head: SAMPLE_HEAD, facts: sampleStream() };
  const ids = [BROKEN, WARNED, EXCUSED];
  return {
    outcome,
    extras: {
      recordings: Object.fromEntries(ids.map((id) => [recordingPath(id), recording])),
      cases: Object.fromEntries(
        ids.map((id) => [casePath(id), { case: 'runcert', version: 1, clause: id, stimulus: { text: 'hi' } }]),
      ),
      clauses: outcome.clauses.map(
        ({ id, section, level, party, area, text }): Clause => ({
          id,
          section,
          level,
          party,
          area,
          text,
          source: `PROTOCOL_V1 §${section}`,
          why: 'A host that reads on after the end would deliver twice.',
          how: 'Occasion: every run. Broken when a result follows the terminal one.',
        }),
      ),
      previous,
      matrix: sampleMatrix(outcome),
      timeline: sampleTimeline(),
      targetWords: ['--plugin', '--', 'python', '-m', 'echo plugin'],
      folder: 'runcert-report',
    },
  };
}

export function sampleMatrix(outcome: Outcome): Matrix {
  const rows = outcome.clauses.map(({ id }, at): MatrixRow => {
    const missed = at === 3;
    return {
      id: `breaks-${id.split('/').at(-1)}`,
      kind: 'mutant',
      party: 'runner',
      what: `Breaks ${id} and nothing else.`,
      intended: [id],
      failed: missed ? [] : at === 5 ? [id, outcome.clauses[6]!.id] : [id],
      wrong: missed ? [`missed by ${id}`] : [],
      verdict: missed ? 'conformant' : 'not-conformant',
      stimuli: 100,
    };
  });
  const honest: MatrixRow = {
    id: 'reference-runner',
    kind: 'reference',
    party: 'runner',
    what: 'the reference as it is',
    intended: [],
    failed: [],
    wrong: [],
    verdict: 'conformant',
    stimuli: 100,
  };
  return {
    rows: [honest, ...rows],
    uncovered: [],
    counts: { mutants: rows.length, caught: rows.length - 1, honest: 1, falseAlarms: 0 },
  };
}

const EVENTS = [
  'turn.submitted',
  'turn.started',
  'model.requested',
  'model.delta',
  'tool.started',
  'tool.completed',
  'model.delta',
  'action.required',
  'action.resolved',
  'turn.completed',
  'snapshot.updated',
];

export const sampleTimeline = (): TimelineEntry[] =>
  Array.from({ length: 44 }, (_, at) => ({
    sequence: at + 1,
    type: EVENTS[at % EVENTS.length]!,
    lane: `thread ${(Math.floor(at / EVENTS.length) % 3) + 1}`,
    time: new Date(Date.UTC(2026, 5, 3, 10, 0, at)).toISOString(),
    ...(at === 20 ? { breaks: ['runtime/tool-closed'] } : {}),
  }));
