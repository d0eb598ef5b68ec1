// The runner registry's reading of `list_agent_runners` (§3, §4): which entries are runners this host can call.
// An entry that cannot be used is left out with a warning; it never takes its neighbours with it.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { AgentRunnerManifest } from '../../../schemas/agent-runner/2026-06-03/types.ts';
import {
  checkAgentRunnerManifest,
  readAgentRunnerManifest,
} from '../../../schemas/agent-runner/2026-06-03/validators.js';
import type { StorageArea } from './shapes.ts';

/** HOST_SDK §4.3: a runner as the host knows it, however the Runtime described it. */
export interface Descriptor {
  readonly id: string;
  readonly name: string;
  readonly plugin: { readonly author: string; readonly name: string };
  readonly protocol_version: string;
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly permissions: Permissions;
  readonly context: JsonObject;
}

export interface Permissions {
  readonly models: readonly string[];
  readonly tools: readonly string[];
  readonly knowledge_bases: readonly string[];
  readonly history: readonly string[];
  readonly events: readonly string[];
  readonly artifacts: readonly string[];
  readonly storage: readonly StorageArea[];
  readonly files: readonly string[];
  readonly platform_api: readonly string[];
}

export interface Problem {
  readonly problem: string;
  /** The id the entry goes by, where it can be told. */
  readonly id?: string;
}

const RUNNER_ID = /^plugin:([^/\s:]+)\/([^/\s]+)\/([^/\s]+)$/;

/** Reads an entry in either form: a manifest (§4.1), or the SDK's wrapper with the identity beside the manifest. */
export function readEntry(entry: JsonValue | undefined): Descriptor | Problem {
  if (!isObject(entry)) return { problem: 'the entry is not an object' };
  return 'plugin_author' in entry ? readWrapper(entry) : readManifest(entry);
}

function readWrapper(entry: JsonObject): Descriptor | Problem {
  const { plugin_author: author, plugin_name: plugin, runner_name: runner, manifest } = entry;
  if ([author, plugin, runner].some((name) => typeof name !== 'string'))
    return { problem: 'plugin_author, plugin_name and runner_name must be strings' };
  const id = `plugin:${author}/${plugin}/${runner}`;
  if (!isObject(manifest)) return { problem: 'the wrapper holds no manifest', id };
  const { protocol_version, capabilities = {}, permissions = {}, context = {} } = entry;
  const beside = { protocol_version, capabilities, permissions, context };
  return readManifest({ ...beside, ...describedIn(manifest), id, name: runner });
}

/** In code of the specification's day the manifest is the component's YAML: what counts stands in its `spec`. */
function describedIn(manifest: JsonObject): JsonObject {
  const { spec, metadata } = manifest;
  if (!isObject(spec)) return manifest;
  const { label, description } = isObject(metadata) ? metadata : {};
  return { label, description, config_schema: spec['config'], ...spec };
}

function readManifest(manifest: JsonObject): Descriptor | Problem {
  const id = String(manifest['id']);
  const [whole, author, plugin] = RUNNER_ID.exec(id) ?? [];
  if (whole === undefined) return { problem: 'id must read plugin:author/name/runner', id };
  if (manifest['name'] === '') return { problem: 'name is empty', id };
  const [wrong] = checkAgentRunnerManifest(manifest);
  if (wrong !== undefined) return { problem: `${wrong.path} is missing or has the wrong type`, id };
  const read = readAgentRunnerManifest(manifest as unknown as AgentRunnerManifest);
  return { ...read, plugin: { author, name: plugin } } as unknown as Descriptor;
}
