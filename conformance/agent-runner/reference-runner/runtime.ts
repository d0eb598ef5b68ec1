// The reference runner behind a Plugin Runtime: discovery, runs and cancels come from the Host, API calls go to it,
// each with the identity of the plugin that makes it.
import type { JsonObject } from '../../../common/json.ts';
import { memoryLink } from '../../wire/link.ts';
import { type Answer, Peer, Refusal } from '../../wire/peer.ts';
import { ownerOf } from './manifest.ts';
import { type ServeOptions, servePlugin } from './plugin.ts';

/** How long the Runtime waits on either side, in milliseconds; the deadlines of runs end far sooner. */
const OPTIONS = { timeout: 300_000 };
const STREAMS = new Set(['invoke_llm_stream', 'artifact_open_stream']);

/** Speaks the control hop, with one plugin behind it. */
export function serveRuntime(host: Peer, { clock, parts }: ServeOptions): void {
  const [inner, outer] = memoryLink(true);
  const plugin = new Peer(outer, { clock });
  const identity = ownerOf(parts.manifests).join('/');

  let listed = 0;
  plugin.handle('register_plugin', () => ({}));
  plugin.handleOther((action, data) => {
    const [name, relayed] = parts.relay(action, parts.identify(identity, data));
    return STREAMS.has(action) ? passStream(host, name, relayed) : passCall(host, name, relayed);
  });
  servePlugin(new Peer(inner, { clock }), { clock, parts });

  host
    .handle('__ping', () => ({}))
    .handle('list_agent_runners', (data) => parts.listing(parts.manifests, { data, times: ++listed }))
    .handle('run_agent', run)
    .handle('cancel_run', (data) => passCall(plugin, 'cancel_run', data));

  async function* run(request: JsonObject): AsyncGenerator<JsonObject, void, void> {
    // The plugin refuses a runner that it does not have.
    const runner_name = parts.route(request, parts.manifests);
    for await (const result of passStream(plugin, 'run_agent', { runner_name, context: request['context'] }))
      yield parts.forward(result);
  }
  void host.closed.then(() => plugin.close());
}

async function passCall(to: Peer, action: string, data: JsonObject): Promise<JsonObject> {
  return dataOf(await to.call(action, data, OPTIONS));
}

async function* passStream(to: Peer, action: string, data: JsonObject): AsyncGenerator<JsonObject, void, void> {
  for await (const answer of to.stream(action, data, OPTIONS)) yield dataOf(answer);
}

function dataOf({ code, message, data }: Answer): JsonObject {
  if (code !== 0) throw new Refusal(message, data);
  return data;
}
