// The context that a host builds (§5): what of it follows from the event, the binding and the manifest, and what has no place in it.
import { isObject, type JsonObject, type JsonValue, sameJson } from '../../../common/json.ts';
import { memo } from '../../../common/memo.ts';
import { jsonText } from './measure.ts';

export const part = (value: unknown, ...path: readonly string[]): JsonObject => {
  let here: unknown = value;
  for (const step of path) here = isObject(here) ? here[step] : undefined;
  return isObject(here) ? here : {};
};

/** Keys of this kind that stand anywhere in a context, but for where an event or a binding may put what it likes. */
export const keysIn = (context: JsonObject, of: 'binding' | 'window'): readonly string[] =>
  toldKeys(context)
    .filter(({ key }) => IS_KEY[of](key))
    .map(({ place }) => place);

/** The keys of either kind, each with its place. */
const toldKeys = memo((context: JsonObject) => {
  const found: { readonly key: string; readonly place: string }[] = [];
  const walk = (value: JsonValue | undefined, path: string): void => {
    if (path === 'config' || path === 'input' || path === 'event.data' || path === 'state') return;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) walk(value[index], `${path}[${index}]`);
    } else if (isObject(value))
      for (const key of Object.keys(value)) {
        const told = isBindingKey(key) || isWindowKey(key);
        if (!told && typeof value[key] !== 'object') continue;
        const place = path === '' ? key : `${path}.${key}`;
        if (told) found.push({ key, place });
        walk(value[key], place);
      }
  };
  walk(context, '');
  return found;
});

/** A binding, its parts, and what stands in these and nowhere else. */
const BINDING_KEYS: ReadonlySet<string> = new Set([
  ...['binding', 'agent_binding', 'resource_policy', 'state_policy', 'delivery_policy', 'runner_config'],
  ...['allowed_model_uuids', 'allowed_tool_names', 'allowed_kb_uuids', 'allowed_conversation_ids'],
  ...['allow_plugin_storage', 'allow_workspace_storage', 'allow_binding_storage'],
  ...['allowed_platform_actions', 'approved_platform_actions', 'enable_state', 'state_scopes'],
]);
export const isBindingKey = (key: string): boolean => BINDING_KEYS.has(key);

const WINDOW_KEYS: ReadonlySet<string> = new Set([
  ...['maxround', 'maxrounds', 'maxhistory', 'maxhistoryrounds', 'maxhistorymessages'],
  ...['historywindow', 'historywindowsize', 'historylimit', 'historyrounds'],
]);
/** However it is spelled: `max_round`, `max-round`, `maxRound`. */
export const isWindowKey = (key: string): boolean => WINDOW_KEYS.has(key.replaceAll(/[-_]/g, '').toLowerCase());
const IS_KEY = { binding: isBindingKey, window: isWindowKey };

export const TRIGGER_SOURCES: ReadonlySet<unknown> = new Set([
  'platform',
  'webui',
  'api',
  'scheduler',
  'system',
  'host_adapter',
]);

/** Does a text stand anywhere in this? */
export const holdsText = (value: unknown, text: string): boolean =>
  jsonText(value).includes(JSON.stringify(text).slice(1, -1));

/** `type` is the event's type, or a leading part of it at a dot. */
export const isCoarser = (type: unknown, eventType: unknown): boolean =>
  typeof type === 'string' && type !== '' && (type === eventType || String(eventType).startsWith(`${type}.`));

/** Members that are null say the same as members that are absent. */
export const sameButNulls = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  sameJson(dropNulls(a), dropNulls(b));

function dropNulls(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([key, member]) => [key, dropNulls(member)]),
  );
}

/** Is every element there, in order, as it was or, where it is no text, replaced by a reference to an artifact? */
export function elementsKept(said: readonly JsonValue[], got: JsonValue | undefined): boolean {
  if (!Array.isArray(got) || got.length < said.length) return said.length === 0;
  return said.every(
    (element, index) =>
      sameButNulls(element, got[index]) || (part(element)['type'] !== 'text' && holdsKey(got[index], 'artifact_id')),
  );
}

const holdsKey = (value: JsonValue | undefined, key: string): boolean =>
  isObject(value) && (key in value || Object.values(value).some((member) => holdsKey(member, key)));

/** The values that a field of the delivery context may have: the surface's own, or what the binding narrows it to. */
export function deliveryChoices(event: JsonObject, binding: JsonObject, field: string): readonly JsonValue[] {
  const own = part(event, 'delivery')[field];
  const policy = part(binding, 'delivery_policy');
  if (field === 'supports_streaming')
    return policy['enable_streaming'] === false ? [own ?? false, false] : [own ?? false];
  if (field === 'reply_target') return policy['enable_reply'] === false ? [own ?? null, null] : [own ?? null];
  if (field === 'max_message_size') {
    const cap = policy['max_message_size'];
    if (typeof cap !== 'number') return [own ?? null];
    return typeof own === 'number' ? [own, Math.min(own, cap)] : [null, cap];
  }
  if (field === 'platform_capabilities') return [own ?? {}];
  return [own ?? (field.startsWith('supports_') ? false : null)];
}
