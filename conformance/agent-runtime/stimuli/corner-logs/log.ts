// A log written by hand, line by line: the class, what the envelope names, the payload, and records beside it.
import type { JsonObject, JsonValue } from '../../../../common/json.ts';

export type Line =
  | readonly [type: string, envelope?: Named, payload?: JsonObject, beside?: JsonObject]
  /** Events that never came: so many numbers are left out. */
  | { readonly lost: number };

/** Ids of the envelope, short: s(tep), th(read), turn, task, run, attempt, call, action, trace; `at: null` for no timestamp. */
type Named = Readonly<Partial<Record<keyof typeof IDS, string>>> & { readonly at?: null };

const IDS = {
  th: 'thread_id',
  turn: 'turn_id',
  task: 'task_id',
  run: 'run_id',
  attempt: 'attempt_id',
  step: 'step_id',
  call: 'tool_call_id',
  action: 'action_id',
  trace: 'trace_id',
} as const;

const START = Date.UTC(2026, 4, 8);

/**
 * The events of the lines, and as many of a vendor after them, which change nothing: whoever looks half-way sees all that the lines tell
 * while the log goes on, and at the end the same when it is over.
 */
export function corner(...lines: readonly Line[]): JsonObject[] {
  const events: JsonObject[] = [];
  let sequence = 0;
  const add = (type: string, envelope: Named, payload: JsonObject, beside: JsonObject): void => {
    sequence++;
    const ids = Object.entries(IDS).flatMap(([short, name]): [string, JsonValue][] => {
      const id = envelope[short as keyof typeof IDS];
      return id === undefined ? [] : [[name, id]];
    });
    events.push({
      type,
      event_id: `evt_${sequence}`,
      sequence,
      session_id: 's1',
      ...(envelope.at === null ? {} : { timestamp: new Date(START + 1000 * sequence).toISOString() }),
      ...Object.fromEntries(ids),
      ...beside,
      payload,
    });
  };
  for (const line of lines) {
    if ('lost' in line) sequence += line.lost;
    else add(line[0], line[1] ?? {}, line[2] ?? {}, line[3] ?? {});
  }
  for (let left = events.length; left > 0; left--) add('vendor.pause', {}, {}, {});
  return events;
}

/** Something for each of so many. */
export const each = (count: number, line: (n: number) => readonly Line[]): Line[] =>
  Array.from({ length: count }, (_, i) => line(i + 1)).flat();
