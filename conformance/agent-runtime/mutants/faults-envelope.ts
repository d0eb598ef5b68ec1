// Faults of identity, envelope, classes and statuses (§2 to §5, §8).
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
  raw,
  without,
  withPayload,
} from './tamper.ts';

const isTool = ({ type }: { readonly type?: unknown }): boolean =>
  String(type).startsWith('tool.') && type !== 'tool.catalog.resolved';

export const envelopeFaults: readonly Fault[] = [
  fault(
    'ar/2/ids-have-roles',
    'names turn, step and tool call with one id',
    changed(isTool, (event) => ({ ...event, step_id: event['turn_id']!, tool_call_id: event['turn_id']! })),
  ),
  fault(
    'ar/2/thread-in-one-session',
    'tells the end of a turn under another session',
    changed('turn.completed', (event) => ({ ...event, session_id: 'elsewhere' })),
  ),
  fault(
    'ar/2/turn-in-one-thread',
    'tells the end of a turn under another thread',
    changed('turn.completed', (event) => ({ ...event, thread_id: 'elsewhere' })),
  ),
  fault(
    'ar/2/run-of-one-task',
    'tells the end of an attempt under another task',
    changed('task.attempt.completed', (event) => ({ ...event, task_id: 'elsewhere' })),
  ),
  fault(
    'ar/2/call-in-one-turn',
    'tells a result under another turn',
    changed('tool.result', (event) => ({ ...event, turn_id: 'elsewhere' })),
  ),
  fault(
    'ar/2/call-in-one-step',
    'tells a result under another step',
    changed('tool.result', (event) => ({ ...event, step_id: 'elsewhere' })),
  ),
  fault(
    'ar/2/attempt-has-one-run',
    'gives an attempt another run at its end',
    changed('task.attempt.completed', (event) => ({ ...event, run_id: `${String(event['run_id'])}_other` })),
  ),
  fault(
    'ar/2/action-has-owner',
    'asks without saying for what',
    changed('action.required', (event) => without(event, 'turn_id', 'task_id', 'tool_call_id', 'step_id')),
  ),
  fault(
    'ar/2/subagent-has-parents',
    'spawns a subagent without a parent turn',
    changed('subagent.spawned', (event) => lacking(without(event, 'turn_id'), 'parent_turn_id')),
  ),

  fault(
    'ar/3/type-given',
    'leaves the type out',
    changed('run.status', (event) => without(event, 'type')),
  ),
  fault(
    'ar/3/event-id-given',
    'leaves the event_id out',
    changed('run.status', (event) => without(event, 'event_id')),
  ),
  fault(
    'ar/3/timestamp-given',
    'leaves the timestamp out',
    changed('run.status', (event) => without(event, 'timestamp')),
  ),
  fault(
    'ar/3/timestamp-rfc3339',
    'writes times in its own way',
    changed('run.status', (event) => ({ ...event, timestamp: '8 May 2026' })),
  ),
  fault(
    'ar/3/event-id-unique',
    'uses one event_id for many events',
    raw('run.status', (event) => ({ ...event, event_id: 'status' })),
  ),
  fault(
    'ar/3/envelope-typed',
    'writes refs as a list',
    changed('turn.started', (event) => ({ ...event, refs: [] })),
  ),
  fault(
    'ar/3/scope-ids-given',
    'names a turn and no thread',
    changed('context.resolved', (event) => without(event, 'thread_id')),
  ),
  fault(
    'ar/3/sequence-rises',
    'counts from the beginning again',
    raw('turn.completed', (event) => ({ ...event, sequence: 1 })),
  ),
  fault(
    'ar/3/large-payload-by-ref',
    'copies large output into the event',
    changed('tool.result', (event) => withPayload(event, { preview: 'x'.repeat(70_000) })),
  ),
  fault(
    'ar/3.1/snapshot-keeps-open-actions',
    'loses open actions in a snapshot',
    changed('snapshot.updated', (event) => withPayload(event, { pending_action_ids: [] })),
  ),
  fault(
    'ar/3.1/snapshot-keeps-failed-calls',
    'loses failed calls in a snapshot',
    changed('snapshot.updated', (event) => withPayload(event, { failed_tool_call_ids: [] })),
  ),

  fault(
    'ar/4/normalised-beside-vendor',
    'tells turns in types of its own alone',
    changed(
      ({ turn_id }) => turn_id !== undefined,
      (event) => ({ ...event, type: `acme.${String(event['type'])}` }),
    ),
  ),
  fault(
    'ar/4/payload-typed',
    'writes numbers as texts',
    changed('model.delta', (event) => withPayload(event, { index: 'first' })),
  ),
  fault(
    'ar/4/action-says-what-it-asks',
    'asks without a prompt',
    changed('action.required', (event) => lacking(event, 'prompt')),
  ),
  fault(
    'ar/4/task-event-names-task',
    'tells progress of no task',
    changed('task.progress', (event) => without(event, 'task_id')),
  ),
  fault('ar/4/subagent-spawned-first', 'never tells that a subagent was spawned', dropped('subagent.spawned')),
  fault(
    'ar/4/no-input-to-ended-subagent',
    'talks to a closed subagent',
    followed('subagent.closed', (event) =>
      like(event, 'subagent.input', { subagent_id: payload(event)['subagent_id']! }),
    ),
  ),

  fault('ar/5/job-created-first', 'never tells that a job was created', dropped('job.created')),
  fault(
    'ar/5/job-ends-once',
    'ends a job twice',
    followed('job.completed', (event) => like(event, 'job.failed', { job_id: payload(event)['job_id']! })),
  ),
  fault(
    'ar/5/completed-item-stays',
    'fails an item that was completed',
    followed('job.item.completed', (event) => like(event, 'job.item.failed', payload(event))),
  ),
  fault(
    'ar/5/item-attempts-rise',
    'counts every attempt as the first',
    changed('job.item.started', (event) => withPayload(event, { attempt_count: 1 })),
  ),
  fault('ar/5/channel-connected-first', 'never tells that a channel was connected', dropped('channel.connected')),
  fault(
    'ar/5/permission-comes-back',
    'takes answers to questions that were never forwarded',
    dropped('channel.permission_forwarded'),
  ),

  fault('ar/8/turn-in-order', 'starts turns that were never submitted', dropped('turn.submitted')),
  fault(
    'ar/8/turn-ends-once',
    'fails a turn that is completed',
    followed('turn.completed', (event) => like(event, 'turn.failed', { status: 'failed' })),
  ),
  fault(
    'ar/8/nothing-after-turn-end',
    'thinks on after the end',
    followed('turn.completed', (event) => like(event, 'reasoning.delta', { text: 'hm' })),
  ),
  fault(
    'ar/8/stop-hook-holds',
    'completes a turn that a stop hook blocks',
    dropped((event) => has('hook.completed', 'hook_point', 'stop')(event) && payload(event)['decision'] === 'continue'),
  ),
  fault(
    'ar/8/completed-has-no-running-attempt',
    'completes a task while its attempt runs',
    dropped('task.attempt.completed'),
  ),
  fault(
    'ar/8/completed-is-delivered',
    'completes a task that is not delivered',
    changed('task.completed', (event) => withPayload(event, { delivery_state: 'pending' })),
  ),
  fault(
    'ar/8/status-in-vocabulary',
    'has a word of its own for running',
    changed('run.status', (event) => withPayload(event, { status: 'busy' })),
  ),
];
