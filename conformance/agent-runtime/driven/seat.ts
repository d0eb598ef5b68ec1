// A runtime as a target, by its driver contract: who it is, which commands it takes, which models it shows, which families it emits.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Meeting, SeatRules } from '../../targets/external.ts';
import { TargetFailure } from '../../targets/failure.ts';
import type { TargetInfo } from '../../targets/target.ts';

const REMEDY =
  'A runtime, or a thin shim around it, answers driver_hello with {runtime: {name, version}, commands, models, families, features}.';

export const agentRuntimeSeat = (): SeatRules => ({
  party: 'runtime',
  meet,
  reset: async (peer) => (await peer.call('driver_reset', {}, { timeout: 10_000 })).code === 0,
});

async function meet(meeting: Meeting): Promise<TargetInfo> {
  const { data } = await meeting.call('handshake', 'driver_hello', {}, REMEDY);
  const { runtime } = data;
  if (!isObject(runtime) || typeof runtime['name'] !== 'string') throw wrong('no runtime.name');
  const name = runtime['name'];
  const version = typeof runtime['version'] === 'string' ? runtime['version'] : undefined;
  meeting.harness.step?.('handshake', `${name} ${version ?? ''}`.trim());
  const traits = [
    'seat:agent-runtime',
    ...names(data, 'commands').map((command) => `command:${command}`),
    ...names(data, 'models').map((model) => `model:${model}`),
    ...names(data, 'families').map((family) => `family:${family}`),
    ...names(data, 'features').map((feature) => `feature:${feature}`),
    // What a runtime emits it can be driven to use; what is never seen then is not exercised.
    ...(names(data, 'features').includes('script') ? SCRIPTED : []),
  ];
  meeting.harness.step?.(
    'discover',
    `${names(data, 'commands').length} commands, ${names(data, 'models').length} read models`,
  );
  return {
    kind: meeting.kind,
    seat: 'agent-runtime',
    name,
    ...(version === undefined ? {} : { version }),
    declared: { ...data },
    traits,
  };
}

/** Facts that a script can bring about in every runtime that plays it. */
const SCRIPTED = [
  'uses:vendor-types',
  'uses:permission-mode',
  'uses:model.delta',
  ...[
    'task.lost',
    'task.cancel_requested',
    'task.cancelled',
    'context.compaction.started',
    'context.compaction.completed',
  ].map((type) => `uses:${type}`),
  ...[
    'history.reconstructed',
    'history.window.loaded',
    'history.rollback.started',
    'routing.fallback.applied',
    'cost.recorded',
    'snapshot.repaired',
  ].map((type) => `uses:${type}`),
];

function names(data: JsonObject, field: string): readonly string[] {
  const list = data[field];
  if (list === undefined) return [];
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list as string[];
  throw wrong(`${field} that are no list of texts`);
}

const wrong = (came: string): TargetFailure =>
  new TargetFailure('RUNCERT_TARGET_HANDSHAKE', 'handshake', {
    expected: 'driver_hello to be answered with runtime {name, version}, commands, models, families and features',
    came,
    remedy: REMEDY,
  });
