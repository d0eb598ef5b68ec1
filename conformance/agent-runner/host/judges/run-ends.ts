// §7.2, HOST_SDK §4.4: how a run ends, by its terminal result or without one, and that nothing counts after it.
import { type Finding, hold, judge, kept, open } from '../../../judging/judge.ts';
import type { Item } from '../../oracle/stream.ts';
import { FAILURES, marksIn, traceOf } from '../effects.ts';
import { cutOf, foldAll } from '../folded.ts';
import { lastOf } from '../shown.ts';
import type { HostCase } from '../view.ts';

/** An occasion for every run that ended by its terminal result, told apart by which. */
function* endings(
  view: HostCase,
  kind: Item['kind'],
  right: (status: unknown) => boolean,
  expected: string,
): Iterable<Finding> {
  for (const folded of foldAll(view)) {
    const { terminal, settled, stream, run } = folded;
    if (terminal?.kind !== kind || stream.shaky) continue;
    const shown = settled ?? lastOf(view, run);
    if (shown === undefined || shown.n < terminal.n) {
      const asked = view.observations.find(({ n, runId }) => n > terminal.n && runId === run.runId);
      if (asked === undefined || asked.reply !== undefined || view.end?.how !== 'done')
        yield open(terminal.n, 'the run was not looked at after its end');
      else yield hold(false, [terminal.n, asked.n], { expected, found: 'driver_observe is not answered any more' });
    } else if (shown.status !== undefined)
      yield hold(right(shown.status), [terminal.n, shown.n], () => ({
        expected,
        found: `status ${JSON.stringify(shown.status)}`,
      }));
  }
}

export const runEndJudges = [
  judge<HostCase>('v1/7.2/completed-ends-run', function* (view) {
    yield* endings(view, 'completed', (shown) => shown === 'completed', 'status "completed"');
    // A host that dies or hangs under what a runner may send has ended no run.
    const [first] = view.submissions;
    if (first !== undefined && (view.end?.how === 'died' || view.end?.how === 'time'))
      yield hold(false, [first.n, view.end.n], {
        expected: 'a host that brings its runs to their end',
        found: view.end.pending ?? view.end.how,
      });
  }),

  judge<HostCase>('v1/7.2/failed-ends-run', (view) =>
    endings(view, 'failed', (shown) => shown !== 'completed' && shown !== 'running', 'a failed status'),
  ),

  judge<HostCase>('v1/7.2/after-terminal-ignored', function* (view) {
    for (const folded of foldAll(view)) {
      const { terminal, stream, run } = folded;
      const shown = lastOf(view, run);
      if (terminal === undefined || shown === undefined || shown.n < terminal.n) continue;
      const before = new Set(
        folded.items.filter(({ phase }) => phase !== 'after').flatMap(({ value }) => marksIn(value)),
      );
      for (const item of folded.items) {
        if (item.phase !== 'after' || item.n > shown.n || marksIn(item.value).some((mark) => before.has(mark)))
          continue;
        const trace = traceOf(shown, folded, item);
        const ends = item.kind === 'completed' || item.kind === 'failed';
        const proof = [terminal.n, item.n, shown.n];
        if (trace !== undefined)
          yield hold(false, proof, { expected: 'nothing of what came after the terminal result', found: trace });
        else if (ends && !stream.shaky && shown.status !== undefined)
          yield hold((shown.status === 'completed') === (terminal.kind === 'completed'), proof, () => ({
            expected: `the status that ${terminal.type} gave`,
            found: `status ${JSON.stringify(shown.status)}`,
          }));
        else if (marksIn(item.value).length > 0) yield kept(proof);
      }
    }
  }),

  judge<HostCase>('v1/7.2/no-terminal-is-failure', function* (view) {
    for (const folded of foldAll(view)) {
      const { run, items, stream } = folded;
      if (run.end?.how !== 'end' || stream.shaky || items.some(({ kind }) => kind === 'completed' || kind === 'failed'))
        continue;
      const cut = cutOf(view, run);
      if (cut !== undefined && run.end.at >= cut.from) continue;
      const shown = lastOf(view, run);
      if (shown === undefined || shown.n < run.end.n || shown.status === undefined) continue;
      if (shown.status === 'running' && shown.at < run.end.at + view.head.grace) continue;
      yield hold(shown.status !== 'completed' && shown.status !== 'running', [run.end.n, shown.n], () => ({
        expected: 'a failed status',
        found: `status ${JSON.stringify(shown.status)}`,
      }));
    }
  }),

  judge<HostCase>('v1/host-4/crash-fails-run', function* (view) {
    for (const folded of foldAll(view)) {
      const { run, items, stream } = folded;
      if (run.end?.how !== 'error' || stream.shaky || items.some(({ type, late }) => !late && type.startsWith('run.')))
        continue;
      const cut = cutOf(view, run);
      const shown = lastOf(view, run);
      if ((cut !== undefined && run.end.at >= cut.from) || shown?.status === undefined || shown.n < run.end.n) continue;
      if (shown.status === 'running' && shown.at < run.end.at + view.head.grace) continue;
      yield hold(FAILURES.has(shown.status), [run.end.n, shown.n], () => ({
        expected: 'a failed run',
        found: `status ${JSON.stringify(shown.status)}`,
      }));
    }
  }),
];
