// AgentRunAPIProxy (§8): the Host's capabilities as methods. It knows action names and fields; how a call is stamped,
// bounded by the deadline and checked is the caller's affair (call.ts).
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import type { StorageArea } from '../context.ts';
import { malformed } from './api-error.ts';

/** Makes one call in the name of a run; throws ApiError. */
export interface Caller {
  call(action: string, data: JsonObject, usual: number): Promise<JsonObject>;
  stream(action: string, data: JsonObject, usual: number): AsyncGenerator<JsonObject, void, void>;
}

export type Api = ReturnType<typeof createApi>;

const LLM = 120_000;
const TOOL = 180_000;
const READ = 30_000;
const ARTIFACT = 60_000;
const SMALL = 15_000;

export function createApi({ call, stream }: Caller) {
  const storageCall = (verb: 'get' | 'set' | 'delete', area: StorageArea, data: JsonObject): Promise<JsonObject> =>
    call(`${verb}_${area}_storage`, data, SMALL);
  return {
    models: {
      invoke: async (modelId: string, messages: readonly JsonObject[], tools: readonly JsonObject[] = []) =>
        objectIn(
          'invoke_llm',
          await call('invoke_llm', { llm_model_uuid: modelId, messages, funcs: tools, extra_args: {} }, LLM),
          'message',
        ),
      stream: async function* (modelId: string, messages: readonly JsonObject[], tools: readonly JsonObject[] = []) {
        const data = { llm_model_uuid: modelId, messages, funcs: tools, extra_args: {} };
        for await (const answer of stream('invoke_llm_stream', data, LLM))
          if (isObject(answer['chunk'])) yield answer['chunk'];
      },
      rerank: async (modelId: string, query: string, documents: readonly string[], topK: number) =>
        listIn(
          'invoke_rerank',
          await call('invoke_rerank', { rerank_model_uuid: modelId, query, documents, top_k: topK }, READ),
          'results',
        ),
    },
    tools: {
      detail: async (name: string) =>
        objectIn('get_tool_detail', await call('get_tool_detail', { tool_name: name }, READ), 'tool'),
      call: async (name: string, parameters: JsonObject): Promise<JsonValue> =>
        (await call('call_tool', { tool_name: name, parameters }, TOOL))['result'] ?? null,
    },
    knowledge: {
      retrieve: async (kbId: string, query: string, topK = 5) =>
        listIn(
          'retrieve_knowledge_base',
          await call('retrieve_knowledge_base', { kb_id: kbId, query_text: query, top_k: topK, filters: {} }, READ),
          'results',
        ),
    },
    history: {
      page: (options: { conversationId?: string | undefined; before?: string | undefined; limit: number }) =>
        call(
          'history_page',
          {
            conversation_id: options.conversationId ?? null,
            before_cursor: options.before ?? null,
            after_cursor: null,
            limit: options.limit,
            direction: 'backward',
            include_artifacts: false,
          },
          READ,
        ).then(pageOf),
      search: async (query: string, topK = 10) =>
        listIn('history_search', await call('history_search', { query, filters: {}, top_k: topK }, READ), 'items'),
    },
    events: {
      get: (eventId: string) => call('event_get', { event_id: eventId }, SMALL),
      page: (options: { before?: string | undefined; limit: number }) =>
        call('event_page', { before_cursor: options.before ?? null, limit: options.limit }, READ).then(pageOf),
    },
    artifacts: {
      metadata: (artifactId: string) => call('artifact_metadata', { artifact_id: artifactId }, SMALL),
      readRange: (artifactId: string, offset = 0, length = 65_536) =>
        call('artifact_read', { artifact_id: artifactId, offset, length }, ARTIFACT),
      openStream: (artifactId: string) => stream('artifact_open_stream', { artifact_id: artifactId }, ARTIFACT),
    },
    state: {
      get: async (scope: string, key: string) => (await call('state_get', { scope, key }, SMALL))['value'] ?? null,
      set: (scope: string, key: string, value: JsonValue) => call('state_set', { scope, key, value }, SMALL),
      delete: (scope: string, key: string) => call('state_delete', { scope, key }, SMALL),
    },
    storage: {
      get: async (area: StorageArea, key: string) => (await storageCall('get', area, { key }))['value_base64'],
      set: (area: StorageArea, key: string, base64: string) => storageCall('set', area, { key, value_base64: base64 }),
      delete: (area: StorageArea, key: string) => storageCall('delete', area, { key }),
      list: async (area: StorageArea) => {
        const { keys } = await call(`get_${area}_storage_keys`, {}, SMALL);
        return Array.isArray(keys) ? keys.map(String) : [];
      },
    },
    platform: {
      requestAction: (action: string, target: JsonObject, payload: JsonObject) =>
        call('platform_request_action', { action, target, payload }, READ),
    },
  };
}

export interface Page {
  readonly items: readonly JsonObject[];
  readonly hasMore: boolean;
  /** Where the next page begins. */
  readonly next: string | undefined;
}

function pageOf({ items, next_cursor, has_more }: JsonObject): Page {
  return {
    items: Array.isArray(items) ? items.filter(isObject) : [],
    hasMore: has_more === true,
    next: typeof next_cursor === 'string' ? next_cursor : undefined,
  };
}

function objectIn(action: string, answer: JsonObject, key: string): JsonObject {
  const found = answer[key];
  if (!isObject(found)) throw malformed(action, key);
  return found;
}

function listIn(action: string, answer: JsonObject, key: string): readonly JsonObject[] {
  const found = answer[key];
  if (!Array.isArray(found)) throw malformed(action, key);
  return found.filter(isObject);
}
