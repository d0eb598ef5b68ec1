// The reference runner in this process, on virtual time: a memory link, and behind it the plugin or a whole Plugin Runtime.
import { inProcessTarget } from '../../targets/in-process.ts';
import { pluginSeat } from '../../targets/plugin.ts';
import { runtimeSeat } from '../../targets/runtime.ts';
import type { Target } from '../../targets/target.ts';
import type { Peer } from '../../wire/peer.ts';
import type { RunnerParts } from './parts.ts';
import { type ServeOptions, servePlugin } from './plugin.ts';
import { referenceParts } from './reference.ts';
import { serveRuntime } from './runtime.ts';

export interface ReferenceRunnerOptions {
  /** As a plugin alone, or behind a Plugin Runtime (the default), which shows more. */
  readonly seat?: 'module' | 'runtime';
  /** Parts that are done otherwise; a function makes them anew for each connection, so that no case remembers another. */
  readonly parts?: Partial<RunnerParts> | (() => Partial<RunnerParts>);
}

/** Serves the reference runner on a link, from either seat. */
export function serveRunner(
  peer: Peer,
  {
    clock,
    parts = referenceParts,
    seat,
  }: Partial<ServeOptions> & { clock: ServeOptions['clock']; seat: 'plugin' | 'runtime' },
): void {
  if (seat === 'runtime') serveRuntime(peer, { clock, parts });
  else servePlugin(peer, { clock, parts });
}

export function referenceRunnerTarget({ seat = 'runtime', parts }: ReferenceRunnerOptions = {}): Target {
  return inProcessTarget(seat === 'runtime' ? runtimeSeat : pluginSeat('module'), {
    kind: 'reference',
    play: (peer, { clock }) =>
      serveRunner(peer, {
        clock,
        seat: seat === 'runtime' ? 'runtime' : 'plugin',
        parts: { ...referenceParts, ...(typeof parts === 'function' ? parts() : parts) },
      }),
  });
}
