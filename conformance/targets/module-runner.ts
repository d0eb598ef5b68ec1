// A runner in this process: a thin plugin shell around it speaks the frames of the plugin hop.
// The shell judges nothing and mends nothing: what the runner yields goes out as it is.
import { setMaxListeners } from 'node:events';
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';
import type { Answer, Peer } from '../wire/peer.ts';
import { HostApiError, type RunnerApi, type RunnerDefinition } from './define.ts';
import { inProcessTarget } from './in-process.ts';
import { pluginSeat } from './plugin.ts';
import { breathing } from './spin.ts';
import type { Target } from './target.ts';

export const moduleRunner = (definition: RunnerDefinition, kind = 'module'): Target =>
  inProcessTarget(pluginSeat('module'), {
    kind,
    foreign: kind === 'module',
    ...(definition.time === undefined ? {} : { time: definition.time }),
    play: (peer, { clock }) => playPlugin(definition, peer, clock),
  });

/** Plays a plugin with one runner on a link. */
export function playPlugin(definition: RunnerDefinition, peer: Peer, clock: Clock): () => void {
  const runs = new Map<string, AbortController>();
  const { manifest } = definition;
  peer
    .handle('initialize_plugin', () => ({}))
    .handle('get_plugin_container', () => containerOf(manifest, 'initialized'))
    .handle('shutdown', () => ({}))
    .handle('cancel_run', ({ run_id, reason }) => {
      runs.get(String(run_id))?.abort(typeof reason === 'string' ? reason : 'cancel_requested');
      return {};
    })
    .handle('run_agent', ({ runner_name, context }) => {
      if (runner_name !== manifest['name']) throw new Error(`there is no runner ${JSON.stringify(runner_name)}`);
      if (!isObject(context)) throw new Error('context must be an object');
      return run(definition, context, peer, clock, runs);
    });
  void peer.closed.then(() => {
    for (const stop of runs.values()) stop.abort('the host is gone');
  });
  void peer.call('register_plugin', {
    plugin_container: containerOf(manifest, 'mounted'),
    prod_mode: true,
    plugin_debug_key: '',
  });
  return () => {
    for (const stop of runs.values()) stop.abort('the host is gone');
  };
}

async function* run(
  { run: start }: RunnerDefinition,
  context: JsonObject,
  peer: Peer,
  clock: Clock,
  runs: Map<string, AbortController>,
): AsyncGenerator<JsonObject> {
  const runId = String(context['run_id']);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // Any number of calls may wait on it at once.
  const over = new AbortController();
  runs.set(runId, stop);
  const runtime = isObject(context['runtime']) ? context['runtime'] : {};
  const deadline = Number(runtime['deadline_at'] ?? Number.NaN) * 1000;
  if (Number.isFinite(deadline))
    void clock.sleep(Math.max(0, deadline - clock.now()), over.signal).then(() => {
      if (!over.signal.aborted) stop.abort('deadline_exceeded');
    });
  const breathe = breathing(peer, clock);
  try {
    let sequence = 0;
    for await (const result of start(context, apiOf(peer, runId, clock, stop.signal, breathe))) {
      await breathe();
      if (!isObject(result)) throw new Error(`the runner yielded ${typeof result}, no result`);
      yield { run_id: runId, sequence: ++sequence, ...result };
    }
  } finally {
    over.abort();
    runs.delete(runId);
  }
}

function apiOf(
  peer: Peer,
  run_id: string,
  clock: Clock,
  signal: AbortSignal,
  breathe: () => Promise<void> | undefined,
): RunnerApi {
  /** Calls are waited for as long as the run lasts: the runner, not the shell, has the patience it has. */
  const timeout = 3_600_000;
  return {
    clock,
    signal,
    call: async (action, data = {}) => {
      await breathe();
      return accepted(await peer.call(action, { run_id, ...data }, { timeout, signal }));
    },
    stream: async function* (action, data = {}) {
      await breathe();
      for await (const answer of peer.stream(action, { run_id, ...data }, { timeout, signal })) yield accepted(answer);
      if (signal.aborted) throw new HostApiError('cancelled', String(signal.reason));
    },
  };
}

function accepted(answer: Answer): JsonObject {
  if (answer.code === 0) return answer.data;
  if (answer.lost === 'aborted') throw new HostApiError('cancelled', answer.message);
  if (answer.lost !== undefined) throw new HostApiError('runtime_error', answer.message, true);
  const error = isObject(answer.data['error']) ? answer.data['error'] : {};
  const { code, message, retryable, details } = error;
  throw new HostApiError(
    typeof code === 'string' ? code : 'host.action_error',
    typeof message === 'string' ? message : answer.message,
    retryable === true,
    isObject(details) ? details : {},
  );
}

function containerOf(manifest: JsonObject, status: string): JsonObject {
  const { id, name, label, description, config_schema, metadata: _metadata, ...spec } = manifest;
  const [, author, plugin] = /^plugin:([^/]+)\/([^/]+)\//.exec(String(id)) ?? [];
  const component = {
    apiVersion: 'v1',
    kind: 'AgentRunner',
    metadata: { name, label, ...(description === undefined ? {} : { description }) },
    spec: { ...spec, config: config_schema ?? [] },
  };
  return {
    debug: false,
    install_source: '',
    install_info: {},
    manifest: {
      owner: 'builtin',
      rel_path: 'manifest.yaml',
      manifest: {
        apiVersion: 'v1',
        kind: 'Plugin',
        metadata: { author: author ?? 'unknown', name: plugin ?? 'unknown', label: label ?? {} },
      },
    },
    plugin_instance: null,
    enabled: true,
    priority: 0,
    plugin_config: {},
    status,
    components: [
      {
        manifest: { owner: 'builtin', rel_path: `components/agent_runner/${String(name)}.yaml`, manifest: component },
        component_instance: null,
        component_config: {},
      },
    ],
  };
}
