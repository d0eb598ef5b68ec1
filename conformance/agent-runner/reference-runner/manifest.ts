// Who the reference runner says it is (§4.2), and the same as the component of a plugin (facts of the SDK).
import type { JsonObject } from '../../../common/json.ts';

export const PLUGIN = { author: 'runcert', name: 'reference', version: '1.0.0' } as const;

/** It declares all that it uses, and uses all that it declares. */
export const referenceManifest: JsonObject = {
  id: `plugin:${PLUGIN.author}/${PLUGIN.name}/default`,
  name: 'default',
  label: { en_US: 'Reference runner' },
  description: { en_US: 'Uses every Host API that it is granted.' },
  protocol_version: '1',
  capabilities: {
    streaming: true,
    tool_calling: true,
    knowledge_retrieval: true,
    multimodal_input: true,
    event_context: true,
    platform_api: true,
    interrupt: true,
    stateful_session: true,
    self_managed_context: true,
  },
  permissions: {
    models: ['invoke', 'stream', 'rerank'],
    tools: ['detail', 'call'],
    knowledge_bases: ['list', 'retrieve'],
    history: ['page', 'search'],
    events: ['get', 'page'],
    artifacts: ['metadata', 'read'],
    storage: ['plugin', 'workspace', 'binding'],
    files: [],
    platform_api: ['message.react', 'message.edit'],
  },
  context: {
    supports_history_pull: true,
    supports_history_search: true,
    supports_artifact_pull: true,
    owns_compaction: true,
    wants_static_context_refs: true,
  },
  config_schema: [{ type: 'string', name: 'prompt', label: { en_US: 'Prompt' }, default: '' }],
  metadata: {},
};

/** The same manifest as a component's YAML: the id follows from author, plugin and component. */
export function componentOf(manifest: JsonObject): JsonObject {
  const { name, label, description, config_schema, id: _id, metadata: _metadata, ...spec } = manifest;
  return {
    apiVersion: 'langbot/v1',
    kind: 'AgentRunner',
    metadata: { name, label, ...(description === undefined ? {} : { description }) },
    spec: { ...spec, config: config_schema ?? [] },
    execution: { python: { path: './default.py', attr: 'DefaultAgentRunner' } },
  };
}

/** What `register_plugin` and `get_plugin_container` carry. */
export function containerOf(manifests: readonly JsonObject[], status: string): JsonObject {
  const [author, name] = ownerOf(manifests);
  return {
    debug: false,
    install_source: '',
    install_info: {},
    manifest: {
      owner: 'builtin',
      rel_path: 'manifest.yaml',
      manifest: {
        apiVersion: 'langbot/v1',
        kind: 'Plugin',
        metadata: { author, name, version: PLUGIN.version, label: { en_US: name } },
        spec: { config: [], components: { AgentRunner: { fromDirs: [{ path: 'components/agent_runner/' }] } } },
      },
    },
    plugin_instance: null,
    enabled: true,
    priority: 0,
    plugin_config: {},
    status,
    components: manifests.map((manifest) => ({
      manifest: {
        owner: 'builtin',
        rel_path: `components/agent_runner/${String(manifest['name'])}.yaml`,
        manifest: componentOf(manifest),
      },
      component_instance: null,
      component_config: {},
    })),
  };
}

/** Author and plugin, from the id `plugin:author/name/runner` of the first runner. */
export function ownerOf(manifests: readonly JsonObject[]): [author: string, name: string] {
  const match = /^plugin:([^/]+)\/([^/]+)\//.exec(String(manifests[0]?.['id']));
  return [match?.[1] ?? PLUGIN.author, match?.[2] ?? PLUGIN.name];
}
