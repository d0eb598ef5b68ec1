// What a run may do (HOST_SDK §4.5, §6, §8, §11): manifest permissions ∩ binding policy ∩ scope of the event, and what the
// context told the runner of it. Which answer each call must get follows from that.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { APIS, conversationOf, type Family } from './calls.ts';
import { type Offered, permitted } from './manifest.ts';
import { openScopes, SCOPES, type StateScope } from './state.ts';

/** All that a run's rights hang on. */
export interface Standing {
  /** The manifest of the runner; undefined where the recording does not show it. */
  readonly manifest: Pick<Offered, 'permissions'> | undefined;
  readonly binding: JsonObject;
  readonly event: JsonObject;
  /** The context as the host gave it. */
  readonly context: JsonObject;
  /** Does the host heed `allowed_conversation_ids`? */
  readonly crossConversation: boolean;
}

/** In which way a call asks for more than it has: a resource, an operation on it, a scope, another conversation. */
export type Denial = 'resource' | 'operation' | 'scope' | 'unknown-scope' | 'conversation';
export type Grant = 'granted' | 'unsure' | Denial;

const PERMISSION: Readonly<Partial<Record<Family, string>>> = {
  models: 'models',
  tools: 'tools',
  knowledge: 'knowledge_bases',
  history: 'history',
  events: 'events',
  artifacts: 'artifacts',
  storage: 'storage',
};

/** First layer: does the manifest ask for this? State needs no permission; a platform action is asked for by its name. */
export function manifestAllows(action: string, data: JsonObject, manifest: Pick<Offered, 'permissions'>): boolean {
  const { family, operation } = APIS[action]!;
  if (family === 'platform') return permitted(manifest, 'platform_api').includes(String(data['action']));
  const permission = PERMISSION[family];
  return permission === undefined || permitted(manifest, permission).includes(operation);
}

/** Second and third layer: does the binding's policy allow it, for this event? */
export function policyAllows(
  action: string,
  data: JsonObject,
  { binding, event, crossConversation }: Standing,
): boolean {
  const policy = member(binding, 'resource_policy');
  const { family, operation, names } = APIS[action]!;
  const named = names === undefined ? undefined : data[names];
  const within = (list: string): boolean => {
    const allowed = policy[list];
    return !Array.isArray(allowed) || allowed.includes(named as JsonValue);
  };
  const holds = (list: string): boolean => Array.isArray(policy[list]) && policy[list].includes(named as JsonValue);
  switch (family) {
    case 'models':
      return within('allowed_model_uuids');
    case 'tools':
      return within('allowed_tool_names');
    case 'knowledge':
      return within('allowed_kb_uuids');
    case 'storage':
      return (policy[`allow_${operation}_storage`] ?? operation === 'plugin') === true;
    case 'platform':
      return holds('allowed_platform_actions') && holds('approved_platform_actions');
    case 'state':
      return openScopes(binding, event).has(data['scope'] as StateScope);
    case 'history':
    case 'events': {
      const asked = conversationOf(action, data);
      if (asked === undefined || asked === event['conversation_id']) return true;
      const more = policy['allowed_conversation_ids'];
      return family === 'history' && crossConversation && Array.isArray(more) && more.includes(asked);
    }
    case 'artifacts':
      return true;
  }
}

/** Effective authorization by the three layers alone; undefined where the manifest is not known. */
export const effective = (action: string, data: JsonObject, standing: Standing): boolean | undefined =>
  standing.manifest && manifestAllows(action, data, standing.manifest) && policyAllows(action, data, standing);

/**
 * What a well-formed call may: `granted` where the context offers it and the three layers agree; a denial where the context does
 * not offer it, or the manifest did not ask, or a scope is out of bounds. Where context and layers differ otherwise it is `unsure`
 * (that the context tells the truth is another clause).
 */
export function grantOf(action: string, data: JsonObject, standing: Standing): Grant {
  const { family } = APIS[action]!;
  const scope = data['scope'] as StateScope;
  // Nothing can grant a scope that there is not: whoever looks at it first has its own reason to refuse, granted or not.
  if (family === 'state' && !SCOPES.includes(scope)) return 'unknown-scope';
  const offered = offeredBy(action, data, standing);
  if (offered !== 'granted') return offered;
  if (family === 'state') {
    const policy = member(standing.binding, 'state_policy');
    const named = Array.isArray(policy['state_scopes']) ? policy['state_scopes'] : ['conversation', 'actor'];
    if (policy['enable_state'] === false || !named.includes(scope)) return 'scope';
  }
  if (family === 'history' || family === 'events') {
    const asked = conversationOf(action, data);
    const current = currentConversation(standing.context) ?? standing.event['conversation_id'];
    if (asked !== undefined && typeof current !== 'string') return 'unsure';
    if (asked !== undefined && asked !== current && !policyAllows(action, data, standing))
      // A host that does not say whether it heeds the policy may do either.
      return family === 'history' && policyAllows(action, data, { ...standing, crossConversation: true })
        ? 'unsure'
        : 'conversation';
  }
  return effective(action, data, standing) === true || standing.manifest === undefined ? 'granted' : 'unsure';
}

/**
 * Of a call with wrong arguments: was it granted as far as it can be read? Whoever looks at rights first has a reason of its own
 * to refuse it otherwise. Where nothing readable is named, it counts whether anything is granted that could have been.
 */
export function grantedButForArguments(action: string, data: JsonObject, standing: Standing): boolean {
  const { family, names } = APIS[action]!;
  const readable = (key: string): boolean => typeof data[key] === 'string' && data[key] !== '';
  if (family === 'state' ? readable('scope') : names === undefined || readable(names)) {
    const grant = grantOf(action, data, standing);
    return grant === 'granted' || grant === 'unsure';
  }
  const resources = member(standing.context, 'resources');
  const open = (more: JsonObject): boolean => offeredBy(action, { ...data, ...more }, standing) === 'granted';
  if (names === undefined) return open({});
  if (family === 'platform')
    return Object.keys(member(resources, 'platform_capabilities')).some((id) => open({ [names]: id }));
  if (family !== 'models' && family !== 'tools' && family !== 'knowledge') return open({});
  const [list, id] = LISTED[family];
  const entries = Array.isArray(resources[list]) ? resources[list].filter(isObject) : [];
  return entries.some((entry) => open({ [names]: entry[id] ?? null }));
}

const FLAGS: Readonly<Partial<Record<Family, Readonly<Record<string, string>>>>> = {
  history: { page: 'history_page', search: 'history_search' },
  events: { get: 'event_get', page: 'event_page' },
  artifacts: { metadata: 'artifact_metadata', read: 'artifact_read' },
};

/** What the context offers of it (§5.8, §6), and the manifest with it. */
function offeredBy(
  action: string,
  data: JsonObject,
  { context, manifest }: Standing,
): 'granted' | 'resource' | 'operation' | 'unsure' {
  const { family, operation, names } = APIS[action]!;
  const resources = member(context, 'resources');
  const apis = member(member(context, 'context'), 'available_apis');
  const asked = manifest === undefined || manifestAllows(action, data, manifest);
  const named = names === undefined ? undefined : data[names];
  switch (family) {
    case 'models':
    case 'tools':
    case 'knowledge': {
      const [list, id] = LISTED[family];
      const entries = Array.isArray(resources[list]) ? resources[list].filter(isObject) : [];
      const entry = entries.find((one) => one[id] === named);
      if (entry === undefined) return 'resource';
      const operations = Array.isArray(entry['operations']) ? entry['operations'] : [];
      if (operations.length > 0 ? !operations.includes(operation) : !asked) return 'operation';
      return asked ? (operations.length > 0 || manifest ? 'granted' : 'unsure') : 'operation';
    }
    case 'history':
    case 'events':
    case 'artifacts': {
      const flags = FLAGS[family]!;
      if (apis[flags[operation]!] === true && asked) return 'granted';
      return Object.values(flags).some((flag) => flag !== flags[operation] && apis[flag] === true)
        ? 'operation'
        : 'resource';
    }
    case 'state':
      return apis['state'] === true ? 'granted' : 'resource';
    case 'storage':
      return apis['storage'] === true && member(resources, 'storage')[`${operation}_storage`] === true && asked
        ? 'granted'
        : 'resource';
    case 'platform': {
      const offer = member(resources, 'platform_capabilities')[String(named)];
      return offer !== undefined && offer !== false && asked ? 'granted' : 'resource';
    }
  }
}

const LISTED = {
  models: ['models', 'model_id'],
  tools: ['tools', 'tool_name'],
  knowledge: ['knowledge_bases', 'kb_id'],
} as const;

/** The conversation that a run is in: the context's, else its conversation's (settled reading). */
export function currentConversation(context: JsonObject): string | undefined {
  const [access, conversation] = [member(context, 'context'), member(context, 'conversation')];
  const id = access['conversation_id'] ?? conversation['conversation_id'];
  return typeof id === 'string' ? id : undefined;
}

/** Every way in which a call can be wrong, and the codes that may answer it (§9; not visible is not there, hence the pairs). */
export const CODES = {
  'run-missing': ['unauthorized', 'not_found', 'invalid_argument'],
  'run-unknown': ['unauthorized', 'not_found'],
  'run-ended': ['unauthorized', 'not_found'],
  'identity-other': ['unauthorized', 'not_found'],
  'identity-missing': ['unauthorized', 'not_found'],
  resource: ['unauthorized', 'not_found'],
  operation: ['unauthorized', 'not_found'],
  scope: ['unauthorized', 'not_found'],
  'unknown-scope': ['unauthorized', 'not_found', 'invalid_argument'],
  conversation: ['unauthorized', 'not_found'],
  absent: ['not_found', 'unauthorized'],
  expired: ['not_found', 'unauthorized'],
  argument: ['invalid_argument'],
  large: ['payload_too_large'],
  deadline: ['deadline_exceeded'],
  fails: ['runtime_error'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Wrong = keyof typeof CODES;

/** The codes that may answer a call that is wrong in just these ways. */
export const acceptable = (wrongs: readonly Wrong[]): ReadonlySet<string> =>
  new Set(wrongs.flatMap((wrong): readonly string[] => CODES[wrong]));

export const ERROR_CODES: ReadonlySet<unknown> = new Set([
  'unauthorized',
  'not_found',
  'deadline_exceeded',
  'payload_too_large',
  'rate_limited',
  'invalid_argument',
  'runtime_error',
]);

const member = (holder: JsonObject, name: string): JsonObject => {
  const value = holder[name];
  return isObject(value) ? value : {};
};
