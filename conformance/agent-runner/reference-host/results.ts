// How the host reads a result (§7): which it takes, and which it leaves out with a warning.
// Nothing a runner sends can throw here, and nothing it sends badly stops its run.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { checkTypedAgentRunResult } from '../../../schemas/agent-runner/2026-06-03/validators.js';
import { characters, type HostLimits, jsonBytes } from './limits.ts';
import type { RunEnd, StateScope } from './shapes.ts';

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

export const objection = (code: string, message: string): Objection => ({ code, message });
export const isObjection = (value: object): value is Objection => 'code' in value && 'message' in value;

/** The stable types of §7.2. */
const STABLE: ReadonlySet<string> = new Set([
  'message.delta',
  'message.completed',
  'tool.call.started',
  'tool.call.completed',
  'artifact.created',
  'state.updated',
  'action.requested',
  'run.completed',
  'run.failed',
]);

export const isKnownType = (type: string): boolean => STABLE.has(type);
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
    ? objection('result_too_large', `A result of ${bytes} bytes; the host takes ${limits.result_bytes}.`)
    : undefined;
}

/** What a result carries fits its type (MODELS §4). However badly a failure is told, it is one. */
export function checkPayload({ run_id, type, data }: Result): Objection | undefined {
  const [wrong] = type === 'run.failed' ? [] : checkTypedAgentRunResult({ run_id, type, data });
  return wrong === undefined ? undefined : malformed(`${wrong.path} of a ${type} is missing or has the wrong type.`);
}

/** A sequence number counts once. Numbers that are no number, gaps and wrong order are borne: the stream itself is the order. */
export function checkSequence(sequence: JsonValue | undefined, seen: ReadonlySet<unknown>): Objection | undefined {
  return typeof sequence === 'number' && seen.has(sequence)
    ? objection('result_duplicate', `Sequence ${sequence} was there before.`)
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
    return objection('state_scope', `State of scope ${update.scope} is not open to this run.`);
  if (update.key === '') return malformed('A state key is empty.');
  if (characters(update.key) > limits.state_key_chars)
    return objection('state_key_too_long', `A state key is longer than ${limits.state_key_chars} characters.`);
  if (jsonBytes(update.value) > limits.state_value_bytes)
    return objection('state_value_too_large', `A state value is larger than ${limits.state_value_bytes} bytes.`);
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

export const malformed = (words: string): Objection => objection('result_malformed', words);
