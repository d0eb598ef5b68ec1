// What the reference runner is made of: every duty of the Plugin Runtime, the SDK and the runner as a small function
// with a name. A mutant replaces one of them, and nothing else.
import type { JsonObject } from '../../../common/json.ts';
import type { ContentElement, ToolCall, ToolFunction } from '../../../schemas/agent-runner/2026-06-03/types.ts';
import type { Clock } from '../../driving/clock.ts';
import type { Answer } from '../../wire/peer.ts';
import type { RunContext } from './context.ts';
import type { Api } from './sdk/api.ts';
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
  readonly attachments: ContentElement[];
  readonly tools: readonly ToolFunction[];
}

/** A page of history or events, as far as walking on needs it. */
export interface Page {
  readonly items: readonly unknown[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export interface RuntimeParts {
  /** §4.1: the answer to `list_agent_runners`. */
  listing(manifests: readonly JsonObject[], asked: { readonly data: JsonObject; readonly times: number }): JsonObject;
  /** §8: the identity of the calling plugin, put in by the Runtime and by nobody else. */
  identify(identity: string, data: JsonObject): JsonObject;
  /** The name and data under which a call of a plugin goes on to the Host. */
  relay(action: string, data: JsonObject): readonly [action: string, data: JsonObject];
  /** §5.1: the name of the runner that a request means. */
  route(request: JsonObject, manifests: readonly JsonObject[]): string | undefined;
  /** What goes on from the plugin's stream to the Host's. */
  forward(result: JsonObject): JsonObject;
}

export interface SdkParts {
  readonly manifests: readonly JsonObject[];
  /** §8: what every proxy action carries. */
  request(context: RunContext, action: string, data: JsonObject): JsonObject;
  /** How long a call waits where the run is not over sooner. */
  patience(usual: number): number;
  /** §10: what gives a call up: the end of its run, by whatever cause. */
  bound(runIsOver: AbortSignal): AbortSignal;
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
  /** What ends a run whose runner threw or stopped short, ran out of time or was cancelled. */
  onError(error: unknown): readonly ResultBody[];
  onDeadline(): readonly ResultBody[];
  onCancel(reason: string): readonly ResultBody[];
  /** §10: when the run must be over, in epoch milliseconds. */
  deadline(context: RunContext): number | undefined;
  /** §10: which of the live runs a cancel means. */
  cancelled(runId: string, live: readonly string[]): readonly string[];
  /** A run is refused before it starts, e.g. for a version that is not spoken. */
  decline(context: RunContext): readonly ResultBody[];
}

export interface BehaviourParts {
  /** The whole run, from context to terminal result. */
  behave(run: Run): Results;
  recall(run: Run): Promise<void>;
  gather(run: Run): Promise<Gathered>;
  /** Reads page after page, at most so many, beginning at a cursor. */
  walk(start: string | null, most: number, read: (before: string | null) => Promise<Page | undefined>): Promise<void>;
  think(run: Run, gathered: Gathered): Results;
  /** Runs a tool that the model asked for and gives what the model is told about it. */
  useTool(run: Run, call: ToolCall): Results<string>;
  /** §5.7: cuts text into messages that the surface takes. */
  fit(run: Run, text: string): readonly string[];
  /** Streams only if the manifest says so and the surface can show it. */
  streams(run: Run): boolean;
  delta(piece: string, whole: string): ResultBody;
  completed(text: string): ResultBody;
  remember(run: Run): Results;
  act(run: Run): Results;
  finish(run: Run): ResultBody;
}

export type RunnerParts = RuntimeParts & SdkParts & BehaviourParts;

export const failed = (code: string, message: string): ResultBody => ({ type: 'run.failed', data: { code, message } });
