// A host, by the driver contract; Runcert is the Plugin Runtime.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Peer } from '../wire/peer.ts';
import type { Meeting, SeatRules } from './external.ts';
import { TargetFailure } from './failure.ts';
import type { TargetInfo } from './target.ts';

/** `known` keeps what one session found out for the next: a target is probed once. */
export function hostSeat(known: { apis?: readonly string[] } = {}): SeatRules {
  return {
    party: 'host',
    meet: (meeting) => meet(meeting, known),
    reset: async (peer) => (await peer.call('driver_reset', {}, { timeout: 10_000 })).code === 0,
  };
}

async function meet(meeting: Meeting, known: { apis?: readonly string[] }): Promise<TargetInfo> {
  const { peer, harness, kind } = meeting;
  runtimeDuties(peer);
  const remedy =
    'A host, or a thin shim around it, answers driver_hello with {host: {name, version}, revision, limits, features}.';
  const { data } = await meeting.call('handshake', 'driver_hello', {}, remedy);
  const hello = readHello(data, remedy);
  harness.step?.('handshake', `${hello.name} ${hello.version ?? ''}`.trim());
  known.apis ??= await probeApis(peer);
  harness.step?.('discover', `features: ${hello.features.join(', ') || 'none'}; Host APIs: ${known.apis.length}`);
  return {
    kind,
    seat: 'host',
    name: hello.name,
    ...(hello.version === undefined ? {} : { version: hello.version }),
    declared: { ...data },
    traits: [
      'seat:host',
      ...hello.features.map((feature) => `feature:${feature}`),
      ...Object.entries(hello.limits).flatMap(([name, value]) => (typeof value === 'number' ? [`limit:${name}`] : [])),
      ...(known.apis.length > 0 ? ['api:any'] : []),
      ...known.apis.map((action) => `api:${action}`),
    ],
  };
}

interface Hello {
  readonly name: string;
  readonly version?: string;
  readonly features: readonly string[];
  readonly limits: JsonObject;
}

function readHello(data: JsonObject, remedy: string): Hello {
  const { host, features, limits } = data;
  const wrong = (what: string): TargetFailure =>
    new TargetFailure('RUNCERT_TARGET_HANDSHAKE', 'handshake', {
      expected: 'driver_hello to be answered with host {name, version}, limits {…} and features […]',
      came: what,
      remedy,
    });
  if (!isObject(host) || typeof host['name'] !== 'string') throw wrong('no host.name');
  if (features !== undefined && !(Array.isArray(features) && features.every((feature) => typeof feature === 'string')))
    throw wrong('features that are no list of texts');
  if (limits !== undefined && !isObject(limits)) throw wrong('limits that are no object');
  return {
    name: host['name'],
    ...(typeof host['version'] === 'string' ? { version: host['version'] } : {}),
    features: (features as string[] | undefined) ?? [],
    limits: isObject(limits) ? limits : {},
  };
}

const storage = (area: string): string[] => [
  `get_${area}_storage`,
  `set_${area}_storage`,
  `delete_${area}_storage`,
  `get_${area}_storage_keys`,
];

/** Every Host API action that a runner may call. */
export const HOST_APIS: readonly string[] = [
  ...['invoke_llm', 'invoke_llm_stream', 'invoke_rerank', 'get_tool_detail', 'call_tool', 'retrieve_knowledge_base'],
  ...['history_page', 'history_search', 'event_get', 'event_page'],
  ...['artifact_metadata', 'artifact_read', 'artifact_open_stream', 'state_get', 'state_set', 'state_delete'],
  ...['plugin', 'workspace', 'binding'].flatMap(storage),
  'platform_request_action',
];

/** Which of them the host has: each is called for a run that never was, and only an answer that the action is unknown says no. */
async function probeApis(peer: Peer): Promise<string[]> {
  const data = { run_id: 'runcert-probe', caller_plugin_identity: 'runcert/probe' };
  const answers = await Promise.all(HOST_APIS.map((action) => peer.call(action, data, { timeout: 5000 })));
  return HOST_APIS.filter((action, i) => {
    const answer = answers[i]!;
    return answer.lost === undefined && !isUnknownAction(answer, action);
  });
}

/** Does the answer say that there is no such action? */
export const isUnknownAction = (
  { code, message }: { readonly code: number; readonly message: string },
  action: string,
): boolean =>
  code !== 0 &&
  (new RegExp(`\\b${action} not found`).test(message) ||
    /unknown action|not implemented|unsupported action/i.test(message));

/** What a Plugin Runtime answers a host while it settles in; a player sets discovery and runs. */
function runtimeDuties(peer: Peer): void {
  peer
    .handle('__ping', () => ({ message: 'pong' }))
    .handle('set_runtime_config', () => ({}))
    .handle('list_agent_runners', () => ({ runners: [] }))
    .handle('list_plugins', () => ({ plugins: [] }))
    .handle('list_tools', () => ({ tools: [] }))
    .handle('list_commands', () => ({ commands: [] }))
    .handle('list_knowledge_engines', () => ({ engines: [] }))
    .handle('list_parsers', () => ({ parsers: [] }))
    .handle('get_plugin_info', () => ({ plugin: null }))
    .handle('get_debug_info', () => ({}))
    .handle('reconcile_plugin_installations', () => ({}))
    .handle('apply_plugin_installation', () => ({ state: 'running' }))
    .handle('emit_event', (data) => ({ emitted_plugins: [], event_context: data['event_context'] ?? {} }));
}
