// A clause: one duty of the specification, with a stable id. Compiled from spec/…/clauses.yaml into schemas/….

export type Level = 'MUST' | 'SHOULD' | 'MAY';
/** Who must keep a clause. */
export type Party = 'host' | 'runtime' | 'runner' | 'sdk';

export interface Clause {
  /** `v1/<section>/<slug>`, never reused for another meaning. */
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly party: Party;
  /** The stimulus area that exercises it, e.g. `unknown-results`. */
  readonly area: string;
  /** What it asks, in one sentence of ours. */
  readonly text: string;
  /** Where it stands, e.g. `PROTOCOL_V1 §7.2`. */
  readonly source: string;
  /** Why it matters, for `runcert explain`. */
  readonly why?: string;
  /** How it is judged, in a sentence; absent only where `unjudged` is given. */
  readonly how?: string;
  /** Why it cannot be judged from outside. Such a clause is counted, not hidden. */
  readonly unjudged?: string;
  /** Traits that a target must declare for the clause to apply, e.g. `capability:streaming`; `a|b` means either. */
  readonly requires?: readonly string[];
  /** Clauses that must hold before this one can be blamed. */
  readonly after?: readonly string[];
}
