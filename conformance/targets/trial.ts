// One small run, to see that a target that answers also works.
import { isObject, type JsonObject } from '../../common/json.ts';
import { declaredRunners } from '../agent-runner/runner/manifests.ts';
import type { Clock } from '../driving/clock.ts';
import { Refusal } from '../wire/peer.ts';
import type { Session } from './target.ts';

export type Trial =
  | { readonly ok: true; readonly detail: string }
  | { readonly ok: false; readonly expected: string; readonly came: string; readonly remedy: string };

const DEADLINE = 10_000;
const PATIENCE = 15_000;

/** Plays one run with an open session. Never throws, never takes longer than its patience. */
export function tryOneRun(session: Session, clock: Clock): Promise<Trial> {
  if (session.info.seat === 'agent-runtime') return tryAgentRuntime(session);
  return session.info.seat === 'host' ? tryHost(session, clock) : tryRunner(session, clock);
}

async function tryAgentRuntime({ peer }: Session): Promise<Trial> {
  const input = { session_id: 'doctor', thread_id: 'doctor_1', turn_id: 'doctor_turn', input: ['Hello.'] };
  const turn = await peer.call('driver_command', { command: 'submit_turn', input }, { timeout: PATIENCE });
  const { code, data, message } = await peer.call('driver_events', { after: 0 }, { timeout: PATIENCE });
  const events = Array.isArray(data['events']) ? data['events'].filter(isObject) : [];
  if (turn.code === 0 && code === 0 && events.length > 0)
    return {
      ok: true,
      detail: `submit_turn: ${events
        .map(({ type }) => String(type))
        .join(', ')
        .slice(0, 300)}`,
    };
  return {
    ok: false,
    expected: 'submit_turn to be accepted, and driver_events to show what it led to',
    came: turn.code !== 0 ? turn.message : code !== 0 ? message : 'no events',
    remedy: 'See the driver contract in docs/agent-runtime.md.',
  };
}

async function tryRunner({ peer, info }: Session, clock: Clock): Promise<Trial> {
  const runner = declaredRunners(info.declared)[0]!;
  let calls = 0;
  peer.handleOther((action) => {
    calls++;
    const error = { code: 'not_found', message: `the doctor has no ${action}`, retryable: false, details: {} };
    throw new Refusal(error.message, { error });
  });
  const context = contextFor('runcert-doctor', clock);
  const data =
    info.seat === 'runtime'
      ? {
          runner_id: `plugin:${runner.author}/${runner.plugin}/${runner.name}`,
          runner_name: runner.name,
          plugin_author: runner.author,
          plugin_name: runner.plugin,
          context,
        }
      : { runner_name: runner.name, context };
  const results: string[] = [];
  let trouble = '';
  for await (const answer of peer.stream('run_agent', data, { timeout: PATIENCE })) {
    if (answer.code === 0) results.push(resultWords(answer.data));
    else trouble = answer.message.slice(0, 300);
  }
  const last = results[results.length - 1];
  const shown = `${results.slice(0, 10).join(', ') || 'no result'}${results.length > 10 ? ` … (${results.length})` : ''}`;
  if (trouble === '' && /^run\.(completed|failed)/.test(last ?? ''))
    return { ok: true, detail: `${shown}; ${calls} API calls` };
  return {
    ok: false,
    expected: 'a stream of results that ends with run.completed or run.failed',
    came: trouble === '' ? shown : `${shown}, then: ${trouble}`,
    remedy: 'Run `runcert certify` for the clauses and the smallest failing case, or look at the target’s own log.',
  };
}

/** The type of a result, and why it failed where it did. */
function resultWords({ type, data }: JsonObject): string {
  if (type !== 'run.failed' || !isObject(data)) return String(type);
  return `run.failed (${String(data['code'] ?? 'no code')}: ${String(data['message'] ?? data['error'] ?? '').slice(0, 120)})`;
}

function contextFor(run_id: string, clock: Clock): JsonObject {
  return {
    run_id,
    trigger: { type: 'message.received', source: 'api' },
    event: { event_id: 'doctor-1', event_type: 'message.received', source: 'api', data: {} },
    conversation: { conversation_id: 'doctor' },
    input: {
      text: 'Hello from runcert doctor.',
      contents: [{ type: 'text', text: 'Hello from runcert doctor.' }],
      attachments: [],
    },
    delivery: { surface: 'api', supports_streaming: true },
    resources: { models: [], tools: [], knowledge_bases: [], storage: {} },
    context: { available_apis: {} },
    state: { conversation: {}, actor: {}, subject: {}, runner: {} },
    runtime: { protocol_version: '1', deadline_at: (clock.now() + DEADLINE) / 1000 },
    config: {},
  };
}

const RUNNER_ID = 'plugin:runcert/doctor/default';

async function tryHost({ peer }: Session, clock: Clock): Promise<Trial> {
  const stop = new AbortController();
  const arrived = new Promise<string>((resolve) => {
    peer.handle('run_agent', async function* ({ context }) {
      const run_id = isObject(context) ? String(context['run_id']) : '';
      resolve(run_id);
      yield {
        run_id,
        type: 'message.completed',
        sequence: 1,
        data: { message: { role: 'assistant', content: 'Hello.' } },
      };
      yield { run_id, type: 'run.completed', sequence: 2, data: { finish_reason: 'stop' } };
    });
  });
  peer.handle('list_agent_runners', () => ({ runners: [entry()] })).handle('cancel_run', () => ({}));
  const failed = (expected: string, came: string, remedy: string): Trial => ({ ok: false, expected, came, remedy });
  const discovered = await peer.call('driver_discover', {}, { timeout: PATIENCE });
  if (discovered.code !== 0 || !JSON.stringify(discovered.data['runners'] ?? []).includes(RUNNER_ID))
    return failed(
      `driver_discover to list ${RUNNER_ID}, which Runcert offers`,
      discovered.code === 0 ? JSON.stringify(discovered.data).slice(0, 300) : discovered.message,
      'The host calls list_agent_runners on this link and answers driver_discover with {runners: [id…], warnings: […]}.',
    );
  const submitted = await peer.call('driver_submit', { event: event(), binding: binding() }, { timeout: PATIENCE });
  const runId = submitted.data['run_id'];
  if (submitted.code !== 0 || typeof runId !== 'string')
    return failed(
      'driver_submit to be answered with {run_id}',
      submitted.code === 0 ? 'no run_id' : submitted.message,
      'See the driver contract: {event, binding} → {run_id}.',
    );
  const seen = await Promise.race([
    arrived,
    clock.sleep(PATIENCE, stop.signal).then(() => undefined),
    peer.closed.then(() => undefined),
  ]);
  stop.abort();
  if (seen === undefined)
    return failed(
      'run_agent on this link',
      `nothing within ${PATIENCE} ms`,
      'The host calls run_agent for the runner of the binding.',
    );
  for (let i = 0; i < 40 && !peer.quiet; i++) await clock.sleep(25);
  const observed = await peer.call('driver_observe', { run_id: runId }, { timeout: PATIENCE });
  return {
    ok: true,
    detail: `run ${runId}: ${observed.code === 0 ? `status ${JSON.stringify(observed.data['status'] ?? null)}` : observed.message}`,
  };
}

/** The runner that Runcert offers: a manifest as §4.2 has it, in the wrapper of the SDK, so that either reading works. */
function entry(): JsonObject {
  const manifest = {
    id: RUNNER_ID,
    name: 'default',
    label: { en_US: 'Doctor' },
    protocol_version: '1',
    capabilities: { streaming: true },
    permissions: {},
    context: {},
    config_schema: [],
  };
  return { ...manifest, plugin_author: 'runcert', plugin_name: 'doctor', runner_name: 'default', manifest };
}

const event = (): JsonObject => ({
  event_id: 'doctor-1',
  event_type: 'message.received',
  event_time: null,
  source: 'api',
  bot_id: null,
  workspace_id: null,
  conversation_id: 'doctor',
  thread_id: null,
  actor: null,
  subject: null,
  input: {
    text: 'Hello from runcert doctor.',
    contents: [{ type: 'text', text: 'Hello from runcert doctor.' }],
    attachments: [],
  },
  delivery: { surface: 'api', supports_streaming: true },
  raw_ref: null,
});

const binding = (): JsonObject => ({
  binding_id: 'doctor',
  scope: { scope_type: 'global', scope_id: null },
  event_types: ['message.received'],
  runner_id: RUNNER_ID,
  runner_config: {},
  resource_policy: {},
  state_policy: {},
  delivery_policy: {},
  enabled: true,
});
