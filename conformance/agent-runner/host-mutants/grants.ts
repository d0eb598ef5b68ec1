// §4.4, §6: what a run is granted, layer by layer.
import { HOST_PARTS } from '../reference-host/parts.ts';
import { STATE_SCOPES, STORAGE_AREAS } from '../reference-host/shapes.ts';
import { actions, context, grants, inContext, mutant } from './mutant.ts';

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

export const grantMutants = [
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
