// The suite for runtimes: clauses, stimuli by area, judges, the reference runtime, its mutants and its honest variants.
import { clauses } from '../../schemas/agent-runtime/0.3.9/clauses.ts';
import type { Suite } from '../driving/suite.ts';
import { PROTOCOL, REVISION } from './catalogue.ts';
import { areas } from './driven/areas.ts';
import { commandJudges } from './driven/judges-commands.ts';
import { logJudges } from './driven/judges-log.ts';
import { modelJudges } from './driven/judges-models.ts';
import { assembleRuntime, type RuntimeCase } from './driven/view.ts';
import { mutants } from './mutants/all.ts';
import { variants } from './mutants/variants.ts';
import { referenceRuntimeTarget } from './reference/target.ts';

export const runtimeSuite: Suite<RuntimeCase> = {
  protocol: PROTOCOL,
  revision: REVISION,
  party: 'runtime',
  clauses,
  areas: areas as Suite['areas'],
  judges: [...logJudges, ...commandJudges, ...modelJudges],
  assemble: assembleRuntime,
  reference: () => referenceRuntimeTarget(),
  mutants,
  variants,
};
