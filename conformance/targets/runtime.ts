// A Plugin Runtime with its plugins; Runcert is the Host on the control hop.
import type { JsonObject } from '../../common/json.ts';
import { listedRunners, runnerTraits } from '../agent-runner/runner/manifests.ts';
import { detectGeneration } from '../wire/generation.ts';
import type { Peer } from '../wire/peer.ts';
import type { Meeting, SeatRules } from './external.ts';
import { TargetFailure } from './failure.ts';
import type { TargetInfo } from './target.ts';

export const runtimeSeat: SeatRules = { party: 'runner', meet, reset: async () => true };

/** How often to ask again while the Runtime has no runner yet: its plugins may still be starting. */
const ASK_AGAIN = 250;

async function meet(meeting: Meeting): Promise<TargetInfo> {
  const { peer, harness, kind } = meeting;
  hostDuties(peer);
  const remedy =
    'A Runtime answers on its control connection (the SDK’s `lbp rt`: ws://127.0.0.1:5400/control/ws, or stdio with -s).';
  await meeting.call('handshake', '__ping', {}, remedy, true);
  harness.step?.('handshake', 'answers');
  const data = await discover(meeting);
  const runners = listedRunners(data);
  harness.step?.('discover', runners.map(({ author, plugin, name }) => `${author}/${plugin}/${name}`).join(', '));
  const generation = peer.generation ?? detectGeneration({ data });
  const first = runners[0]!;
  return {
    kind,
    seat: 'runtime',
    name: `Runtime with ${first.author}/${first.plugin}`,
    declared: { runners, ...(generation === undefined ? {} : { generation }) },
    traits: [
      'seat:runtime',
      ...(generation === undefined ? [] : [`generation:${generation}`]),
      ...runnerTraits(runners),
    ],
  };
}

async function discover(meeting: Meeting): Promise<JsonObject> {
  const { harness, startTimeout } = meeting;
  const until = harness.clock.now() + startTimeout;
  for (;;) {
    const { code, message, data } = await meeting.call(
      'discover',
      'list_agent_runners',
      {},
      'A Runtime answers list_agent_runners with {runners: […]}.',
      true,
    );
    if (code !== 0) throw refused(message);
    if (!Array.isArray(data['runners']))
      throw new TargetFailure('RUNCERT_TARGET_HANDSHAKE', 'discover', {
        expected: 'list_agent_runners to be answered with {runners: […]}',
        came: `runners is ${JSON.stringify(data['runners'] ?? null).slice(0, 100)}`,
        remedy: 'Answer with a list, an empty one where there is no runner.',
      });
    if (listedRunners(data).length > 0) return data;
    if (harness.clock.now() >= until || harness.signal?.aborted)
      throw new TargetFailure('RUNCERT_TARGET_NO_RUNNER', 'discover', {
        expected: 'at least one runner in the answer to list_agent_runners',
        came: `an empty list for ${startTimeout} ms`,
        remedy:
          'Install a plugin with an AgentRunner into the Runtime, or connect one in debug mode while Runcert waits: the Runtime asks its Host for the plugin’s settings.',
      });
    await harness.clock.sleep(ASK_AGAIN, harness.signal);
  }
}

function refused(message: string): TargetFailure {
  const tenancy = /SET_RUNTIME_CONFIG|InstallationBinding/.test(message);
  return new TargetFailure('RUNCERT_TARGET_HANDSHAKE', 'discover', {
    expected: 'list_agent_runners to be answered with code 0',
    came: message.slice(0, 300),
    remedy: tenancy
      ? 'This Runtime (dev/4.11) wants an installed workspace plugin, which Runcert does not set up: drive the plugin itself with --plugin or --plugin-listen.'
      : 'A Runtime answers list_agent_runners with {runners: […]}.',
  });
}

/** What a Host answers a Runtime while it settles in; a player sets the rest. */
function hostDuties(peer: Peer): void {
  const settings: JsonObject = {
    enabled: true,
    priority: 0,
    plugin_config: {},
    install_source: 'debug',
    install_info: {},
  };
  peer
    .handle('__ping', () => ({ pong: 'pong' }))
    .handle('initialize_plugin_settings', () => ({}))
    .handle('get_plugin_settings', () => settings)
    .handle('get_langbot_version', () => ({ version: 'runcert' }));
}
