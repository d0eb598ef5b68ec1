// §3, §4: wrong words about oneself.
import type { JsonObject } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import { Refusal } from '../../../wire/peer.ts';
import { referenceManifest } from '../../reference-runner/manifest.ts';
import { objectAt } from '../grants.ts';
import { capable, declaring, mutant } from './mutant.ts';

const permissions = objectAt(referenceManifest, 'permissions');

export const discoveryMutants: readonly Mutant[] = [
  mutant(
    'other-major',
    ['3/runner-declares-major'],
    'Declares protocol version 2.',
    declaring({ protocol_version: '2' }),
  ),
  mutant(
    'number-major',
    ['3/runner-declares-major'],
    'Declares its version as a number.',
    declaring({ protocol_version: 1 }),
  ),
  mutant('lists-a-text', ['4.1/runtime-lists-runners'], 'Lists a bare name beside the manifests.', {
    listing: (manifests) => ({ runners: [...manifests, 'default'] as unknown as JsonObject[] }),
  }),
  mutant(
    'lists-nothing-later',
    ['4.1/runtime-lists-runners', '4.2/id-stable'],
    'Forgets its runners after the first discovery.',
    {
      listing: (manifests, { times }) => (times === 1 ? { runners: manifests } : {}),
    },
  ),
  mutant(
    'wants-payload',
    ['4.1/runtime-needs-no-payload', '4.1/runtime-lists-runners'],
    'Refuses a second discovery that names no plugins.',
    {
      listing: (manifests, { data, times }) => {
        if (times > 1 && data['include_plugins'] === undefined) throw new Refusal("KeyError: 'include_plugins'");
        return { runners: manifests };
      },
    },
  ),
  mutant(
    'label-is-text',
    ['4.2/manifest-valid'],
    'Its label is a text, not one for each language.',
    declaring({ label: 'Reference' }),
  ),
  mutant(
    'id-with-space',
    ['4.2/id-format'],
    'Its id has a space in it.',
    declaring({ id: 'plugin:runcert/reference/default runner', name: 'default runner' }),
  ),
  mutant('id-changes', ['4.2/id-stable'], 'Its id changes from one discovery to the next.', {
    listing: (manifests, { times }) => ({
      runners:
        times === 1
          ? manifests
          : manifests.map((manifest) => ({
              ...manifest,
              id: `${String(manifest['id'])}-${times}`,
              name: `default-${times}`,
            })),
    }),
  }),
  mutant('listed-twice', ['4.2/id-unique'], 'Lists the same runner twice.', {
    listing: (manifests) => ({ runners: [...manifests, ...manifests] }),
  }),
  mutant('name-is-a-title', ['4.2/name-is-runner-segment'], 'Its name is a title, not the last part of its id.', {
    listing: (manifests) => ({ runners: manifests.map((manifest) => ({ ...manifest, name: 'The reference' })) }),
  }),
  mutant(
    'form-names-twice',
    ['4.2/config-schema-is-form'],
    'Two items of its form share a name.',
    declaring({
      config_schema: [
        { type: 'string', name: 'prompt' },
        { type: 'integer', name: 'prompt' },
      ],
    }),
  ),
  mutant(
    'form-item-unnamed',
    ['4.2/config-schema-is-form'],
    'An item of its form has an empty name.',
    declaring({ config_schema: [{ type: 'string', name: '' }] }),
  ),
  mutant(
    'capability-levels',
    ['4.3/capabilities-bool'],
    'Declares a capability with a word.',
    capable({ stateful_session: 'partial' }),
  ),
  mutant(
    'host-state',
    ['4.3/state-not-a-capability'],
    'Declares host_state as a capability.',
    capable({ host_state: true }),
  ),
  mutant(
    'unknown-permission',
    ['4.4/permissions-known'],
    'Asks to train models.',
    declaring({ permissions: { ...permissions, models: ['invoke', 'stream', 'rerank', 'train'] } }),
  ),
  mutant('lists-a-ghost', ['5.1/runtime-serves-each-runner'], 'Lists a runner that it cannot run.', {
    listing: (manifests) => ({
      runners: [...manifests, { ...referenceManifest, id: 'plugin:runcert/reference/ghost', name: 'ghost' }],
    }),
  }),
];
