// The reference runtime on a link: it answers the driver contract of docs/agent-runtime.md until the link closes.
import { isObject } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import type { Link } from '../../wire/link.ts';
import { Peer, Refusal } from '../../wire/peer.ts';
import { ReferenceRuntime, type RuntimeOptions } from './runtime.ts';
import { FileStore, memoryStore } from './store.ts';

export interface ServeRuntimeOptions extends Partial<Omit<RuntimeOptions, 'now'>> {
  readonly clock: Clock;
  /** The folder of the log; without it everything is kept in memory. */
  readonly storage?: string;
}

/** How many events one answer of `driver_events` holds. */
const PAGE = 1000;

/**
 * Serves the reference runtime on a link.
 * @example await serveRuntime(new OwnStdioLink(), { clock: realClock, storage: './data' }).peer.closed;
 */
export function serveRuntime(
  link: Link,
  { clock, storage, ...options }: ServeRuntimeOptions,
): { readonly peer: Peer; readonly runtime: ReferenceRuntime } {
  const store = options.store ?? (storage === undefined ? memoryStore() : new FileStore(`${storage}/runtime.log`));
  const runtime = new ReferenceRuntime({ ...options, store, now: () => clock.now() });
  const peer = new Peer(link, { clock, firstSeq: 1000 });
  peer
    .handle('driver_hello', () => runtime.hello)
    .handle('driver_command', ({ command, input }) => {
      if (typeof command !== 'string' || !isObject(input))
        throw new Refusal('driver_command needs command and input', {
          error: { code: 'invalid_input', message: 'command and input' },
        });
      return runtime.command(command, input);
    })
    .handle('driver_events', ({ after }) => {
      const from = typeof after === 'number' && after >= 0 ? Math.floor(after) : 0;
      const events = runtime.events(from).slice(0, PAGE);
      return { events, next: from + events.length };
    })
    .handle('driver_model', ({ model, session_id }) => ({
      model: runtime.model(String(model), String(session_id ?? '')),
    }))
    .handle('driver_load', ({ events, ended }) => {
      runtime.load(Array.isArray(events) ? events.filter(isObject) : [], ended === true);
      return {};
    })
    .handle('driver_restart', () => {
      runtime.restart();
      return {};
    })
    .handle('driver_reset', () => {
      runtime.reset();
      return {};
    })
    .handle('__ping', () => ({ pong: 'pong' }));
  void peer.closed.then(() => store.close());
  return { peer, runtime };
}
