// What the harness will say to a host, and when: runners offered, events submitted, and what each run's runner then does.
// Plain JSON. Times are relative; run ids, cursors and long texts are placeholders, filled in while it is played (placeholder.ts).
import { type Static, Type } from 'typebox';
import { Holds } from '../holds.ts';

const Name = Type.String({ maxLength: 200 });
const Ms = Type.Integer({ minimum: 0, maximum: 3_600_000 });
const Json = Type.Unknown();
const Data = Type.Record(Type.String(), Json);

/** What the Plugin Runtime answers to `list_agent_runners`: data as it is, at once or late, an error, or nothing. */
export const Offer = Type.Union([
  Type.Object({ data: Json, late: Type.Optional(Ms) }),
  Type.Object({ error: Type.String() }),
  Type.Object({ silence: Type.Literal(true) }),
]);
export type Offer = Static<typeof Offer>;

/** A Host API call, as it will stand on the wire. `data` carries its `run_id` itself, right, wrong or missing. */
const callFields = {
  call: Name,
  data: Data,
  /** The identity the Runtime adds: the run's own plugin unless told otherwise; null leaves it out. */
  as: Type.Optional(Type.Union([Name, Type.Null()])),
  /** How many at once. */
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  /** Keeps the data of the answer under this name for `$answer`. */
  keep: Type.Optional(Name),
  /** Goes on without waiting for the answer. */
  alongside: Type.Optional(Type.Boolean()),
};
export const Call = Type.Object(callFields);
export type Call = Static<typeof Call>;

const Say = Type.Object({
  /** A result, as the data of one frame of the stream. */
  say: Json,
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  /** Grows its `$pad` until the whole is that many bytes of JSON. */
  bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 64 * 1024 * 1024 })),
});
const Frame = Type.Object({
  /** Members laid over a response frame of the stream, to send what no runner should. */
  frame: Data,
});
/** So many times the run's grace on top, which only the player knows. */
const graces = Type.Optional(Type.Integer({ minimum: -10, maximum: 10 }));
const Wait = Type.Object({ wait: Ms, graces });
const Simple = Type.Union([Say, Frame, Wait, Call]);
export type SimpleBeat = Static<typeof Simple>;

/** One thing that the runner does. */
export const Beat = Type.Union([
  Simple,
  /** Waits for a point in time around the deadline of the run; goes on at once where it has none. */
  Type.Object({ deadline: Type.Integer({ minimum: -3_600_000, maximum: 3_600_000 }), graces }),
  /** Calls page after page, putting the answer's `from` into the request's `to`, until there is no more. */
  Type.Object({
    walk: Name,
    data: Data,
    from: Name,
    to: Name,
    most: Type.Integer({ minimum: 1, maximum: 1000 }),
    /** What happens between two pages. */
    between: Type.Optional(Type.Array(Simple)),
  }),
  /** Ends the stream: properly, with an error frame, or never. What follows comes late. */
  Type.Object({ end: Type.Enum(['end', 'error', 'silence']), message: Type.Optional(Type.String()) }),
]);
export type Beat = Static<typeof Beat>;

/** What the runner does in one run. Without an `end` beat the stream ends properly after the last one. */
export const Script = Type.Object({
  beats: Type.Array(Beat),
  /** Played instead of what is left when the host asks to cancel; a script without it takes no notice. */
  cancelled: Type.Optional(Type.Array(Beat)),
});
export type Script = Static<typeof Script>;

/** Where a step names a run, it is the number of the submission that began it, from 0. */
const RunIndex = Type.Integer({ minimum: 0 });

export const Step = Type.Union([
  /** Makes `offers[offer]` what the Runtime answers from now on, and asks the host to look. */
  Type.Object({ do: Type.Literal('discover'), offer: Type.Optional(Type.Integer({ minimum: 0 })) }),
  Type.Object({ do: Type.Literal('submit'), event: Json, binding: Json, script: Script }),
  Type.Object({ do: Type.Literal('cancel'), run: RunIndex, reason: Type.Optional(Type.String()) }),
  /** Waits until the run has reached the runner. */
  Type.Object({ do: Type.Literal('reach'), run: RunIndex }),
  /** Waits until the script was played and the host shows the run as over, or `within` is gone. */
  Type.Object({ do: Type.Literal('settle'), run: RunIndex, within: Type.Optional(Ms) }),
  Type.Object({ do: Type.Literal('observe'), run: Type.Optional(RunIndex) }),
  Type.Object({ do: Type.Literal('wait'), ms: Ms, graces }),
  Type.Object({ do: Type.Literal('restart'), torn: Type.Optional(Type.Boolean()) }),
  /** An API call from outside of any script, e.g. after the run is over. */
  Type.Object({ do: Type.Literal('call'), ...callFields }),
]);
export type Step = Static<typeof Step>;

export const HostStimulus = Type.Object({
  /** What a discovery may find; the first is in force from the beginning. */
  offers: Type.Array(Offer),
  steps: Type.Array(Step),
  /** How the Runtime takes `cancel_run`: `{}` unless told otherwise. */
  cancelRun: Type.Optional(Type.Enum(['answer', 'unknown', 'silence'])),
  /** How long each of the harness's messages is held back in a target in this process. */
  holds: Type.Optional(Holds),
});
export type HostStimulus = Static<typeof HostStimulus>;

/** Names for the few placeholders, so that generators do not spell them. */
export const selfRun = { $run: 'self' } as const;
export const runOf = (submission: number) => ({ $run: submission }) as const;
export const answerOf = (name: string, ...path: (string | number)[]) => ({ $answer: name, path }) as const;
export const contextOf = (...path: (string | number)[]) => ({ $context: path }) as const;
/** A text that grows to the `bytes` of its beat, out of these units. */
export const pad = (unit: string, before = '') => ({ $pad: unit, before }) as const;
export const repeat = (text: string, times: number) => ({ $repeat: text, times }) as const;
