// The log as events: what each entry says to someone who reads along (events.get, events.page, replay). One entry may say several things.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import type { Delivery, RunEnd, RunStart, StateChange } from '../shapes.ts';
import type { LogEntry } from './log.ts';
import { textOf } from './transcript.ts';

export interface EventRecord {
  readonly event_id: string;
  readonly event_type: string;
  readonly event_time: number | null;
  readonly source: string;
  readonly bot_id: string | null;
  readonly workspace_id: string | null;
  readonly conversation_id: string | null;
  readonly thread_id: string | null;
  readonly run_id: string | null;
  readonly runner_id: string | null;
  readonly actor: JsonValue;
  readonly subject: JsonValue;
  readonly input_summary: string | null;
  readonly raw_ref: JsonValue;
  /** What the event says, for whoever replays the log. Runners get the record without it. */
  readonly data: JsonObject;
  /** The host's own bookkeeping, which no runner gets to read: it tells of state and calls of others. */
  readonly internal: boolean;
  readonly seq: number;
  readonly created_at: number;
}

const INTERNAL: ReadonlySet<string> = new Set(['state.updated', 'state.deleted', 'api.called', 'delivery.sent']);

const SUMMARY_CHARS = 1000;

/** The records that an entry adds, numbered from `seq`. */
export function recordsOf(entry: LogEntry, run: RunStart | undefined, seq: number): EventRecord[] {
  const records: EventRecord[] = [];
  const add = (event_type: string, source: string, data: JsonObject, own: Partial<EventRecord> = {}): void => {
    const place = seq + records.length;
    records.push({
      event_id: `log-${place}`,
      event_type,
      event_time: Math.floor(entry.at / 1000),
      source,
      bot_id: run?.scope.bot_id ?? null,
      workspace_id: run?.scope.workspace_id ?? null,
      conversation_id: run?.scope.conversation_id ?? null,
      thread_id: run?.scope.thread_id ?? null,
      run_id: run?.run_id ?? null,
      runner_id: run?.runner_id ?? null,
      actor: null,
      subject: null,
      input_summary: null,
      raw_ref: null,
      data,
      internal: INTERNAL.has(event_type),
      seq: place,
      created_at: Math.floor(entry.at / 1000),
      ...own,
    });
  };
  switch (entry.kind) {
    case 'submitted': {
      const { event } = entry;
      const input = isObject(event['input']) ? event['input'] : {};
      add(
        String(event['event_type']),
        String(event['source']),
        { input, delivery: event['delivery'] },
        {
          event_id: String(event['event_id']),
          internal: false,
          event_time: typeof event['event_time'] === 'number' ? event['event_time'] : null,
          actor: event['actor'] ?? null,
          subject: event['subject'] ?? null,
          input_summary: textOf(input['text'] ?? input['contents'])?.slice(0, SUMMARY_CHARS) ?? null,
          raw_ref: event['raw_ref'] ?? null,
        },
      );
      add('run.started', 'host', { binding_id: entry.run.binding_id });
      break;
    }
    case 'result': {
      const { result, answer, deliveries = [], state, artifact, end } = entry;
      const type = String(result['type']);
      if (answer !== undefined) add('message.completed', 'runner', { message: answer });
      if (isWatched(type)) add(type, 'runner', isObject(result['data']) ? result['data'] : {});
      if (artifact !== undefined) add('artifact.created', 'runner', { artifact_id: artifact.artifact_id });
      if (state !== undefined) add('state.updated', 'runner', changeOf(state));
      for (const delivery of deliveries) add('delivery.sent', 'host', sentOf(delivery));
      if (end !== undefined) add(`run.${end.status}`, 'runner', reasonOf(end));
      break;
    }
    case 'call': {
      const { audit, state, deliveries = [] } = entry;
      const { action, resource, scope, result } = audit;
      add('api.called', 'runner', { action, resource, scope, result });
      if (state !== undefined)
        add(state.value === undefined ? 'state.deleted' : 'state.updated', 'runner', changeOf(state));
      for (const delivery of deliveries) add('delivery.sent', 'host', sentOf(delivery));
      break;
    }
    case 'ended':
      add(`run.${entry.end.status}`, 'host', reasonOf(entry.end));
      break;
    case 'warning':
      break;
  }
  return records;
}

/** Results that are only watched: tool events and requested actions (§7.2). */
export const isWatched = (type: unknown): boolean =>
  type === 'tool.call.started' || type === 'tool.call.completed' || type === 'action.requested';

const changeOf = ({ scope, owner, key, value }: StateChange): JsonObject => ({ scope, owner, key, value });
const sentOf = ({ kind, content, surface, conversation_id }: Delivery): JsonObject => ({
  kind,
  content,
  surface,
  conversation_id,
});
const reasonOf = ({ code, message }: RunEnd): JsonObject => ({ code, message });
