// The reference runner behind a Plugin Runtime: discovery, runs and cancels come from the Host, API calls go to it,
// each with the identity of the plugin that makes it.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { memoryLink } from '../../wire/link.ts';
import { type Answer, Peer, Refusal } from '../../wire/peer.ts';
import { ownerOf } from './manifest.ts';
import { failed } from './parts.ts';
import { type ServeOptions, servePlugin } from './plugin.ts';
import { LiveRuns } from './sdk/live-runs.ts';

/** How long the Runtime waits on either side; the deadlines of runs end far sooner. */
const PATIENCE = 300_000;
const STREAMS = new Set(['invoke_llm_stream', 'artifact_open_stream']);

/** Speaks the control hop, with one plugin behind it. */
export function serveRuntime(host: Peer, { clock, parts }: ServeOptions): void {
  const [inner, outer] = memoryLink();
  const plugin = new Peer(outer, { clock });
  const identity = ownerOf(parts.manifests).join('/');

  const runs = new LiveRuns<undefined>();
  let listed = 0;
  plugin.handle('register_plugin', () => ({}));
  plugin.handleOther((action, data) => {
    const [name, relayed] = parts.relay(action, parts.identify(identity, data));
    return STREAMS.has(action) ? passStream(host, name, relayed) : passCall(host, name, relayed);
  });
  servePlugin(new Peer(inner, { clock }), { clock, parts });
  void plugin.call('initialize_plugin', { plugin_settings: { enabled: true, priority: 0, plugin_config: {} } });

  host
    .handle('__ping', () => ({ message: 'pong' }))
    .handle('list_agent_runners', (data) => parts.listing(parts.manifests, { data, times: ++listed }))
    .handle('run_agent', (data) => runs.follow(runIdOf(data), undefined, run(data)))
    .handle('cancel_run', async (data) => {
      const answer = await passCall(plugin, 'cancel_run', data);
      // What the plugin sent before its answer goes out before ours.
      await runs.over(String(data['run_id']), clock);
      return answer;
    });

  async function* run(request: JsonObject): AsyncGenerator<JsonObject, void, void> {
    const context = request['context'] ?? null;
    const to = parts.route(request, parts.manifests);
    const end = (code: string, message: string): JsonObject => ({
      run_id: runIdOf(request),
      ...failed(code, message),
      sequence: 1,
    });
    if (to === undefined) return yield end('runner.not_found', `there is no runner ${String(request['runner_id'])}`);
    for await (const answer of plugin.stream('run_agent', { runner_name: to.runner, context }, { timeout: PATIENCE })) {
      const result = answer.code === 0 ? parts.forward(answer.data) : end('runner.forward_exception', answer.message);
      if (result !== undefined) yield result;
    }
  }
  void host.closed.then(() => plugin.close());
}

function runIdOf({ context }: JsonObject): string {
  return isObject(context) ? String(context['run_id']) : 'unknown';
}

async function passCall(to: Peer, action: string, data: JsonObject): Promise<JsonObject> {
  return dataOf(await to.call(action, data, { timeout: PATIENCE }));
}

async function* passStream(to: Peer, action: string, data: JsonObject): AsyncGenerator<JsonObject, void, void> {
  for await (const answer of to.stream(action, data, { timeout: PATIENCE })) yield dataOf(answer);
}

function dataOf({ code, message, data }: Answer): JsonObject {
  if (code !== 0) throw new Refusal(message, data);
  return data;
}
