// §4.4, §6: what a run is granted, layer by layer.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Binding } from '../reference-host/binding.ts';
import type { Descriptor } from '../reference-host/discovery.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { STATE_SCOPES, STORAGE_AREAS } from '../reference-host/shapes.ts';
import { actions, type Change, context, grants, inContext, memberOf, mutant } from './mutant.ts';

const { grants: rules } = HOST_PARTS;
/** The manifest asks for everything there is. */
const ALL = {
  models: ['invoke', 'stream', 'rerank'],
  tools: ['detail', 'call'],
  knowledge_bases: ['list', 'retrieve'],
  history: ['page', 'search'],
  events: ['get', 'page'],
  artifacts: ['metadata', 'read'],
  storage: STORAGE_AREAS,
  files: ['config', 'knowledge'],
};
type Rule = keyof typeof rules;
type Asked = Parameters<typeof rules.models>[0];
const asking = (asked: Asked): Asked => {
  const permissions = { ...ALL, platform_api: asked.inventory.platform };
  return { ...asked, descriptor: { ...asked.descriptor, permissions } };
};
const allowing = (asked: Asked): Asked => ({
  ...asked,
  binding: {
    ...asked.binding,
    models: null,
    tools: null,
    knowledge: null,
    storage: { plugin: true, workspace: true, binding: true },
    platform: { ...asked.binding.platform, allowed: asked.inventory.platform },
    state_scopes: STATE_SCOPES,
  },
});

const beyondManifest = (family: string, rule: Rule) =>
  mutant(
    `beyond-manifest-${family}`,
    `Grants ${family} whatever the manifest asks for.`,
    `4.4/within-manifest-${family}`,
    grants({ [rule]: (asked: Asked) => rules[rule](asking(asked)) }),
  );
const beyondPolicy = (family: string, rule: Rule) =>
  mutant(
    `beyond-policy-${family}`,
    `Grants ${family} whatever the binding’s policy says.`,
    `6/within-policy-${family}`,
    grants({ [rule]: (asked: Asked) => rules[rule](allowing(asked)) }),
  );
const refused = (family: string, names: readonly string[]) =>
  mutant(
    `granted-${family}-refused`,
    `Refuses ${names.join(', ')} although it was granted.`,
    `6/granted-${family}-works`,
    actions(names, () => ({ checkGrant: () => ({ code: 'unauthorized' }) })),
  );

/** Reads bindings and changes its mind about what they do not say. */
const readingSilence = (policy: string, change: (read: Binding, said: JsonObject) => Partial<Binding>): Change => ({
  readBinding: (value) => {
    const read = HOST_PARTS.readBinding(value);
    return 'problem' in read ? read : { ...read, ...change(read, memberOf(isObject(value) ? value : {}, policy)) };
  },
});

export const grantMutants = [
  mutant(
    'wrapped-ask-for-all',
    'Grants runners that are listed in the SDK’s form whatever there is.',
    ['4.4/within-manifest-models', '4.4/within-manifest-tools', '4.4/within-manifest-history'],
    {
      readEntry: (entry) => {
        const read = HOST_PARTS.readEntry(entry);
        const wrapped = isObject(entry) && 'plugin_author' in entry && !('problem' in read);
        return wrapped ? { ...read, permissions: { ...read.permissions, ...ALL } } : read;
      },
    },
  ),
  mutant(
    'first-manifest-stays',
    'Goes by the first manifest that it saw of a runner, whatever is listed later.',
    ['4.4/within-manifest-models', '4.4/within-manifest-tools', '4.4/within-manifest-history'],
    () => {
      const first = new Map<string, Descriptor>();
      return {
        settleListing: ({ runners, leftOut }) => {
          for (const [id, runner] of runners) if (!first.has(id)) first.set(id, runner);
          return { runners: new Map([...runners.keys()].map((id) => [id, first.get(id)!])), leftOut };
        },
      };
    },
  ),
  mutant(
    'silent-policy-opens-storage',
    'Opens storage of which a policy says nothing.',
    '6/within-policy-storage',
    readingSilence('resource_policy', (_read, said) => ({
      storage: {
        plugin: said['allow_plugin_storage'] !== false,
        workspace: said['allow_workspace_storage'] !== false,
        binding: said['allow_binding_storage'] !== false,
      },
    })),
  ),
  mutant(
    'silent-policy-opens-scopes',
    'Opens every scope of state where a policy names none.',
    '6/within-policy-state',
    readingSilence('state_policy', (read, said) => ({
      state_scopes: 'state_scopes' in said || said['enable_state'] === false ? read.state_scopes : STATE_SCOPES,
    })),
  ),
  mutant(
    'snapshot-of-every-scope',
    'Sends a snapshot of every scope where the policy opens one.',
    '6/within-policy-state',
    {
      snapshotOf: (run, granted, memory) =>
        HOST_PARTS.snapshotOf(run, granted.state.length === 0 ? granted : { ...granted, state: STATE_SCOPES }, memory),
    },
  ),
  beyondManifest('models', 'models'),
  beyondManifest('tools', 'tools'),
  beyondManifest('knowledge', 'knowledge'),
  beyondManifest('history', 'history'),
  beyondManifest('events', 'events'),
  beyondManifest('artifacts', 'artifacts'),
  beyondManifest('storage', 'storage'),
  beyondManifest('platform', 'platform'),
  mutant(
    'beyond-manifest-files',
    'Grants a file whatever the manifest asks for.',
    '4.4/within-manifest-files',
    inContext('resources', () => ({ files: [{ file_id: 'settings.json' }] })),
  ),
  beyondPolicy('models', 'models'),
  beyondPolicy('tools', 'tools'),
  beyondPolicy('knowledge', 'knowledge'),
  beyondPolicy('storage', 'storage'),
  beyondPolicy('state', 'state'),
  beyondPolicy('platform', 'platform'),
  mutant(
    'state-shown-unasked',
    'Sends a snapshot of state that the policy does not open.',
    '6/within-policy-state',
    context((whole, { binding }) =>
      binding.state_scopes.length === 0
        ? { ...whole, state: { conversation: { k: 1 }, actor: {}, subject: {}, runner: {} } }
        : whole,
    ),
  ),
  refused('model', ['invoke_rerank']),
  refused('tool', ['get_tool_detail']),
  refused('knowledge', ['retrieve_knowledge_base']),
  refused('storage', ['set_binding_storage']),
  mutant(
    'search-flag-empty',
    'Offers history_search and then refuses it.',
    '5.8/api-flag-true-works',
    actions(['history_search'], () => ({ checkGrant: () => ({ code: 'unauthorized' }) })),
  ),
  mutant(
    'state-below-zero-refused',
    'Takes a number below zero in state for a wrong argument.',
    '5.8/api-flag-true-works',
    actions(['state_set'], ({ checkArguments }) => ({
      checkArguments: (data) => (Number(data['value']) < 0 ? { code: 'invalid_argument' } : checkArguments(data)),
    })),
  ),
  mutant(
    'storage-key-number-refused',
    'Takes a key of storage that reads as a number below zero for a wrong argument.',
    ['5.8/api-flag-true-works', '6/granted-storage-works'],
    actions(['set_plugin_storage'], ({ checkArguments }) => ({
      checkArguments: (data) => (Number(data['key']) < 0 ? { code: 'invalid_argument' } : checkArguments(data)),
    })),
  ),
  mutant(
    'event-get-open',
    'Answers event_get to runs that it did not offer it to.',
    '8/grant-checked-events',
    actions(['event_get'], () => ({ checkGrant: () => undefined })),
  ),
];
