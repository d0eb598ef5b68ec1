// Faults of provider streams, tool calls, actions, queues and tasks (§9.2 to §9.6).
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
  withMemory,
  without,
  withPayload,
} from './tamper.ts';

const deniedNow = (event: Parameters<typeof payload>[0]): boolean =>
  has('action.resolved', 'decision', 'deny')(event) && event['tool_call_id'] !== undefined;

export const workFaults: readonly Fault[] = [
  fault('ar/9.2/model-call-requested', 'never tells that a model was asked', dropped('model.requested')),
  fault('ar/9.2/model-call-ends-once', 'never tells that a model call ended', dropped('model.completed')),
  fault(
    'ar/9.2/no-chunk-after-end',
    'streams on after the end of a call',
    followed('model.completed', (event) => like(event, 'model.delta', { text: 'and' })),
  ),
  fault(
    'ar/9.2/text-equals-chunks',
    'keeps another text than it streamed',
    changed('model.completed', (event) => withPayload(event, { text: `${String(payload(event)['text'])}!` })),
  ),
  fault(
    'ar/9.2/usage-and-stop-reason',
    'does not tell usage',
    changed('model.completed', (event) => lacking(event, 'usage')),
  ),
  fault(
    'ar/9.2/reasoning-apart',
    'streams reasoning as text',
    changed('reasoning.delta', (event) => withPayload({ ...event, type: 'model.delta' }, { kind: 'reasoning' })),
  ),

  fault('ar/9.3/call-started-first', 'never tells that a tool call started', dropped('tool.started')),
  fault(
    'ar/9.3/call-ends-once',
    'tells two outcomes of one call',
    followed('tool.result', (event) => like(event, 'tool.failed', { error_category: 'late', retryable: false })),
  ),
  fault(
    'ar/9.3/input-kept',
    'keeps no arguments',
    changed(['tool.started', 'tool.args'], (event) => lacking(event, 'input_ref', 'safe_args')),
  ),
  fault(
    'ar/9.3/decision-kept',
    'keeps no decision about a call',
    withMemory(() => (event) => {
      if (String(event['type']).startsWith('permission.') || event['type'] === 'hook.completed') return [];
      return [event['type'] === 'tool.catalog.resolved' ? withPayload(event, { tools: [] }) : event];
    }),
  ),
  fault(
    'ar/9.3/result-kept',
    'keeps no result',
    changed('tool.result', (event) => ({ ...event, payload: {} })),
  ),
  fault(
    'ar/9.3/error-kept',
    'keeps no error',
    changed('tool.failed', (event) => lacking(event, 'error_category', 'error')),
  ),
  fault(
    'ar/9.3/retryability-said',
    'does not say what can be tried again',
    changed('tool.failed', (event) => lacking(event, 'retryable')),
  ),

  fault(
    'ar/9.4/open-action-pauses',
    'goes on with a call while it asks about it',
    followed(
      (event) => event['type'] === 'action.required' && event['tool_call_id'] !== undefined,
      (event) => without(like(event, 'tool.progress', { progress: 'already' }), 'action_id'),
    ),
  ),
  fault(
    'ar/9.4/answer-has-action',
    'answers what was never asked',
    followed('tool.result', (event) => ({
      ...like(event, 'action.resolved', { decision: 'allow' }),
      action_id: 'unasked',
    })),
  ),
  fault(
    'ar/9.4/answered-once',
    'answers twice',
    followed('action.resolved', (event) => withPayload(event, { decision: 'deny' })),
  ),
  fault(
    'ar/9.4/answer-is-a-decision',
    'resolves without a decision',
    changed('action.resolved', (event) => lacking(event, 'decision')),
  ),
  fault(
    'ar/9.4/denied-is-not-run',
    'runs what was denied',
    followed(deniedNow, (event) => without(like(event, 'tool.progress', { progress: 'running' }), 'action_id')),
  ),
  fault(
    'ar/9.4/not-completed-while-open',
    'completes a turn that waits for an answer',
    followed(
      (event) => event['type'] === 'action.required' && event['turn_id'] !== undefined,
      (event) =>
        without(like(event, 'turn.completed', { status: 'completed' }), 'action_id', 'tool_call_id', 'step_id'),
    ),
  ),

  fault('ar/9.5/queue-change-told', 'does not tell that a turn waits', dropped(has('queue.changed', 'reason', 'busy'))),
  fault(
    'ar/9.5/started-turn-leaves-queue',
    'does not tell that a turn left the queue',
    withMemory(() => (event) => (has('queue.changed', 'reason', 'started')(event) ? [] : [event])),
  ),
  fault(
    'ar/9.5/removed-turn-stays-removed',
    'starts a turn that was removed',
    followed(has('queue.changed', 'reason', 'removed'), (event) => ({
      ...like(event, 'turn.started', { status: 'running' }),
      turn_id: payload(event)['queued_turn_id']!,
    })),
  ),
  fault(
    'ar/9.5/queue-change-says-what',
    'tells a change of the queue and not which',
    changed('queue.changed', (event) => ({ ...event, payload: {} })),
  ),

  fault(
    'ar/9.6/attempt-has-new-run',
    'retries under the same run',
    changed('task.attempt.started', (event) => ({
      ...without(event, 'attempt_id'),
      run_id: `${String(event['task_id'])}_run_1`,
    })),
  ),
  fault(
    'ar/9.6/attempt-ends-once',
    'rewrites how an attempt ended',
    followed('task.attempt.failed', (event) => like(event, 'task.attempt.completed', { status: 'completed' })),
  ),
  fault('ar/9.6/attempt-started-first', 'never tells that an attempt started', dropped('task.attempt.started')),
  fault(
    'ar/9.6/attempt-names-run',
    'tells the end of no particular attempt',
    changed('task.attempt.completed', (event) => without(event, 'run_id', 'attempt_id')),
  ),
  fault(
    'ar/9.6/lost-is-no-success',
    'completes a task whose worker is lost',
    followed('task.lost', (event) => like(event, 'task.completed', { delivery_state: 'delivered' })),
  ),
  fault(
    'ar/9.6/ended-task-stays-ended',
    'goes on with a task that is completed',
    followed('task.completed', (event) => like(event, 'task.progress', { percent: 50 })),
  ),
  fault(
    'ar/9.6/no-children-after-cancel',
    'delegates work of a task that is being cancelled',
    followed('task.cancel_requested', (event) =>
      like(event, 'task.delegated', { child_task_id: 'late', kind: 'child' }),
    ),
  ),
  fault('ar/9.6/cancel-intent-first', 'cancels without telling the intent', dropped('task.cancel_requested')),
];
