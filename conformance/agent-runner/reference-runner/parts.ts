// What the reference runner is made of: every duty of the Plugin Runtime, the SDK and the runner as a small function
// with a name. A mutant replaces one of them, and nothing else.
import type { JsonObject } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import type { Answer } from '../../wire/peer.ts';
import type { RunContext } from './context.ts';
import type { Api, Page } from './sdk/api.ts';
import type { ApiError } from './sdk/api-error.ts';

/** A result before the SDK puts it into its envelope (§7.1). */
export interface ResultBody {
  readonly type: string;
  readonly data: JsonObject;
  /** Members laid over the envelope; the reference adds none. */
  readonly extra?: JsonObject;
}

export type Results<Return = void> = AsyncGenerator<ResultBody, Return, void>;

/** One run as the runner's behaviour sees it. */
export interface Run {
  readonly context: RunContext;
  readonly api: Api;
  readonly clock: Clock;
  /** Aborts when the run is cancelled, out of time or over. */
  readonly signal: AbortSignal;
  readonly parts: RunnerParts;
}

/** What the runner has learned before it thinks. */
export interface Gathered {
  readonly history: readonly string[];
  readonly facts: readonly string[];
  readonly attachments: readonly string[];
  readonly tools: readonly JsonObject[];
}

export interface RuntimeParts {
  /** §4.1: the answer to `list_agent_runners`. */
  listing(manifests: readonly JsonObject[], asked: { readonly data: JsonObject; readonly times: number }): JsonObject;
  /** §8: the identity of the calling plugin, put in by the Runtime and by nobody else. */
  identify(identity: string, data: JsonObject): JsonObject;
  /** The name and data under which a call of a plugin goes on to the Host. */
  relay(action: string, data: JsonObject): readonly [action: string, data: JsonObject];
  /** §5.1: which plugin and runner a request means. */
  route(request: JsonObject, manifests: readonly JsonObject[]): { identity: string; runner: string } | undefined;
  /** What goes on from the plugin's stream to the Host's. */
  forward(result: JsonObject): JsonObject | undefined;
}

export interface SdkParts {
  readonly manifests: readonly JsonObject[];
  /** §8: what every proxy action carries. */
  request(context: RunContext, action: string, data: JsonObject): JsonObject;
  /** §10: how long a call waits: its usual time, and never past the deadline. */
  patience(context: RunContext, usual: number, now: number): number;
  /** §11: what the SDK refuses before it is sent. */
  refuse(context: RunContext, action: string, data: JsonObject): ApiError | undefined;
  /** §3: what a success holds, unknown fields and all. */
  accept(action: string, data: JsonObject): JsonObject;
  /** §9: what a refusal of the Host means. */
  errorOf(answer: Answer): ApiError;
  /** §7.1: a result in its envelope. */
  seal(context: RunContext, result: ResultBody, sequence: number): JsonObject;
  /** §7: is the run over with this result? */
  ends(result: ResultBody): boolean;
  /** What ends a run whose runner threw, stopped short, ran out of time or was cancelled. */
  onError(error: unknown): ResultBody | undefined;
  onSilence(): ResultBody | undefined;
  onDeadline(context: RunContext): ResultBody | undefined;
  onCancel(reason: string): ResultBody | undefined;
  /** Is the deadline over, so that the runner must not go on? */
  late(context: RunContext, now: number): boolean;
  /** §10: which of the live runs a cancel means. */
  cancelled(runId: string, live: readonly string[]): readonly string[];
  /** A run is refused before it starts, e.g. for a version that is not spoken. */
  decline(raw: JsonObject): ResultBody | undefined;
}

export interface BehaviourParts {
  /** The whole run, from context to terminal result. */
  behave(run: Run): Results;
  recall(run: Run): Promise<number>;
  gather(run: Run): Promise<Gathered>;
  /** Reads page after page, at most so many, beginning at a cursor. */
  walk(
    start: string | undefined,
    most: number,
    read: (before: string | undefined) => Promise<Page | undefined>,
  ): Promise<void>;
  think(run: Run, gathered: Gathered): Results;
  /** Runs a tool that the model asked for and gives what the model is told about it. */
  useTool(run: Run, call: ToolCall): Results<string>;
  /** §5.7: cuts text into messages that the surface takes. */
  fit(run: Run, text: string): readonly string[];
  /** Streams only if the manifest says so and the surface can show it. */
  streams(run: Run): boolean;
  delta(piece: string, whole: string): ResultBody;
  completed(text: string): ResultBody;
  remember(run: Run, turns: number): Results;
  act(run: Run): Results;
  finish(run: Run): ResultBody;
  fail(error: ApiError): ResultBody;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: JsonObject;
}

export type RunnerParts = RuntimeParts & SdkParts & BehaviourParts;

export const failed = (code: string, message: string, retryable = false): ResultBody => ({
  type: 'run.failed',
  data: { code, message, retryable },
});
