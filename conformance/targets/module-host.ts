// A host in this process: it takes its end of a memory link and answers the driver contract there.
import type { HostDefinition } from './define.ts';
import { hostSeat } from './host.ts';
import { inProcessTarget } from './in-process.ts';
import type { Target } from './target.ts';

export const moduleHost = (definition: HostDefinition, kind = 'module'): Target =>
  inProcessTarget(hostSeat(), {
    kind,
    foreign: kind === 'module',
    ...(definition.time === undefined ? {} : { time: definition.time }),
    play: (peer, world) => definition.connect(peer, world),
  });
