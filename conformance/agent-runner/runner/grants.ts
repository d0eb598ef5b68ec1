// What a context grants: the authorised resources and APIs of one run (§6, §8, §11), as the host would check them.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { type ApiAction, apiAction } from './api.ts';

/** Why a call is beyond what the context grants; undefined when it is granted. */
export interface Excess {
  readonly resource: string;
  readonly why: string;
  /** The resource is granted, and its entry lists other operations than this one. */
  readonly narrowed?: true;
}

/**
 * Judges a call by its context; with the runner's manifest at hand also by what an empty list of operations leaves open,
 * and by the storage areas that it asked for.
 */
export function excess(
  context: JsonObject,
  action: string,
  data: JsonObject,
  manifest?: JsonObject,
): Excess | undefined {
  const api = apiAction(action, data);
  if (api === undefined) return undefined;
  const resource = resourceOf(api, data);
  if (api.flag !== undefined && flags(context)[api.flag] !== true)
    return { resource, why: `context.available_apis.${api.flag} is not true` };
  const asked = manifest === undefined ? undefined : objectAt(manifest, 'permissions');
  switch (api.family) {
    case 'models':
      return listed(context, 'models', 'model_id', resource, api.operation, asked);
    case 'tools':
      return listed(context, 'tools', 'tool_name', resource, api.operation, asked);
    case 'knowledge':
      return listed(context, 'knowledge_bases', 'kb_id', resource, api.operation, asked);
    case 'storage':
      if (objectAt(resources(context), 'storage')[`${api.area}_storage`] !== true)
        return { resource, why: `resources.storage.${api.area}_storage is not true` };
      return asked === undefined || permits(asked, 'storage', String(api.area))
        ? undefined
        : { resource, why: `the manifest does not ask for storage: ${api.area}` };
    case 'platform': {
      const offered = objectAt(resources(context), 'platform_capabilities')[resource];
      return offered !== undefined && offered !== false
        ? undefined
        : { resource, why: `resources.platform_capabilities does not offer ${resource}` };
    }
    default:
      return undefined;
  }
}

/** The id of what a call is about, as the wire names it. */
export function resourceOf(api: ApiAction, data: JsonObject): string {
  const field = {
    models: api.operation === 'rerank' ? 'rerank_model_uuid' : 'llm_model_uuid',
    tools: 'tool_name',
    knowledge: 'kb_id',
    history: 'conversation_id',
    events: 'event_id',
    artifacts: 'artifact_id',
    state: 'scope',
    storage: 'key',
    platform: 'action',
  }[api.family];
  const value = data[field];
  return typeof value === 'string' ? value : '';
}

export const flags = (context: JsonObject): JsonObject => objectAt(objectAt(context, 'context'), 'available_apis');
export const resources = (context: JsonObject): JsonObject => objectAt(context, 'resources');

/** `context.conversation_id`, else `conversation.conversation_id`: the conversation that null stands for. */
export function currentConversation(context: JsonObject): string | undefined {
  const handle = objectAt(context, 'context')['conversation_id'];
  if (typeof handle === 'string') return handle;
  const own = objectAt(context, 'conversation')['conversation_id'];
  return typeof own === 'string' ? own : undefined;
}

export function objectAt(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  return isObject(member) ? member : {};
}

export function listAt(value: JsonObject, key: string): readonly JsonObject[] {
  const member = value[key];
  return Array.isArray(member) ? member.filter(isObject) : [];
}

function listed(
  context: JsonObject,
  kind: string,
  idField: string,
  id: string,
  operation: string,
  asked: JsonObject | undefined,
): Excess | undefined {
  const entries = listAt(resources(context), kind).filter((entry) => entry[idField] === id);
  if (entries.length === 0) return { resource: id, why: `resources.${kind} does not list ${id}` };
  const open = entries.some((entry) => operationsOf(entry) === undefined);
  if (open && (asked === undefined || permits(asked, kind, operation))) return undefined;
  if (entries.some((entry) => operationsOf(entry)?.includes(operation))) return undefined;
  const why = `resources.${kind} does not grant ${operation} on ${id}`;
  return open ? { resource: id, why } : { resource: id, why, narrowed: true };
}

/** The operations that the entry of a resource names; undefined where it leaves them to the manifest. */
export function operationsOf(entry: JsonObject): readonly unknown[] | undefined {
  const operations = entry['operations'];
  return Array.isArray(operations) && operations.length > 0 ? operations : undefined;
}

export function permits(permissions: JsonObject, kind: string, operation: string): boolean {
  const operations = permissions[kind];
  return Array.isArray(operations) && operations.includes(operation);
}
