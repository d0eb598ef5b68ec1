// The reference runner, broken in one small way at a time, and the clauses that must notice.
import type { Mutant } from '../../driving/suite.ts';
import { authorizationMutants } from './mutants/authorization.ts';
import { contextMutants } from './mutants/context.ts';
import { deadlineMutants } from './mutants/deadline-cancel.ts';
import { discoveryMutants } from './mutants/discovery.ts';
import { isolationMutants } from './mutants/isolation.ts';
import { streamMutants } from './mutants/stream.ts';

export const runnerMutants: readonly Mutant[] = [
  ...discoveryMutants,
  ...contextMutants,
  ...streamMutants,
  ...authorizationMutants,
  ...deadlineMutants,
  ...isolationMutants,
];
