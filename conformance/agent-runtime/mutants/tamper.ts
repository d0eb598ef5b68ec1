// Faults in a log, as small changes to events on their way out: dropped, changed, or followed by one that should not be there.
import type { JsonObject, JsonValue } from '../../../common/json.ts';

/** What becomes of one event. */
export type Rewrite = (event: JsonObject) => readonly JsonObject[];

export interface Fault {
  readonly id: string;
  /** One sentence on what it does wrong. */
  readonly what: string;
  /** The clauses that must notice. */
  readonly clauses: readonly string[];
  /** A rewriter with a memory of its own. */
  make(): Rewrite;
}

type Test = (event: JsonObject) => boolean;
type Where = string | readonly string[] | Test;

const test = (where: Where): Test =>
  typeof where === 'function'
    ? where
    : typeof where === 'string'
      ? ({ type }) => type === where
      : ({ type }) => where.includes(String(type));

export const payload = (event: JsonObject): JsonObject => (event['payload'] ?? {}) as JsonObject;
export const has =
  (type: string, member: string, value: JsonValue): Test =>
  (event) =>
    event['type'] === type && payload(event)[member] === value;

/** The event without these members. */
export const without = (event: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !names.includes(name)));
export const withPayload = (event: JsonObject, change: JsonObject): JsonObject => ({
  ...event,
  payload: { ...payload(event), ...change },
});
export const lacking = (event: JsonObject, ...names: readonly string[]): JsonObject => ({
  ...event,
  payload: without(payload(event), ...names),
});

/** Ids and numbers as a runtime that means what it says would give them. */
function renumbered(rewrite: Rewrite): Rewrite {
  const sequences = new Map<unknown, number>();
  let count = 0;
  return (event) =>
    rewrite(event).map((said) => {
      const sequence = (sequences.get(said['session_id']) ?? 0) + 1;
      sequences.set(said['session_id'], sequence);
      count++;
      return {
        ...said,
        ...('event_id' in said ? { event_id: `evt_${count}` } : {}),
        ...('sequence' in said ? { sequence } : {}),
      };
    });
}

export const dropped =
  (where: Where): (() => Rewrite) =>
  () =>
    renumbered((event) => (test(where)(event) ? [] : [event]));

export const changed =
  (where: Where, change: (event: JsonObject) => JsonObject): (() => Rewrite) =>
  () =>
    renumbered((event) => [test(where)(event) ? change(event) : event]);

/** As `changed`, with ids and numbers as the change leaves them. */
export const raw =
  (where: Where, change: (event: JsonObject) => JsonObject): (() => Rewrite) =>
  () =>
  (event) => [test(where)(event) ? change(event) : event];

export const followed =
  (where: Where, more: (event: JsonObject) => JsonObject | readonly JsonObject[]): (() => Rewrite) =>
  () =>
    renumbered((event) => (test(where)(event) ? [event, ...[more(event)].flat()] : [event]) as readonly JsonObject[]);

/** Another event with the ids of this one. */
export const like = (event: JsonObject, type: string, facts: JsonObject = {}): JsonObject => ({
  ...event,
  type,
  payload: facts,
});

/** Decides about every process itself, beside the call that it runs for. */
export const decidesOnProcesses =
  (decision: string): (() => Rewrite) =>
  () =>
    renumbered((event) =>
      event['type'] === 'process.started'
        ? [
            without(
              like(event, 'permission.evaluated', {
                process_id: payload(event)['process_id'] ?? event['process_id'],
                decision,
                decision_source: 'rule',
                decision_reason: 'a command of its own',
              }),
              'tool_call_id',
            ),
            event,
          ]
        : [event],
    );

export const withMemory =
  (make: () => Rewrite): (() => Rewrite) =>
  () =>
    renumbered(make());

export const fault = (clause: string | readonly string[], what: string, make: () => Rewrite): Fault => {
  const clauses = typeof clause === 'string' ? [clause] : clause;
  return { id: `runtime-${clauses[0]!.split('/').slice(1).join('-').replaceAll('.', '-')}`, what, clauses, make };
};
