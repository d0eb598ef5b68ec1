// When a run must be over: by the deadline that it was given, or by a cancel.
import { isObject } from '../../../common/json.ts';
import type { Item } from '../oracle/stream.ts';
import { type Folded, fold, isDeclined } from './folded.ts';
import type { Asked, HostCase, HostRun } from './view.ts';

/** The time limit that the binding sets, in milliseconds. */
export function timeoutOf({ submission }: HostRun): number | undefined {
  const config = submission?.binding['runner_config'];
  const seconds = isObject(config) ? config['timeout'] : undefined;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** When the run must be over, by its context or by its binding. */
export const deadlineFor = (run: HostRun): number | undefined => {
  const timeout = timeoutOf(run);
  return run.deadline ?? (timeout === undefined ? undefined : run.at + timeout);
};

/** The first result that ends a run, sure or not. */
export const firstEnd = ({ items }: Folded): Item | undefined =>
  items.find(({ type }) => type === 'run.completed' || type === 'run.failed');

/** Was the run still going at this point of time? */
export const goingAt = (folded: Folded, at: number): boolean =>
  folded.run.at <= at &&
  (firstEnd(folded)?.at ?? Number.POSITIVE_INFINITY) > at &&
  (folded.run.end?.at ?? Number.POSITIVE_INFINITY) > at;

export interface Cancelled {
  readonly folded: Folded;
  readonly cancel: Asked;
  /** From when on it must have worked. */
  readonly due: number;
}

/** Each cancel of a run that was going, and not about to end by its deadline anyway. */
export function cancelsOf(view: HostCase): readonly Cancelled[] {
  const { grace } = view.head;
  return view.cancels.flatMap((cancel) => {
    const run = view.runs.find(({ runId }) => runId === cancel.runId);
    if (run === undefined || run.n > cancel.n || cancel.reply === undefined || isDeclined(view, cancel)) return [];
    const folded = fold(view, run);
    const end = firstEnd(folded);
    const going = (end === undefined || end.n > cancel.n) && (run.end === undefined || run.end.n > cancel.n);
    const earlier = view.cancels.some((other) => other.runId === cancel.runId && other.n < cancel.n);
    if (!going || earlier || (run.deadline !== undefined && run.deadline - grace <= cancel.at)) return [];
    return [{ folded, cancel, due: cancel.reply.at + grace }];
  });
}
