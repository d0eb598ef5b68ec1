// §10: cancellation. What left the target before cancel_run was answered does not count against it.
import { broken, hold, type Judge, judge, kept, open } from '../../../judging/judge.ts';
import type { Cancel, Run, RunnerCase } from '../view.ts';
import { endingOf, endProof, isTerminal, terminals, wordsOf } from './endings.ts';
import { declares } from './stream.ts';

interface Cancelled {
  readonly run: Run;
  readonly cancel: Cancel;
}

/** Runs that declare `interrupt` and were cancelled before they had ended. */
const cancelled = ({ runs }: RunnerCase): readonly Cancelled[] =>
  runs.flatMap((run) =>
    run.cancel !== undefined && declares(run, 'interrupt') && (run.end === undefined || run.cancel.n < run.end.n)
      ? [{ run, cancel: run.cancel }]
      : [],
  );

/** No such action: the target cannot be interrupted. */
const unknownAction = ({ code, message }: Cancel): boolean =>
  code !== undefined &&
  code !== 0 &&
  /not found|unknown|unsupported|not supported|no such|not implemented/i.test(message);

export const cancelJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/10/runtime-interrupts', function* (view) {
    for (const { run, cancel } of cancelled(view)) {
      const proof = [cancel.n, ...endProof(run)];
      const expected = 'a stream that is over within grace after cancel_run';
      const from = cancel.answered?.at ?? cancel.at;
      if (cancel.answered !== undefined && !cancel.understood)
        yield broken(proof, { expected, found: `cancel_run refused: ${cancel.message}` });
      else if (run.end !== undefined)
        yield hold(run.end.at <= from + view.head.grace, proof, {
          expected,
          found: `its end ${Math.round(run.end.at - from)} ms after cancel_run`,
        });
      else if (view.end !== undefined && view.end.how !== 'died' && view.last.at > from + view.head.grace)
        yield broken(proof, { expected, found: 'the stream is still open' });
      else yield open(proof, 'the recording stops before grace was over');
    }
  }),

  judge('v1/10/cancelled-code', function* (view) {
    for (const { run, cancel } of cancelled(view)) {
      if (!cancel.understood) continue;
      const proof = [cancel.n, ...endProof(run)];
      if (run.end === undefined) yield open(proof, 'the run did not end');
      else if (endingOf(run) === 'failed' && isCancelled(run)) yield kept(proof);
      else if (endedByCancel(run, cancel))
        yield broken(proof, { expected: 'run.failed with code "cancelled"', found: wordsOf(run) });
    }
  }),

  judge('v1/10/quiet-after-cancel', function* (view) {
    for (const { run, cancel } of cancelled(view)) {
      if (!cancel.understood) continue;
      const limit = cancel.answered!.at + view.head.grace;
      const loud = [...run.calls, ...run.results.filter((result) => !isTerminal(result)), ...run.late].find(
        ({ at }) => at > limit,
      );
      if (loud !== undefined)
        yield broken([cancel.n, loud.n], {
          expected: 'nothing but its end once cancel_run was answered and grace is over',
          found: 'action' in loud ? `a call of ${loud.action}` : `a result ${loud.type}`,
        });
      else if (view.last.at > limit) yield kept([cancel.n, ...endProof(run)]);
    }
  }),

  judge('v1/10/cancel-answered', function* (view) {
    const all = [
      ...view.runs.flatMap((run) => (run.cancel !== undefined && declares(run, 'interrupt') ? [run.cancel] : [])),
      ...(view.head.target.traits.includes('capability:interrupt') ? view.otherCancels : []),
    ];
    for (const cancel of all) {
      const words = {
        expected: 'an answer {} within grace',
        found: cancel.answered ? `an error: ${cancel.message}` : 'none',
      };
      if (cancel.answered === undefined) {
        if (view.end?.how === 'died' || view.last.at <= cancel.at + view.head.grace)
          yield open(cancel.n, 'not answered yet');
        else yield broken(cancel.n, words);
      } else {
        const inTime = cancel.answered.at <= cancel.at + view.head.grace;
        yield hold(inTime && (cancel.understood || unknownAction(cancel)), [cancel.n, cancel.answered.n], {
          ...words,
          found: inTime ? words.found : `an answer after ${Math.round(cancel.answered.at - cancel.at)} ms`,
        });
      }
    }
  }),

  judge('v1/10/cancel-spares-others', function* (view) {
    for (const run of view.runs) {
      const { cancel } = run;
      if (cancel === undefined || !cancel.understood || !declares(run, 'interrupt')) continue;
      for (const other of view.runs) {
        const underWay = other.n < cancel.n && (other.end === undefined || other.end.n > cancel.n);
        if (other === run || other.cancel !== undefined || !underWay) continue;
        const proof = [cancel.n, ...endProof(other)];
        const ending = endingOf(other);
        // A failure of another kind has its own reasons; without a run to compare with it proves nothing.
        if (ending === 'unended') yield open(proof, 'the other run did not end');
        // A cancel adds no terminal result: what is too much there is the matter of another clause.
        else if (ending === 'unsound' && terminals(other).length > 0) yield open(proof, wordsOf(other));
        else if (ending !== 'failed' || (isCancelled(other) && !atItsDeadline(other)))
          yield hold(ending === 'completed', proof, () => ({
            expected: 'the run beside it ends as if nothing was',
            found: wordsOf(other),
          }));
      }
    }
  }),
];

/**
 * Did the cancel end the run, or did it just then end by itself? It was the cancel where the terminal result came after
 * the answer to it, and either while a call of the run still stood open, or so much later that it was not on its way.
 */
function endedByCancel(run: Run, { answered }: Cancel): boolean {
  const [terminal] = terminals(run);
  if (answered === undefined || (terminal !== undefined && terminal.n < answered.n)) return false;
  const { n, at } = terminal ?? run.end!;
  const waiting = run.calls.some((call) => call.n < answered.n && (call.answered === undefined || call.answered.n > n));
  return waiting || at > answered.at + ON_ITS_WAY;
}

/** How long, in milliseconds, what has left a runner may take to be seen. */
const ON_ITS_WAY = 100;

/** A run that its own deadline ended was not ended by somebody else's cancel, whatever it calls that. */
const atItsDeadline = ({ deadline, end }: Run): boolean =>
  deadline !== undefined && end !== undefined && end.at >= deadline;

const isCancelled = (run: Run): boolean => terminals(run)[0]?.data['code'] === 'cancelled';
