// The runner registry's reading of `list_agent_runners` (§3, §4): which entries are runners this host can call.
// An entry that cannot be used is left out with a warning; it never takes its neighbours with it.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { type Check, flag, list, localized, maybe, misfit, name, object, oneOf, text } from './fields.ts';
import { STORAGE_AREAS, type StorageArea } from './shapes.ts';

/** HOST_SDK §4.3: a runner as the host knows it, however the Runtime described it. */
export interface Descriptor {
  readonly id: string;
  readonly source: 'plugin';
  readonly name: string;
  readonly plugin: { readonly author: string; readonly name: string };
  readonly label: JsonObject;
  readonly description: JsonObject | null;
  readonly protocol_version: string;
  readonly capabilities: Readonly<Record<string, boolean>>;
  readonly permissions: Permissions;
  readonly context: JsonObject;
  readonly config_schema: readonly JsonValue[];
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
  return 'plugin_author' in entry || 'runner_name' in entry ? readWrapper(entry) : readManifest(entry);
}

function readWrapper(entry: JsonObject): Descriptor | Problem {
  const { plugin_author: author, plugin_name: plugin, runner_name: runner, manifest } = entry;
  if (!isText(author) || !isText(plugin) || !isText(runner))
    return { problem: 'plugin_author, plugin_name and runner_name must be non-empty strings' };
  const id = `plugin:${author}/${plugin}/${runner}`;
  if (!isObject(manifest)) return { problem: 'the wrapper holds no manifest', id };
  // In code of the specification's day the manifest is the component's YAML, and what counts stands beside it or in `spec`.
  const spec = isObject(manifest['spec']) ? manifest['spec'] : {};
  const metadata = isObject(manifest['metadata']) ? manifest['metadata'] : {};
  const raw = 'kind' in manifest || 'spec' in manifest;
  const described: JsonObject = raw
    ? { label: metadata['label'], description: metadata['description'], config_schema: spec['config'], ...spec }
    : manifest;
  const beside = (field: string): JsonValue | undefined => described[field] ?? entry[field];
  return readManifest({
    ...described,
    protocol_version: beside('protocol_version'),
    capabilities: beside('capabilities') ?? {},
    permissions: beside('permissions') ?? {},
    context: beside('context') ?? {},
    id,
    name: runner,
  });
}

function readManifest(manifest: JsonObject): Descriptor | Problem {
  const id = manifest['id'];
  const parts = typeof id === 'string' ? RUNNER_ID.exec(id) : null;
  if (typeof id !== 'string') return { problem: 'id must be a string' };
  if (parts === null) return { problem: 'id must read plugin:author/name/runner', id };
  const wrong = misfit(manifest, required, optional);
  if (wrong !== undefined) return { problem: `${wrong} is missing or has the wrong type`, id };
  const declared = manifest['capabilities'] as JsonObject;
  const notFlag = CAPABILITIES.find((capability) => !maybe(flag)(declared[capability]));
  if (notFlag !== undefined) return { problem: `capabilities.${notFlag} must be true or false`, id };
  const asked = manifest['permissions'] as JsonObject;
  const notWords = misfit(asked, OPERATIONS);
  if (notWords !== undefined) return { problem: `permissions.${notWords} must list known operations`, id };
  return {
    id,
    source: 'plugin',
    name: manifest['name'] as string,
    plugin: { author: parts[1]!, name: parts[2]! },
    label: manifest['label'] as JsonObject,
    description: (manifest['description'] as JsonObject) ?? null,
    protocol_version: (manifest['protocol_version'] as string) ?? '1',
    capabilities: {
      ...CAPABILITY_DEFAULTS,
      ...Object.fromEntries(
        CAPABILITIES.flatMap((each) => (declared[each] === undefined ? [] : [[each, declared[each]]])),
      ),
    },
    permissions: Object.fromEntries(
      Object.keys(OPERATIONS).map((each) => [each, asked[each] ?? []]),
    ) as unknown as Permissions,
    context: manifest['context'] as JsonObject,
    config_schema: (manifest['config_schema'] as JsonValue[]) ?? [],
  };
}

const required = {
  name,
  label: localized,
  protocol_version: maybe(text),
  capabilities: object,
  permissions: object,
  context: object,
  config_schema: maybe(list(object)),
  metadata: maybe(object),
};
const optional = { description: localized };
const words = (...known: readonly string[]): Check => maybe(list(oneOf(...known)));

/** §4.4: what each permission may name; platform actions are free words. */
const OPERATIONS = {
  models: words('invoke', 'stream', 'rerank'),
  tools: words('detail', 'call'),
  knowledge_bases: words('list', 'retrieve'),
  history: words('page', 'search'),
  events: words('get', 'page'),
  artifacts: words('metadata', 'read'),
  storage: words(...STORAGE_AREAS),
  files: words('config', 'knowledge'),
  platform_api: maybe(list(text)),
};

const CAPABILITY_DEFAULTS = { event_context: true, self_managed_context: true };
const CAPABILITIES = [
  'streaming',
  'tool_calling',
  'knowledge_retrieval',
  'multimodal_input',
  'event_context',
  'platform_api',
  'interrupt',
  'stateful_session',
  'self_managed_context',
] as const;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
