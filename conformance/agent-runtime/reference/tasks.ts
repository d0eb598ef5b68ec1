// Commands about tasks: their life, their attempts and their edges.
import type { JsonObject } from '../../../common/json.ts';
import { type Command, type Desk, found, must, refuse, text } from './desk.ts';
import { openThread } from './turns.ts';
import type { Ids, WorldTask } from './world.ts';

const ENDED = new Set(['completed', 'failed', 'cancelled', 'timed_out', 'archived']);

const taskOf = (desk: Desk, input: JsonObject): { task: WorldTask; ids: Ids; id: string } => {
  const id = must(input, 'task_id');
  const task = found(desk.world.tasks, id, 'task');
  return { task, ids: task.ids, id };
};
const mustGoOn = (task: WorldTask, id: string): void => {
  if (ENDED.has(task.status) || task.cancelling) refuse('conflict', `task ${id} is ${task.status}`);
};

const create_task: Command = (desk, input) => {
  const objective = must(input, 'objective');
  const task_id = text(input, 'task_id') ?? desk.fresh('task');
  if (desk.world.tasks.has(task_id)) return { task_id, repeated: true };
  const parent = text(input, 'parent_task_id');
  if (parent !== undefined) {
    const { status, cancelling } = found(desk.world.tasks, parent, 'task');
    if (ENDED.has(status) || cancelling) refuse('conflict', `task ${parent} is ${status}`);
  }
  const session_id = text(input, 'session_id') ?? 'session_default';
  const thread_id = text(input, 'thread_id') ?? `${session_id}_tasks`;
  const owner = desk.world.threads.get(thread_id)?.sessionId ?? session_id;
  if (owner !== session_id) refuse('conflict', `thread ${thread_id} belongs to session ${owner}`);
  openThread(desk, session_id, thread_id);
  const ids: Ids = { session_id, thread_id, task_id };
  desk.say('task.created', ids, {
    objective,
    ...(parent === undefined ? {} : { parent_task_id: parent }),
    ...(text(input, 'assignee') === undefined ? {} : { assignee: text(input, 'assignee')! }),
  });
  if (parent !== undefined)
    desk.say('task.delegated', { ...ids, task_id: parent }, { child_task_id: task_id, kind: 'child' });
  desk.say('task.accepted', ids);
  return { task_id, status: 'accepted' };
};

const update_task: Command = (desk, input) => {
  const { ids, id } = taskOf(desk, input);
  const { task_id: _, ...changed } = input;
  desk.say('task.updated', ids, changed);
  return { task_id: id };
};

function attempt(desk: Desk, ids: Ids, task: WorldTask): string {
  const run_id = `${ids.task_id}_run_${task.runs.length + 1}`;
  desk.say(
    'task.attempt.started',
    { ...ids, run_id },
    { status: 'running', worker: 'worker:1', attempt_count: task.runs.length + 1 },
  );
  return run_id;
}

const start_task: Command = (desk, input) => {
  const { task, ids, id } = taskOf(desk, input);
  mustGoOn(task, id);
  if (task.running !== undefined) refuse('conflict', `task ${id} already runs`);
  const run_id = attempt(desk, ids, task);
  desk.say('task.started', ids, { status: 'running' });
  return { task_id: id, run_id };
};

const append_task_progress: Command = (desk, input) => {
  const { task, ids, id } = taskOf(desk, input);
  mustGoOn(task, id);
  const { task_id: _, ...progress } = input;
  desk.say('task.progress', ids, { phase: 'working', ...progress });
  return { task_id: id };
};

const said =
  (type: string): Command =>
  (desk, input) => {
    const { task, ids, id } = taskOf(desk, input);
    mustGoOn(task, id);
    desk.say(type, ids, { reason: must(input, 'reason') });
    return { task_id: id };
  };

/** The intent first, then the children, then the task itself. */
const cancel_task: Command = (desk, input) => {
  const { task, ids, id } = taskOf(desk, input);
  mustGoOn(task, id);
  const reason = must(input, 'reason');
  const propagation = text(input, 'propagation') ?? 'children';
  desk.say('task.cancel_requested', ids, { reason, propagation });
  if (propagation === 'children') {
    for (const child of task.children) {
      const one = desk.world.tasks.get(child)!;
      if (!ENDED.has(one.status) && !one.cancelling)
        cancel_task(desk, { task_id: child, reason: 'parent cancelled', propagation });
    }
  }
  if (task.running !== undefined)
    desk.say(
      'task.attempt.failed',
      { ...ids, run_id: task.running },
      { status: 'cancelled', failure_category: 'cancelled', retryable: false },
    );
  desk.say('task.cancelled', ids, { reason });
  return { task_id: id, status: 'cancelled' };
};

const retry_task: Command = (desk, input) => {
  const { task, ids, id } = taskOf(desk, input);
  if (task.running !== undefined || task.cancelling || task.status === 'archived')
    refuse('conflict', `task ${id} is ${task.status}`);
  desk.say('task.retrying', ids, { reason: must(input, 'reason') });
  return { task_id: id, run_id: attempt(desk, ids, task) };
};

const complete_task: Command = (desk, input) => {
  const { task, ids, id } = taskOf(desk, input);
  mustGoOn(task, id);
  const delivery = text(input, 'delivery_state') ?? 'delivered';
  if (delivery !== 'delivered' && delivery !== 'not_applicable') refuse('conflict', `the delivery is ${delivery}`);
  if (task.running !== undefined)
    desk.say(
      'task.attempt.completed',
      { ...ids, run_id: task.running },
      { status: 'completed', completion_summary: 'done' },
    );
  desk.say('task.completed', ids, {
    delivery_state: delivery,
    ...(Array.isArray(input['artifacts']) ? { artifacts: input['artifacts'] } : {}),
    ...(Array.isArray(input['evidence_refs']) ? { evidence_refs: input['evidence_refs'] } : {}),
  });
  return { task_id: id, status: 'completed' };
};

const fail_task: Command = (desk, input) => {
  const { task, ids, id } = taskOf(desk, input);
  mustGoOn(task, id);
  const error = input['error'] ?? { message: text(input, 'reason') ?? 'failed' };
  if (task.running !== undefined)
    desk.say(
      'task.attempt.failed',
      { ...ids, run_id: task.running },
      { status: 'failed', failure_category: 'task_failed', retryable: true, last_error: error },
    );
  desk.say('task.failed', ids, { last_error: error });
  return { task_id: id, status: 'failed' };
};

const linked =
  (op: 'add' | 'remove'): Command =>
  (desk, input) => {
    const { task, ids, id } = taskOf(desk, input);
    const kind = must(input, 'kind');
    const target = must(input, 'target_id');
    if (op === 'add' && kind === 'child') mustGoOn(task, id);
    if (op === 'remove' && !task.edges.has(`${kind} ${target}`)) refuse('not_found', `task ${id} has no such edge`);
    desk.say('task.dependency.updated', ids, {
      kind,
      target_id: target,
      op,
      status: op === 'remove' ? 'removed' : 'active',
    });
    return { task_id: id };
  };

export const taskCommands = {
  create_task,
  update_task,
  start_task,
  append_task_progress,
  pause_task: said('task.paused'),
  resume_task: said('task.resumed'),
  cancel_task,
  retry_task,
  complete_task,
  fail_task,
  link_tasks: linked('add'),
  unlink_tasks: linked('remove'),
};
