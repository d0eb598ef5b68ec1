// Every hand-made mutant of the reference host: for each judged clause of a host at least one that breaks just that.
import type { Mutant } from '../driving/suite.ts';
import { artifactMutants } from './host-mutants/answers-artifacts.ts';
import { modelAnswerMutants } from './host-mutants/answers-models.ts';
import { pageMutants } from './host-mutants/answers-pages.ts';
import { recordMutants } from './host-mutants/answers-records.ts';
import { storeMutants } from './host-mutants/answers-store.ts';
import { bindingMutants } from './host-mutants/bindings.ts';
import { callMutants } from './host-mutants/calls.ts';
import { contextMutants } from './host-mutants/context.ts';
import { discoveryMutants } from './host-mutants/discovery.ts';
import { errorMutants } from './host-mutants/errors.ts';
import { eventShapeMutants } from './host-mutants/event-shapes.ts';
import { grantMutants } from './host-mutants/grants.ts';
import { lifecycleMutants } from './host-mutants/lifecycle.ts';
import { looseMutants } from './host-mutants/loose.ts';
import { resultMutants } from './host-mutants/results.ts';
import { stateMutants } from './host-mutants/state.ts';
import { strictnessMutants } from './host-mutants/strictness.ts';
import { untrueMutants } from './host-mutants/untrue.ts';

export const hostMutants: readonly Mutant[] = [
  ...discoveryMutants,
  ...strictnessMutants,
  ...bindingMutants,
  ...contextMutants,
  ...eventShapeMutants,
  ...grantMutants,
  ...resultMutants,
  ...stateMutants,
  ...callMutants,
  ...looseMutants,
  ...modelAnswerMutants,
  ...pageMutants,
  ...recordMutants,
  ...artifactMutants,
  ...storeMutants,
  ...untrueMutants,
  ...errorMutants,
  ...lifecycleMutants,
];
