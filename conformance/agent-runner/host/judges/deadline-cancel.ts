// §10: the deadline that a run is given, and how a run ends by it or by a cancel.
import { type Finding, hold, judge, open } from '../../../judging/judge.ts';
import { marksIn, traceOf } from '../effects.ts';
import { cancelsOf, deadlineFor, goingAt, timeoutOf } from '../ends.ts';
import { type Folded, foldAll } from '../folded.ts';
import { lastOf, observationsOf, type Shown } from '../shown.ts';
import type { HostCase, HostRun } from '../view.ts';

const DAY = 86_400_000;

const status = (shown: Shown): string => `status ${JSON.stringify(shown.status)}`;

/** What was shown of the run from then on: the first that is no failure, for a late result may have made it something else. */
function shownFrom(view: HostCase, run: HostRun, at: number): Shown | undefined {
  const shown = observationsOf(view, run).filter((one) => one.at >= at && one.status !== undefined);
  return shown.find(({ status }) => status === 'running' || status === 'completed') ?? shown[0];
}

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
      const deadline = deadlineFor(run);
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
      const deadline = deadlineFor(folded.run);
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
];
