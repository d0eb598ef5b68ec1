// Faults of history, permissions, routing, exports and honesty (§9.7 to §9.11).
import type { JsonObject } from '../../../common/json.ts';
import {
  changed,
  dropped,
  type Fault,
  fault,
  followed,
  has,
  lacking,
  like,
  payload,
  type raw,
  withMemory,
  withPayload,
} from './tamper.ts';

/** A runtime for which what a hook allows counts more than what a rule denies. */
const hookOutranks = withMemory(() => {
  const allowed = new Set<unknown>();
  return (event) => {
    if (has('permission.evaluated', 'decision_source', 'hook')(event)) allowed.add(event['tool_call_id']);
    return [
      event['type'] === 'tool.failed' && allowed.has(event['tool_call_id'])
        ? like(event, 'tool.result', { preview: 'done' })
        : event,
    ];
  };
});

const list = (event: JsonObject, name: string): readonly string[] => (payload(event)[name] ?? []) as readonly string[];

/** After a reconnect it goes on some numbers later, and tells nothing of what was between. */
const leaps = (): ReturnType<typeof raw> => () => {
  const leapt = new Map<unknown, number>();
  return (event) => {
    if (event['type'] === 'channel.resumed') leapt.set(event['session_id'], (leapt.get(event['session_id']) ?? 0) + 5);
    return [{ ...event, sequence: Number(event['sequence']) + (leapt.get(event['session_id']) ?? 0) }];
  };
};

export const explainedFaults: readonly Fault[] = [
  fault(
    'ar/9.7/compaction-begins-and-ends',
    'never tells that a compaction began',
    dropped('context.compaction.started'),
  ),
  fault(
    'ar/9.7/compaction-keeps-open-actions',
    'compacts open actions away',
    changed('context.compaction.completed', (event) => withPayload(event, { preserved_action_ids: [] })),
  ),
  fault(
    'ar/9.7/partial-recovery-says-so',
    'calls a partial recovery whole',
    changed('history.reconstructed', (event) =>
      withPayload(event, { missing: ['output'], degraded: false, recovery_mode: 'snapshot' }),
    ),
  ),
  fault(
    'ar/9.7/window-has-cursor',
    'gives a window without a cursor',
    changed('history.window.loaded', (event) => lacking(event, 'cursor')),
  ),
  fault('ar/9.7/rollback-begins-and-ends', 'never tells that a rollback began', dropped('history.rollback.started')),
  fault('ar/9.7/gap-at-reconnect-repaired', 'leaves a gap at a reconnect as it is', leaps()),

  fault(
    'ar/9.8/run-was-allowed',
    'runs calls that are denied',
    changed(has('tool.failed', 'error_category', 'permission_denied'), (event) =>
      like(event, 'tool.result', { preview: 'done' }),
    ),
  ),
  fault('ar/9.8/rule-outranks-automatic-allow', 'lets a hook outrank a rule', hookOutranks),
  fault(
    'ar/9.8/decision-has-source-and-reason',
    'does not say who decided',
    changed('permission.evaluated', (event) => lacking(event, 'decision_source')),
  ),
  fault(
    'ar/9.8/refusal-explained',
    'refuses without a decision',
    dropped(has('permission.evaluated', 'decision', 'deny')),
  ),
  fault('ar/9.8/sandbox-failure-explained', 'fails by the sandbox without a violation', dropped('sandbox.violation')),
  fault('ar/9.8/sandboxed-run-has-profile', 'says sandboxed and applies no sandbox', dropped('sandbox.applied')),
  fault('ar/9.8/process-started-first', 'never tells that a process started', dropped('process.started')),
  fault(
    'ar/9.8/process-ends-once',
    'ends a process twice',
    followed('process.completed', (event) => like(event, 'process.terminated', { reason: 'user' })),
  ),
  fault('ar/9.8/hook-begins-and-ends', 'never tells that a hook began', dropped('hook.started')),
  fault(
    'ar/9.8/rewritten-input-used',
    'uses a third input after a hook rewrote it',
    changed(
      (event) => event['type'] === 'tool.args' && String(payload(event)['input_ref']).endsWith(':2'),
      (event) => withPayload(event, { input_ref: 'args:third' }),
    ),
  ),
  fault(
    'ar/9.8/never-mode-never-asks',
    'asks in mode never',
    changed('permission.evaluated', (event) => withPayload(event, { mode: 'never' })),
  ),

  fault(
    'ar/9.9/request-was-routed',
    'does not tell how a model was chosen',
    dropped(['routing.single_candidate', 'routing.decided', 'routing.fallback.applied']),
  ),
  fault(
    'ar/9.9/requested-as-decided',
    'asks another model than it decided for',
    changed('model.requested', (event) => withPayload(event, { model: 'other' })),
  ),
  fault(
    'ar/9.9/no-candidate-no-request',
    'asks a model when routing is not possible',
    followed('routing.not_possible', (event) => [
      like(event, 'model.requested', { model: 'other' }),
      like(event, 'model.failed', { error_category: 'none' }),
    ]),
  ),
  fault(
    'ar/9.9/candidate-counts-agree',
    'calls three candidates a single one',
    changed('routing.single_candidate', (event) => withPayload(event, { candidate_count: 3 })),
  ),
  fault(
    'ar/9.9/fallback-has-cause',
    'falls back without a cause',
    withMemory(() => (event) => {
      if (event['type'] === 'rate_limit.hit' || event['type'] === 'quota.low') return [];
      if (event['type'] === 'model.failed')
        return [{ ...event, type: 'model.completed', payload: { usage: 'unknown', stop_reason: 'unknown' } }];
      return [event['type'] === 'routing.fallback.applied' ? lacking(event, 'reason') : event];
    }),
  ),
  fault(
    'ar/9.9/no-price-is-unknown',
    'calls unknown costs nought',
    changed(has('cost.recorded', 'amount', 'unknown'), (event) => withPayload(event, { amount: 0 })),
  ),
  fault(
    'ar/9.9/blocked-quota-blocks',
    'asks a model while the quota blocks',
    followed('quota.blocked', (event) => [
      like(event, 'model.requested', { model: 'small' }),
      like(event, 'model.failed', { error_category: 'quota' }),
    ]),
  ),

  fault(
    'ar/9.10/export-ids-are-known',
    'exports calls that never were',
    changed('evidence.changed', (event) =>
      withPayload(event, { tool_call_ids: [...list(event, 'tool_call_ids'), 'call_unheard'] }),
    ),
  ),
  fault(
    'ar/9.10/export-keeps-failures',
    'leaves failures out of exports',
    changed('evidence.changed', (event) =>
      withPayload(event, {
        tool_call_ids: list(event, 'tool_call_ids').filter((id) => !list(event, 'failed_tool_call_ids').includes(id)),
      }),
    ),
  ),
  fault(
    'ar/9.10/export-status-agrees',
    'exports everything as completed',
    changed('evidence.changed', (event) => withPayload(event, { status: 'completed' })),
  ),
  fault(
    'ar/9.10/export-has-reference',
    'exports nothing to look at',
    changed('evidence.changed', (event) => lacking(event, 'pack_ref', 'replay_ref', 'review_ref')),
  ),

  fault(
    'ar/9.11/snapshot-agrees-with-facts',
    'says completed in every snapshot',
    changed('snapshot.updated', (event) => withPayload(event, { status: 'completed' })),
  ),
  fault(
    'ar/9.11/repair-marks-the-gap',
    'repairs without saying what',
    changed('snapshot.repaired', (event) => ({ ...event, payload: { model: payload(event)['model']! } })),
  ),
];
