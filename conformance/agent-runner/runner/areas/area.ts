// What the areas of a runner share: who plays, how long, and which runner of the target is asked.
import fc from 'fast-check';
import type { Area } from '../../../driving/suite.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { declaredRunners, type RunnerEntry } from '../manifests.ts';
import { NOBODY, playRunner } from '../play.ts';
import { neverComes } from '../stimuli/answers.ts';
import { isRunnerStimulus } from '../stimuli/valid.ts';
import type { RunnerStimulus, RunPlan } from '../stimulus.ts';

/** One of the target's runners, and its place among them. */
export interface Chosen {
  readonly runner: RunnerEntry;
  readonly index: number;
}

export interface AreaParts {
  readonly id: string;
  readonly runs: number;
  readonly stimulus: (chosen: Chosen, info: TargetInfo) => fc.Arbitrary<RunnerStimulus>;
  readonly corners: (chosen: Chosen, info: TargetInfo) => readonly RunnerStimulus[];
}

/** An area whose stimuli go to any of the target's runners; the corners go to the first. */
export function runnerArea({ id, runs, stimulus, corners }: AreaParts): Area {
  const area: Area<RunnerStimulus> = {
    id,
    runs,
    stimulus: (info) => {
      const all = choices(info);
      return all.length === 1 ? stimulus(all[0]!, info) : fc.oneof(...all.map((chosen) => stimulus(chosen, info)));
    },
    corners: (info) => corners(choices(info)[0]!, info),
    play: playRunner,
    timeOf,
    valid: isRunnerStimulus,
  };
  return area as Area;
}

export function choices(info: TargetInfo): Chosen[] {
  const runners = declaredRunners(info.declared);
  return runners.length === 0 ? [{ runner: NOBODY, index: 0 }] : runners.map((runner, index) => ({ runner, index }));
}

/** Milliseconds for a run without a deadline, and beyond a deadline. */
const RUN_TIME = 20_000;

const timeOf = ({ runs }: RunnerStimulus): number =>
  runs.reduce((sum, { at, deadline }) => sum + (at ?? 0) + Math.max(0, deadline ?? 0) + RUN_TIME, RUN_TIME);

/** A plan for the chosen runner. Where an answer never comes there is a deadline, or the case would prove nothing. */
export function planFor({ index }: Chosen, plan: Omit<RunPlan, 'runner'>): RunPlan {
  const stuck = plan.deadline === undefined && (plan.answers ?? []).some(({ answer }) => neverComes(answer));
  return { ...(index === 0 ? {} : { runner: index }), ...plan, ...(stuck ? { deadline: 400 } : {}) };
}
