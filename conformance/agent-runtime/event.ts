// One event as folds and judges read it: ids under one name, whichever spelling the producer uses.
import { isObject, type JsonObject } from '../../common/json.ts';

const NOTHING: JsonObject = Object.freeze({});

/** The fields of the envelope that name something or somebody. */
export type IdName =
  | 'runtimeId'
  | 'sessionId'
  | 'threadId'
  | 'turnId'
  | 'taskId'
  | 'parentTaskId'
  | 'rootTaskId'
  | 'runId'
  | 'attemptId'
  | 'stepId'
  | 'toolCallId'
  | 'actionId'
  | 'subagentId'
  | 'artifactId'
  | 'evidenceId'
  | 'requestId'
  | 'modelRequestId'
  | 'processId'
  | 'channelId'
  | 'jobId'
  | 'jobItemId'
  | 'queueId'
  | 'queuedTurnId'
  | 'hookId'
  | 'traceId';

/** `toolName` as the schemas spell it, `tool_name` as the prose does. */
export type Field = readonly [camel: string, snake: string];

export const snake = (camel: string): string => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const fields = new Map<string, Field>();
export function fieldOf(camel: string): Field {
  let field = fields.get(camel);
  if (field === undefined) {
    field = [camel, snake(camel)];
    fields.set(camel, field);
  }
  return field;
}

const id = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** An id of the envelope stands in two spellings; a value that is no id counts as absent. */
const either = (one: unknown, other: unknown): string | undefined => id(one) ?? id(other);

export class RuntimeEvent {
  readonly raw: JsonObject;
  readonly type: string;
  readonly eventId: string | undefined;
  readonly timestamp: string | undefined;
  readonly sequence: number | undefined;
  readonly sessionId: string | undefined;
  readonly threadId: string | undefined;
  readonly turnId: string | undefined;
  readonly taskId: string | undefined;
  readonly runId: string | undefined;
  readonly stepId: string | undefined;
  readonly toolCallId: string | undefined;
  readonly actionId: string | undefined;
  /** The payload where it is an object; other kinds of payload hold no named facts. */
  readonly payload: JsonObject;

  constructor(raw: JsonObject) {
    this.raw = raw;
    this.type = id(raw['type']) ?? '';
    this.eventId = either(raw['event_id'], raw['eventId']);
    this.timestamp = id(raw['timestamp']);
    this.sequence = sequenceOf(raw['sequence']);
    this.sessionId = either(raw['session_id'], raw['sessionId']);
    this.threadId = either(raw['thread_id'], raw['threadId']);
    this.turnId = either(raw['turn_id'], raw['turnId']);
    this.taskId = either(raw['task_id'], raw['taskId']);
    this.runId = either(raw['run_id'], raw['runId']) ?? either(raw['attempt_id'], raw['attemptId']);
    this.stepId = either(raw['step_id'], raw['stepId']);
    this.toolCallId = either(raw['tool_call_id'], raw['toolCallId']);
    this.actionId = either(raw['action_id'], raw['actionId']);
    this.payload = isObject(raw['payload']) ? raw['payload'] : NOTHING;
  }

  /** Any id, from the envelope or else from the payload. */
  id(name: IdName): string | undefined {
    const [camel, snaked] = fieldOf(name);
    const { raw, payload } = this;
    return either(raw[snaked], raw[camel]) ?? either(payload[snaked], payload[camel]);
  }

  /** A fact of the payload, or of the record beside it (§3), or of the envelope itself. */
  get(name: string, record?: string): unknown {
    const field = fieldOf(name);
    const found = pick(this.payload, field);
    if (found !== undefined) return found;
    if (record !== undefined) {
      const inner = pick(this.payload, fieldOf(record)) ?? pick(this.raw, fieldOf(record));
      if (isObject(inner)) {
        const nested = pick(inner, field);
        if (nested !== undefined) return nested;
      }
    }
    return pick(this.raw, field);
  }

  /** A fact that is a text; anything else counts as absent. */
  text(name: string, record?: string): string | undefined {
    const value = this.get(name, record);
    return typeof value === 'string' ? value : undefined;
  }

  number(name: string, record?: string): number | undefined {
    const value = this.get(name, record);
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  list(name: string, record?: string): readonly unknown[] | undefined {
    const value = this.get(name, record);
    return Array.isArray(value) ? value : undefined;
  }
}

/** A field of any record, in either spelling; `null` counts as absent. */
export function pick(from: JsonObject, [camel, snaked]: Field): unknown {
  return from[snaked] ?? from[camel] ?? undefined;
}

/** A field of a value that may be no record at all. */
export const pickFrom = (from: unknown, camel: string): unknown =>
  isObject(from) ? pick(from, fieldOf(camel)) : undefined;

const sequenceOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Reads one event; `undefined` for JSON that is no object. */
export const readEvent = (json: unknown): RuntimeEvent | undefined =>
  isObject(json) ? new RuntimeEvent(json) : undefined;

/** Texts of a list; other members are left out. */
export const texts = (list: readonly unknown[] | undefined): string[] =>
  (list ?? []).filter((item): item is string => typeof item === 'string');
