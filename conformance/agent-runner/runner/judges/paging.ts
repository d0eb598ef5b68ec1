// Walks through history and events: by the cursor that was given, and no further than there is.
import { hold, type Judge, judge } from '../../../judging/judge.ts';
import { listAt, objectAt } from '../grants.ts';
import type { Call, RunnerCase } from '../view.ts';

const cursorOf = ({ data }: Call): unknown => data['before_cursor'] ?? data['after_cursor'] ?? undefined;

export const pagingJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/context-1/runner-paging-ends', function* ({ runs }) {
    for (const run of runs)
      for (const action of ['history_page', 'event_page']) {
        const start = objectAt(run.context, 'context')['latest_cursor'] ?? undefined;
        let before: Call | undefined;
        for (const call of run.calls) {
          if (call.action !== action) continue;
          const cursor = cursorOf(call);
          const page = before?.replies.at(-1);
          // A first page, a walk begun anew, or another attempt after a refusal is no step of a walk.
          if (before !== undefined && page?.code === 0 && cursor !== undefined && cursor !== start) {
            const { next_cursor, prev_cursor, has_more } = page.data;
            const offered = [next_cursor, prev_cursor, ...listAt(page.data, 'items').map((item) => item['cursor'])];
            yield hold(offered.includes(cursor as string) && has_more === true, [before.n, call.n], () => ({
              expected:
                has_more === true
                  ? `the next page, from ${JSON.stringify(next_cursor)}`
                  : 'no further page: has_more is false',
              found: `${action} from ${JSON.stringify(cursor)}`,
            }));
          }
          before = call;
        }
      }
  }),
];
