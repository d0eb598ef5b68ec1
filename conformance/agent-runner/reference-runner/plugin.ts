// The reference runner as a plugin process: it registers, is initialised, runs runners and cancels runs (facts of the SDK).
import type { JsonObject } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import { type Peer, Refusal } from '../../wire/peer.ts';
import { containerOf, registrationOf } from './container.ts';
import type { RunnerParts } from './parts.ts';
import { type LiveRun, startRun } from './sdk/run.ts';

export interface ServeOptions {
  readonly clock: Clock;
  readonly parts: RunnerParts;
}

/** Speaks the plugin hop until the link closes. */
export function servePlugin(peer: Peer, { clock, parts }: ServeOptions): void {
  const live = new Map<string, LiveRun>();
  peer
    .handle('initialize_plugin', () => ({}))
    .handle('get_plugin_container', () => containerOf(parts.manifests))
    .handle('run_agent', ({ runner_name, context }) => {
      if (parts.manifests.find(({ name }) => name === runner_name) === undefined)
        throw new Refusal(`there is no runner ${String(runner_name)}`);
      return follow(startRun(peer, context as JsonObject, { clock, parts }));
    })
    .handle('cancel_run', ({ run_id, reason }) => {
      for (const id of parts.cancelled(String(run_id), [...live.keys()])) live.get(id)!.cancel(String(reason));
      return {};
    });

  /** Passes the results of a run through, and knows it for as long as they come. */
  async function* follow(run: LiveRun): AsyncGenerator<JsonObject, void, void> {
    live.set(run.runId, run);
    try {
      yield* run.results;
    } finally {
      live.delete(run.runId);
    }
  }

  void peer.call('register_plugin', registrationOf(parts.manifests));
}
