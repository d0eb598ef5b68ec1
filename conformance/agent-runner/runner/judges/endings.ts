// How runs end, in the words that many clauses share.
import { broken, type Finding, kept, open, type Proof } from '../../../judging/judge.ts';
import type { Call, Result, Run, RunnerCase } from '../view.ts';

export const isTerminal = ({ type }: Result): boolean => type === 'run.completed' || type === 'run.failed';
export const terminals = (run: Run): readonly Result[] => [...run.results, ...run.late].filter(isTerminal);

/**
 * `completed` and `failed` are sound: one terminal result, last, then the end of the stream.
 * `error`: a transport error in its place. `unsound`: an end without exactly one terminal result as the last.
 * `unended`: no end in the recording.
 */
export type Ending = 'completed' | 'failed' | 'error' | 'unsound' | 'unended';

export function endingOf(run: Run): Ending {
  if (run.end === undefined) return 'unended';
  if (run.end.how === 'error') return 'error';
  const last = run.results.at(-1);
  if (terminals(run).length !== 1 || last === undefined || !isTerminal(last)) return 'unsound';
  return last.type === 'run.completed' ? 'completed' : 'failed';
}

export const wordsOf = (run: Run): string =>
  ({
    completed: 'run.completed',
    failed: `run.failed with code ${JSON.stringify(terminals(run)[0]?.data['code'])}`,
    error: `a transport error: ${run.end?.message ?? ''}`,
    unsound: `a stream that ended with ${terminals(run).length} terminal results, its last result ${run.results.at(-1)?.type ?? 'none'}`,
    unended: 'no end',
  })[endingOf(run)];

/** The facts that show how a run ended. */
export const endProof = (run: Run): readonly number[] => [
  run.n,
  ...terminals(run).map(({ n }) => n),
  ...(run.end === undefined ? [] : [run.end.n]),
];

/**
 * The run must have ended soundly, whether completed or failed. A run without an end, and one with a terminal result too many
 * or in the wrong place, is judged by the clauses on those: one fault is told once.
 */
export function endsSoundly(run: Run, expected: string, because: Proof = []): Finding {
  const proof = [...(typeof because === 'number' ? [because] : because), ...endProof(run)];
  switch (endingOf(run)) {
    case 'unended':
      return open(proof, 'the run did not end');
    case 'completed':
    case 'failed':
      return kept(proof);
    case 'unsound':
      if (terminals(run).length > 0) return open(proof, 'a terminal result too many, or one that was not the last');
      return broken(proof, { expected, found: wordsOf(run) });
    default:
      return broken(proof, { expected, found: wordsOf(run) });
  }
}

/** The last moment at which a run with a deadline may still act. One that is past at the start counts from the start. */
export const limitOf = (view: RunnerCase, run: Run): number | undefined =>
  run.deadline === undefined ? undefined : Math.max(run.deadline, run.at) + view.head.grace;

/** Did the harness leave a call of this run without an answer? */
export const unanswered = (run: Run): readonly Call[] => run.calls.filter(({ answered }) => answered === undefined);

/** Nothing was done to the run that could make it fail: no refusal, nothing unanswered, no cancel, no deadline that passed. */
export function undisturbed(view: RunnerCase, run: Run): boolean {
  const limit = limitOf(view, run);
  return (
    run.cancel === undefined &&
    unanswered(run).length === 0 &&
    run.calls.every(({ replies }) => replies.every(({ code }) => code === 0)) &&
    (limit === undefined || (run.end !== undefined && run.end.at < run.deadline!))
  );
}

/** Were two runs under way at the same time? */
export const overlap = (a: Run, b: Run): boolean =>
  a !== b && a.n < (b.end?.n ?? Number.POSITIVE_INFINITY) && b.n < (a.end?.n ?? Number.POSITIVE_INFINITY);
