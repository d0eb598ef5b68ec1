// A plugin process; Runcert is the Plugin Runtime (and the Host behind it). No `__ping`: plugins do not know it.
import { isObject, type JsonObject } from '../../common/json.ts';
import { containedRunners, runnerTraits } from '../agent-runner/runner/manifests.ts';
import { same } from '../wire/listen.ts';
import { Refusal } from '../wire/peer.ts';
import type { Meeting, SeatRules } from './external.ts';
import { TargetFailure } from './failure.ts';
import type { TargetInfo } from './target.ts';

/** `module` where the plugin around the runner is Runcert's own. */
export const pluginSeat = (seat: 'plugin' | 'module' = 'plugin'): SeatRules => ({
  party: 'runner',
  meet: (meeting) => meet(meeting, seat),
  // A runner keeps nothing between runs that a host did not give it; what hangs over makes the session unfit.
  reset: async () => true,
});

async function meet(meeting: Meeting, seat: 'plugin' | 'module'): Promise<TargetInfo> {
  const { peer, harness, kind } = meeting;
  const remedy =
    'A plugin sends register_plugin {plugin_container} as its first frame; with the Python SDK: `lbp run -s --prod` in the plugin’s folder.';
  const data = await meeting.await('handshake', registration(meeting), 'register_plugin from the plugin', remedy);
  const container = data['plugin_container'];
  if (!isObject(container))
    throw new TargetFailure('RUNCERT_TARGET_HANDSHAKE', 'handshake', {
      expected: 'register_plugin with an object plugin_container',
      came: `plugin_container is ${JSON.stringify(container ?? null).slice(0, 100)}`,
      remedy,
    });
  await meeting.call(
    'handshake',
    'initialize_plugin',
    { plugin_settings: { enabled: true, priority: 0, plugin_config: {}, install_source: '', install_info: {} } },
    'The plugin must answer initialize_plugin {plugin_settings} with {} once it is ready.',
  );
  const plugin = pluginOf(container);
  harness.step?.('handshake', `${plugin.author}/${plugin.name} ${plugin.version ?? ''}`.trim());
  const runners = containedRunners(container);
  if (runners.length === 0)
    throw new TargetFailure('RUNCERT_TARGET_NO_RUNNER', 'discover', {
      expected: 'at least one component of kind AgentRunner in the plugin container',
      came: 'none',
      remedy: 'Name the component in manifest.yaml under spec.components.AgentRunner.',
    });
  harness.step?.('discover', runners.map(({ name }) => name).join(', '));
  const { generation } = peer;
  return {
    kind,
    seat,
    name: `${plugin.author}/${plugin.name}`,
    ...(plugin.version === undefined ? {} : { version: plugin.version }),
    declared: { plugin, runners, ...(generation === undefined ? {} : { generation }) },
    traits: [
      `seat:${seat}`,
      ...(generation === undefined ? [] : [`generation:${generation}`]),
      ...runnerTraits(runners),
    ],
  };
}

/** The first registration; later ones, after a reconnect of the plugin's own, are answered all the same. */
function registration({ peer, token }: Meeting): Promise<JsonObject> {
  return new Promise((resolve) => {
    peer.handle('register_plugin', (data) => {
      // S and J show their key here, not in a header.
      const key = data['plugin_debug_key'];
      if (token !== undefined && data['prod_mode'] !== true && !(typeof key === 'string' && same(key, token)))
        throw new Refusal('Plugin debug key verification failed');
      resolve(data);
      return {};
    });
  });
}

function pluginOf(container: JsonObject): {
  readonly author: string;
  readonly name: string;
  readonly version?: string;
} {
  const outer = isObject(container['manifest']) ? container['manifest'] : {};
  const manifest = isObject(outer['manifest']) ? outer['manifest'] : {};
  const metadata = isObject(manifest['metadata']) ? manifest['metadata'] : {};
  const { author, name, version } = metadata;
  return {
    author: typeof author === 'string' ? author : 'unknown',
    name: typeof name === 'string' ? name : 'unknown',
    ...(typeof version === 'string' ? { version } : {}),
  };
}
