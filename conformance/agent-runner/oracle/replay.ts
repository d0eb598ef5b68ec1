// Folding an event log into read models (MODELS §7.4): status, state, transcript and deliveries, one entry at a time.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { textOf } from './payload.ts';

export interface ReadModels {
  readonly statuses: Readonly<Record<string, string>>;
  /** By scope, owner and key. */
  readonly state: Readonly<Record<string, JsonValue>>;
  readonly transcript: readonly { readonly conversation: JsonValue; readonly role: string; readonly text: string }[];
  readonly deliveries: readonly { readonly run: JsonValue; readonly kind: JsonValue; readonly content: JsonValue }[];
}

export const NOTHING: ReadModels = { statuses: {}, state: {}, transcript: [], deliveries: [] };

const ENDS: Readonly<Record<string, string>> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
  'run.timeout': 'timeout',
};

export const stateKey = (entry: JsonObject): string =>
  JSON.stringify([entry['scope'] ?? null, entry['owner'] ?? null, entry['key'] ?? null]);

type Open<T> = { -readonly [K in keyof T]: T[K] };
interface Folding {
  readonly statuses: Open<ReadModels['statuses']>;
  readonly state: Open<ReadModels['state']>;
  readonly transcript: ReadModels['transcript'][number][];
  readonly deliveries: ReadModels['deliveries'][number][];
}

function take(models: Folding, entry: JsonObject): void {
  const type = String(entry['event_type']);
  const run = entry['run_id'] ?? null;
  const data = isObject(entry['data']) ? entry['data'] : {};
  const end = ENDS[type];
  if (type === 'run.started') models.statuses[String(run)] = 'running';
  else if (end !== undefined) {
    if (models.statuses[String(run)] === 'running') models.statuses[String(run)] = end;
  } else if (type === 'state.updated') models.state[stateKey(data)] = data['value'] ?? null;
  else if (type === 'state.deleted') delete models.state[stateKey(data)];
  else if (type === 'delivery.sent')
    models.deliveries.push({ run, kind: data['kind'] ?? null, content: data['content'] ?? null });
  else {
    const said = saidBy(type, data);
    const conversation = entry['conversation_id'] ?? null;
    if (said !== undefined && conversation !== null) models.transcript.push({ conversation, ...said });
  }
}

function saidBy(type: string, data: JsonObject): { role: string; text: string } | undefined {
  if (type === 'message.received') {
    const { text } = isObject(data['input']) ? data['input'] : {};
    return typeof text === 'string' && text !== '' ? { role: 'user', text } : undefined;
  }
  if (type !== 'message.completed' || !isObject(data['message'])) return undefined;
  return { role: 'assistant', text: textOf(data['message']['content']) };
}

/** In one go; `from` stays as it is. */
export function replay(log: readonly JsonObject[], from: ReadModels = NOTHING): ReadModels {
  // Without a prototype, so that a run may be called `__proto__`.
  const models: Folding = {
    statuses: Object.assign(Object.create(null), from.statuses),
    state: Object.assign(Object.create(null), from.state),
    transcript: [...from.transcript],
    deliveries: [...from.deliveries],
  };
  for (const entry of log) take(models, entry);
  return models;
}

/** From a snapshot taken half-way, kept as text as any store would, and the tail behind it. */
export function replayFromSnapshot(log: readonly JsonObject[]): ReadModels {
  const half = Math.floor(log.length / 2);
  const snapshot = JSON.parse(JSON.stringify(replay(log.slice(0, half)))) as ReadModels;
  return replay(log.slice(half), snapshot);
}
