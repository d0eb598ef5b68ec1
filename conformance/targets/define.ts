// What the author of a target in this process writes: a runner or a host in a few lines.
import type { JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';
import type { Peer } from '../wire/peer.ts';

/** What a runner has at hand while it runs. */
export interface RunnerApi {
  /** Calls a Host API, e.g. `call('history_page', { limit: 10 })`; `run_id` is added. Throws a HostApiError when refused. */
  call(action: string, data?: JsonObject): Promise<JsonObject>;
  /** Calls a streaming Host API, e.g. `invoke_llm_stream`. */
  stream(action: string, data?: JsonObject): AsyncIterable<JsonObject>;
  /** Wait on this clock, not on timers of your own: a run then costs no time. */
  readonly clock: Clock;
  /** Aborts when the run is cancelled (`reason` is the host's), at its deadline (`deadline_exceeded`), or when the host is gone. */
  readonly signal: AbortSignal;
}

const HOST_API_ERROR = Symbol.for('runcert.host-api-error');

/** The Host refused a call: `code` is that of AgentAPIError, or `host.action_error` where the host gave only text. */
export class HostApiError extends Error {
  readonly [HOST_API_ERROR] = true;
  readonly code: string;
  readonly retryable: boolean;
  readonly details: JsonObject;
  constructor(code: string, message: string, retryable = false, details: JsonObject = {}) {
    super(message);
    this.name = 'HostApiError';
    this.code = code;
    this.retryable = retryable;
    this.details = details;
  }

  /** Also for a module that brings a Runcert of its own along. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && HOST_API_ERROR in value;
  }
}

export interface RunnerDefinition {
  /** AgentRunnerManifest of §4.2; its id is `plugin:author/name/runner`. */
  readonly manifest: JsonObject;
  /** The runner: results in the shape of AgentRunResult; `run_id` and `sequence` are filled in where they are absent. */
  run(context: JsonObject, api: RunnerApi): AsyncIterable<JsonObject>;
  /** `real` for a runner that waits on the network or on timers of its own. */
  readonly time?: 'virtual' | 'real';
}

export interface HostDefinition {
  /**
   * The host takes its end of the link: it sets handlers for the driver contract and the Host APIs,
   * and calls `list_agent_runners` and `run_agent`. Called anew for every case.
   * What it returns, if anything, is called when the case is over.
   */
  connect(peer: Peer, world: { readonly clock: Clock }): void | (() => void | Promise<void>);
  readonly time?: 'virtual' | 'real';
}

export interface RunnerModule extends RunnerDefinition {
  readonly runcert: 'runner';
}
export interface HostModule extends HostDefinition {
  readonly runcert: 'host';
}

/**
 * A runner to certify with `runcert certify runner --module FILE`, where it is the default export.
 * @example
 * export default defineRunner({
 *   manifest: { id: 'plugin:acme/echo/default', name: 'default', label: { en_US: 'Echo' }, capabilities: {}, permissions: {}, context: {} },
 *   async *run(context) {
 *     yield { type: 'run.completed', data: { message: { role: 'assistant', content: String(context.input?.text ?? '') } } };
 *   },
 * });
 */
export const defineRunner = (definition: RunnerDefinition): RunnerModule => ({ ...definition, runcert: 'runner' });

/** A host to certify with `runcert certify host --module FILE`, where it is the default export. */
export const defineHost = (definition: HostDefinition): HostModule => ({
  ...definition,
  connect: (peer, world) => definition.connect(peer, world),
  runcert: 'host',
});
