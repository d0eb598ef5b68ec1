// Order within one stream (a session). Events go on in the order of their sequence; what is missing is waited for,
// within bounds, and then written down as a gap, so that a model can say `stale` instead of guessing.
import type { RuntimeEvent } from '../event.ts';

/** How many events are held back for one that is missing before the gap counts. */
export const HELD = 256;
/** How many gaps are told apart; older ones are joined. */
const GAPS = 64;

export type Gap = readonly [from: number, to: number];

export interface Stream {
  /** The highest sequence that has gone on; -1 before the first. */
  last: number;
  /** Waiting for one that is missing, in the order of their sequence. */
  held: RuntimeEvent[];
  /** Numbers that never came, oldest first. Those before the first event are the first gap. */
  gaps: Gap[];
  /** Events that came after their gap was given up: they are not applied. */
  late: number;
  /** Events whose number was taken or overtaken: they are applied as they come. */
  disordered: number;
  repeats: number;
  conflicts: string[];
  /** Gaps that a snapshot covers, and what it says about them. */
  repaired: Gap[];
  /** Events are missing that no number tells of: dropped from memory, or unreadable in the log. */
  partial: boolean;
}

export const newStream = (): Stream => ({
  last: -1,
  held: [],
  gaps: [],
  late: 0,
  disordered: 0,
  repeats: 0,
  conflicts: [],
  repaired: [],
  partial: false,
});

/** The highest sequence that has arrived, held events among them; -1 before the first. */
export const highest = ({ held, last }: Stream): number =>
  held.length === 0 ? last : (held[held.length - 1]!.sequence ?? last);

/** Are all numbers from `from` to `to` known to belong to other streams of the same log? */
export type Elsewhere = (from: number, to: number, sure: boolean) => boolean;

/**
 * Takes the next event as it arrived. True: it goes on now (then ask `follow` for what waited for it).
 * False: it is held, or too late.
 */
export function arrive(stream: Stream, event: RuntimeEvent, elsewhere: Elsewhere): boolean {
  const { sequence } = event;
  if (sequence === undefined) return true;
  const { last } = stream;
  if (sequence === last + 1 || (last === -1 && sequence === 1)) {
    stream.last = sequence;
    return true;
  }
  if (sequence > last) {
    if (stream.held.length === 0 && elsewhere(Math.max(1, last + 1), sequence - 1, true)) {
      stream.last = sequence;
      return true;
    }
    hold(stream, event, sequence);
    return false;
  }
  if (stream.gaps.some(([from, to]) => from <= sequence && sequence <= to)) {
    stream.late++;
    return false;
  }
  stream.disordered++;
  return true;
}

/** The next held event that may go on: its predecessor has come, or (`force`) nobody waits any longer. */
export function follow(
  stream: Stream,
  elsewhere: Elsewhere,
  force = stream.held.length > HELD,
): RuntimeEvent | undefined {
  const next = stream.held[0];
  if (next === undefined) return undefined;
  const sequence = next.sequence!;
  const from = Math.max(stream.last + 1, stream.last === -1 ? 1 : 0);
  if (sequence > from && !elsewhere(from, sequence - 1, !force)) {
    if (!force) return undefined;
    addGap(stream, [from, sequence - 1]);
  }
  stream.held.shift();
  stream.last = Math.max(stream.last, sequence);
  return next;
}

/** A snapshot covers gaps: those of its range, or all before it when it names none. */
export function repair(stream: Stream, event: RuntimeEvent): void {
  if (stream.gaps.length === 0) return;
  const from = event.number('coversFrom') ?? 0;
  const to = event.number('coversTo') ?? event.sequence ?? Number.MAX_SAFE_INTEGER;
  const covered = (gap: Gap): boolean => gap[0] >= from && gap[1] <= to;
  stream.repaired = [...stream.repaired, ...stream.gaps.filter(covered)].slice(-GAPS);
  stream.gaps = stream.gaps.filter((gap) => !covered(gap));
}

function hold(stream: Stream, event: RuntimeEvent, sequence: number): void {
  const { held } = stream;
  let place = held.length;
  while (place > 0 && held[place - 1]!.sequence! > sequence) place--;
  held.splice(place, 0, event);
}

function addGap(stream: Stream, gap: Gap): void {
  stream.gaps.push(gap);
  if (stream.gaps.length <= GAPS) return;
  const [first, second, ...rest] = stream.gaps as [Gap, Gap, ...Gap[]];
  stream.gaps = [[first[0], second[1]], ...rest];
}
