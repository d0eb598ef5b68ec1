// §7: the result stream and its end.
import { Buffer } from 'node:buffer';
import { broken, hold, type Judge, judge, kept, open } from '../../../judging/judge.ts';
import { objectAt } from '../grants.ts';
import type { Result, Run, RunnerCase } from '../view.ts';
import { endingOf, endProof, isTerminal, limitOf, terminals, unanswered, undisturbed, wordsOf } from './endings.ts';
import { textOf } from './text.ts';

const everyResult = (run: Run): readonly Result[] => [...run.results, ...run.late];
const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** The text of a whole message: of a message.completed, or the one that a run.completed brings along. */
function messageOf({ type, data }: Result): string | undefined {
  const message = data['message'];
  if (type !== 'message.completed' && !(type === 'run.completed' && isPlainObject(message))) return undefined;
  return textOf(objectAt(data, 'message')['content']);
}

export const streamJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/5.1/runtime-streams-results', function* ({ runs, end }) {
    for (const run of runs) {
      const bad = run.results.find(({ value, object }) => Object.keys(object).length === 0 || isNoResult(value));
      if (bad !== undefined)
        yield broken(bad.n, { expected: 'a result object in every response before the end', found: show(bad.value) });
      else if (run.end !== undefined) yield kept(endProof(run));
      else if (run.results.some(isTerminal) && end?.how !== 'died' && end?.how !== 'interrupted')
        yield broken(endProof(run), {
          expected: 'a stream that is closed by chunk_status "end" or an error',
          found: 'a terminal result and no end of the stream after it',
        });
      else yield open(run.n, 'the run did not end');
    }
  }),

  judge('v1/7.1/result-valid', function* ({ runs }) {
    for (const run of runs)
      for (const result of everyResult(run)) {
        const { run_id, type, data } = result.object;
        const fits =
          typeof run_id === 'string' && typeof type === 'string' && (data === undefined || isPlainObject(data));
        yield hold(fits, result.n, () => ({
          expected: 'run_id and type as strings, data as an object (or none)',
          found: `run_id ${show(run_id)}, type ${show(type)}, data ${show(data)?.slice(0, 80)}`,
        }));
      }
  }),

  judge('v1/7.1/run-id-echoed', function* ({ runs }) {
    for (const run of runs)
      for (const { n, object } of everyResult(run))
        yield hold(object['run_id'] === run.runId, n, () => ({
          expected: `run_id ${show(run.runId)}, as in the context`,
          found: `run_id ${show(object['run_id'])}`,
        }));
  }),

  judge('v1/7.1/sequence-integer', function* ({ runs }) {
    for (const run of runs)
      for (const { n, object } of everyResult(run)) {
        const sequence = object['sequence'];
        if (sequence === undefined || sequence === null) continue;
        yield hold(Number.isInteger(sequence), n, () => ({ expected: 'an integer', found: show(sequence) }));
      }
  }),

  judge('v1/7.1/sequence-rises', function* ({ runs }) {
    for (const run of runs) {
      let before = 0;
      for (const { n, object } of run.results) {
        const sequence = object['sequence'];
        if (typeof sequence !== 'number' || !Number.isInteger(sequence)) continue;
        yield hold(sequence === before + 1, n, { expected: `sequence ${before + 1}`, found: String(sequence) });
        before = sequence;
      }
    }
  }),

  judge('v1/7.2/run-ends', function* (view) {
    for (const run of view.runs) yield runEnds(view, run);
  }),

  judge('v1/7.2/exactly-one-terminal', function* ({ runs }) {
    for (const run of runs)
      if (run.end !== undefined)
        yield hold(terminals(run).length === 1, endProof(run), {
          expected: 'exactly one of run.completed and run.failed',
          found: `${terminals(run).length} terminal results${run.end.how === 'error' ? ` and ${wordsOf(run)}` : ''}`,
        });
      else yield open(run.n, 'the run did not end');
  }),

  judge('v1/7.2/terminal-is-last', function* ({ runs }) {
    for (const run of runs) {
      const first = run.results.find(isTerminal);
      if (first === undefined) continue;
      const after = everyResult(run).find((result) => result.n > first.n && !isTerminal(result));
      yield hold(after === undefined, after === undefined ? first.n : [first.n, after.n], {
        expected: `nothing after ${first.type}`,
        found: `${after?.type} after it`,
      });
    }
  }),

  judge('v1/4.3/delta-needs-streaming', function* ({ runs }) {
    for (const run of runs) {
      const declared = declares(run, 'streaming');
      const deltas = everyResult(run).filter(({ type }) => type === 'message.delta');
      for (const { n } of deltas)
        yield hold(declared, n, {
          expected: 'no message.delta, since the manifest does not declare streaming',
          found: 'message.delta',
        });
      if (!declared && deltas.length === 0 && endingOf(run) === 'completed') yield kept(endProof(run));
    }
  }),

  judge('v1/5.7/no-delta-off-surface', function* ({ runs }) {
    for (const run of runs) {
      if (objectAt(run.context, 'delivery')['supports_streaming'] === true) continue;
      const delta = run.results.find(({ type }) => type === 'message.delta');
      const spoke = run.results.some((result) => messageOf(result) !== undefined);
      if (delta === undefined && !(spoke && declares(run, 'streaming'))) continue;
      yield hold(delta === undefined, delta?.n ?? endProof(run), {
        expected: 'no message.delta: delivery.supports_streaming is not true',
        found: 'message.delta',
      });
    }
  }),

  judge('v1/5.7/runner-max-message-size', function* ({ runs }) {
    for (const run of runs) {
      const limit = objectAt(run.context, 'delivery')['max_message_size'];
      if (typeof limit !== 'number') continue;
      for (const result of run.results) {
        const message = messageOf(result);
        if (message === undefined) continue;
        const bytes = Buffer.byteLength(message);
        yield hold(bytes <= limit, result.n, { expected: `at most ${limit} bytes of UTF-8`, found: `${bytes} bytes` });
      }
    }
  }),

  judge('v1/7.2/completed-agrees-with-deltas', function* ({ runs }) {
    for (const run of runs) {
      let deltas: Result[] = [];
      let sinceTools = 0;
      for (const result of run.results) {
        if (result.type === 'message.delta') deltas.push(result);
        if (result.type?.startsWith('tool.call.')) sinceTools = deltas.length;
        const message = messageOf(result);
        if (message === undefined || deltas.length === 0) continue;
        const pieces = deltas.map(({ data }) => textOf(objectAt(data, 'chunk')['content']));
        const whole = message.trim();
        const lawful = [pieces, pieces.slice(sinceTools), pieces.slice(-1)].map((some) => some.join('').trim());
        yield hold(lawful.includes(whole), [...deltas.map(({ n }) => n), result.n], () => ({
          expected: `the deltas joined, ${show(pieces.join(''))}, or the last of them`,
          found: show(whole),
        }));
        deltas = [];
        sinceTools = 0;
      }
    }
  }),

  judge('v1/7.2/tool-completed-after-started', function* ({ runs }) {
    for (const run of runs) {
      const started = new Map<unknown, number>();
      for (const { n, type, data } of run.results) {
        const id = data['tool_call_id'];
        if (type === 'tool.call.started') started.set(id, n);
        if (type !== 'tool.call.completed') continue;
        const since = started.get(id);
        yield hold(since !== undefined, since === undefined ? n : [since, n], () => ({
          expected: `a tool.call.started with tool_call_id ${show(id)} that is not completed yet`,
          found: 'none',
        }));
        started.delete(id);
      }
    }
  }),

  judge('v1/7.2/tool-started-completed', function* ({ runs }) {
    for (const run of runs) {
      if (endingOf(run) !== 'completed') continue;
      for (const { n, type, data } of run.results) {
        if (type !== 'tool.call.started') continue;
        const id = data['tool_call_id'];
        const done = run.results.find(
          (later) => later.n > n && later.type === 'tool.call.completed' && later.data['tool_call_id'] === id,
        );
        yield hold(done !== undefined, done === undefined ? [n, ...endProof(run)] : [n, done.n], () => ({
          expected: `tool.call.completed with tool_call_id ${show(id)} before run.completed`,
          found: 'none',
        }));
      }
    }
  }),

  judge('v1/7.2/action-effect-not-relied-on', function* (view) {
    for (const run of view.runs) {
      const asked = run.results.find(({ type }) => type === 'action.requested');
      if (asked === undefined || !undisturbed(view, run)) continue;
      const words = {
        expected: 'a run that goes on and completes, whatever becomes of the action',
        found: wordsOf(run),
      };
      if (run.end !== undefined) yield hold(endingOf(run) === 'completed', [asked.n, ...endProof(run)], words);
      else if (view.end?.how === 'time' && run.calls.every(({ n }) => n < asked.n)) yield broken(asked.n, words);
      else yield open(asked.n, 'the run did not end');
    }
  }),

  judge('v1/11/large-results-by-artifact', function* ({ runs }) {
    for (const run of runs)
      for (const { n, type, value } of run.results) {
        if (type === 'artifact.created') continue;
        const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
        yield hold(bytes <= MIB, n, {
          expected: 'a result of at most 1 MiB of JSON',
          found: `${bytes} bytes in ${type}`,
        });
      }
  }),

  judge('v1/5.1/runtime-unknown-runner', function* (view) {
    for (const run of view.misdirected) {
      const words = { expected: 'run.failed or an error within grace', found: wordsOf(run) };
      if (run.end !== undefined)
        yield hold(endingOf(run) !== 'completed' && run.end.at <= run.at + view.head.grace, endProof(run), words);
      else if (view.last.at > run.at + view.head.grace && view.end?.how !== 'died') yield broken(run.n, words);
      else yield open(run.n, 'the recording ends before it was answered');
    }
  }),

  judge('v1/5.1/runtime-serves-each-runner', function* ({ runs, seat }) {
    if (seat !== 'runtime') return;
    for (const run of runs) {
      if (run.runner === undefined) continue;
      const { code, message, error } = run.results[0]?.data ?? {};
      const says = [run.end?.message, code, message, error].filter(Boolean).join(' ');
      const strange = run.calls.length === 0 && run.results.length <= 1 && UNKNOWN_RUNNER.test(says);
      if (run.results.length === 0 && run.end?.how !== 'error') yield open(run.n, 'the run gave no result');
      else
        yield hold(!strange, endProof(run), {
          expected: `results of ${run.runner.name}, which discovery lists`,
          found: `an answer that says it is unknown: ${says}`,
        });
    }
  }),
];

const MIB = 1_048_576;
/** How targets say that they do not know a runner. */
const UNKNOWN_RUNNER =
  /(runner|plugin)\S* .*not[ _]found|(runner|plugin)\.\w*not_found|(no such|unknown|no) (runner|plugin)/i;

/** Empty data, or an object that is no result at all. */
const isNoResult = (value: unknown): boolean =>
  !isPlainObject(value) || (!('run_id' in (value as object)) && !('type' in (value as object)));
const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const declares = (run: Run, capability: string): boolean =>
  objectAt(run.runner?.manifest ?? {}, 'capabilities')[capability] === true;

/** What is known of a target's death: the error that nobody caught, or how its process ended. */
function deathOf({ faults, life }: RunnerCase): string {
  const uncaught = faults.find(({ code }) => code === 'RUNCERT_TARGET_UNCAUGHT');
  if (uncaught !== undefined) return `an error that nobody caught: ${uncaught.message}`;
  const gone = life.findLast(({ event }) => event === 'disconnected')?.detail;
  const how = isPlainObject(gone) && gone['exit'] !== undefined ? `: ${String(gone['message'])}` : '';
  return `the target died or dropped the link${how}`;
}

/** A run must be over by its deadline and grace, or by the end of the case; a target that died did not end it. */
function runEnds(view: RunnerCase, run: Run) {
  const limit = limitOf(view, run);
  const expected =
    limit === undefined ? 'a stream that ends within the time of the case' : 'a stream that ends by deadline and grace';
  const { end } = view;
  if (run.end !== undefined)
    return hold(limit === undefined || run.end.at <= limit, endProof(run), {
      expected,
      found: `its end ${Math.round(run.end.at - (limit ?? 0))} ms after that`,
    });
  if (end === undefined || end.how === 'interrupted')
    return open(run.n, 'the recording stops before the run could end');
  if (end.how === 'died') return broken([run.n, end.n], { expected, found: deathOf(view) });
  if (limit !== undefined && view.last.at > limit)
    return broken([run.n, end.n], { expected, found: 'the stream is still open' });
  if (end.how === 'time' && limit === undefined && unanswered(run).length === 0)
    return broken([run.n, end.n], { expected, found: 'the stream is still open' });
  return open(run.n, 'the recording stops before the run could end');
}
