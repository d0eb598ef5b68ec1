// §3: hosts of this major version, of none that they name, and of another.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { objectAt } from '../grants.ts';
import { anyContext, plainContext } from '../stimuli/context.ts';
import { anyGrants, everything } from '../stimuli/grants.ts';
import { planFor, runnerArea } from './area.ts';

const VERSIONS = ['1', '2', '3', '10', '99'] as const;

const speaking = (context: JsonObject, version: string | undefined): JsonObject => {
  const { protocol_version: _old, ...runtime } = objectAt(context, 'runtime');
  return { ...context, runtime: { ...runtime, ...(version === undefined ? {} : { protocol_version: version }) } };
};

export const versionNegotiation = runnerArea({
  id: 'version-negotiation',
  runs: 80,
  stimulus: (chosen) =>
    fc
      .tuple(anyContext('run-0', anyGrants(chosen.runner)), fc.constantFrom(undefined, ...VERSIONS))
      .map(([context, version]) => ({ discover: 1, runs: [planFor(chosen, { context: speaking(context, version) })] })),
  corners: (chosen) =>
    [undefined, ...VERSIONS].map((version) => ({
      discover: 1,
      runs: [planFor(chosen, { context: speaking(plainContext('run-0', everything(chosen.runner)), version) })],
    })),
});
