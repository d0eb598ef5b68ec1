// Writes the events of one bridged log: ids that follow from what happened, one sequence a session, and only what was told.
import { isObject, type JsonObject, type JsonValue } from '../../common/json.ts';
import type { Story } from './story.ts';

/** The ids that every event of a run carries. */
export interface RunIds {
  readonly session_id: string;
  readonly thread_id: string;
  readonly turn_id: string;
  readonly task_id: string;
  readonly run_id: string;
  readonly trace_id?: string;
}

export type Say = (
  type: string,
  payload?: Readonly<Record<string, unknown>>,
  more?: Readonly<Record<string, string | undefined>>,
) => void;

export class Scribe {
  #sequences = new Map<string, number>();
  #told = new Set<string>();
  #busy = new Set<string>();
  /** How often an event was handed to a runner: each time is one more attempt at the same task. */
  #attempts = new Map<string, number>();
  #runtime: string;
  #write: (event: JsonObject) => void;

  constructor(runtime: string, write: (event: JsonObject) => void) {
    this.#runtime = runtime;
    this.#write = write;
  }

  /** Sessions and threads are told of once. */
  isNew(kind: 'session' | 'thread', id: string): boolean {
    const key = `${kind} ${id}`;
    if (this.#told.has(key)) return false;
    this.#told.add(key);
    return true;
  }

  attempt(taskId: string): number {
    const attempt = (this.#attempts.get(taskId) ?? 0) + 1;
    this.#attempts.set(taskId, attempt);
    return attempt;
  }

  /** A thread runs one turn at a time; LangBot orders no runs, so a run beside another one is on a thread of its own. */
  thread(base: string): { readonly thread_id: string; readonly free: () => void } {
    for (let lane = 1; ; lane++) {
      const thread_id = lane === 1 ? base : `${base}#${lane}`;
      if (this.#busy.has(thread_id)) continue;
      this.#busy.add(thread_id);
      return { thread_id, free: () => this.#busy.delete(thread_id) };
    }
  }

  write(
    type: string,
    at: number,
    ids: Readonly<Record<string, string | undefined>>,
    payload: Readonly<Record<string, unknown>>,
  ): void {
    const session = ids['session_id'] ?? '';
    const sequence = (this.#sequences.get(session) ?? 0) + 1;
    this.#sequences.set(session, sequence);
    this.#write({
      type,
      event_id: `${session}/${sequence}`,
      timestamp: new Date(at).toISOString(),
      sequence,
      schema_version: '0.3.9',
      runtime_id: this.#runtime,
      ...told(ids),
      payload: told(payload),
    });
  }
}

export interface Identified {
  readonly ids: RunIds;
  readonly attempt: number;
  /** Is the conversation known, or one made up for this event alone? */
  readonly known: boolean;
  /** The run is over: its thread may be used by another. */
  readonly free: () => void;
}

/** Ids by the rules of the bridge: the event is the turn, the event's work is the task, the conversation is the session. */
export function idsOf({ context, runId }: Story, scope: string, scribe: Scribe): Identified {
  const at = (part: string, name: string): string | undefined => {
    const holder = context[part];
    const value = isObject(holder) ? holder[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const event = at('event', 'event_id') ?? runId;
  const conversation = at('conversation', 'conversation_id');
  const session_id = `${scope}${conversation ?? `event:${event}`}`;
  const task_id = `${scope}task:${event}`;
  const attempt = scribe.attempt(task_id);
  const trace = at('runtime', 'trace_id');
  const { thread_id, free } = scribe.thread(`${session_id}/${at('conversation', 'thread_id') ?? 'main'}`);
  return {
    attempt,
    known: conversation !== undefined,
    free,
    ids: {
      session_id,
      thread_id,
      turn_id: `${scope}${event}${attempt === 1 ? '' : `#${attempt}`}`,
      task_id,
      run_id: `${scope}${runId}`,
      ...(trace === undefined ? {} : { trace_id: trace }),
    },
  };
}

const told = (facts: Readonly<Record<string, unknown>>): Record<string, JsonValue> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Record<string, JsonValue>;
