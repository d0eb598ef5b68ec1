// Is it an AgentBinding (MODELS §6.1)? Read as strictly as every careful reader does, and no stricter: what a tolerant one
// may understand all the same (a null where there is a default, "yes" for true, "80" for 80) is left open.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';

/** The fields that surely cannot be read, by their path; and whether others leave it in doubt. */
export interface BindingFit {
  readonly faults: readonly string[];
  readonly unsure: boolean;
}

type Read = 'fits' | 'unfit' | 'unsure';
type Reader = (value: JsonValue | undefined) => Read;

const text: Reader = (value) => (typeof value === 'string' ? 'fits' : 'unfit');
const id: Reader = (value) => (value === '' ? 'unsure' : text(value));
const object: Reader = (value) => (isObject(value) ? 'fits' : 'unfit');
const texts: Reader = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? 'fits' : 'unfit';
const scopes: Reader = (value) =>
  Array.isArray(value) && value.every((one) => ['conversation', 'actor', 'subject', 'runner'].includes(one as string))
    ? 'fits'
    : 'unfit';
const WORDS_OF_FLAGS = /^(true|false|yes|no|on|off|y|n|t|f|1|0)$/i;
const flag: Reader = (value) =>
  typeof value === 'boolean'
    ? 'fits'
    : value === 0 || value === 1 || (typeof value === 'string' && WORDS_OF_FLAGS.test(value))
      ? 'unsure'
      : 'unfit';
const count: Reader = (value) =>
  Number.isInteger(value) ? 'fits' : typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? 'unsure' : 'unfit';
/** Null is a value of its own. */
const orNull =
  (reader: Reader): Reader =>
  (value) =>
    value === null ? 'fits' : reader(value);

type Shape = Readonly<Record<string, Reader>>;
const SCOPE: Shape = { scope_type: text, scope_id: orNull(text) };
const RESOURCES: Shape = {
  allowed_model_uuids: orNull(texts),
  allowed_tool_names: orNull(texts),
  allowed_kb_uuids: orNull(texts),
  allow_plugin_storage: flag,
  allow_workspace_storage: flag,
  allow_binding_storage: flag,
  allowed_conversation_ids: texts,
  allowed_platform_actions: texts,
  approved_platform_actions: texts,
};
const STATE: Shape = { enable_state: flag, state_scopes: scopes };
const DELIVERY: Shape = { enable_streaming: flag, enable_reply: flag, max_message_size: orNull(count) };
const BINDING: Shape = {
  binding_id: id,
  runner_id: id,
  event_types: texts,
  runner_config: object,
  enabled: flag,
  scope: object,
  resource_policy: object,
  state_policy: object,
  delivery_policy: object,
};
const PARTS: Readonly<Record<string, Shape>> = {
  scope: SCOPE,
  resource_policy: RESOURCES,
  state_policy: STATE,
  delivery_policy: DELIVERY,
};
const REQUIRED = ['binding_id', 'runner_id'];

export function bindingFit(value: JsonValue | undefined): BindingFit {
  if (!isObject(value)) return { faults: ['binding'], unsure: false };
  const own = read(value, BINDING, REQUIRED, '');
  const parts = Object.entries(PARTS).map(([name, shape]) => {
    const part = value[name];
    return isObject(part) ? read(part, shape, [], `${name}.`) : { faults: [], unsure: false };
  });
  const all = [own, ...parts];
  return { faults: all.flatMap(({ faults }) => faults), unsure: all.some(({ unsure }) => unsure) };
}

function read(value: JsonObject, shape: Shape, required: readonly string[], before: string): BindingFit {
  const faults: string[] = [];
  let unsure = false;
  for (const [name, reader] of Object.entries(shape)) {
    const member = value[name];
    if (member === undefined && !required.includes(name)) continue;
    const found = reader(member);
    // A null where there is a default may stand for that.
    if (found === 'unsure' || (found === 'unfit' && member === null && !required.includes(name))) unsure = true;
    else if (found === 'unfit') faults.push(`${before}${name}`);
  }
  return { faults, unsure };
}
