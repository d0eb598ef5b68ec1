// §4: asking who is there, once and again, before and between runs.
import fc from 'fast-check';
import { anyContext, plainContext } from '../stimuli/context.ts';
import { anyGrants, everything } from '../stimuli/grants.ts';
import { planFor, runnerArea } from './area.ts';

export const discovery = runnerArea({
  id: 'discovery',
  runs: 60,
  stimulus: (chosen) =>
    fc.record({
      discover: fc.integer({ min: 1, max: 4 }),
      runs: fc.array(
        anyContext('run-0', anyGrants(chosen.runner)).map((context) => planFor(chosen, { context })),
        { maxLength: 1 },
      ),
    }),
  corners: (chosen) => [
    { discover: 2, runs: [] },
    { discover: 2, runs: [planFor(chosen, { context: plainContext('run-0', everything(chosen.runner)) })] },
  ],
});
