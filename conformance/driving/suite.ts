// A suite is what one protocol brings for one party: clauses, areas of stimuli, a view on recordings, judges.
// The driver, the engine and the reports know suites, never protocols.
import type fc from 'fast-check';
import type { Clause } from '../judging/clause.ts';
import type { Judge } from '../judging/judge.ts';
import type { Fact, RecordingHead } from '../recording/fact.ts';
import type { Session, Target, TargetInfo } from '../targets/target.ts';
import type { Clock } from './clock.ts';

/** What a player has at hand while it plays one stimulus. */
export interface Stage {
  readonly session: Session;
  readonly clock: Clock;
  readonly grace: number;
  /** Aborts when the case is out of time or the user stopped the run. */
  readonly signal: AbortSignal;
  /** Writes down something the harness did. */
  did(what: string, detail?: unknown): void;
}

/** A family of stimuli. A stimulus is plain JSON: it prints, saves, replays and shrinks. */
export interface Area<Stimulus = unknown> {
  readonly id: string;
  /** Stimuli in the default budget. */
  readonly runs: number;
  /** What to generate for a target that declared this. No clock, no randomness but fast-check's. */
  stimulus(info: TargetInfo): fc.Arbitrary<Stimulus>;
  /** Stimuli that every run plays before it generates: the edges that a clause must not be left to chance for. */
  corners?(info: TargetInfo): readonly Stimulus[];
  /** Plays one stimulus; all that crosses the wire is recorded by the session. */
  play(stimulus: Stimulus, stage: Stage): Promise<void>;
  /** The most milliseconds one case may take on the target's clock; 60 s unless told otherwise. */
  timeOf?(stimulus: Stimulus): number;
  /** Is this JSON a stimulus of this area? Asked of saved cases, and of candidates while minimising. */
  valid(stimulus: unknown): boolean;
}

export interface Suite<View = unknown> {
  readonly protocol: string;
  readonly revision: string;
  readonly party: 'host' | 'runner' | 'runtime';
  /** The clauses this suite judges or declares unjudged, of whatever party the target stands for. */
  readonly clauses: readonly Clause[];
  readonly areas: readonly Area[];
  readonly judges: readonly Judge<View>[];
  /** The facts of one case, set in order for judges. Pure. */
  assemble(head: RecordingHead, facts: readonly Fact[]): View;
  /** The embedded reference, in this process. */
  reference(): Target;
  readonly mutants: readonly Mutant[];
  readonly variants: readonly Variant[];
  /** The frozen list of clauses that "certified" demands at this revision; all of them where there is none. */
  readonly requirements?: ReadonlySet<string>;
  /** What is worth telling and no violation, e.g. fields that a producer adds. */
  notes?(view: View): Iterable<{ readonly kind: string; readonly text: string }>;
}

/** A small, named break of the reference, and the clauses that must catch it. */
export interface Mutant {
  readonly id: string;
  /** One sentence on what it does wrong. */
  readonly what: string;
  readonly clauses: readonly string[];
  target(): Target;
}

/** Another legal choice: it must pass. */
export interface Variant {
  readonly id: string;
  readonly what: string;
  /**
   * Set for an implementation that does nothing, or refuses or accepts everything: it must not be found conformant,
   * and may pass no clause but these, which it really keeps.
   */
  readonly vacuous?: { readonly passes: readonly string[] };
  target(): Target;
}
