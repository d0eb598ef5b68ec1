// The generated models as judges and stimuli ask for them: does this fit, is that known, what answers which call.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { tables } from '../../../schemas/agent-runner/2026-06-03/api.ts';
import type { ModelName } from '../../../schemas/agent-runner/2026-06-03/types.ts';
import { branchesOf, check, type Shape, shapes } from '../../../schemas/agent-runner/2026-06-03/validators.js';
import { plainName } from './api.ts';

/** What keeps a value from fitting a model, in words; undefined when it fits. Top-level members in `leave` are not looked at. */
export function misfit(model: ModelName, value: unknown, leave: readonly string[] = []): string | undefined {
  const errors = check(model, value).filter(({ path }) => !leave.includes(path.split('/')[1] ?? ''));
  const [first] = errors;
  if (first === undefined) return undefined;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${first.path || 'the whole'}: expected ${first.expected}, found ${first.found}${more}`;
}

const calls = tables.find(({ columns }) => columns[0] === 'API call')!;
const column = (name: string): number => calls.columns.indexOf(name);
const modelOf = (what: 'request' | 'answer'): ReadonlyMap<string, ModelName> =>
  new Map(calls.rows.map((row) => [row[column('action')]!, row[column(what)] as ModelName]));
const requests = modelOf('request');
const answers = modelOf('answer');

/** The model of a call's data; undefined for an action that the protocol does not have. */
export const requestModel = (action: string, data: JsonObject): ModelName | undefined =>
  requests.get(plainName(action, data));

/** Does a success, or one chunk of a stream, fit the answer of this call? Calls that the protocol does not have take anything. */
export function isAnswerTo(action: string, data: JsonObject, answer: unknown): boolean {
  const model = answers.get(plainName(action, data));
  return model === undefined || check(model, answer).length === 0;
}

/** A context without the members that AgentRunContext does not name. Free objects (config, metadata, data …) stay as they are. */
export const withoutUnknown = (context: JsonObject): JsonObject =>
  stripped({ ref: 'AgentRunContext' }, context) as JsonObject;

function stripped(shape: Shape, value: unknown): unknown {
  const kind = Array.isArray(value) ? 'list' : isObject(value) ? 'ref' : undefined;
  if (kind === undefined) return value;
  const branch = branchesOf(shape).find((one) => typeof one === 'object' && kind in one);
  if (typeof branch !== 'object') return value;
  if ('list' in branch) return (value as unknown[]).map((item) => stripped(branch.list, item));
  const definition = 'ref' in branch ? shapes[branch.ref] : undefined;
  if (definition === undefined || !('fields' in definition)) return value;
  const known = Object.entries(value as JsonObject).filter(([key]) => Object.hasOwn(definition.fields, key));
  return Object.fromEntries(known.map(([key, member]) => [key, stripped(definition.fields[key]!.type, member)]));
}
