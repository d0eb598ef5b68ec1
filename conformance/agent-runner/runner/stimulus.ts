// What the harness will say to a runner, and when: plain JSON, nothing absolute in it, so that it prints, saves,
// replays and shrinks. The player turns relative times into the clock's own at the moment of play.
import { type Static, Type } from 'typebox';
import { Holds } from '../holds.ts';

const Json = Type.Unknown();
const JsonRecord = Type.Record(Type.String(), Json);
const Ms = Type.Number({ minimum: 0 });

/** How one API call is answered. Without a rule the simulated host answers from the context's grants and the world. */
export const ApiAnswer = Type.Union([
  /** As the simulated host would. */
  Type.Object({ kind: Type.Literal('host'), delay: Type.Optional(Ms) }),
  Type.Object({ kind: Type.Literal('success'), data: JsonRecord, delay: Type.Optional(Ms) }),
  /** A refusal with an AgentAPIError in it. */
  Type.Object({
    kind: Type.Literal('error'),
    code: Type.String(),
    retryable: Type.Optional(Type.Boolean()),
    delay: Type.Optional(Ms),
  }),
  /** A refusal as real hosts send it: text alone. */
  Type.Object({ kind: Type.Literal('text'), message: Type.String(), delay: Type.Optional(Ms) }),
  /** An answer that is no lawful one; the runner must live with it. */
  Type.Object({
    kind: Type.Literal('malformed'),
    how: Type.Enum(['empty', 'wrong-types', 'null-data', 'array-data', 'no-data', 'no-code', 'error-shape']),
    delay: Type.Optional(Ms),
  }),
  /** A stream that breaks off: some chunks, then an error. For unary calls the same as an error. */
  Type.Object({ kind: Type.Literal('broken-stream'), chunks: Type.Integer({ minimum: 0 }), delay: Type.Optional(Ms) }),
  /** No answer at all. */
  Type.Object({ kind: Type.Literal('hang') }),
]);
export type ApiAnswer = Static<typeof ApiAnswer>;

export const AnswerRule = Type.Object({
  /** The action; absent means every action. */
  action: Type.Optional(Type.String()),
  /** The n-th call of it in the run, from 1; absent means each. */
  nth: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The n-th call of any action in the run, from 1. */
  call: Type.Optional(Type.Integer({ minimum: 1 })),
  answer: ApiAnswer,
});
export type AnswerRule = Static<typeof AnswerRule>;

/** What the simulated host has beside what the context says. */
export const World = Type.Object({
  /** What the model says, turn by turn: text, and tools that it wants called (`*` for all that it is offered). The last turn repeats without tools. */
  model: Type.Optional(
    Type.Array(Type.Object({ text: Type.Optional(Type.String()), tools: Type.Optional(Type.Array(Type.String())) })),
  ),
  /** Into how many chunks a streamed answer is cut. */
  chunks: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
  /** Transcript items before the current message. */
  history: Type.Optional(Type.Integer({ minimum: 0, maximum: 500 })),
  /** The host's hard cap on a page. */
  pageCap: Type.Optional(Type.Integer({ minimum: 1 })),
  /** The last page carries a cursor too, though there is no more. */
  lastCursor: Type.Optional(Type.Boolean()),
  /** What cursors look like: the host's number after this text. */
  cursor: Type.Optional(Type.String()),
  /** A model's stream ends with a piece that tells its usage and nothing else. */
  usage: Type.Optional(Type.Boolean()),
  /** A text that shows in every answer of the host. */
  marker: Type.Optional(Type.String()),
  /** Bytes in every artifact. */
  artifactBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_048_576 })),
  /** Bytes of a tool's result text. */
  toolBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_048_576 })),
  /** Unknown fields in every answer of the host. */
  extras: Type.Optional(JsonRecord),
});
export type World = Static<typeof World>;

export const CancelPoint = Type.Union([
  Type.Object({ ms: Ms }),
  Type.Object({ results: Type.Integer({ minimum: 1 }) }),
  Type.Object({ calls: Type.Integer({ minimum: 1 }) }),
  /** After the run is over. */
  Type.Object({ end: Type.Literal(true) }),
]);
export type CancelPoint = Static<typeof CancelPoint>;

export const RunPlan = Type.Object({
  /** When the run starts. */
  at: Type.Optional(Ms),
  /** Starts when the run of this index is over, and `at` milliseconds more; it must come before this one. */
  after: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Which of the target's runners, modulo their number; or one that there is not. */
  runner: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('unknown')])),
  /** The context as sent; the player fills in only `runtime.deadline_at`. */
  context: JsonRecord,
  /** Deadline in milliseconds after the start; negative is past already. */
  deadline: Type.Optional(Type.Number()),
  cancel: Type.Optional(Type.Object({ after: CancelPoint, reason: Type.Optional(Type.String()) })),
  answers: Type.Optional(Type.Array(AnswerRule)),
  world: Type.Optional(World),
});
export type RunPlan = Static<typeof RunPlan>;

export const RunnerStimulus = Type.Object({
  /** How often to ask first which runners there are. */
  discover: Type.Optional(Type.Integer({ minimum: 0, maximum: 4 })),
  runs: Type.Array(RunPlan),
  /** Listen on, past deadline and grace, for what should not come; on virtual time this is always done. */
  linger: Type.Optional(Type.Boolean()),
  /** Cancel a run that never was. */
  cancelUnknown: Type.Optional(Type.Boolean()),
  /** How long each of the harness's messages is held back in a target in this process. */
  holds: Type.Optional(Holds),
});
export type RunnerStimulus = Static<typeof RunnerStimulus>;
