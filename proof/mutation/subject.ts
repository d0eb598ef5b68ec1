// What is bundled, instrumented, and loaded anew for mutants that act while modules load.
import { hostSuite } from '../../conformance/agent-runner/host/suite.ts';
import { referenceHostTarget } from '../../conformance/agent-runner/reference-host/target.ts';
import { referenceRunnerTarget } from '../../conformance/agent-runner/reference-runner/target.ts';
import { runnerSuite } from '../../conformance/agent-runner/runner/suite.ts';
import type { Suite } from '../../conformance/driving/suite.ts';
import { areaTrials, type Trial } from './trial.ts';

const DEAREST = 'runtime/tolerance';

const trialsOf: Readonly<Record<string, () => readonly Trial[]>> = {
  host: () => areaTrials(hostSuite as Suite, () => referenceHostTarget(), 'host'),
  // Behind a Runtime runs the same plugin; alone it shows more in these areas only. The dearest area comes last.
  runner: () => [
    ...areaTrials(runnerSuite as Suite, () => referenceRunnerTarget({ seat: 'module' }), 'plugin').filter(({ id }) =>
      ['plugin/discovery', 'plugin/result-stream', 'plugin/deadline-cancel'].includes(id),
    ),
    ...areaTrials(runnerSuite as Suite, () => referenceRunnerTarget(), 'runtime').sort(
      (a, b) => Number(a.id === DEAREST) - Number(b.id === DEAREST),
    ),
  ],
};

export const trials = (part: string): readonly Trial[] => trialsOf[part]?.() ?? [];
