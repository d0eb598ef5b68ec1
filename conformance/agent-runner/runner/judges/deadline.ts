// §10: deadlines. Times are judged with the grace of the recording, never to the millisecond.
import { broken, type Finding, hold, type Judge, judge, kept, open } from '../../../judging/judge.ts';
import type { Run, RunnerCase } from '../view.ts';
import { endProof, endsSoundly, limitOf, unanswered } from './endings.ts';

/** Each run with a deadline, and the last moment that it leaves. */
function* bounded(view: RunnerCase): Iterable<{ run: Run; limit: number }> {
  for (const run of view.runs) {
    const limit = limitOf(view, run);
    if (limit !== undefined) yield { run, limit };
  }
}

export const deadlineJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/10/stream-over-at-deadline', function* (view) {
    for (const { run, limit } of bounded(view)) yield overBy(view, run, limit);
  }),

  judge('v1/10/no-result-after-deadline', function* (view) {
    for (const { run, limit } of bounded(view)) {
      const results = [...run.results, ...run.late];
      const late = results.find(({ at }) => at > limit);
      if (late !== undefined)
        yield broken(late.n, {
          expected: 'no result after deadline and grace',
          found: `${late.type} ${past(late.at, limit)}`,
        });
      else if (results.length > 0) yield kept(endProof(run));
    }
  }),

  judge('v1/10/no-call-after-deadline', function* (view) {
    for (const { run, limit } of bounded(view)) {
      for (const { n, at, action } of run.calls)
        yield hold(at <= limit, n, {
          expected: 'no API call after deadline and grace',
          found: `${action} ${past(at, limit)}`,
        });
      const drawnOut = run.calls.length > 0 && view.last.at > limit;
      if (drawnOut && run.calls.every(({ at }) => at <= limit)) yield kept(endProof(run));
    }
  }),

  judge('v1/10/sdk-bounds-calls', function* (view) {
    for (const { run, limit } of bounded(view))
      for (const call of unanswered(run)) {
        if (run.cancel !== undefined) continue;
        const again = run.calls.find(({ n, at, action }) => n > call.n && action === call.action && at > limit);
        if (again === undefined) yield overBy(view, run, limit, call.n);
        else
          yield broken([call.n, again.n], {
            expected: `no other attempt of ${call.action} after deadline and grace`,
            found: `one ${past(again.at, limit)}`,
          });
      }
  }),

  judge('v1/9/runner-survives-delays', function* (view) {
    for (const run of view.runs) {
      const limit = limitOf(view, run);
      for (const call of run.calls) {
        if (call.answered === undefined) {
          if (limit !== undefined && run.cancel === undefined) yield overBy(view, run, limit, call.n);
        } else if (call.answered.at - call.at >= LATE) {
          yield endsSoundly(run, `a run that ends soundly, though ${call.action} was answered late`, [
            call.n,
            call.answered.n,
          ]);
        }
      }
    }
  }),
];

/** From how many milliseconds on an answer counts as late. */
const LATE = 20;

const past = (at: number, limit: number): string => `${Math.round(at - limit)} ms after it`;

function overBy(view: RunnerCase, run: Run, limit: number, because?: number): Finding {
  const proof = [...(because === undefined ? [] : [because]), ...endProof(run)];
  const expected = 'a stream that is over by deadline and grace';
  if (run.end !== undefined)
    return hold(run.end.at <= limit, proof, { expected, found: `its end ${past(run.end.at, limit)}` });
  if (view.end === undefined || view.end.how === 'died' || view.end.how === 'interrupted' || view.last.at <= limit)
    return open(proof, 'the recording stops before the deadline and its grace were over');
  return broken(proof, { expected, found: 'the stream is still open' });
}
