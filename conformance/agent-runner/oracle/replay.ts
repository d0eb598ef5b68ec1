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

export function step(models: ReadModels, entry: JsonObject): ReadModels {
  const type = String(entry['event_type']);
  const run = entry['run_id'] ?? null;
  const data = isObject(entry['data']) ? entry['data'] : {};
  const end = ENDS[type];
  if (type === 'run.started') return { ...models, statuses: { ...models.statuses, [String(run)]: 'running' } };
  if (end !== undefined) {
    const over = models.statuses[String(run)] !== 'running';
    return over ? models : { ...models, statuses: { ...models.statuses, [String(run)]: end } };
  }
  if (type === 'state.updated')
    return { ...models, state: { ...models.state, [stateKey(data)]: data['value'] ?? null } };
  if (type === 'state.deleted') {
    const { [stateKey(data)]: _, ...rest } = models.state;
    return { ...models, state: rest };
  }
  if (type === 'delivery.sent') {
    const sent = { run, kind: data['kind'] ?? null, content: data['content'] ?? null };
    return { ...models, deliveries: [...models.deliveries, sent] };
  }
  const said = saidBy(type, data);
  const conversation = entry['conversation_id'] ?? null;
  if (said === undefined || conversation === null) return models;
  return { ...models, transcript: [...models.transcript, { conversation, ...said }] };
}

function saidBy(type: string, data: JsonObject): { role: string; text: string } | undefined {
  if (type === 'message.received') {
    const { text } = isObject(data['input']) ? data['input'] : {};
    return typeof text === 'string' && text !== '' ? { role: 'user', text } : undefined;
  }
  if (type !== 'message.completed' || !isObject(data['message'])) return undefined;
  return { role: 'assistant', text: textOf(data['message']['content']) };
}

/** In one go. */
export const replay = (log: readonly JsonObject[], from: ReadModels = NOTHING): ReadModels => log.reduce(step, from);

/** From a snapshot taken half-way, kept as text as any store would, and the tail behind it. */
export function replayFromSnapshot(log: readonly JsonObject[]): ReadModels {
  const half = Math.floor(log.length / 2);
  const snapshot = JSON.parse(JSON.stringify(replay(log.slice(0, half)))) as ReadModels;
  return replay(log.slice(half), snapshot);
}
