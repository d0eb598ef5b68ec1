// §3: the envelope, judged on every event as it arrives.
import type { RuntimeEvent } from '../event.ts';
import type { Standing } from '../intake/identity.ts';
import type { Book } from './book.ts';

export type Belonging = 'turn' | 'thread' | 'work' | 'any';
const OF_FAMILY: Readonly<Record<string, Belonging>> = {
  turn: 'turn',
  thread: 'thread',
  model: 'work',
  reasoning: 'work',
  tool: 'work',
};

/** What the events of a class belong to: a turn, a thread, or (the work of a turn) a turn, a task or a run. */
export const belonging = (type: string): Belonging => OF_FAMILY[type.slice(0, Math.max(0, type.indexOf('.')))] ?? 'any';

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

const IDS = ['event', 'session', 'thread', 'turn', 'task', 'run', 'attempt', 'step', 'tool_call', 'action', 'subagent'];
const ID_FIELDS: ReadonlySet<string> = new Set(IDS.flatMap((id) => [`${id}_id`, `${id.replace('_c', 'C')}Id`]));

/** The most of an inline payload, in characters of JSON, before a reference should stand for it. */
export const INLINE = 64 * 1024;

export function envelopeJudges(page: Book['page']) {
  const type = page('ar/3/type-given');
  const eventId = page('ar/3/event-id-given');
  const timestamp = page('ar/3/timestamp-given');
  const rfc3339 = page('ar/3/timestamp-rfc3339');
  const unique = page('ar/3/event-id-unique');
  const shape = page('ar/3/envelope-typed');
  const scope = page('ar/3/scope-ids-given');
  const rising = page('ar/3/sequence-rises');
  const byRef = page('ar/3/large-payload-by-ref');

  return {
    /** `size` is the length of the event's JSON; `last` the sequence before it in its stream. */
    judge(
      event: RuntimeEvent,
      place: number,
      size: number,
      standing: Standing,
      last: number,
      belongs: Belonging,
    ): void {
      const { raw } = event;
      if (event.type !== '') type.kept();
      else type.broken([place], 'a type', show(raw['type']));
      if (event.eventId !== undefined) eventId.kept();
      else eventId.broken([place], 'an event_id', show(raw['event_id'] ?? raw['eventId']));
      if (event.timestamp === undefined) timestamp.broken([place], 'a timestamp', show(raw['timestamp']));
      else {
        timestamp.kept();
        if (isRfc3339(event.timestamp)) rfc3339.kept();
        else rfc3339.broken([place], 'a time as RFC 3339 writes it', show(event.timestamp));
      }
      if (standing === 'conflict')
        unique.broken([place], 'an event_id that no other event has', `${event.eventId} stands for another event too`);
      else unique.kept();
      judgeShape(event, place);
      judgeScope(event, place, belongs);
      judgeSequence(event, place, standing, last);
      if (size > INLINE)
        byRef.broken(
          [place],
          `at most ${INLINE} characters inline, the rest by reference`,
          `an event of ${size} characters`,
        );
      else if (event.type === 'tool.result' || event.type === 'process.output') byRef.kept();
    },
  };

  function judgeShape({ raw, odd }: RuntimeEvent, place: number): void {
    if (!odd) {
      shape.kept();
      return;
    }
    for (const name in raw) {
      const value = raw[name];
      if ((typeof value !== 'string' || value === '') && value !== null && ID_FIELDS.has(name)) {
        shape.broken([place], `${name} a text that is not empty`, show(value));
        return;
      }
    }
    const { sequence, refs } = raw;
    if (sequence !== undefined && sequence !== null && !(Number.isSafeInteger(sequence) && (sequence as number) >= 0)) {
      shape.broken([place], 'sequence an integer from 0', show(sequence));
    } else if (refs !== undefined && refs !== null && (typeof refs !== 'object' || Array.isArray(refs))) {
      shape.broken([place], 'refs an object', show(refs));
    } else shape.kept();
  }

  function judgeScope(event: RuntimeEvent, place: number, belongs: Belonging): void {
    const { sessionId, threadId, turnId } = event;
    if (threadId !== undefined && sessionId === undefined) lacks(event, place, 'session_id beside thread_id');
    else if (turnId !== undefined && threadId === undefined)
      lacks(event, place, 'session_id and thread_id beside turn_id');
    else if (belongs === 'turn' && turnId === undefined) lacks(event, place, 'session_id, thread_id and turn_id');
    else if (belongs === 'thread' && threadId === undefined) lacks(event, place, 'session_id and thread_id');
    else if (belongs === 'work' && turnId === undefined && event.taskId === undefined && event.runId === undefined) {
      lacks(event, place, 'turn_id (or the task or run it belongs to)');
    } else if (turnId !== undefined || belongs !== 'any') scope.kept();
  }

  function lacks({ type }: RuntimeEvent, place: number, names: string): void {
    scope.broken([place], `${names} on ${type}`, 'absent');
  }

  function judgeSequence({ sequence }: RuntimeEvent, place: number, standing: Standing, last: number): void {
    if (sequence === undefined || standing !== 'new' || last < 0) return;
    if (sequence > last) rising.kept();
    else rising.broken([place], `a sequence above ${last}`, String(sequence));
  }
}

/** Most timestamps have one of two forms; those need no regular expression. */
function isRfc3339(text: string): boolean {
  if (text.length === 24 && text.charCodeAt(23) === 90 && text.charCodeAt(10) === 84 && text.charCodeAt(19) === 46) {
    for (let i = 0; i < 23; i++) {
      if (i === 4 || i === 7) {
        if (text.charCodeAt(i) !== 45) return false;
      } else if (i === 13 || i === 16) {
        if (text.charCodeAt(i) !== 58) return false;
      } else if (i !== 10 && i !== 19) {
        const digit = text.charCodeAt(i);
        if (digit < 48 || digit > 57) return false;
      }
    }
    return true;
  }
  return RFC3339.test(text);
}

const show = (value: unknown): string =>
  value === undefined ? 'absent' : (JSON.stringify(value) ?? 'absent').slice(0, 200);
