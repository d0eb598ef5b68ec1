// Runs at the same time do not mix, and none waits for another.
import { canonical } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { broken, hold, type Judge, judge, kept, open } from '../../../judging/judge.ts';
import { excess } from '../grants.ts';
import type { Run, RunnerCase } from '../view.ts';
import { endingOf, endProof, limitOf, overlap, unanswered } from './endings.ts';

/** Words that a stimulus plants in a run, so that they can be found again where they do not belong. */
const MARKER = /marker-[0-9a-z]{4,}/g;
const markersIn = (value: unknown): readonly string[] => JSON.stringify(value)?.match(MARKER) ?? [];

/** The markers that a run was given: by its context, and by the answers to its calls. */
const given = memo(
  (run: Run): ReadonlySet<string> =>
    new Set([
      ...markersIn(run.context),
      ...run.calls.flatMap(({ replies }) => replies.flatMap(({ data }) => markersIn(data))),
    ]),
);

/** What a run said, in results and in calls, with the markers in it. */
const said = memo((run: Run) =>
  [...run.results.map(({ n, value }) => ({ n, value })), ...run.calls.map(({ n, data }) => ({ n, value: data }))].map(
    ({ n, value }) => ({ n, value, markers: markersIn(value) }),
  ),
);

/** Pairs of runs that were under way at the same time. */
function* together({ runs }: RunnerCase): Iterable<readonly [Run, Run]> {
  for (const run of runs) for (const other of runs) if (overlap(run, other)) yield [run, other];
}

export const isolationJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/context-1/runs-kept-apart', function* (view) {
    for (const [run, other] of together(view)) {
      if (run.results.length === 0) continue;
      const foreign = [...given(other)].filter((marker) => !given(run).has(marker));
      if (foreign.length === 0) continue;
      const leak = said(run).find(({ markers }) => markers.some((marker) => foreign.includes(marker)));
      yield leak === undefined
        ? kept(endProof(run))
        : broken(leak.n, {
            expected: `nothing of run ${other.runId} in run ${run.runId}`,
            found: (canonical(leak.value).match(MARKER) ?? []).filter((marker) => foreign.includes(marker)).join(', '),
          });
    }
  }),

  judge('v1/context-1/streams-kept-apart', function* (view) {
    for (const [run, other] of together(view)) {
      if (run.results.length === 0) continue;
      const strayResult = run.results.find(({ object }) => object['run_id'] === other.runId);
      const strayCall = run.calls.find(
        ({ action, data }) =>
          excess(run.context, action, data) !== undefined &&
          excess(other.context, action, data) === undefined &&
          isResource(action),
      );
      const stray = strayResult ?? strayCall;
      yield hold(stray === undefined, stray?.n ?? endProof(run), {
        expected: 'results and calls under the run_id of their own run',
        found:
          strayResult !== undefined
            ? `a result of ${other.runId} on the stream of ${run.runId}`
            : `a call of ${other.runId} under ${run.runId}`,
      });
    }
  }),

  judge('v1/context-1/runs-concurrent', function* (view) {
    for (const [waiting, other] of together(view)) {
      const [stuck] = unanswered(waiting);
      const limit = limitOf(view, waiting);
      if (stuck === undefined || limit === undefined || unanswered(other).length > 0) continue;
      const release = waiting.end?.at ?? limit;
      if (other.at > release - TIME_TO_SHOW || other.n < waiting.n) continue;
      const acted = [...other.calls, ...other.results, ...(other.end === undefined ? [] : [other.end])].some(
        ({ at }) => at < release,
      );
      const proof = [stuck.n, ...endProof(other)];
      if (endingOf(other) === 'unended' && !acted && view.end?.how === 'died') yield open(proof, 'the target died');
      else
        yield hold(acted, proof, {
          expected: `run ${other.runId} goes on while ${waiting.runId} waits for ${stuck.action}`,
          found: 'no sign of it until the other was let go',
        });
    }
  }),
];

/** A run that shows nothing for so long, and then only when the other is let go, was held up by it. */
const TIME_TO_SHOW = 1000;

/** Calls that name a resource of their own run, so that a mix-up shows. */
const isResource = (action: string): boolean =>
  [
    'invoke_llm',
    'invoke_llm_stream',
    'invoke_rerank',
    'get_tool_detail',
    'call_tool',
    'retrieve_knowledge_base',
  ].includes(action);
