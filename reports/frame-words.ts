// What a frame is about, in a few words beside its name: which tool, which key, which text.
import { isObject, type JsonObject } from '../common/json.ts';

/** The members of a call that tell most, the first that is there. */
const TELLING = [
  'tool_name',
  'kb_id',
  'llm_model_uuid',
  'rerank_model_uuid',
  'artifact_id',
  'event_id',
  'query',
  'before_cursor',
  'after_cursor',
  'cursor',
  'conversation_id',
  'action',
];

/** Of a request: what it asks for. */
export function requestDetail(action: string, data: unknown): string | undefined {
  if (!isObject(data)) return undefined;
  if (action === 'run_agent') return word(at(data, 'context', 'run_id'));
  if (action === 'cancel_run' || action === 'driver_cancel' || action === 'driver_observe') return word(data['run_id']);
  if (action === 'driver_submit') return word(at(data, 'event', 'event_type'));
  if (action === 'driver_command') return word(data['command']);
  if (action === 'driver_model') return word(data['model']);
  if (action === 'driver_events') return word(data['after']) && `after ${word(data['after'])}`;
  return keyOf(data) ?? TELLING.map((name) => word(data[name])).find((found) => found !== undefined);
}

/** Of an answer or a result in a stream: what it carries. */
export function resultDetail(result: JsonObject): string | undefined {
  if (Array.isArray(result['events'])) return typesOf(result['events']);
  const data = result['data'];
  if (!isObject(data)) return undefined;
  const content = at(data, 'message', 'content') ?? at(data, 'chunk', 'content');
  if (typeof content === 'string') return JSON.stringify(content);
  return (
    word(data['code']) ?? keyOf(data) ?? word(data['tool_name']) ?? word(data['artifact_id']) ?? word(data['action'])
  );
}

/** The events of a log that was asked for, by their types. */
function typesOf(events: readonly unknown[]): string {
  const types = events.slice(0, MOST_TYPES).map((event) => word(at(event, 'type')) ?? '?');
  return events.length === 0 ? 'no event' : types.join(', ');
}

const MOST_TYPES = 8;

const keyOf = (data: JsonObject): string | undefined => {
  const [scope, key] = [word(data['scope']), word(data['key'])];
  return key === undefined ? undefined : scope === undefined ? key : `${scope}/${key}`;
};

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
