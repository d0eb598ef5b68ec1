// §10: the deadline that a run is given, how a run ends by it or by a cancel, and that its session goes with it.
import { isObject } from '../../../../common/json.ts';
import { type Finding, hold, judge, open } from '../../../judging/judge.ts';
import type { Item } from '../../oracle/stream.ts';
import { marksIn, traceOf } from '../effects.ts';
import { type Folded, fold, foldAll } from '../folded.ts';
import { lastOf, observationsOf, type Shown, shownBy } from '../shown.ts';
import type { Asked, HostCase, HostRun } from '../view.ts';

const DAY = 86_400_000;

/** The time limit that the binding sets, in milliseconds. */
function timeoutOf({ submission }: HostRun): number | undefined {
  const config = submission?.binding['runner_config'];
  const seconds = isObject(config) ? config['timeout'] : undefined;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** When the run must be over, by its context or by its binding. */
const limitOf = (run: HostRun): number | undefined => {
  const timeout = timeoutOf(run);
  return run.deadline ?? (timeout === undefined ? undefined : run.at + timeout);
};

/** The first result that ends a run, sure or not. */
const firstEnd = ({ items }: Folded): Item | undefined =>
  items.find(({ type }) => type === 'run.completed' || type === 'run.failed');

/** Was the run still going at this point of time? */
const goingAt = (folded: Folded, at: number): boolean =>
  folded.run.at <= at &&
  (firstEnd(folded)?.at ?? Number.POSITIVE_INFINITY) > at &&
  (folded.run.end?.at ?? Number.POSITIVE_INFINITY) > at;

interface Cancelled {
  readonly folded: Folded;
  readonly cancel: Asked;
  /** From when on it must have worked. */
  readonly due: number;
}

/** Each cancel of a run that was going, and not about to end by its deadline anyway. */
function cancelsOf(view: HostCase): readonly Cancelled[] {
  const { grace } = view.head;
  return view.cancels.flatMap((cancel) => {
    const run = view.runs.find(({ runId }) => runId === cancel.runId);
    if (run === undefined || run.n > cancel.n || cancel.reply === undefined) return [];
    const folded = fold(view, run);
    const end = firstEnd(folded);
    const going = (end === undefined || end.n > cancel.n) && (run.end === undefined || run.end.n > cancel.n);
    const earlier = view.cancels.some((other) => other.runId === cancel.runId && other.n < cancel.n);
    if (!going || earlier || (run.deadline !== undefined && run.deadline - grace <= cancel.at)) return [];
    return [{ folded, cancel, due: cancel.reply.at + grace }];
  });
}

const status = (shown: Shown): string => `status ${JSON.stringify(shown.status)}`;

/** What was shown of the run from then on. */
const shownFrom = (view: HostCase, run: HostRun, at: number): Shown | undefined =>
  observationsOf(view, run).find((shown) => shown.at >= at && shown.status !== undefined);

function* nothingAfter(view: HostCase, folded: Folded, proof: number, since: number, words: string): Iterable<Finding> {
  const shown = lastOf(view, folded.run);
  if (shown === undefined || (shown.deliveries === undefined && shown.state === undefined)) return;
  const before = new Set(folded.items.filter(({ at }) => at <= since).flatMap(({ value }) => marksIn(value)));
  for (const item of folded.items) {
    const marks = marksIn(item.value);
    if (
      item.at <= since ||
      item.phase === 'after' ||
      item.n > shown.n ||
      marks.length === 0 ||
      marks.some((mark) => before.has(mark))
    )
      continue;
    const trace = traceOf(shown, folded, item);
    yield hold(trace === undefined, [proof, item.n, shown.n], {
      expected: `nothing of the run ${words}`,
      found: trace ?? '',
    });
  }
}

/** Signs that a run is still a session, or no longer one, from a point of time on. */
function* unregistered(view: HostCase, run: HostRun, proof: number, from: number): Iterable<Finding> {
  for (const observation of view.observations) {
    if (observation.reply?.code !== 0 || observation.reply.at < from) continue;
    const shown = shownBy(view, observation);
    if (shown.activeRuns !== undefined)
      yield hold(!shown.activeRuns.includes(run.runId), [proof, shown.n], {
        expected: `${run.runId} is no active run any more`,
        found: 'active_runs has it',
      });
  }
  for (const call of run.calls)
    if (call.at >= from && call.identity === run.identity && call.reply !== undefined)
      yield hold(call.reply.code !== 0, [proof, call.n, call.reply.n], {
        expected: `${call.action} is refused, for the run is over`,
        found: 'it was answered',
      });
}

function* unregisteredBy(
  view: HostCase,
  ended: (folded: Folded) => { readonly n: number; readonly at: number } | undefined,
): Iterable<Finding> {
  for (const folded of foldAll(view)) {
    const end = ended(folded);
    if (end !== undefined) yield* unregistered(view, folded.run, end.n, end.at + view.head.grace);
  }
}

/** Calls that are surely granted: the context offers the API, and nothing in the call could be refused. */
function isSafe(folded: Folded, action: string, data: Record<string, unknown>): boolean {
  const access = folded.run.context['context'];
  const apis = isObject(access) && isObject(access['available_apis']) ? access['available_apis'] : {};
  const bare = Object.keys(data).every((key) =>
    ['run_id', 'caller_plugin_identity', 'limit', 'scope', 'key'].includes(key),
  );
  if (!bare) return false;
  if (action === 'state_get')
    return (
      apis['state'] === true &&
      folded.scopes.has(data['scope'] as never) &&
      typeof data['key'] === 'string' &&
      data['key'] !== ''
    );
  return (action === 'history_page' || action === 'event_page') && apis[action] === true;
}

export const deadlineCancelJudges = [
  judge<HostCase>('v1/5.9/deadline-in-epoch-seconds', function* (view) {
    for (const { n, at, deadline } of view.runs)
      if (deadline !== undefined)
        yield hold(deadline > at && deadline < at + DAY, n, {
          expected: 'deadline_at in epoch seconds, ahead of now',
          found: `${(deadline + view.epoch) / 1000}, where now is ${(at + view.epoch) / 1000}`,
        });
  }),

  judge<HostCase>('v1/10/deadline-given', function* ({ runs, head }) {
    for (const run of runs) {
      const timeout = timeoutOf(run);
      if (timeout === undefined || run.submission === undefined) continue;
      const { deadline } = run;
      const early = run.submission.at + timeout - head.grace;
      const late = run.at + timeout + head.grace;
      yield hold(deadline !== undefined && deadline >= early && deadline <= late, [run.submission.n, run.n], {
        expected: `deadline_at ${timeout} ms after the start`,
        found: deadline === undefined ? 'no deadline' : `${deadline - run.at} ms after it`,
      });
    }
  }),

  judge<HostCase>('v1/10/host-ends-at-deadline', function* (view) {
    for (const folded of foldAll(view)) {
      const { run } = folded;
      const deadline = limitOf(run);
      if (deadline === undefined || !goingAt(folded, deadline) || view.cancels.some(({ runId }) => runId === run.runId))
        continue;
      const shown = shownFrom(view, run, deadline + view.head.grace);
      if (shown === undefined) continue;
      yield hold(shown.status !== 'running' && shown.status !== 'completed', [run.n, shown.n], {
        expected: 'a run that failed by its deadline',
        found: `${status(shown)} ${shown.at - deadline} ms after it`,
      });
    }
  }),

  judge<HostCase>('v1/10/no-delivery-after-deadline', function* (view) {
    for (const folded of foldAll(view)) {
      const deadline = limitOf(folded.run);
      if (deadline !== undefined)
        yield* nothingAfter(view, folded, folded.run.n, deadline + view.head.grace, 'after its deadline');
    }
  }),

  judge<HostCase>('v1/10/cancel-ends-run', function* (view) {
    for (const { folded, cancel, due } of cancelsOf(view)) {
      const shown = shownFrom(view, folded.run, due);
      if (shown !== undefined)
        yield hold(shown.status !== 'running' && shown.status !== 'completed', [cancel.n, shown.n], {
          expected: 'a run that is cancelled or failed',
          found: status(shown),
        });
      else if (view.end !== undefined && view.end.how !== 'done') yield open(cancel.n, 'the case was cut short');
    }
  }),

  judge<HostCase>('v1/10/no-delivery-after-cancel', function* (view) {
    for (const { folded, cancel, due } of cancelsOf(view))
      yield* nothingAfter(view, folded, cancel.n, due, 'after its cancel');
  }),

  judge<HostCase>('v1/10/cancel-passed-on', function* (view) {
    for (const { folded, cancel } of cancelsOf(view)) {
      const until = cancel.at + view.head.grace;
      const passed = folded.run.cancels.find(({ n, at }) => n > cancel.n && at <= until);
      const seen = view.observations.some(({ reply }) => reply !== undefined && reply.at >= until);
      if (passed === undefined && !seen) continue;
      yield hold(passed !== undefined, [cancel.n, ...(passed ? [passed.n] : [])], {
        expected: 'cancel_run for this run',
        found: 'none within grace',
      });
    }
  }),

  judge<HostCase>('v1/10/cancel-idempotent', function* (view) {
    for (const cancel of view.cancels) {
      if (cancel.reply === undefined || cancelsOf(view).some((first) => first.cancel === cancel)) continue;
      const run = view.runs.find(({ runId }) => runId === cancel.runId);
      const shown = run === undefined ? [] : observationsOf(view, run);
      const before = shown.findLast(({ n, status }) => n < cancel.n && status !== 'running');
      const after = shown.findLast(({ n }) => n > cancel.reply!.n);
      if (before?.status !== undefined && after?.status !== undefined)
        yield hold(before.status === after.status, [before.n, cancel.n, after.n], {
          expected: status(before),
          found: `${status(after)} after another cancel`,
        });
      // A run that never was cannot be going: then it is the others that must not be touched.
      if (run !== undefined) continue;
      for (const folded of foldAll(view)) {
        const { settled, due, terminal } = folded;
        if (
          settled === undefined ||
          due === undefined ||
          terminal === undefined ||
          terminal.n < cancel.n ||
          settled.status === undefined
        )
          continue;
        yield hold((settled.status === 'completed') === (due === 'completed'), [cancel.n, settled.n], {
          expected: `a run that is not meant ends as ${due}`,
          found: status(settled),
        });
      }
    }
  }),

  judge<HostCase>('v1/10/unregistered-completed', (view) =>
    unregisteredBy(view, ({ terminal, stream }) =>
      terminal?.kind === 'completed' && !stream.shaky ? terminal : undefined,
    ),
  ),
  judge<HostCase>('v1/10/unregistered-failed', (view) =>
    unregisteredBy(view, ({ terminal, stream }) =>
      terminal?.kind === 'failed' && !stream.shaky ? terminal : undefined,
    ),
  ),
  judge<HostCase>('v1/10/unregistered-deadline', (view) =>
    unregisteredBy(view, (folded) => {
      const deadline = limitOf(folded.run);
      return deadline !== undefined && goingAt(folded, deadline) ? { n: folded.run.n, at: deadline } : undefined;
    }),
  ),
  judge<HostCase>('v1/10/unregistered-cancelled', function* (view) {
    for (const { folded, cancel, due } of cancelsOf(view)) yield* unregistered(view, folded.run, cancel.n, due);
  }),
  judge<HostCase>('v1/10/unregistered-broken', (view) =>
    unregisteredBy(view, (folded) => (firstEnd(folded) === undefined ? folded.run.end : undefined)),
  ),

  judge<HostCase>('v1/10/registered-while-active', function* (view) {
    for (const folded of foldAll(view)) {
      const { run, stream } = folded;
      const over = Math.min(firstEnd(folded)?.n ?? Number.POSITIVE_INFINITY, run.end?.n ?? Number.POSITIVE_INFINITY);
      const cut =
        Math.min(
          limitOf(run) ?? Number.POSITIVE_INFINITY,
          ...view.cancels.filter(({ runId }) => runId === run.runId).map(({ at }) => at),
          ...view.restarts.map(({ at }) => at),
        ) - view.head.grace;
      if (stream.shaky) continue;
      for (const call of run.calls) {
        if (
          call.n > over ||
          call.at >= cut ||
          call.reply === undefined ||
          call.reply.n > over ||
          call.identity !== run.identity
        )
          continue;
        if (!isSafe(folded, call.action, call.data)) continue;
        const error = isObject(call.reply.data['error']) ? call.reply.data['error']['code'] : undefined;
        yield hold(
          call.reply.code === 0 || (error !== 'unauthorized' && error !== 'not_found'),
          [run.n, call.n, call.reply.n],
          { expected: `${call.action} is answered while the run is active`, found: String(error) },
        );
      }
      for (const observation of view.observations) {
        const { reply } = observation;
        if (reply?.code !== 0 || observation.n < run.n || reply.n > over || reply.at >= cut) continue;
        const { activeRuns } = shownBy(view, observation);
        if (activeRuns !== undefined)
          yield hold(activeRuns.includes(run.runId), [run.n, reply.n], {
            expected: `${run.runId} among active_runs`,
            found: JSON.stringify(activeRuns),
          });
      }
    }
  }),
];
