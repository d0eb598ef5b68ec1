// Work beside the turn: jobs item by item, tasks with their attempts, channels to remote peers.
import type { JsonObject } from '../../../../common/json.ts';
import type { Desk } from '../desk.ts';
import type { Play } from '../play.ts';
import { type Ids, openActions } from '../world.ts';

export function job(desk: Desk, ids: Ids, play: Extract<Play, { do: 'job' }>): void {
  const job_id = desk.fresh('job');
  const items = Array.from({ length: play.items }, (_, i) => `${job_id}_${i}`);
  const say = (type: string, payload: JsonObject = {}): void => desk.say(type, ids, { job_id, ...payload });
  say('job.created', {
    status: 'pending',
    instruction_ref: 'instruction:1',
    items: items.map((job_item_id) => ({ job_item_id })),
  });
  say('job.started', { assigned_thread_ids: [ids.thread_id!] });
  for (const [i, job_item_id] of items.entries()) {
    const item = (type: string, payload: JsonObject): void => say(type, { job_item_id, ...payload });
    item('job.item.started', { attempt_count: 1, assigned_thread_id: ids.thread_id! });
    if (play.retried && i === 0) {
      item('job.item.failed', { last_error: { message: 'flaky' }, retryable: true });
      item('job.item.started', { attempt_count: 2, assigned_thread_id: ids.thread_id! });
    }
    if (play.ends || i + 1 < items.length) item('job.item.completed', { output_ref: `output:${job_item_id}` });
  }
  const completed = play.ends ? items.length : items.length - 1;
  say('job.progress', { progress: { pending: 0, running: items.length - completed, completed, failed: 0 } });
  if (play.ends) say('job.completed', { progress: { pending: 0, running: 0, completed, failed: 0 } });
}

export function channel(desk: Desk, ids: Ids): void {
  const channel_id = desk.fresh('channel');
  const where = { session_id: ids.session_id!, thread_id: ids.thread_id! };
  desk.say('channel.connected', where, {
    channel_id,
    transport: 'websocket',
    peer_role: 'client',
    native_protocol: 'reference',
    resume_token_ref: `token:${channel_id}`,
  });
  desk.say('channel.message', where, { channel_id });
  const [open] = openActions(desk.world);
  const request_id = open ?? `request_${channel_id}`;
  desk.say('channel.permission_forwarded', where, {
    channel_id,
    request_id,
    requesting_peer: 'client',
    deciding_side: 'client',
    channel_scoped: true,
  });
  desk.say('channel.permission_returned', where, { channel_id, request_id, decision: 'deny', source: 'peer' });
  desk.say('channel.disconnected', where, {
    channel_id,
    reason: 'heartbeat missed',
    last_acknowledged_sequence: desk.world.sequences.get(ids.session_id!) ?? 0,
  });
}

/** A background task of the turn, through one of the ways that a task can go. */
export function task(desk: Desk, ids: Ids, play: Extract<Play, { do: 'task' }>): void {
  const task_id = desk.fresh('task');
  const own: Ids = { session_id: ids.session_id!, thread_id: ids.thread_id!, task_id };
  const say = (type: string, payload: JsonObject = {}): void => desk.say(type, own, payload);
  const attempt = (n: number): Ids => ({
    ...own,
    run_id: `${task_id}_run_${n}`,
    attempt_id: `${task_id}_attempt_${n}`,
  });
  const start = (n: number): void =>
    desk.say('task.attempt.started', attempt(n), { status: 'running', worker: 'worker:1', attempt_count: n });
  const finish = (n: number): void => {
    desk.say('task.attempt.completed', attempt(n), { status: 'completed', completion_summary: 'done' });
    say('task.progress', { percent: 100, phase: 'delivering', delivery_state: 'delivered' });
    say('task.completed', { delivery_state: 'delivered', artifacts: ['artifact_0'], evidence_refs: [] });
  };
  say('task.created', { objective: 'work in the background', title: 'Background' });
  say('task.accepted');
  say('task.queued');
  start(1);
  say('task.started');
  switch (play.how) {
    case 'retried':
      desk.say('task.attempt.failed', attempt(1), {
        status: 'failed',
        failure_category: 'tool_failed',
        retryable: true,
        last_error: { message: 'flaky' },
      });
      say('task.retrying', { reason: 'the attempt can be tried again' });
      start(2);
      finish(2);
      break;
    case 'lost':
      say('task.lost', { worker: 'worker:1', reason: 'no heartbeat' });
      say('task.retrying', { reason: 'the worker is lost' });
      start(2);
      finish(2);
      say('task.archived', { reason: 'over' });
      break;
    case 'timed_out':
      say('task.timed_out', { limit: 'time', reason: 'too slow' });
      break;
    case 'blocked':
      say('task.waiting', { waiting_for: 'resource', status: 'waiting_resource', status_reason: 'no worker' });
      say('task.blocked', { blockers: [{ kind: 'credential' }], reason: 'no credential' });
      say('task.resumed', { reason: 'there is one' });
      finish(1);
      break;
    case 'asks': {
      const action_id = desk.fresh('action');
      desk.say(
        'action.required',
        { ...own, action_id },
        { action_type: 'structured_input', prompt: 'Which one?', decisions: ['first', 'second'], scope: { task_id } },
      );
      say('task.waiting', { waiting_for: 'input', status: 'waiting_input', action_ids: [action_id] });
      break;
    }
  }
}
