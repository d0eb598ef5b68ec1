// A recording is a head and then facts, in order. It is all that a judge ever sees.
import { type Static, Type } from 'typebox';

export const RECORDING_VERSION = 1;

export const RecordingHead = Type.Object({
  recording: Type.Literal('runcert'),
  version: Type.Literal(RECORDING_VERSION),
  protocol: Type.String(),
  revision: Type.String(),
  /** Who is under test. */
  party: Type.Enum(['host', 'runner', 'runtime']),
  target: Type.Object({
    kind: Type.String(),
    name: Type.String(),
    version: Type.Optional(Type.String()),
    declared: Type.Record(Type.String(), Type.Unknown()),
    /** What decides which clauses apply: `capability:streaming`, `feature:restart`, `seat:plugin` … */
    traits: Type.Array(Type.String()),
  }),
  /** How late, in milliseconds, something may still be called in time. */
  grace: Type.Number({ minimum: 0 }),
  clock: Type.Enum(['virtual', 'real']),
  seed: Type.Optional(Type.Integer()),
});
export type RecordingHead = Static<typeof RecordingHead>;

const base = {
  /** Position in the recording. */
  n: Type.Integer({ minimum: 0 }),
  /** Milliseconds since the case began, on the one clock. */
  at: Type.Number(),
};
const Frame = Type.Record(Type.String(), Type.Unknown());

export const Fact = Type.Union([
  /** A case begins; facts up to its `end` belong to it. `epoch` is the clock's wall time in ms at `at: 0`. */
  Type.Object({
    ...base,
    fact: Type.Literal('case'),
    id: Type.String(),
    area: Type.String(),
    epoch: Type.Number(),
    stimulus: Type.Unknown(),
  }),
  /** A frame from the harness to the target. */
  Type.Object({ ...base, fact: Type.Literal('sent'), frame: Frame }),
  /** A frame from the target to the harness. */
  Type.Object({ ...base, fact: Type.Literal('received'), frame: Frame }),
  /** What the target wrote where frames belong, and is none. */
  Type.Object({ ...base, fact: Type.Literal('noise'), text: Type.String(), bytes: Type.Integer() }),
  /** Something the harness did that is no frame. */
  Type.Object({ ...base, fact: Type.Literal('did'), what: Type.String(), detail: Type.Optional(Type.Unknown()) }),
  /** Something the target shows that is no frame, such as an event of a log. */
  Type.Object({ ...base, fact: Type.Literal('shown'), what: Type.String(), data: Type.Unknown() }),
  /** Process and connection life. */
  Type.Object({
    ...base,
    fact: Type.Literal('life'),
    event: Type.Enum(['started', 'connected', 'disconnected', 'exited', 'killed', 'stderr']),
    detail: Type.Optional(Type.Unknown()),
  }),
  /** A rule of the wire was broken, and by whom. */
  Type.Object({
    ...base,
    fact: Type.Literal('fault'),
    by: Type.Enum(['target', 'harness']),
    code: Type.String(),
    message: Type.String(),
  }),
  /** The case is over: played to its end, out of time, the target gone, or interrupted by the user. */
  Type.Object({
    ...base,
    fact: Type.Literal('end'),
    how: Type.Enum(['done', 'time', 'died', 'interrupted']),
    pending: Type.Optional(Type.String()),
  }),
]);
export type Fact = Static<typeof Fact>;

type Loose<T> = T extends unknown ? Omit<T, 'n' | 'at'> : never;
/** A fact before the recorder gave it its number and its time. */
export type NewFact = Loose<Fact>;
export type FactOf<Kind extends Fact['fact']> = Extract<Fact, { fact: Kind }>;
