// §7.3: state granted and not, with anything in it already.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { anyWorld } from '../stimuli/answers.ts';
import { anyContext, plainContext } from '../stimuli/context.ts';
import { everything, type Grants, something } from '../stimuli/grants.ts';
import type { RunnerStimulus } from '../stimulus.ts';
import { type Chosen, planFor, runnerArea } from './area.ts';

export const withStateFlag = (context: JsonObject, runId: string, state: boolean): JsonObject => {
  const access = context['context'] as JsonObject;
  return {
    ...context,
    run_id: runId,
    context: { ...access, available_apis: { ...(access['available_apis'] as JsonObject), state } },
  };
};

/** The same context with state granted, then without. */
export const grantedThenNot = (chosen: Chosen, context: JsonObject, more = {}): RunnerStimulus => ({
  runs: [
    planFor(chosen, { context: withStateFlag(context, 'run-granted', true), ...more }),
    planFor(chosen, { context: withStateFlag(context, 'run-withheld', false), after: 0, ...more }),
  ],
});

export const stateLimits = runnerArea({
  id: 'state-limits',
  runs: 140,
  stimulus: (chosen) => {
    const grants = fc.oneof(fc.constant<Grants>(everything(chosen.runner)), something(chosen.runner));
    return fc
      .tuple(anyContext('run-0', grants), anyWorld)
      .map(([context, world]) => grantedThenNot(chosen, context, { world }));
  },
  corners: (chosen) => [grantedThenNot(chosen, plainContext('run-0', everything(chosen.runner)))],
});
