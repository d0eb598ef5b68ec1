// Who the reference runner says it is (§4.2).
import type { JsonObject } from '../../../common/json.ts';

/** It declares all that it uses, and uses all that it declares. */
export const referenceManifest: JsonObject = {
  id: 'plugin:runcert/reference/default',
  name: 'default',
  label: { en_US: 'Reference runner' },
  protocol_version: '1',
  capabilities: {
    streaming: true,
    tool_calling: true,
    knowledge_retrieval: true,
    multimodal_input: true,
    event_context: true,
    platform_api: true,
    interrupt: true,
  },
  permissions: {
    models: ['invoke', 'stream', 'rerank'],
    tools: ['detail', 'call'],
    knowledge_bases: ['list', 'retrieve'],
    history: ['page', 'search'],
    events: ['get', 'page'],
    artifacts: ['metadata', 'read'],
    storage: ['plugin', 'workspace', 'binding'],
    platform_api: ['message.react'],
  },
  context: {},
  config_schema: [{ type: 'string', name: 'prompt' }],
  metadata: {},
};

/** Author and plugin, from the id `plugin:author/name/runner` of the first runner. */
export function ownerOf(manifests: readonly JsonObject[]): readonly string[] {
  return String(manifests[0]!['id']).split(/[:/]/).slice(1, 3);
}
