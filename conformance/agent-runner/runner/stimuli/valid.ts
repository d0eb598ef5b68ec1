// Is this JSON a stimulus that a runner may be blamed for? Asked of saved cases, and of what shrinking proposes.
import { Value } from 'typebox/value';
import { isObject } from '../../../../common/json.ts';
import { check } from '../../../../schemas/agent-runner/2026-06-03/validators.js';
import { RunnerStimulus } from '../stimulus.ts';
import { neverComes } from './answers.ts';

export function isRunnerStimulus(value: unknown): value is RunnerStimulus {
  if (!Value.Check(RunnerStimulus, value)) return false;
  const ids = value.runs.map(({ context }) => context['run_id']);
  return (
    new Set(ids).size === ids.length &&
    value.runs.every(
      ({ context, deadline, answers, after }, i) =>
        check('AgentRunContext', context).length === 0 &&
        context['run_id'] !== '' &&
        !(isObject(context['runtime']) && typeof context['runtime']['deadline_at'] === 'number') &&
        (after === undefined || after < i) &&
        (deadline !== undefined || answers === undefined || !answers.some(({ answer }) => neverComes(answer))),
    )
  );
}
