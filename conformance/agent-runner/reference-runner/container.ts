// The plugin container: how a plugin tells a Plugin Runtime of its components. No duty of the protocol lies in it; the real Runtime
// wants these members, and a manifest is read from among them.
import type { JsonObject } from '../../../common/json.ts';
import { ownerOf } from './manifest.ts';

/** What `register_plugin` carries. */
export const registrationOf = (manifests: readonly JsonObject[]): JsonObject => ({
  plugin_container: containerOf(manifests),
  prod_mode: true,
  plugin_debug_key: '',
});

/** What `get_plugin_container` answers. */
export function containerOf(manifests: readonly JsonObject[]): JsonObject {
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
        metadata: { author, name, version: '1.0.0', label: { en_US: String(name) } },
        spec: { config: [], components: { AgentRunner: { fromDirs: [{ path: 'components/agent_runner/' }] } } },
      },
    },
    plugin_instance: null,
    enabled: true,
    priority: 0,
    plugin_config: {},
    status: 'initialized',
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
