// The host on a link: it answers the driver contract and Host API calls, and asks for runners, runs and interrupts.
import type { JsonObject } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import type { Link } from '../../wire/link.ts';
import { Peer, Refusal } from '../../wire/peer.ts';
import { Arrivals } from './arrivals.ts';
import { ReferenceHost } from './host.ts';
import { DEFAULT_INVENTORY, type Inventory } from './inventory.ts';
import { DEFAULT_LIMITS, type HostLimits } from './limits.ts';
import { HOST_PARTS, type HostParts } from './parts.ts';
import { fileMedium, type Medium, memoryMedium } from './stores/medium.ts';

export interface ServeOptions {
  readonly clock: Clock;
  /** The directory of the log; without it everything is kept in memory. */
  readonly storage?: string;
  readonly limits?: Partial<HostLimits>;
  /** Limits to keep but not to tell of in `driver_hello`. */
  readonly undeclared?: readonly (keyof HostLimits)[];
  readonly inventory?: Inventory;
  readonly features?: readonly string[];
  /** Milliseconds that every answer takes. */
  readonly latency?: number;
  readonly parts?: Partial<HostParts>;
}

export interface ServedHost {
  readonly peer: Peer;
  readonly host: ReferenceHost;
}

export const REVISION = '2026-06-03';

/** What the host shows, and what its driver can do (MODELS §7.1). */
export const FEATURES: readonly string[] = [
  'status',
  'deliveries',
  'state',
  'transcript',
  'events',
  'artifacts',
  'audit',
  'warnings',
  'telemetry',
  'active_runs',
  'cancel',
  'restart',
  'torn',
  'faults',
  'cross-conversation',
];

/** Milliseconds that the Runtime may take to list its runners or to take note of a cancel. */
const PATIENCE = 10_000;

/**
 * Serves the reference host on a link until it closes.
 * @example serveHost(stdioLink(), { clock: realClock, storage: 'data' });
 */
export function serveHost(link: Link, options: ServeOptions): ServedHost {
  const { clock } = options;
  const limits: HostLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const inventory = options.inventory ?? DEFAULT_INVENTORY;
  const parts: HostParts = { ...HOST_PARTS, ...options.parts };
  const medium: Medium = options.storage === undefined ? memoryMedium() : fileMedium(`${options.storage}/host.log`);
  const arrivals = new Arrivals((runId) => host.malformed(runId));
  const peer = new Peer(link, { clock, watch: arrivals.watch });
  const host = new ReferenceHost({
    clock,
    medium,
    limits,
    inventory,
    parts,
    runtime: {
      ask: (action, data) => peer.call(action, data, { timeout: PATIENCE }),
      // The deadline of the run bounds the stream; silence in it is no fault by itself.
      runAgent: (request, signal) =>
        arrivals.follow(request, peer.stream('run_agent', request, { signal, timeout: Number.MAX_SAFE_INTEGER })),
      cancelRun: (run_id, reason) => void peer.call('cancel_run', { run_id, reason }, { timeout: PATIENCE }),
    },
  });

  peer
    .handle('driver_hello', () => helloOf(limits, inventory, options))
    .handle('driver_discover', () => host.discover())
    .handle('driver_submit', (data) => host.submit(data))
    .handle('driver_cancel', async ({ run_id, reason = 'cancelled' }) => {
      await arrivals.caughtUp(run_id);
      host.cancel(run_id, reason);
      return {};
    })
    .handle('driver_observe', async ({ run_id }) => {
      await arrivals.caughtUp();
      return host.observe(run_id);
    })
    .handle('driver_restart', async ({ torn }) => {
      await arrivals.caughtUp();
      host.restart(torn === true);
      return {};
    })
    .handle('driver_reset', () => {
      host.reset();
      return {};
    })
    .handle('__ping', () => ({}))
    .handleOther((action, data) => {
      if (!host.has(action)) throw new Refusal(`Action ${action.slice(0, 80)} not found`);
      const answer = async () => {
        await parts.hearsFirst(() => arrivals.caughtUp(data['run_id']));
        if (options.latency !== undefined) await clock.sleep(options.latency);
        return host.call(action, data);
      };
      return host.streams(action) ? streamOf(answer()) : (answer() as Promise<JsonObject>);
    });
  void peer.closed.then(() => host.close());
  return { peer, host };
}

function helloOf(
  limits: HostLimits,
  { models, tools, knowledge, platform }: Inventory,
  options: ServeOptions,
): JsonObject {
  const declared = Object.entries(limits).filter(([name]) => !options.undeclared?.includes(name as keyof HostLimits));
  return {
    host: { name: 'runcert-reference-host', version: '1' },
    revision: REVISION,
    limits: Object.fromEntries(declared),
    features: options.features ?? FEATURES,
    inventory: {
      models: models.map(({ id, operations }) => ({ model_id: id, operations })),
      tools: tools.map(({ name, parameters, example, fails = false }) => ({
        tool_name: name,
        parameters,
        example,
        fails,
      })),
      knowledge_bases: knowledge.map(({ id, name, passages }) => ({
        kb_id: id,
        example: { query_text: name, content: passages[0]! },
      })),
      platform_actions: platform,
    },
  };
}

async function* streamOf(answer: Promise<JsonObject | readonly JsonObject[]>): AsyncGenerator<JsonObject> {
  yield* (await answer) as readonly JsonObject[];
}
