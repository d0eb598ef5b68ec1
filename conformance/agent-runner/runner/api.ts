// The Host APIs of §8 as they stand on the wire: what each action is called, which field names its resource,
// and which operation a grant must hold for it.

export type Family =
  | 'models'
  | 'tools'
  | 'knowledge'
  | 'history'
  | 'events'
  | 'artifacts'
  | 'state'
  | 'storage'
  | 'platform';

export interface ApiAction {
  /** The method of AgentRunAPIProxy, e.g. `models.invoke`. */
  readonly api: string;
  readonly family: Family;
  /** The word that stands for it in permissions and operations. */
  readonly operation: string;
  /** Fields that a call must carry beside `run_id`, with their JSON type. */
  readonly fields: Readonly<Record<string, FieldType>>;
  /** The answer is a stream of chunks. */
  readonly streams?: true;
  /** The flag of `context.available_apis` that grants it. */
  readonly flag?: string;
  readonly area?: 'plugin' | 'workspace' | 'binding';
}

export type FieldType = 'string' | 'array' | 'object' | 'any';

const model = { llm_model_uuid: 'string', messages: 'array' } as const;
const scoped = { scope: 'string', key: 'string' } as const;

const fixed: Readonly<Record<string, ApiAction>> = {
  invoke_llm: { api: 'models.invoke', family: 'models', operation: 'invoke', fields: model },
  invoke_llm_stream: { api: 'models.stream', family: 'models', operation: 'stream', fields: model, streams: true },
  invoke_rerank: {
    api: 'models.rerank',
    family: 'models',
    operation: 'rerank',
    fields: { rerank_model_uuid: 'string', query: 'string', documents: 'array' },
  },
  get_tool_detail: { api: 'tools.get_detail', family: 'tools', operation: 'detail', fields: { tool_name: 'string' } },
  call_tool: {
    api: 'tools.call',
    family: 'tools',
    operation: 'call',
    fields: { tool_name: 'string', parameters: 'object' },
  },
  retrieve_knowledge_base: {
    api: 'knowledge.retrieve',
    family: 'knowledge',
    operation: 'retrieve',
    fields: { kb_id: 'string', query_text: 'string' },
  },
  history_page: { api: 'history.page', family: 'history', operation: 'page', fields: {}, flag: 'history_page' },
  history_search: {
    api: 'history.search',
    family: 'history',
    operation: 'search',
    fields: { query: 'string' },
    flag: 'history_search',
  },
  event_get: {
    api: 'events.get',
    family: 'events',
    operation: 'get',
    fields: { event_id: 'string' },
    flag: 'event_get',
  },
  event_page: { api: 'events.page', family: 'events', operation: 'page', fields: {}, flag: 'event_page' },
  artifact_metadata: {
    api: 'artifacts.metadata',
    family: 'artifacts',
    operation: 'metadata',
    fields: { artifact_id: 'string' },
    flag: 'artifact_metadata',
  },
  artifact_read: {
    api: 'artifacts.read_range',
    family: 'artifacts',
    operation: 'read',
    fields: { artifact_id: 'string' },
    flag: 'artifact_read',
  },
  artifact_open_stream: {
    api: 'artifacts.open_stream',
    family: 'artifacts',
    operation: 'read',
    fields: { artifact_id: 'string' },
    flag: 'artifact_read',
    streams: true,
  },
  state_get: { api: 'state.get', family: 'state', operation: 'get', fields: scoped, flag: 'state' },
  state_set: {
    api: 'state.set',
    family: 'state',
    operation: 'set',
    fields: { ...scoped, value: 'any' },
    flag: 'state',
  },
  state_delete: { api: 'state.delete', family: 'state', operation: 'delete', fields: scoped, flag: 'state' },
  platform_request_action: {
    api: 'platform.request_action',
    family: 'platform',
    operation: 'request_action',
    fields: { action: 'string' },
  },
};

const storage = (['plugin', 'workspace', 'binding'] as const).flatMap((area): [string, ApiAction][] => {
  const of = (operation: string, fields: ApiAction['fields']): ApiAction => ({
    api: `storage.${operation}`,
    family: 'storage',
    operation,
    fields,
    flag: 'storage',
    area,
  });
  return [
    [`get_${area}_storage`, of('get', { key: 'string' })],
    [`set_${area}_storage`, of('set', { key: 'string', value_base64: 'string' })],
    [`delete_${area}_storage`, of('delete', { key: 'string' })],
    [`get_${area}_storage_keys`, of('list', {})],
  ];
});

/** Every Host API action by the name it has on the plugin hop. */
export const API: Readonly<Record<string, ApiAction>> = { ...fixed, ...Object.fromEntries(storage) };

/** The names under which a real Runtime forwards storage calls on the control hop. */
const forwarded = /^(get|set|delete)_binary_storage(_keys)?$/;

/** An action under either of its names; the area of a forwarded storage call is its `owner_type`. */
export function apiAction(action: string, data: Readonly<Record<string, unknown>>): ApiAction | undefined {
  const known = Object.hasOwn(API, action) ? API[action] : undefined;
  if (known !== undefined) return known;
  const match = forwarded.exec(action);
  return match === null ? undefined : API[`${match[1]}_${String(data['owner_type'])}_storage${match[2] ?? ''}`];
}

/** The name on the plugin hop, whichever name came. */
export function plainName(action: string, data: Readonly<Record<string, unknown>>): string {
  const match = forwarded.exec(action);
  return match === null ? action : `${match[1]}_${String(data['owner_type'])}_storage${match[2] ?? ''}`;
}
