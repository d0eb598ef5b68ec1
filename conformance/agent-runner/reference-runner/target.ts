// The reference runner in this process, on virtual time: a memory link, and behind it the plugin or a whole Plugin Runtime.
import { RuncertError } from '../../../common/error.ts';
import type { JsonObject } from '../../../common/json.ts';
import type { Harness, Session, Target, TargetInfo } from '../../targets/target.ts';
import { type Link, memoryLink } from '../../wire/link.ts';
import { Peer } from '../../wire/peer.ts';
import { containedRunners, listedRunners, runnerTraits } from '../runner/manifests.ts';
import type { RunnerParts } from './parts.ts';
import { type ServeOptions, servePlugin } from './plugin.ts';
import { referenceParts } from './reference.ts';
import { serveRuntime } from './runtime.ts';

export type RunnerSeat = 'module' | 'runtime';

export interface ReferenceRunnerOptions {
  readonly name?: string;
  /** As a plugin alone, or behind a Plugin Runtime; the latter shows more. */
  readonly seat?: RunnerSeat;
  /** Parts that are done otherwise. */
  readonly parts?: Partial<RunnerParts>;
}

/** Serves the reference runner on any link, from either seat. */
export function serveRunner(
  link: Link,
  options: Partial<ServeOptions> & Pick<ServeOptions, 'clock'> & { seat: 'plugin' | 'runtime' },
): Peer {
  const parts = options.parts ?? referenceParts;
  return options.seat === 'runtime'
    ? serveRuntime(link, { clock: options.clock, parts })
    : servePlugin(link, { clock: options.clock, parts });
}

export function referenceRunnerTarget(options: ReferenceRunnerOptions = {}): Target {
  const seat = options.seat ?? 'runtime';
  const parts = { ...referenceParts, ...options.parts };
  const name = options.name ?? 'reference runner';
  return {
    kind: 'reference',
    party: 'runner',
    time: 'virtual',
    open: (harness) =>
      openInProcess(harness, { seat, name }, (link) =>
        serveRunner(link, { clock: harness.clock, parts, seat: seat === 'runtime' ? 'runtime' : 'plugin' }),
      ),
  };
}

/** Opens a session with whatever serves the far end of a memory link. */
export async function openInProcess(
  harness: Harness,
  who: { readonly seat: RunnerSeat; readonly name: string },
  serve: (link: Link) => void,
): Promise<Session> {
  const [near, far] = memoryLink();
  const { recorder } = harness;
  let container: ((container: JsonObject) => void) | undefined;
  const registered = new Promise<JsonObject>((resolve) => {
    container = resolve;
  });
  const peer = new Peer(near, {
    clock: harness.clock,
    watch: {
      sent: (frame) => void recorder().sent(frame),
      received: (frame) => void recorder().received(frame),
      fault: (code, message) => void recorder().add({ fact: 'fault', by: 'target', code, message }),
    },
  });
  peer.handle('register_plugin', ({ plugin_container }) => {
    container?.(plugin_container as JsonObject);
    return {};
  });
  serve(far);
  const entries = who.seat === 'runtime' ? await discover(peer) : containedRunners(await initialise(peer, registered));
  const info: TargetInfo = {
    kind: 'reference',
    seat: who.seat,
    name: who.name,
    declared: { runners: entries },
    traits: [`seat:${who.seat}`, ...runnerTraits(entries)],
  };
  return { info, peer, reset: async () => false, close: async () => peer.close() };
}

async function discover(peer: Peer): Promise<ReturnType<typeof listedRunners>> {
  const answer = await peer.call('list_agent_runners', {});
  if (answer.code !== 0) throw notReached('list_agent_runners', answer.message);
  return listedRunners(answer.data);
}

async function initialise(peer: Peer, registered: Promise<JsonObject>): Promise<JsonObject> {
  const container = await registered;
  const settings = { enabled: true, priority: 0, plugin_config: {} };
  const answer = await peer.call('initialize_plugin', { plugin_settings: settings });
  if (answer.code !== 0) throw notReached('initialize_plugin', answer.message);
  return container;
}

const notReached = (step: string, message: string): RuncertError =>
  new RuncertError('RUNCERT_TARGET_HANDSHAKE', `The runner refused ${step}: ${message}`);
