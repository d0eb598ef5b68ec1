// What is bundled, instrumented, and loaded anew for mutants that act while modules load.
import { hostSuite } from '../../conformance/agent-runner/host/suite.ts';
import { referenceHostTarget } from '../../conformance/agent-runner/reference-host/target.ts';
import { referenceRunnerTarget } from '../../conformance/agent-runner/reference-runner/target.ts';
import { runnerSuite } from '../../conformance/agent-runner/runner/suite.ts';
import type { Suite } from '../../conformance/driving/suite.ts';
import { oracleTrials } from './oracle.ts';
import { areaTrials, type Trial } from './trial.ts';
import { wireTrials } from './wire.ts';

const trialsOf: Readonly<Record<string, () => readonly Trial[]>> = {
  host: () => areaTrials(hostSuite as Suite, () => referenceHostTarget(), 'host'),
  runner: () => [
    ...areaTrials(runnerSuite as Suite, () => referenceRunnerTarget(), 'runtime'),
    ...areaTrials(runnerSuite as Suite, () => referenceRunnerTarget({ seat: 'module' }), 'plugin'),
  ],
  oracle: () => oracleTrials(hostSuite as Suite),
  wire: wireTrials,
};

export const trials = (part: string): readonly Trial[] => trialsOf[part]?.() ?? [];
