// The reference runner as a plugin process: it registers, is initialised, runs runners and cancels runs (facts of the SDK).
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import { type Peer, Refusal } from '../../wire/peer.ts';
import { containerOf } from './manifest.ts';
import { failed, type RunnerParts } from './parts.ts';
import { LiveRuns } from './sdk/live-runs.ts';
import { type LiveRun, startRun } from './sdk/run.ts';

export interface ServeOptions {
  readonly clock: Clock;
  readonly parts: RunnerParts;
}

/** Speaks the plugin hop until the link closes. */
export function servePlugin(peer: Peer, { clock, parts }: ServeOptions): void {
  const runs = new LiveRuns<LiveRun>();
  let status = 'mounted';
  peer
    .handle('initialize_plugin', () => {
      status = 'initialized';
      return {};
    })
    .handle('get_plugin_container', () => containerOf(parts.manifests, status))
    .handle('shutdown', () => ({}))
    .handle('run_agent', ({ runner_name, context }) => {
      if (!isObject(context)) throw new Refusal('context must be an object');
      if (!parts.manifests.some((manifest) => manifest['name'] === runner_name))
        return only(unknown(context, runner_name));
      const run = startRun(peer, context, { clock, parts });
      return runs.follow(run.runId, run, run.results);
    })
    .handle('cancel_run', async ({ run_id, reason }) => {
      const meant = parts.cancelled(String(run_id), runs.ids);
      const ended = meant.filter((id) => runs.get(id)?.ended);
      for (const id of meant) runs.get(id)?.cancel(String(reason ?? 'cancel_requested'));
      // A result that left before the cancel came goes out before its answer.
      await Promise.all(ended.map((id) => runs.over(id, clock)));
      return {};
    });

  void peer.call('register_plugin', {
    plugin_container: containerOf(parts.manifests, status),
    prod_mode: true,
    plugin_debug_key: '',
  });
}

const unknown = ({ run_id }: JsonObject, name: unknown): JsonObject => ({
  run_id: run_id ?? 'unknown',
  ...failed('runner.not_found', `there is no runner ${String(name)}`),
  sequence: 1,
});

async function* only(result: JsonObject): AsyncGenerator<JsonObject, void, void> {
  yield result;
}
