// A raw peer in the Runtime's seat, with a script for every run: the world of the host's own tests.
import type { JsonObject } from '../../../common/json.ts';
import { VirtualClock } from '../../driving/clock.ts';
import { memoryLink } from '../../wire/link.ts';
import { type Answer, Peer } from '../../wire/peer.ts';
import { type ServeOptions, serveHost } from './serve.ts';

export type Script = (
  context: JsonObject,
  api: (action: string, data?: JsonObject) => Promise<Answer>,
) => AsyncIterable<JsonObject>;

export const RUNNER = 'plugin:acme/probe/default';
export const manifest = (over: JsonObject = {}): JsonObject => ({
  id: RUNNER,
  name: 'default',
  label: { en_US: 'Probe' },
  protocol_version: '1',
  capabilities: { streaming: true },
  permissions: {
    models: ['invoke', 'stream', 'rerank'],
    tools: ['detail', 'call'],
    knowledge_bases: ['retrieve'],
    history: ['page', 'search'],
    events: ['get', 'page'],
    artifacts: ['metadata', 'read'],
    storage: ['plugin', 'binding'],
  },
  context: {},
  ...over,
});
export const event = (over: JsonObject = {}): JsonObject => ({
  event_id: 'e1',
  event_type: 'message.received',
  source: 'platform',
  conversation_id: 'c1',
  actor: { actor_type: 'user', actor_id: 'u1' },
  input: { text: 'hello' },
  delivery: { surface: 'chat', supports_streaming: true },
  ...over,
});
export const binding = (over: JsonObject = {}): JsonObject => ({
  binding_id: 'b1',
  runner_id: RUNNER,
  resource_policy: { allow_binding_storage: true },
  ...over,
});

export async function withHost(
  test: (world: World) => Promise<void>,
  { runners = [manifest()], ...options }: Partial<ServeOptions> & { runners?: JsonObject[] } = {},
): Promise<void> {
  const clock = new VirtualClock();
  await clock.run(async () => {
    const [near, far] = memoryLink();
    serveHost(far, { ...options, clock });
    const peer = new Peer(near, { clock });
    const scripts: Script[] = [];
    const cancelled: JsonObject[] = [];
    peer
      .handle('list_agent_runners', () => ({ runners }))
      .handle('run_agent', ({ context }) => {
        const own = context as JsonObject;
        return scripts.shift()!(own, (action, data = {}) =>
          peer.call(action, { run_id: own['run_id'], caller_plugin_identity: 'acme/probe', ...data }),
        );
      })
      .handle('cancel_run', (data) => {
        cancelled.push(data);
        return {};
      });
    const drive = async (action: string, data: JsonObject = {}): Promise<JsonObject> =>
      (await peer.call(action, data)).data;
    const world: World = {
      clock,
      peer,
      cancelled,
      drive,
      run: async (script, of = {}) => {
        scripts.push(script);
        await drive('driver_discover');
        const { run_id } = await drive('driver_submit', { event: event(of.event), binding: binding(of.binding) });
        if (of.wait !== false) await clock.sleep(of.wait ?? 50);
        return String(run_id);
      },
      observe: (run_id) => drive('driver_observe', run_id === undefined ? {} : { run_id }),
    };
    await test(world);
  });
}

export interface World {
  readonly clock: VirtualClock;
  readonly peer: Peer;
  readonly cancelled: JsonObject[];
  drive(action: string, data?: JsonObject): Promise<JsonObject>;
  run(script: Script, of?: { event?: JsonObject; binding?: JsonObject; wait?: number | false }): Promise<string>;
  observe(runId?: string): Promise<JsonObject>;
}

export const result = (
  context: JsonObject,
  type: string,
  data: JsonObject = {},
  more: JsonObject = {},
): JsonObject => ({
  run_id: context['run_id'],
  type,
  data,
  ...more,
});
export const message = (context: JsonObject, content: string, more: JsonObject = {}): JsonObject =>
  result(context, 'message.completed', { message: { role: 'assistant', content } }, more);
export const say = (...contents: string[]): Script =>
  async function* (context) {
    for (const content of contents) yield message(context, content);
    yield result(context, 'run.completed');
  };
