// A duty: some clauses that rest on the same facts of a session, judged event by event.
// Its judges see events in the order of their sequence, and a ledger of what the session's events have said so far.
import type { RuntimeEvent } from '../event.ts';
import type { Stream } from '../intake/stream.ts';
import type { Book, Page } from './book.ts';
import type { Ledger } from './ledger.ts';

export interface Heard {
  readonly event: RuntimeEvent;
  /** Is its type a class of the standard? */
  readonly known: boolean;
  /** Where it stands in the log. */
  readonly place: number;
  readonly ledger: Ledger;
  readonly stream: Stream;
}

export type Hear = (heard: Heard) => void;

export interface Duty {
  readonly on: Readonly<Record<string, Hear>>;
  /** Of every event, whatever its class. */
  readonly every?: Hear;
  /** The log is over, or the session leaves memory. */
  readonly end?: (ledger: Ledger, stream: Stream) => void;
}

export type DutyOf = (page: Book['page']) => Duty;

/** Holds the log all of the session from its first event on? Only then does what is not there prove anything. */
export const whole = (stream: Stream): boolean => stream.gaps.length === 0 && !stream.partial && stream.late === 0;

/** Something that should have come before is not there: a violation where the log is whole, undecided where it is not. */
export function missing(
  page: Page,
  { stream, place }: Pick<Heard, 'stream' | 'place'>,
  expected: string,
  found: string,
): void {
  if (whole(stream)) page.broken([place], expected, found);
  else page.undecided('the log has a gap before it');
}

/** Kept, broken, or undecided for want of a whole log. */
export function need(
  page: Page,
  heard: Pick<Heard, 'stream' | 'place'>,
  there: boolean,
  expected: string,
  found: string,
): void {
  if (there) page.kept();
  else missing(page, heard, expected, found);
}

/** What earlier events said is contradicted: a violation, unless an event is missing that may have changed it. */
export function holdAgainst(
  page: Page,
  { stream }: Pick<Heard, 'stream'>,
  holds: boolean,
  places: readonly number[],
  expected: string,
  found: string,
): void {
  if (holds) page.kept();
  else if (whole(stream)) page.broken(places, expected, found);
  else page.undecided('the log has a gap before it');
}

export function hold(page: Page, holds: boolean, places: readonly number[], expected: string, found: string): void {
  if (holds) page.kept();
  else page.broken(places, expected, found);
}
