// What the SDK can tell before a call is sent (§11): it spares a round trip and helps the author.
// It never replaces the Host's own check.
import type { JsonObject } from '../../../../common/json.ts';
import type { Resource, RunContext } from '../context.ts';
import { ApiError } from './api-error.ts';

type Check = (context: RunContext, data: JsonObject) => boolean;

const grants = (resources: readonly Resource[], id: unknown, operation: string): boolean =>
  resources.some((resource) => resource.id === id && resource.can(operation));
const flag =
  (name: string): Check =>
  (context) =>
    context.may(name);

const CHECKS: Readonly<Record<string, Check>> = {
  invoke_llm: ({ models }, data) => grants(models, data['llm_model_uuid'], 'invoke'),
  invoke_llm_stream: ({ models }, data) => grants(models, data['llm_model_uuid'], 'stream'),
  invoke_rerank: ({ models }, data) => grants(models, data['rerank_model_uuid'], 'rerank'),
  get_tool_detail: ({ tools }, data) => grants(tools, data['tool_name'], 'detail'),
  call_tool: ({ tools }, data) => grants(tools, data['tool_name'], 'call'),
  retrieve_knowledge_base: ({ knowledgeBases }, data) => grants(knowledgeBases, data['kb_id'], 'retrieve'),
  history_page: flag('history_page'),
  history_search: flag('history_search'),
  event_get: flag('event_get'),
  event_page: flag('event_page'),
  artifact_metadata: flag('artifact_metadata'),
  artifact_read: flag('artifact_read'),
  artifact_open_stream: flag('artifact_read'),
  state_get: flag('state'),
  state_set: flag('state'),
  state_delete: flag('state'),
  platform_request_action: ({ platformActions }, data) => platformActions.includes(String(data['action'])),
};

export function refuseLocally(context: RunContext, action: string, data: JsonObject): ApiError | undefined {
  const area = /^(?:get|set|delete)_(plugin|workspace|binding)_storage(?:_keys)?$/.exec(action)?.[1];
  const allowed =
    area === undefined ? (CHECKS[action]?.(context, data) ?? false) : context.storage.some((one) => one === area);
  return allowed ? undefined : new ApiError('unauthorized', `${action} is not granted in this run`);
}
