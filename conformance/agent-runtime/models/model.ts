// What a read model is: a fold over the events of one session, and an honest way to show its state.
import { enableMapSet, produce } from 'immer';
import { isKnown } from '../catalogue.ts';
import type { RuntimeEvent } from '../event.ts';
import type { Gap, Stream } from '../intake/stream.ts';

enableMapSet();

/** Changes an owned state in place. Total: any event, any state, no exception. */
export type Step<State> = (state: State, event: RuntimeEvent) => void;

export interface ReadModel<State = unknown, Shown = unknown> {
  readonly name: string;
  initial(): State;
  /** The pure fold. The old state stays as it was and shares what did not change. */
  fold(state: State, event: RuntimeEvent): State;
  /** The same fold on a state that the caller owns alone. */
  readonly steps: ReadonlyMap<string, Step<State>>;
  /** What every event of a known class does, after the step of its class. A vendor's type changes nothing. */
  readonly every?: Step<State> | undefined;
  /** The state as JSON, with `stale` where the stream cannot vouch for it. */
  show(state: State, fresh: Freshness): Shown;
}

interface Definition<State, Shown> {
  readonly name: string;
  readonly initial: () => State;
  readonly on: Readonly<Record<string, Step<State>>>;
  readonly every?: Step<State>;
  readonly show: (state: State, fresh: Freshness) => Shown;
}

export function defineModel<State, Shown>(definition: Definition<State, Shown>): ReadModel<State, Shown> {
  const { name, initial, on, every, show } = definition;
  const steps = new Map(Object.entries(on));
  return {
    name,
    initial,
    steps,
    every,
    fold: (state, event) =>
      isKnown(event.type)
        ? produce(state, (draft) => {
            const owned = draft as State;
            steps.get(event.type)?.(owned, event);
            every?.(owned, event);
          })
        : state,
    show,
  };
}

/** How far the stream can vouch for what was folded from it. */
export interface Freshness {
  readonly status: 'current' | 'stale';
  readonly last_sequence: number | 'unknown';
  readonly gaps: readonly Gap[];
  readonly repaired: readonly Gap[];
  readonly late: number;
  readonly disordered: number;
  readonly repeats: number;
  readonly conflicts: readonly string[];
  /** The stream is over: what was still going on is not known to go on. */
  readonly ended: boolean;
  /** Events of this session are missing that no number tells of. */
  readonly partial: boolean;
}

export const freshnessOf = (stream: Stream, ended: boolean): Freshness => ({
  status: stream.gaps.length > 0 || stream.partial || stream.conflicts.length > 0 ? 'stale' : 'current',
  last_sequence: stream.last === -1 ? 'unknown' : stream.last,
  gaps: stream.gaps,
  repaired: stream.repaired,
  late: stream.late,
  disordered: stream.disordered,
  repeats: stream.repeats,
  conflicts: stream.conflicts,
  ended,
  partial: stream.partial,
});

/** Something that a later, missing event may have changed. `seen` is the sequence of the last fact about it. */
export interface Seen {
  seen: number;
}

export const seenAt = (event: RuntimeEvent): number => event.sequence ?? Number.MAX_SAFE_INTEGER;

/** Did numbers go missing after the last fact about this? */
export const overtaken = (record: Seen, fresh: Freshness): boolean => fresh.gaps.some(([, to]) => to > record.seen);

/** States in which only a further fact says that something still goes on. */
const ONGOING = new Set(['accepted', 'preparing', 'running', 'streaming', 'retrying', 'cancelling', 'connected']);
/** States that nothing but a fact of its own can end, and that no gap makes untrue. */
const SETTLED = new Set(['completed', 'failed', 'cancelled', 'timed_out', 'archived', 'terminated', 'closed']);

/** A status as it may be shown, and the last one known where that is not the same. */
export function honest(status: string, record: Seen, fresh: Freshness): { status: string; last_known?: string } {
  if (SETTLED.has(status) || status === 'unknown') return { status };
  if (overtaken(record, fresh) || (fresh.ended && ONGOING.has(status))) return { status: 'stale', last_known: status };
  return { status };
}

/** The value, or the mark that says that no fact told it. */
export const known = <T>(value: T | undefined): T | 'unknown' => value ?? 'unknown';

/** Adds to a list that keeps only the latest. */
export function keep<T>(list: T[], item: T, most: number): void {
  list.push(item);
  list.splice(0, list.length - most);
}

/** Adds to a map that keeps only the latest; an entry that is there already keeps its place. */
export function keepIn<T>(map: Map<string, T>, key: string, item: T, most: number): void {
  map.set(key, item);
  if (map.size > most) map.delete(map.keys().next().value as string);
}

export const values = <T>(map: ReadonlyMap<string, T>): T[] => [...map.values()];
