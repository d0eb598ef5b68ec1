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

/** One name in its two spellings: `toolName` as the schemas have it, `tool_name` as the prose does. */
export interface Field {
  readonly camel: string;
  readonly snake: string;
  /** May the fact stand in the envelope itself, beside the payload? */
  readonly beside: boolean;
}

export const snake = (camel: string): string => camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Facts that the published schemas also know as members of the envelope. */
const BESIDE = new Set(['status', 'phase', 'nativeStatus', 'statusReason', 'outputRef']);

const fields = new Map<string, Field>();
export function fieldOf(camel: string): Field {
  let field = fields.get(camel);
  if (field === undefined) {
    field = { camel, snake: snake(camel), beside: BESIDE.has(camel) };
    fields.set(camel, field);
  }
  return field;
}

const id = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** An id of the envelope stands in two spellings; a value that is no id counts as absent. */
const either = (one: unknown, other: unknown): string | undefined => id(one) ?? id(other);

/** Names that no camel case is in; looking a name up here is cheaper than looking at its letters. */
const plain = new Set<string>();
function isPlain(name: string): boolean {
  if (plain.has(name)) return true;
  if (/[A-Z]/.test(name)) return false;
  if (plain.size < 10_000) plain.add(name);
  return true;
}

/** Ids that the constructor looks for, or passes over. */
const COMMON: ReadonlySet<string> = new Set<IdName>([
  'runtimeId',
  'sessionId',
  'threadId',
  'turnId',
  'taskId',
  'runId',
  'attemptId',
  'stepId',
  'toolCallId',
  'actionId',
  'traceId',
]);

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
  readonly traceId: string | undefined;
  /** The payload where it is an object; other kinds of payload hold no named facts. */
  readonly payload: JsonObject;
  /** Is a member of the envelope neither a text nor one that is known to be something else? Then its type is worth a look. */
  readonly odd: boolean;
  /** Has the envelope members beside those that every event may have? Looking for what is not there is dear. */
  private readonly more: boolean;
  // An ordinary member: a private name would cost more than all the rest of the constructor.
  private camelled: boolean | undefined;

  constructor(raw: JsonObject) {
    let type: string | undefined;
    let eventId: string | undefined;
    let timestamp: string | undefined;
    let sequence: number | undefined;
    let sessionId: string | undefined;
    let threadId: string | undefined;
    let turnId: string | undefined;
    let taskId: string | undefined;
    let runId: string | undefined;
    let attemptId: string | undefined;
    let stepId: string | undefined;
    let toolCallId: string | undefined;
    let actionId: string | undefined;
    let traceId: string | undefined;
    let odd = false;
    let more = false;
    // Over the members that are there: most of those that could be are not.
    for (const name in raw) {
      const value = raw[name];
      switch (name) {
        case 'type':
          type = id(value);
          break;
        case 'event_id':
        case 'eventId':
          eventId ??= id(value);
          break;
        case 'timestamp':
          timestamp = id(value);
          break;
        case 'sequence':
          sequence = sequenceOf(value);
          if (sequence === undefined) odd = true;
          continue;
        case 'session_id':
        case 'sessionId':
          sessionId ??= id(value);
          break;
        case 'thread_id':
        case 'threadId':
          threadId ??= id(value);
          break;
        case 'turn_id':
        case 'turnId':
          turnId ??= id(value);
          break;
        case 'task_id':
        case 'taskId':
          taskId ??= id(value);
          break;
        case 'run_id':
        case 'runId':
          runId ??= id(value);
          break;
        case 'attempt_id':
        case 'attemptId':
          attemptId ??= id(value);
          break;
        case 'step_id':
        case 'stepId':
          stepId ??= id(value);
          break;
        case 'tool_call_id':
        case 'toolCallId':
          toolCallId ??= id(value);
          break;
        case 'action_id':
        case 'actionId':
          actionId ??= id(value);
          break;
        case 'payload':
          continue;
        case 'trace_id':
        case 'traceId':
          traceId ??= id(value);
          break;
        case 'schema_version':
        case 'schemaVersion':
        case 'runtime_id':
        case 'runtimeId':
        case 'span_id':
        case 'spanId':
          break;
        default:
          more = true;
      }
      if (typeof value !== 'string' || value === '') odd = true;
    }
    this.raw = raw;
    this.odd = odd;
    this.more = more;
    this.type = type ?? '';
    this.eventId = eventId;
    this.timestamp = timestamp;
    this.sequence = sequence;
    this.sessionId = sessionId;
    this.threadId = threadId;
    this.turnId = turnId;
    this.taskId = taskId;
    this.runId = runId ?? attemptId;
    this.stepId = stepId;
    this.toolCallId = toolCallId;
    this.actionId = actionId;
    this.traceId = traceId;
    const payload = raw['payload'];
    this.payload = isObject(payload) ? payload : NOTHING;
    this.camelled = undefined;
  }

  /** Is any name in the payload spelled in camel case? Asked once, and only of events whose payload is read. */
  get camel(): boolean {
    if (this.camelled === undefined) {
      this.camelled = false;
      for (const name in this.payload) {
        if (!isPlain(name)) {
          this.camelled = true;
          break;
        }
      }
    }
    return this.camelled;
  }

  /** Any id, from the envelope or else from the payload. */
  id(name: IdName): string | undefined {
    const field = fieldOf(name);
    const { raw } = this;
    const found = this.more || COMMON.has(name) ? either(raw[field.snake], raw[field.camel]) : undefined;
    return found ?? id(this.payloadOf(field));
  }

  /** A fact of the payload, or of the record beside it (§3), or of the envelope where it may stand there. */
  get(name: string, record?: string): unknown {
    const field = fieldOf(name);
    const found = this.payloadOf(field);
    if (found !== undefined) return found;
    if (record !== undefined) {
      const inner = this.payloadOf(fieldOf(record)) ?? (this.more ? pick(this.raw, fieldOf(record)) : undefined);
      if (isObject(inner)) {
        const nested = pick(inner, field);
        if (nested !== undefined) return nested;
      }
    }
    return field.beside && this.more ? pick(this.raw, field) : undefined;
  }

  private payloadOf(field: Field): unknown {
    return this.payload[field.snake] ?? (this.camel ? (this.payload[field.camel] ?? undefined) : undefined);
  }

  /** A record that stands beside the payload (§3). */
  beside(record: string): unknown {
    return this.more ? pick(this.raw, fieldOf(record)) : undefined;
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
export function pick(from: JsonObject, field: Field): unknown {
  return from[field.snake] ?? from[field.camel] ?? undefined;
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
