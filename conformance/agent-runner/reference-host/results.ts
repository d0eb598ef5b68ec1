// How the host reads a result (§7): which it takes, and which it leaves out with a warning.
// Nothing a runner sends can throw here, and nothing it sends badly stops its run.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import {
  type Checks,
  content,
  maybe,
  message,
  misfit,
  name,
  number,
  object,
  oneOf,
  present,
  shape,
  text,
  whole,
} from './fields.ts';
import { characters, type HostLimits, jsonBytes } from './limits.ts';
import { type RunEnd, STATE_SCOPES, type StateScope } from './shapes.ts';

export interface Result {
  readonly run_id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly sequence?: JsonValue;
}

/** Why a result is left out: a stable code, and words for a person. */
export interface Objection {
  readonly code: string;
  readonly message: string;
}

export const isObjection = (value: object): value is Objection => 'code' in value && 'message' in value;

/** What each stable type must carry (§7.2; MODELS §4), and what it may. */
const PAYLOADS: Readonly<Record<string, readonly [required: Checks, optional?: Checks]>> = {
  'message.delta': [{ chunk: shape({ role: maybe(text), content }) }],
  'message.completed': [{ message }],
  'tool.call.started': [{ tool_call_id: name, tool_name: name, parameters: maybe(object) }],
  'tool.call.completed': [{ tool_call_id: name, tool_name: name }, { error: text }],
  'artifact.created': [
    { artifact_type: name, metadata: maybe(object) },
    {
      artifact_id: name,
      mime_type: text,
      name: text,
      size_bytes: whole(0),
      sha256: text,
      content_base64: text,
      expires_at: number,
    },
  ],
  'state.updated': [{ scope: oneOf(...STATE_SCOPES), key: name, value: present }],
  'action.requested': [{ action: name }, { target: object, payload: object }],
  'run.completed': [{ finish_reason: maybe(text) }, { message }],
  // However badly a failure is told, it is one.
  'run.failed': [{}],
};

export const isKnownType = (type: string): boolean => Object.hasOwn(PAYLOADS, type);
export const isTerminal = (type: string): boolean => type === 'run.completed' || type === 'run.failed';

/** The envelope of §7.1: unknown fields are welcome, `data` may be absent. */
export function readResult(value: JsonObject): Result | Objection {
  const { run_id, type, data, sequence } = value;
  if (typeof type !== 'string' || type === '') return malformed('A result has no type.');
  if (typeof run_id !== 'string') return malformed(`A ${type} has no run_id.`);
  if (data !== undefined && !isObject(data)) return malformed(`The data of a ${type} is not an object.`);
  return { run_id, type, data: data ?? {}, ...(sequence !== undefined && { sequence }) };
}

export function checkSize(value: JsonObject, limits: HostLimits): Objection | undefined {
  const bytes = jsonBytes(value);
  return bytes > limits.result_bytes
    ? { code: 'result_too_large', message: `A result of ${bytes} bytes; the host takes ${limits.result_bytes}.` }
    : undefined;
}

export function checkPayload({ type, data }: Result): Objection | undefined {
  const [required, optional] = PAYLOADS[type] ?? [{}];
  const wrong = misfit(data, required, optional);
  return wrong === undefined ? undefined : malformed(`${wrong} of a ${type} is missing or has the wrong type.`);
}

/** A sequence number counts once. Numbers that are no number, gaps and wrong order are borne: the stream itself is the order. */
export function checkSequence(sequence: JsonValue | undefined, seen: ReadonlySet<number>): Objection | undefined {
  return typeof sequence === 'number' && seen.has(sequence)
    ? { code: 'result_duplicate', message: `Sequence ${sequence} was there before.` }
    : undefined;
}

export interface StateUpdate {
  readonly scope: StateScope;
  readonly key: string;
  readonly value: JsonValue;
}

/** The update that a well-formed `state.updated` asks for. */
export const readStateUpdate = (data: JsonObject): StateUpdate => data as unknown as StateUpdate;

/** §7.3: size of key and value, and whether this run may write in that scope. Scope, key and value were read before. */
export function checkStateUpdate(
  update: StateUpdate,
  granted: readonly StateScope[],
  limits: HostLimits,
): Objection | undefined {
  if (!granted.includes(update.scope))
    return { code: 'state_scope', message: `State of scope ${update.scope} is not open to this run.` };
  if (characters(update.key) > limits.state_key_chars)
    return { code: 'state_key_too_long', message: `A state key is longer than ${limits.state_key_chars} characters.` };
  if (jsonBytes(update.value) > limits.state_value_bytes)
    return {
      code: 'state_value_too_large',
      message: `A state value is larger than ${limits.state_value_bytes} bytes.`,
    };
  return undefined;
}

/** How a terminal result ends its run. `error` is the SDK's name for `message`. */
export function endOf({ type, data }: Result): RunEnd {
  if (type === 'run.completed') return { status: 'completed' };
  const { code, message: words, error, retryable } = data;
  const reason = [words, error].find((each) => typeof each === 'string');
  return {
    status: code === 'cancelled' ? 'cancelled' : 'failed',
    code: typeof code === 'string' ? code : 'runner.error',
    message: (reason as string | undefined) ?? 'The runner gave no reason.',
    retryable: retryable === true,
  };
}

const malformed = (words: string): Objection => ({ code: 'result_malformed', message: words });
