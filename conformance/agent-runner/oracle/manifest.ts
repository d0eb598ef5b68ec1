// A runner as a discovery answer describes it (§4), in either form: a manifest, or the SDK's wrapper around one.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';

export interface Offered {
  /** The id that the entry goes by, where it can be told. */
  readonly id: string | undefined;
  readonly author: string | undefined;
  readonly plugin: string | undefined;
  readonly name: string | undefined;
  readonly version: JsonValue | undefined;
  readonly capabilities: JsonObject;
  readonly permissions: JsonObject;
  readonly context: JsonObject;
  readonly metadata: JsonObject;
  readonly fit: Fit;
  readonly entry: JsonValue | undefined;
}

const ID = /^plugin:([^/:\s]+)\/([^/:\s]+)\/([^/:\s]+)$/;

export function readOffered(entry: JsonValue | undefined): Offered {
  const outer = isObject(entry) ? entry : {};
  const wrapped = 'plugin_author' in outer || 'plugin_name' in outer || 'runner_name' in outer;
  const manifest = wrapped ? members(outer['manifest']) : outer;
  const told = wrapped ? undefined : text(manifest['id']);
  const parts = told === undefined ? null : ID.exec(told);
  const author = wrapped ? text(outer['plugin_author']) : parts?.[1];
  const plugin = wrapped ? text(outer['plugin_name']) : parts?.[2];
  const name = wrapped ? text(outer['runner_name']) : (text(manifest['name']) ?? parts?.[3]);
  const whole = author && plugin && name ? `plugin:${author}/${plugin}/${name}` : undefined;
  return {
    id: wrapped ? whole : told,
    author,
    plugin,
    name,
    version: 'protocol_version' in manifest ? manifest['protocol_version'] : outer['protocol_version'],
    capabilities: members(manifest['capabilities']),
    permissions: members(manifest['permissions']),
    context: members(manifest['context']),
    metadata: members(manifest['metadata']),
    fit: isObject(entry) && (wrapped ? whole : parts) ? fitOf(manifest, wrapped) : 'broken',
    entry,
  };
}

/** The entries of a discovery answer; undefined when it holds no list. */
export function offeredIn(data: JsonObject): readonly Offered[] | undefined {
  const known = memo.get(data);
  if (known !== undefined) return known;
  const offered = Array.isArray(data['runners']) ? data['runners'].map(readOffered) : undefined;
  if (offered !== undefined) memo.set(data, offered);
  return offered;
}
const memo = new WeakMap<JsonObject, readonly Offered[]>();

/** The operations that a manifest asks for in one family; what is no list of texts asks for nothing. */
export const permitted = (offered: Pick<Offered, 'permissions'>, family: string): readonly string[] => {
  const list = offered.permissions[family];
  return Array.isArray(list) ? list.filter((operation) => typeof operation === 'string') : [];
};

/** How well an entry fits §4.2: `sound`, `lean` (a required field is missing, nothing is wrong) or `broken`. */
export type Fit = 'sound' | 'lean' | 'broken';

type Check = (value: JsonValue) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const listOf =
  (...allowed: readonly string[]): Check =>
  (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one === 'string' && (allowed.length === 0 || allowed.includes(one)));
const withKnown =
  (known: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(known).every(([key, check]) => value[key] === undefined || check(value[key]!));
const flags = (...names: readonly string[]): Check =>
  withKnown(Object.fromEntries(names.map((name) => [name, isFlag])));

export const CAPABILITIES = [
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

export const CONTEXT_POLICY = [
  'supports_history_pull',
  'supports_history_search',
  'supports_artifact_pull',
  'owns_compaction',
  'wants_static_context_refs',
] as const;

/** Every operation that a manifest can ask for; platform actions are open. */
export const PERMISSIONS = {
  models: ['invoke', 'stream', 'rerank'],
  tools: ['detail', 'call'],
  knowledge_bases: ['list', 'retrieve'],
  history: ['page', 'search'],
  events: ['get', 'page'],
  artifacts: ['metadata', 'read'],
  storage: ['plugin', 'workspace', 'binding'],
  files: ['config', 'knowledge'],
  platform_api: [],
} as const;

const FIELDS: Readonly<Record<string, { readonly required: boolean; readonly check: Check }>> = {
  id: { required: true, check: (value) => typeof value === 'string' && ID.test(value) },
  name: { required: true, check: isText },
  label: { required: true, check: isObject },
  description: { required: false, check: (value) => value === null || isObject(value) },
  protocol_version: { required: false, check: isText },
  capabilities: { required: true, check: flags(...CAPABILITIES) },
  permissions: {
    required: true,
    check: withKnown(Object.fromEntries(Object.entries(PERMISSIONS).map(([family, all]) => [family, listOf(...all)]))),
  },
  context: { required: true, check: flags(...CONTEXT_POLICY) },
  config_schema: { required: false, check: Array.isArray },
  metadata: { required: false, check: isObject },
};

function fitOf(manifest: JsonObject, wrapped: boolean): Fit {
  let fit: Fit = 'sound';
  for (const [field, { required, check }] of Object.entries(FIELDS)) {
    // The wrapper carries the identity itself; whatever id stands within it is not looked at.
    if (wrapped && field === 'id') continue;
    const value = manifest[field];
    // A name that is empty is a text all the same, and nothing hangs on it where there is an id.
    if (value === undefined || (field === 'name' && value === '')) fit = required ? 'lean' : fit;
    else if (!check(value)) return 'broken';
  }
  return fit;
}

const members = (value: unknown): JsonObject => (isObject(value) ? value : {});
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
