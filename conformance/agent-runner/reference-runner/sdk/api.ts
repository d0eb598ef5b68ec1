// AgentRunAPIProxy (§8): the Host's capabilities as methods. It knows actions, fields and answers; how a call is checked, stamped
// and bounded is the caller's affair (call.ts).
import type { JsonObject, JsonValue } from '../../../../common/json.ts';
import type {
  EventPageRequest,
  HistoryPageRequest,
  Message,
  ToolFunction,
} from '../../../../schemas/agent-runner/2026-06-03/types.ts';
import type { Caller } from './call.ts';

export type Api = ReturnType<typeof createApi>;
export type StorageArea = 'plugin' | 'workspace' | 'binding';
type Without<Request> = Omit<Request, 'run_id' | 'caller_plugin_identity'>;

export function createApi({ call, stream }: Caller) {
  return {
    models: {
      invoke: (llm_model_uuid: string, messages: readonly Message[], funcs: readonly ToolFunction[]) =>
        call('invoke_llm', 'InvokeLLMAnswer', { llm_model_uuid, messages, funcs }),
      stream: (llm_model_uuid: string, messages: readonly Message[], funcs: readonly ToolFunction[]) =>
        stream('invoke_llm_stream', 'InvokeLLMStreamChunk', { llm_model_uuid, messages, funcs }),
      rerank: (rerank_model_uuid: string, query: string, documents: readonly string[]) =>
        call('invoke_rerank', 'InvokeRerankAnswer', { rerank_model_uuid, query, documents }),
    },
    tools: {
      detail: (tool_name: string) => call('get_tool_detail', 'GetToolDetailAnswer', { tool_name }),
      call: (tool_name: string, parameters: JsonObject) =>
        call('call_tool', 'CallToolAnswer', { tool_name, parameters }),
    },
    knowledge: {
      retrieve: (kb_id: string, query_text: string) =>
        call('retrieve_knowledge_base', 'RetrieveKnowledgeAnswer', { kb_id, query_text }),
    },
    history: {
      page: (request: Without<HistoryPageRequest>) => call('history_page', 'HistoryPage', request),
      search: (query: string) => call('history_search', 'HistorySearchResult', { query }),
    },
    events: {
      get: (event_id: string) => call('event_get', 'AgentEventRecord', { event_id }),
      page: (request: Without<EventPageRequest>) => call('event_page', 'EventPage', request),
    },
    artifacts: {
      metadata: (artifact_id: string) => call('artifact_metadata', 'ArtifactMetadata', { artifact_id }),
      readRange: (artifact_id: string) => call('artifact_read', 'ArtifactReadResult', { artifact_id }),
      openStream: (artifact_id: string) => stream('artifact_open_stream', 'ArtifactStreamChunk', { artifact_id }),
    },
    state: {
      get: (scope: string, key: string) => call('state_get', 'StateGetAnswer', { scope, key }),
      set: (scope: string, key: string, value: JsonValue) => call('state_set', 'StateSetAnswer', { scope, key, value }),
      delete: (scope: string, key: string) => call('state_delete', 'StateDeleteAnswer', { scope, key }),
    },
    storage: {
      get: (area: StorageArea, key: string) => call(`get_${area}_storage`, 'StorageGetAnswer', { key }),
      set: (area: StorageArea, key: string, value_base64: string) =>
        call(`set_${area}_storage`, 'EmptyAnswer', { key, value_base64 }),
      delete: (area: StorageArea, key: string) => call(`delete_${area}_storage`, 'EmptyAnswer', { key }),
      list: (area: StorageArea) => call(`get_${area}_storage_keys`, 'StorageKeysAnswer', {}),
    },
    platform: {
      requestAction: (action: string, target: JsonObject) =>
        call('platform_request_action', 'PlatformActionAnswer', { action, target }),
    },
  };
}
