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
  /** The answer is a stream of chunks. */
  readonly streams?: true;
  /** The flag of `context.available_apis` that grants it. */
  readonly flag?: string;
  readonly area?: 'plugin' | 'workspace' | 'binding';
}

const fixed: Readonly<Record<string, ApiAction>> = {
  invoke_llm: { api: 'models.invoke', family: 'models', operation: 'invoke' },
  invoke_llm_stream: { api: 'models.stream', family: 'models', operation: 'stream', streams: true },
  invoke_rerank: {
    api: 'models.rerank',
    family: 'models',
    operation: 'rerank',
  },
  get_tool_detail: { api: 'tools.get_detail', family: 'tools', operation: 'detail' },
  call_tool: {
    api: 'tools.call',
    family: 'tools',
    operation: 'call',
  },
  retrieve_knowledge_base: {
    api: 'knowledge.retrieve',
    family: 'knowledge',
    operation: 'retrieve',
  },
  history_page: { api: 'history.page', family: 'history', operation: 'page', flag: 'history_page' },
  history_search: {
    api: 'history.search',
    family: 'history',
    operation: 'search',
    flag: 'history_search',
  },
  event_get: {
    api: 'events.get',
    family: 'events',
    operation: 'get',
    flag: 'event_get',
  },
  event_page: { api: 'events.page', family: 'events', operation: 'page', flag: 'event_page' },
  artifact_metadata: {
    api: 'artifacts.metadata',
    family: 'artifacts',
    operation: 'metadata',
    flag: 'artifact_metadata',
  },
  artifact_read: {
    api: 'artifacts.read_range',
    family: 'artifacts',
    operation: 'read',
    flag: 'artifact_read',
  },
  artifact_open_stream: {
    api: 'artifacts.open_stream',
    family: 'artifacts',
    operation: 'read',
    flag: 'artifact_read',
    streams: true,
  },
  state_get: { api: 'state.get', family: 'state', operation: 'get', flag: 'state' },
  state_set: {
    api: 'state.set',
    family: 'state',
    operation: 'set',
    flag: 'state',
  },
  state_delete: { api: 'state.delete', family: 'state', operation: 'delete', flag: 'state' },
  platform_request_action: {
    api: 'platform.request_action',
    family: 'platform',
    operation: 'request_action',
  },
};

const storage = (['plugin', 'workspace', 'binding'] as const).flatMap((area): [string, ApiAction][] => {
  const of = (operation: string): ApiAction => ({
    api: `storage.${operation}`,
    family: 'storage',
    operation,
    flag: 'storage',
    area,
  });
  return [
    [`get_${area}_storage`, of('get')],
    [`set_${area}_storage`, of('set')],
    [`delete_${area}_storage`, of('delete')],
    [`get_${area}_storage_keys`, of('list')],
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
