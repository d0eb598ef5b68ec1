// §10: a run is a session from before its RUN_AGENT until its end, however it ends, and no longer.
import { isObject } from '../../../../common/json.ts';
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { cancelsOf, deadlineFor, firstEnd, goingAt } from '../ends.ts';
import { type Folded, foldAll } from '../folded.ts';
import { shownBy } from '../shown.ts';
import type { HostCase, HostRun } from '../view.ts';

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

export const sessionJudges = [
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
      const deadline = deadlineFor(folded.run);
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
          deadlineFor(run) ?? Number.POSITIVE_INFINITY,
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
          yield hold(activeRuns.includes(run.runId), [run.n, reply.n], () => ({
            expected: `${run.runId} among active_runs`,
            found: JSON.stringify(activeRuns),
          }));
      }
    }
  }),
];
