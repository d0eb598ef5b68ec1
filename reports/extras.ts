// What a report may be given beside the outcome. All of it is optional data; a reporter reads no file and no clock.
import type { Matrix } from '../conformance/driving/matrix.ts';
import type { Clause } from '../conformance/judging/clause.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Fact, RecordingHead } from '../conformance/recording/fact.ts';
import type { LogStory } from './log-story.ts';

export interface Recording {
  readonly head?: RecordingHead;
  readonly facts: readonly Fact[];
}

/** One entry of the timeline of an Agent Runtime log. */
export interface TimelineEntry {
  readonly sequence: number;
  readonly type: string;
  /** Who or what it belongs to: a thread, a task, a channel. */
  readonly lane: string;
  /** RFC 3339, where the log tells. */
  readonly time?: string;
  readonly detail?: string;
  /** The clauses that this event breaks, and then the event itself. */
  readonly breaks?: readonly string[];
  readonly event?: unknown;
}

export interface Extras {
  /** Recordings of counterexamples, by their path in the report folder. */
  readonly recordings?: Readonly<Record<string, Recording>>;
  /** Saved cases, by their path in the report folder. */
  readonly cases?: Readonly<Record<string, unknown>>;
  /** What each clause says about itself: why, how, where it stands. */
  readonly clauses?: readonly Clause[];
  /** The headings of the specification's sections, by their number. */
  readonly sections?: Readonly<Record<string, string>>;
  /** The outcome to compare with. */
  readonly previous?: Outcome;
  readonly matrix?: Matrix;
  readonly timeline?: readonly TimelineEntry[];
  /** What its log tells of waiting and trying again. */
  readonly story?: LogStory;
  /** The words of the target on the command line, for the replay command: `['--plugin', '--', 'python', 'main.py']`. */
  readonly targetWords?: readonly string[];
  /** The report folder as the user knows it. */
  readonly folder?: string;
  /** False where no report.html was written into it. */
  readonly page?: boolean;
  readonly terminal?: { readonly color?: boolean; readonly columns?: number; readonly rows?: number };
}

/** A report is a pure view of the outcome. */
export type Reporter = (outcome: Outcome, extras: Extras) => string;
