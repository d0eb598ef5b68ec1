// The suite for runners, with their SDK and their Plugin Runtime.
import { clauses } from '../../../schemas/agent-runner/2026-06-03/clauses.ts';
import type { Suite } from '../../driving/suite.ts';
import { referenceRunnerTarget } from '../reference-runner/target.ts';
import { authorization } from './areas/authorization.ts';
import { deadlineCancel } from './areas/deadline-cancel.ts';
import { discovery } from './areas/discovery.ts';
import { isolation } from './areas/isolation.ts';
import { readModel } from './areas/read-model.ts';
import { resultStream } from './areas/result-stream.ts';
import { stateLimits } from './areas/state-limits.ts';
import { tolerance } from './areas/tolerance.ts';
import { versionNegotiation } from './areas/version.ts';
import { runnerJudges } from './judges/index.ts';
import { runnerMutants } from './mutants.ts';
import { notesOn } from './notes.ts';
import { runnerVariants } from './variants.ts';
import { assemble, type RunnerCase } from './view.ts';

export const runnerSuite: Suite<RunnerCase> = {
  protocol: 'agent-runner',
  revision: '2026-06-03',
  party: 'runner',
  clauses: clauses.filter(({ party }) => party !== 'host'),
  areas: [
    discovery,
    versionNegotiation,
    tolerance,
    resultStream,
    stateLimits,
    authorization,
    deadlineCancel,
    isolation,
    readModel,
  ],
  judges: runnerJudges,
  assemble,
  reference: () => referenceRunnerTarget(),
  mutants: runnerMutants,
  variants: runnerVariants,
  notes: notesOn,
};
