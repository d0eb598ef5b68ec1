// The Host API (§8, MODELS §5) as a table: what each action needs, what it names, and which permission it stands on.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';

export const FAMILIES = [
  'models',
  'tools',
  'knowledge',
  'history',
  'events',
  'artifacts',
  'state',
  'storage',
  'platform',
] as const;
export type Family = (typeof FAMILIES)[number];

export type Kind = 'text' | 'object' | 'list' | 'number' | 'flag' | 'any';
type Fields = Readonly<Record<string, Kind>>;

export interface Api {
  /** As §8 calls it, e.g. `models.invoke`. */
  readonly name: string;
  readonly family: Family;
  /** The operation of §4.4 that it needs; storage needs its area. */
  readonly operation: string;
  readonly required: Fields;
  readonly optional: Fields;
  /** The field that names a resource. */
  readonly names?: string;
  /** Does it change something when it is answered? */
  readonly changes: boolean;
}

const api = (
  name: string,
  operation: string,
  required: Fields,
  optional: Fields = {},
  more: Partial<Pick<Api, 'names' | 'changes'>> = {},
): Api => ({
  name,
  family: name.slice(0, name.indexOf('.')) as Family,
  operation,
  required,
  optional,
  changes: false,
  ...more,
});

const llm = { llm_model_uuid: 'text', messages: 'list' } as const;
const llmMore = { funcs: 'list', extra_args: 'object', timeout: 'number', remove_think: 'flag' } as const;
const model = { names: 'llm_model_uuid' } as const;
const artifact = { artifact_id: 'text' } as const;
const state = { scope: 'text', key: 'text' } as const;

const storageOf = (area: string): Readonly<Record<string, Api>> => ({
  [`get_${area}_storage`]: api('storage.get', area, { key: 'text' }, {}, { names: 'key' }),
  [`set_${area}_storage`]: api(
    'storage.set',
    area,
    { key: 'text', value_base64: 'text' },
    {},
    { names: 'key', changes: true },
  ),
  [`delete_${area}_storage`]: api('storage.delete', area, { key: 'text' }, {}, { names: 'key', changes: true }),
  [`get_${area}_storage_keys`]: api('storage.list', area, {}, { prefix: 'text' }),
});

export const APIS: Readonly<Record<string, Api>> = {
  invoke_llm: api('models.invoke', 'invoke', llm, llmMore, model),
  invoke_llm_stream: api('models.stream', 'stream', llm, llmMore, model),
  invoke_rerank: api(
    'models.rerank',
    'rerank',
    { rerank_model_uuid: 'text', query: 'text', documents: 'list' },
    { top_k: 'number', extra_args: 'object' },
    { names: 'rerank_model_uuid' },
  ),
  get_tool_detail: api('tools.get_detail', 'detail', { tool_name: 'text' }, {}, { names: 'tool_name' }),
  call_tool: api(
    'tools.call',
    'call',
    { tool_name: 'text', parameters: 'object' },
    {},
    { names: 'tool_name', changes: true },
  ),
  retrieve_knowledge_base: api(
    'knowledge.retrieve',
    'retrieve',
    { kb_id: 'text', query_text: 'text' },
    { top_k: 'number', filters: 'object' },
    { names: 'kb_id' },
  ),
  history_page: api(
    'history.page',
    'page',
    {},
    {
      conversation_id: 'text',
      before_cursor: 'text',
      after_cursor: 'text',
      limit: 'number',
      direction: 'text',
      include_artifacts: 'flag',
    },
  ),
  history_search: api('history.search', 'search', { query: 'text' }, { filters: 'object', top_k: 'number' }),
  event_get: api('events.get', 'get', { event_id: 'text' }, {}, { names: 'event_id' }),
  event_page: api(
    'events.page',
    'page',
    {},
    { conversation_id: 'text', event_types: 'list', before_cursor: 'text', limit: 'number' },
  ),
  artifact_metadata: api('artifacts.metadata', 'metadata', artifact, {}, { names: 'artifact_id' }),
  artifact_read: api(
    'artifacts.read_range',
    'read',
    artifact,
    { offset: 'number', length: 'number', limit: 'number' },
    { names: 'artifact_id' },
  ),
  artifact_open_stream: api('artifacts.open_stream', 'read', artifact, {}, { names: 'artifact_id' }),
  state_get: api('state.get', 'state', state, {}, { names: 'key' }),
  state_set: api('state.set', 'state', { ...state, value: 'any' }, {}, { names: 'key', changes: true }),
  state_delete: api('state.delete', 'state', state, {}, { names: 'key', changes: true }),
  ...storageOf('plugin'),
  ...storageOf('workspace'),
  ...storageOf('binding'),
  platform_request_action: api(
    'platform.request_action',
    'platform',
    { action: 'text' },
    { target: 'object', payload: 'object' },
    { names: 'action', changes: true },
  ),
};

export const apiOf = (action: string): Api | undefined => (Object.hasOwn(APIS, action) ? APIS[action] : undefined);

const fits = (value: JsonValue, kind: Kind): boolean => {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'flag':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'any':
      return true;
  }
};

/**
 * Are the arguments right? `wrong`: a required field is missing, null or of another type. `odd`: something that a host may take
 * or refuse: an optional field of another type, a number below zero, an empty name, a cursor or a direction of the caller's own making.
 */
export function argumentsOf(
  action: string,
  data: JsonObject,
  knownCursor: (cursor: string) => boolean,
): ArgumentRuling {
  const { required, optional } = APIS[action]!;
  for (const [field, kind] of Object.entries(required)) {
    const value = data[field];
    if (value === undefined || (value === null && kind !== 'any') || (value !== null && !fits(value, kind)))
      return 'wrong';
  }
  const odd = [
    ...Object.entries(required).map(([field, kind]) => kind === 'text' && data[field] === ''),
    ...Object.entries(optional).map(([field, kind]) => {
      const value = data[field];
      if (value === undefined || value === null) return false;
      return !fits(value, kind) || (typeof value === 'number' && !(value >= 0 && Number.isSafeInteger(value)));
    }),
    ...['before_cursor', 'after_cursor'].map((field) => {
      const value = data[field];
      return typeof value === 'string' && field in optional && !knownCursor(value);
    }),
    data['direction'] !== undefined && !['backward', 'forward', null].includes(data['direction'] as string),
    Array.isArray(data['messages']) && !data['messages'].every(isMessage),
    Array.isArray(data['messages']) && data['messages'].length === 0,
    Array.isArray(data['documents']) && !data['documents'].every((one) => typeof one === 'string'),
    typeof data['value_base64'] === 'string' &&
      Buffer.from(data['value_base64'], 'base64').toString('base64') !== data['value_base64'],
    ['limit', 'top_k'].some((field) => data[field] === 0),
  ];
  return odd.includes(true) ? 'odd' : 'right';
}
export type ArgumentRuling = 'right' | 'odd' | 'wrong';

const isMessage = (value: JsonValue): boolean => isObject(value) && typeof value['role'] === 'string';

/** The model, tool, base, artifact, event, key or action that a call names. */
export function resourceOf(action: string, data: JsonObject): string | undefined {
  const field = APIS[action]?.names;
  const value = field === undefined ? undefined : data[field];
  return typeof value === 'string' ? value : undefined;
}

/** The conversation that a history or event call names. */
export function conversationOf(action: string, data: JsonObject): string | undefined {
  const filters = isObject(data['filters']) ? data['filters'] : {};
  const named =
    action === 'history_search'
      ? filters['conversation_id']
      : action === 'history_page' || action === 'event_page'
        ? data['conversation_id']
        : undefined;
  return typeof named === 'string' ? named : undefined;
}

/** The state scope, storage area or conversation that a call names. */
export function scopeOf(action: string, data: JsonObject): string | undefined {
  const { family, operation } = APIS[action]!;
  if (family === 'storage') return operation;
  if (family === 'state') return typeof data['scope'] === 'string' ? data['scope'] : undefined;
  return conversationOf(action, data);
}
