// HOST_SDK §4.2: a binding that is none starts no run, and whoever made it learns what is wrong with it.
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { bindingFit } from '../../oracle/binding.ts';
import { brief, FAILURES } from '../effects.ts';
import { offeredFor } from '../folded.ts';
import type { HostCase, Submission } from '../view.ts';

interface Malformed {
  readonly submission: Submission;
  readonly faults: readonly string[];
}

/** Submissions under a binding that cannot be read, in a case in which one that can be read was run. */
function malformedIn(view: HostCase): readonly Malformed[] {
  const works = view.submissions.some((one) => one.run !== undefined && isSound(one));
  return !works
    ? []
    : view.submissions.flatMap((submission) => {
        const { faults } = bindingFit(submission.data['binding']);
        return faults.length === 0 || submission.reply === undefined ? [] : [{ submission, faults }];
      });
}

const isSound = ({ data }: Submission): boolean => {
  const { faults, unsure } = bindingFit(data['binding']);
  return faults.length === 0 && !unsure;
};

/** The last that was seen of a run that never reached its runner. */
const statusOf = (view: HostCase, { runId }: Submission): unknown =>
  view.observations.findLast((one) => one.runId === runId && one.reply?.code === 0)?.shown['status'];

function* refused(view: HostCase): Iterable<Finding> {
  for (const { submission, faults } of malformedIn(view)) {
    const { n, reply, runId, run } = submission;
    const status = runId === undefined ? undefined : statusOf(view, submission);
    const turnedDown = reply!.code !== 0 || runId === undefined || FAILURES.has(status);
    if (!turnedDown && run === undefined && status === undefined) continue;
    yield hold(turnedDown && run === undefined, [n, run?.n ?? reply!.n], () => ({
      expected: `no run under a binding whose ${faults.join(' and ')} cannot be read`,
      found: run === undefined ? `a run of status ${JSON.stringify(status)}` : 'run_agent',
    }));
    const next = view.submissions.find(
      (other) =>
        other.n > n &&
        isSound(other) &&
        other.binding['enabled'] !== false &&
        offeredFor(view, String(other.binding['runner_id']), other.n)?.fit === 'sound',
    );
    if (next?.reply !== undefined)
      yield hold(next.run !== undefined, [n, next.n], {
        expected: 'the next submission, whose binding is sound, runs',
        found: 'no run_agent',
      });
  }
}

export const bindingJudges = [
  judge<HostCase>('v1/host-4/malformed-binding-refused', refused),

  judge<HostCase>('v1/host-4/malformed-binding-told', function* (view) {
    for (const { submission, faults } of malformedIn(view)) {
      const { reply, n, runId, run } = submission;
      if (run !== undefined || (reply!.code === 0 && runId !== undefined)) continue;
      const said = `${reply!.message} ${JSON.stringify(reply!.data)}`;
      const names = faults.flatMap((fault) => fault.split('.'));
      yield hold(
        names.some((name) => said.includes(name)),
        [n, reply!.n],
        () => ({ expected: `an answer that names ${faults.join(' or ')}`, found: brief(said) }),
      );
    }
  }),
];
