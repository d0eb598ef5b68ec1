// The reference runtime in this process, on virtual time.
import { inProcessTarget } from '../../targets/in-process.ts';
import type { Target } from '../../targets/target.ts';
import { agentRuntimeSeat } from '../driven/seat.ts';
import { type ServeRuntimeOptions, serveRuntime } from './serve.ts';

export const referenceRuntimeTarget = (options: Partial<ServeRuntimeOptions> = {}): Target =>
  inProcessTarget(agentRuntimeSeat(), {
    kind: 'reference',
    serve: (link, { clock }) => {
      serveRuntime(link, { ...options, clock });
    },
  });
