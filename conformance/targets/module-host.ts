// A host in this process: it takes its end of a memory link and answers the driver contract there.
import type { HostDefinition } from './define.ts';
import { hostSeat } from './host.ts';
import { inProcessTarget } from './in-process.ts';
import type { Target } from './target.ts';

/** `known` keeps what was found out about a module for when it is loaded again. */
export const moduleHost = (
  definition: HostDefinition,
  kind = 'module',
  known: { apis?: readonly string[] } = {},
): Target =>
  inProcessTarget(hostSeat(known), {
    kind,
    foreign: kind === 'module',
    ...(definition.time === undefined ? {} : { time: definition.time }),
    play: (peer, world) => definition.connect(peer, world),
  });
