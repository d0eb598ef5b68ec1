// History and events of any length, in pages of any size: a walk goes on by the cursor it was given and stops where there is no more.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { plainContext } from '../stimuli/context.ts';
import { everything } from '../stimuli/grants.ts';
import type { RunnerStimulus, World } from '../stimulus.ts';
import { planFor, runnerArea } from './area.ts';

/** The context of a host that tells where pulling begins: behind the newest item. */
export const withLatest = (context: JsonObject, { history = 0, cursor = '' }: World): JsonObject => ({
  ...context,
  context: {
    ...(context['context'] as JsonObject),
    has_history_before: history > 0,
    latest_cursor: `${cursor}${history + 1}`,
  },
});

export const readModel = runnerArea({
  id: 'read-model',
  runs: 120,
  stimulus: (chosen) =>
    fc
      .record({
        history: fc.nat({ max: 120 }),
        pageCap: fc.oneof(fc.constantFrom(1, 2), fc.integer({ min: 3, max: 60 })),
        lastCursor: fc.boolean(),
        cursor: fc.constantFrom('', 'c:', 'Cursor ', '游标/'),
      })
      .map(
        (world): RunnerStimulus => ({
          runs: [planFor(chosen, { context: plainContext('run-0', everything(chosen.runner)), world })],
        }),
      ),
  corners: (chosen) =>
    (
      [
        { history: 0, lastCursor: true },
        { history: 5, pageCap: 2, cursor: 'Cursor ' },
        { history: 4, pageCap: 2, lastCursor: true },
        { history: 3, pageCap: 10, lastCursor: true, cursor: 'c:' },
        { history: 100, pageCap: 1 },
      ] satisfies World[]
    ).flatMap((world) => {
      const context = plainContext('run-0', everything(chosen.runner));
      return [context, withLatest(context, world)].map((one) => ({ runs: [planFor(chosen, { context: one, world })] }));
    }),
});
