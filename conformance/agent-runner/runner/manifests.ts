// The runners that a target offers, whichever way it says so: manifests as §4.1 has them, the SDK's wrappers,
// or the components of a plugin container. All of them become entries with a manifest in the shape of §4.2.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { listAt, objectAt } from './grants.ts';

export interface RunnerEntry {
  readonly author: string;
  readonly plugin: string;
  readonly name: string;
  readonly manifest: JsonObject;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Entries of a `list_agent_runners` answer. What is no object is left out here; the judges of §4 see it raw. */
export function listedRunners(answer: JsonObject): RunnerEntry[] {
  return listAt(answer, 'runners').map(entryOf);
}

/** One element of `runners`: a manifest, or a wrapper around one. */
export function entryOf(entry: JsonObject): RunnerEntry {
  const wrapped = isObject(entry['manifest']) ? entry['manifest'] : undefined;
  const manifest =
    wrapped === undefined ? entry : wrapped['kind'] === 'AgentRunner' ? fromComponent(entry, wrapped) : wrapped;
  const [author, plugin, name] = /^plugin:([^/]+)\/([^/]+)\/(.+)$/.exec(text(manifest['id']) ?? '')?.slice(1) ?? [];
  return {
    author: text(entry['plugin_author']) ?? author ?? '',
    plugin: text(entry['plugin_name']) ?? plugin ?? '',
    name: text(entry['runner_name']) ?? text(manifest['name']) ?? name ?? '',
    manifest,
  };
}

/** Entries of a plugin container, as `register_plugin` and `get_plugin_container` carry it. */
export function containedRunners(container: JsonObject): RunnerEntry[] {
  const meta = objectAt(objectAt(objectAt(container, 'manifest'), 'manifest'), 'metadata');
  const author = text(meta['author']) ?? '';
  const plugin = text(meta['name']) ?? '';
  return listAt(container, 'components')
    .map((component) => objectAt(objectAt(component, 'manifest'), 'manifest'))
    .filter((yaml) => yaml['kind'] === 'AgentRunner')
    .map((yaml) => {
      const name = text(objectAt(yaml, 'metadata')['name']) ?? '';
      const manifest = fromComponent({ plugin_author: author, plugin_name: plugin }, yaml);
      return { author, plugin, name, manifest };
    });
}

/** What a target declared in its handshake, in any of these shapes. */
export function declaredRunners(declared: Readonly<Record<string, unknown>>): RunnerEntry[] {
  const said = declared as JsonObject;
  for (const key of ['runners', 'manifests']) {
    const list = said[key];
    if (Array.isArray(list)) return list.filter(isObject).map(declaredEntry);
  }
  return isObject(said['plugin_container']) ? containedRunners(said['plugin_container']) : [];
}

const declaredEntry = (entry: JsonObject): RunnerEntry =>
  typeof entry['author'] === 'string' && typeof entry['plugin'] === 'string' && isObject(entry['manifest'])
    ? { author: entry['author'], plugin: entry['plugin'], name: String(entry['name']), manifest: entry['manifest'] }
    : entryOf(entry);

/** What decides which clauses apply to a target with these runners. */
export function runnerTraits(entries: readonly RunnerEntry[]): string[] {
  const traits = new Set<string>();
  for (const { manifest } of entries) {
    for (const [name, on] of Object.entries(withDefaults(objectAt(manifest, 'capabilities'))))
      if (on === true) traits.add(`capability:${name}`);
    for (const [family, operations] of Object.entries(objectAt(manifest, 'permissions')))
      if (Array.isArray(operations))
        for (const operation of operations) {
          traits.add(`permission:${family}`);
          traits.add(`permission:${family}:${String(operation)}`);
        }
  }
  return [...traits].sort();
}

/** §4.3: two capabilities are on unless the manifest says otherwise. */
const withDefaults = (capabilities: JsonObject): JsonObject => ({
  event_context: true,
  self_managed_context: true,
  ...capabilities,
});

/** A component's YAML as a manifest: its id follows from author, plugin and component; the rest stands in its spec. */
function fromComponent(owner: JsonObject, yaml: JsonObject): JsonObject {
  const spec = objectAt(yaml, 'spec');
  const meta = objectAt(yaml, 'metadata');
  const name = text(meta['name']) ?? '';
  const pick = (key: string, fallback?: JsonValue): JsonObject => {
    const value = spec[key] ?? owner[key] ?? fallback;
    return value === undefined ? {} : { [key]: value };
  };
  return {
    id: `plugin:${text(owner['plugin_author']) ?? ''}/${text(owner['plugin_name']) ?? ''}/${name}`,
    name,
    label: meta['label'] ?? {},
    ...(meta['description'] === undefined ? {} : { description: meta['description'] }),
    ...pick('protocol_version'),
    ...pick('capabilities', {}),
    ...pick('permissions', {}),
    ...pick('context', {}),
    config_schema: spec['config'] ?? owner['config'] ?? [],
  };
}
