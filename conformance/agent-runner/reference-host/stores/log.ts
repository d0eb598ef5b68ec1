// The EventLog: every fact the host has to remember, in one order. All else (transcript, state, storage, artifacts,
// run status, deliveries, audit) is a fold of it, so that a restart, or a torn write, can never leave two stores at odds.
import type { JsonObject } from '../../../../common/json.ts';
import type { Clock } from '../../../driving/clock.ts';
import type {
  AuditEntry,
  Delivery,
  RunEnd,
  RunStart,
  StateChange,
  StorageChange,
  StoredArtifact,
  Warning,
} from '../shapes.ts';
import { type Journal, lineOf, openJournal } from './journal.ts';
import type { Medium } from './medium.ts';
import { Memory } from './memory.ts';

/** What happened. One fact is one write: an effect and the reason for it are kept together or not at all. */
export type LogFact =
  /** An event came in and a run began. */
  | {
      readonly kind: 'submitted';
      readonly run: RunStart;
      readonly event: JsonObject;
      readonly artifacts: readonly StoredArtifact[];
    }
  /** A result was taken, with all that it brought about. */
  | {
      readonly kind: 'result';
      readonly run_id: string;
      readonly result: JsonObject;
      /** The message that now counts as an answer of the run. */
      readonly answer?: JsonObject;
      readonly deliveries?: readonly Delivery[];
      readonly state?: StateChange;
      readonly artifact?: StoredArtifact;
      readonly end?: RunEnd;
      readonly warning?: Warning;
    }
  /** A Host API call was answered, with what it changed. */
  | {
      readonly kind: 'call';
      readonly audit: AuditEntry;
      readonly state?: StateChange;
      readonly storage?: StorageChange;
      readonly deliveries?: readonly Delivery[];
    }
  /** A run ended without a result of its runner's: deadline, cancel, crash, silence, restart. */
  | { readonly kind: 'ended'; readonly run_id: string; readonly end: RunEnd }
  | { readonly kind: 'warning'; readonly warning: Warning };

/** A fact with its place in the log and its time (epoch milliseconds). */
export type LogEntry = LogFact & { readonly seq: number; readonly at: number };

export class EventLog {
  #journal: Journal<LogEntry>;
  #medium: Medium;
  #clock: Clock;
  #recover: (entries: readonly LogEntry[]) => readonly LogEntry[];
  memory = new Memory();

  constructor(medium: Medium, clock: Clock, recover: (entries: readonly LogEntry[]) => readonly LogEntry[]) {
    this.#medium = medium;
    this.#recover = recover;
    this.#journal = openJournal(medium);
    this.#clock = clock;
    this.restart();
  }

  /** Keeps a fact, then knows it. */
  append(fact: LogFact): LogEntry {
    const entry: LogEntry = { seq: this.memory.entries.length + 1, at: this.#clock.now(), ...fact };
    this.#journal.append(entry);
    this.memory.apply(entry);
    if (fact.kind === 'submitted' || fact.kind === 'ended') this.#journal.flush();
    return entry;
  }

  /** Forgets what is in memory and folds what was kept. */
  restart(): void {
    this.memory = new Memory();
    for (const entry of this.#recover(this.#journal.load())) this.memory.apply(entry);
  }

  /** Leaves half of a record behind, as a host does that dies while it writes. */
  tear(): void {
    const fact: LogFact = { kind: 'warning', warning: { run_id: null, code: 'torn', message: 'half a record' } };
    const line = lineOf({ seq: this.memory.entries.length + 1, at: this.#clock.now(), ...fact });
    this.#medium.append(line.slice(0, line.length >> 1));
  }

  reset(): void {
    this.#journal.clear();
    this.memory = new Memory();
  }

  close(): void {
    this.#journal.flush();
    this.#journal.close();
  }
}
