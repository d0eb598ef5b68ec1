// The resource builder (HOST_SDK §4.5): what one run may use. Three layers cut it, and each can only take away:
// what the manifest asks for, what the binding's policy allows, and what there is in the scope of this event.
import type { JsonObject } from '../../../common/json.ts';
import type { Binding } from './binding.ts';
import type { Descriptor } from './discovery.ts';
import type { Inventory } from './inventory.ts';
import type { Scope, StateScope, StorageArea } from './shapes.ts';

/** Operations by the id of what they may be done to. */
export type Operations = ReadonlyMap<string, readonly string[]>;

export interface Grants {
  readonly models: Operations;
  readonly tools: Operations;
  readonly knowledge: Operations;
  readonly storage: readonly StorageArea[];
  readonly platform: readonly string[];
  readonly history: readonly string[];
  readonly events: readonly string[];
  readonly artifacts: readonly string[];
  readonly state: readonly StateScope[];
  /** Conversations beside the current one whose history may be read. */
  readonly conversations: readonly string[];
}

export interface Asked {
  readonly descriptor: Descriptor;
  readonly binding: Binding;
  readonly scope: Scope;
  readonly inventory: Inventory;
}

/** Each kind of grant by itself: the manifest's word, the policy's word, and what is there. */
export const grantRules = {
  models: ({ descriptor, binding, inventory }: Asked): Operations =>
    granted(
      inventory.models,
      ({ id }) => id,
      binding.models,
      ({ operations }) => operations.filter((operation) => descriptor.permissions.models.includes(operation)),
    ),
  tools: ({ descriptor, binding, inventory }: Asked): Operations =>
    granted(
      inventory.tools,
      ({ name }) => name,
      binding.tools,
      () => descriptor.permissions.tools,
    ),
  knowledge: ({ descriptor, binding, inventory }: Asked): Operations =>
    granted(
      inventory.knowledge,
      ({ id }) => id,
      binding.knowledge,
      () => descriptor.permissions.knowledge_bases,
    ),
  storage: ({ descriptor, binding }: Asked): readonly StorageArea[] =>
    descriptor.permissions.storage.filter((area) => binding.storage[area]),
  platform: ({ descriptor, binding, inventory }: Asked): readonly string[] =>
    descriptor.permissions.platform_api.filter(
      (action) =>
        binding.platform.allowed.includes(action) &&
        binding.platform.approved.includes(action) &&
        inventory.platform.includes(action),
    ),
  history: ({ descriptor }: Asked): readonly string[] => descriptor.permissions.history,
  events: ({ descriptor }: Asked): readonly string[] => descriptor.permissions.events,
  artifacts: ({ descriptor }: Asked): readonly string[] => descriptor.permissions.artifacts,
  state: ({ binding, scope }: Asked): readonly StateScope[] =>
    binding.state_scopes.filter((kind) => identityIn(scope, kind) !== null),
  conversations: ({ binding }: Asked): readonly string[] => binding.conversations,
};

export type GrantRules = typeof grantRules;

export const grantsOf = (rules: GrantRules, asked: Asked): Grants => ({
  models: rules.models(asked),
  tools: rules.tools(asked),
  knowledge: rules.knowledge(asked),
  storage: rules.storage(asked),
  platform: rules.platform(asked),
  history: rules.history(asked),
  events: rules.events(asked),
  artifacts: rules.artifacts(asked),
  state: rules.state(asked),
  conversations: rules.conversations(asked),
});

function granted<Thing>(
  things: readonly Thing[],
  idOf: (thing: Thing) => string,
  allowed: readonly string[] | null,
  operationsOf: (thing: Thing) => readonly string[],
): Operations {
  const found = new Map<string, readonly string[]>();
  for (const thing of things) {
    const operations = operationsOf(thing);
    // Listing a thing without operations would read as "all of them".
    if (operations.length > 0 && (allowed === null || allowed.includes(idOf(thing))))
      found.set(idOf(thing), operations);
  }
  return found;
}

/** What a scope of state belongs to in this event; null where the event has none. */
export const identityIn = ({ conversation_id, thread_id, actor, subject }: Scope, kind: StateScope): string | null =>
  ({
    conversation: conversation_id === null ? null : JSON.stringify([conversation_id, thread_id]),
    actor,
    subject,
    runner: '',
  })[kind];

/** Grants as a runner sees them: AgentResources (§6). History, events and artifacts are no lists in it. */
export const resourcesOf = (grants: Grants, inventory: Inventory): JsonObject => ({
  models: [...grants.models].map(([model_id, operations]) => ({ model_id, operations })),
  tools: inventory.tools
    .filter(({ name }) => grants.tools.has(name))
    .map(({ name, description, parameters }) => ({
      tool_name: name,
      description,
      operations: grants.tools.get(name),
      parameters,
    })),
  knowledge_bases: inventory.knowledge
    .filter(({ id }) => grants.knowledge.has(id))
    .map(({ id, name }) => ({ kb_id: id, kb_name: name, operations: grants.knowledge.get(id) })),
  files: [],
  storage: {
    plugin_storage: grants.storage.includes('plugin'),
    workspace_storage: grants.storage.includes('workspace'),
    binding_storage: grants.storage.includes('binding'),
  },
  platform_capabilities: Object.fromEntries(grants.platform.map((action) => [action, true])),
});

/** Grants as handles: which context APIs will answer (§5.8). */
export const availableApis = (grants: Grants): Readonly<Record<string, boolean>> => ({
  history_page: grants.history.includes('page'),
  history_search: grants.history.includes('search'),
  event_get: grants.events.includes('get'),
  event_page: grants.events.includes('page'),
  artifact_metadata: grants.artifacts.includes('metadata'),
  artifact_read: grants.artifacts.includes('read'),
  state: grants.state.length > 0,
  storage: grants.storage.length > 0,
});
