// What is bundled, instrumented, and loaded anew for mutants that act while modules load.
import { hostSuite } from '../../conformance/agent-runner/host/suite.ts';
import { referenceHostTarget } from '../../conformance/agent-runner/reference-host/target.ts';
import { referenceRunnerTarget } from '../../conformance/agent-runner/reference-runner/target.ts';
import { runnerSuite } from '../../conformance/agent-runner/runner/suite.ts';
import { referenceRuntimeTarget } from '../../conformance/agent-runtime/reference/target.ts';
import { runtimeSuite } from '../../conformance/agent-runtime/suite.ts';
import type { Suite } from '../../conformance/driving/suite.ts';
import type { Target } from '../../conformance/targets/target.ts';
import { oracleTrials } from './oracle.ts';
import { areaTrials, type Trial } from './trial.ts';
import { wireTrials } from './wire.ts';

/** The same module, bundled from code that no mutant is in. */
export interface Original {
  runtimeTrials(target: () => Target): readonly Trial[];
}

export const runtimeTrials: Original['runtimeTrials'] = (target) =>
  areaTrials(runtimeSuite as Suite, target, 'runtime');

const trialsOf: Readonly<Record<string, (original: Original) => readonly Trial[]>> = {
  host: () => areaTrials(hostSuite as Suite, () => referenceHostTarget(), 'host'),
  runner: () => [
    ...areaTrials(runnerSuite as Suite, () => referenceRunnerTarget(), 'runtime'),
    ...areaTrials(runnerSuite as Suite, () => referenceRunnerTarget({ seat: 'module' }), 'plugin'),
  ],
  oracle: () => oracleTrials(hostSuite as Suite),
  // The suite folds too, to know what a runtime should show: it must do so without the mutant.
  folds: (original) => original.runtimeTrials(() => referenceRuntimeTarget()),
  wire: wireTrials,
};

export const trials = (part: string, original: Original): readonly Trial[] => trialsOf[part]?.(original) ?? [];
