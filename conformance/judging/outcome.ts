// The outcome: all that a run found, as data. Every report, the gate and the certificate are views of it.
import { type Static, Type } from 'typebox';

export const OUTCOME_VERSION = 1;

export const Verdict = Type.Enum(['pass', 'fail', 'not-exercised', 'not-applicable', 'inconclusive', 'harness-fault']);
export type Verdict = Static<typeof Verdict>;

/** A violation in the smallest stimulus that still shows it. */
export const ClauseResult = Type.Object({
  id: Type.String(),
  level: Type.Enum(['MUST', 'SHOULD', 'MAY']),
  party: Type.Enum(['host', 'runtime', 'runner', 'sdk']),
  section: Type.String(),
  area: Type.String(),
  text: Type.String(),
  verdict: Verdict,
  /** How often the clause could have been broken. */
  occasions: Type.Integer({ minimum: 0 }),
  violations: Type.Integer({ minimum: 0 }),
  /** Why the verdict is not pass or fail. */
  reason: Type.Optional(Type.String()),
  expected: Type.Optional(Type.String()),
  found: Type.Optional(Type.String()),
  /** Path of the shrunk counterexample, relative to the report folder. */
  case: Type.Optional(Type.String()),
  /** Path of its recording, and the facts in it that prove the violation. */
  recording: Type.Optional(Type.String()),
  facts: Type.Optional(Type.Array(Type.Integer())),
  /** Where the baseline excuses a failure. */
  excused: Type.Optional(
    Type.Object({ reason: Type.String(), expires: Type.Optional(Type.String()), flaky: Type.Optional(Type.Boolean()) }),
  ),
  /** False for a clause that the requirement set of this revision does not demand yet. */
  required: Type.Boolean(),
});
export type ClauseResult = Static<typeof ClauseResult>;

export const Counts = Type.Object({
  clauses: Type.Integer(),
  pass: Type.Integer(),
  fail: Type.Integer(),
  'not-exercised': Type.Integer(),
  'not-applicable': Type.Integer(),
  inconclusive: Type.Integer(),
  'harness-fault': Type.Integer(),
  excused: Type.Integer(),
  /** Failed SHOULDs: shown, not held against the target. */
  warnings: Type.Integer(),
  /** Clauses that cannot be judged from outside. */
  unjudged: Type.Integer(),
  stimuli: Type.Integer(),
  occasions: Type.Integer(),
});
export type Counts = Static<typeof Counts>;

export const Outcome = Type.Object({
  $schema: Type.Optional(Type.String()),
  version: Type.Literal(OUTCOME_VERSION),
  runcert: Type.String(),
  protocol: Type.String(),
  revision: Type.String(),
  party: Type.Enum(['host', 'runner', 'runtime']),
  target: Type.Object({
    kind: Type.String(),
    name: Type.String(),
    version: Type.Optional(Type.String()),
    /** What it declared in the handshake: limits, features, manifests. */
    declared: Type.Record(Type.String(), Type.Unknown()),
    /** What decides which clauses apply, e.g. `capability:streaming`. */
    traits: Type.Array(Type.String()),
  }),
  seed: Type.Integer(),
  options: Type.Record(Type.String(), Type.Unknown()),
  verdict: Type.Enum(['conformant', 'not-conformant', 'inconclusive']),
  /** Why, in a sentence, when it is not conformant. */
  reason: Type.Optional(Type.String()),
  clauses: Type.Array(ClauseResult),
  /** Clauses that nothing outside can judge, with the reason. */
  unjudged: Type.Array(Type.Object({ id: Type.String(), reason: Type.String() })),
  notes: Type.Array(Type.Object({ kind: Type.String(), text: Type.String(), count: Type.Optional(Type.Integer()) })),
  /** Baseline entries that excuse nothing any more, or have expired: they fail the run. */
  stale: Type.Array(Type.Object({ clause: Type.String(), why: Type.String() })),
  counts: Counts,
  shard: Type.Optional(Type.Object({ index: Type.Integer(), of: Type.Integer() })),
  /** The only part that differs between two runs with one seed. */
  timing: Type.Record(Type.String(), Type.Unknown()),
});
export type Outcome = Static<typeof Outcome>;
