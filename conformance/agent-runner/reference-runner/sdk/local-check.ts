// What the SDK can tell before a call is sent (§11): it spares a round trip and helps the author. It never replaces the Host's own check.
import type { JsonObject } from '../../../../common/json.ts';
import type { ContextAPICapabilities } from '../../../../schemas/agent-runner/2026-06-03/types.ts';
import type { RunContext } from '../context.ts';
import type { StorageArea } from './api.ts';
import { ApiError } from './api-error.ts';

type Check = (context: RunContext, data: JsonObject) => boolean;

/** One of these resources is the one that the call names, and grants the operation. */
const grants =
  (of: (resources: RunContext['resources']) => readonly Granted[], field: string, operation: string): Check =>
  ({ resources }, data) =>
    of(resources).some(([id, operations]) => id === data[field] && operations.includes(operation));
type Granted = readonly [id: string, operations: readonly string[]];

const models = (resources: RunContext['resources']): Granted[] =>
  resources.models.map(({ model_id, operations }) => [model_id, operations]);
const tools = (resources: RunContext['resources']): Granted[] =>
  resources.tools.map(({ tool_name, operations }) => [tool_name, operations]);
const bases = (resources: RunContext['resources']): Granted[] =>
  resources.knowledge_bases.map(({ kb_id, operations }) => [kb_id, operations]);
const flag =
  (name: keyof ContextAPICapabilities): Check =>
  ({ context }) =>
    context.available_apis[name];
const storage =
  (area: StorageArea): Check =>
  ({ context, resources }) =>
    context.available_apis.storage && resources.storage[`${area}_storage`];

const CHECKS: Readonly<Record<string, Check>> = {
  invoke_llm: grants(models, 'llm_model_uuid', 'invoke'),
  invoke_llm_stream: grants(models, 'llm_model_uuid', 'stream'),
  invoke_rerank: grants(models, 'rerank_model_uuid', 'rerank'),
  get_tool_detail: grants(tools, 'tool_name', 'detail'),
  call_tool: grants(tools, 'tool_name', 'call'),
  retrieve_knowledge_base: grants(bases, 'kb_id', 'retrieve'),
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
  platform_request_action: ({ resources: { platform_capabilities: offered } }, { action }) =>
    (action as string) in offered && offered[action as string] !== false,
};

export function refuseLocally(context: RunContext, action: string, data: JsonObject): ApiError | undefined {
  const area = /_(plugin|workspace|binding)_storage/.exec(action)?.[1] as StorageArea | undefined;
  const check = area === undefined ? CHECKS[action] : storage(area);
  return check!(context, data) ? undefined : new ApiError(`${action} is not granted in this run`);
}
