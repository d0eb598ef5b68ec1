// Commands about turns: submit, interrupt, resume, the queue, and the answer to an action.
import { type Command, type Desk, found, must, refuse, text } from './desk.ts';
import { carryOn, finishAsked } from './script.ts';
import { failedCalls, openActions, type WorldTurn } from './world.ts';

/** Says how the queue of a thread stands, in the way this runtime says it. */
export function sayQueue(
  desk: Desk,
  ids: { session_id: string; thread_id: string },
  queue: readonly string[],
  op: 'add' | 'remove' | 'promote',
  turnId: string,
  reason: string,
): void {
  if (desk.style.queue === 'operations') {
    desk.say('queue.changed', ids, {
      op,
      queued_turn_id: turnId,
      reason,
      ...(op === 'promote' ? { position: 0 } : {}),
    });
    return;
  }
  desk.say('queue.changed', ids, {
    queued_turns: queue.map((turn_id, order) => ({
      queued_turn_id: turn_id,
      turn_id,
      order,
      source: 'user',
      policy: 'fifo',
      status: 'queued',
    })),
    op,
    queued_turn_id: turnId,
    reason,
  });
}

const submit_turn: Command = (desk, input) => {
  const session_id = must(input, 'session_id');
  const thread_id = text(input, 'thread_id') ?? desk.fresh('thread');
  const turn_id = text(input, 'turn_id') ?? desk.fresh('turn');
  if (!Array.isArray(input['input'])) refuse('invalid_input', 'input is required');
  const known = desk.world.turns.get(turn_id);
  if (known !== undefined) return { turn_id, status: known.status, repeated: true };
  const owner = desk.world.threads.get(thread_id)?.sessionId ?? session_id;
  if (owner !== session_id) refuse('conflict', `thread ${thread_id} belongs to session ${owner}`);
  openThread(desk, session_id, thread_id);
  const thread = desk.world.threads.get(thread_id)!;
  const ids = { session_id, thread_id, turn_id };
  const busy = thread.active !== undefined;
  desk.say('turn.submitted', ids, {
    input: input['input'] as never,
    input_ref: `input:${turn_id}`,
    source: 'user',
    status: busy ? 'queued' : 'accepted',
  });
  if (busy) {
    sayQueue(desk, { session_id, thread_id }, [...thread.queue, turn_id], 'add', turn_id, 'busy');
    return { turn_id, status: 'queued' };
  }
  begin(desk, turn_id);
  return { turn_id, status: 'accepted' };
};

/** Sessions and threads come into being with their first turn or task. */
export function openThread(desk: Desk, session_id: string, thread_id: string): void {
  if (![...desk.world.threads.values()].some(({ sessionId }) => sessionId === session_id)) {
    desk.say('session.created', { session_id }, { title: `Session ${session_id}`, workspace_id: 'workspace' });
  }
  if (!desk.world.threads.has(thread_id))
    desk.say('thread.started', { session_id, thread_id }, { title: `Thread ${thread_id}` });
}

/** Starts a turn and goes on until it ends or waits for somebody. */
export function begin(desk: Desk, turnId: string): void {
  const { ids } = desk.world.turns.get(turnId)!;
  desk.say('turn.started', ids, { status: 'running' });
  desk.say('context.resolved', ids, {
    memory_refs: [],
    workspace_refs: ['workspace'],
    instruction_refs: ['instructions:1'],
    missing: [],
  });
  desk.say('tool.catalog.resolved', ids, {
    mode: 'default',
    caller: 'user',
    tools: [
      { tool_name: 'read_file', policy: 'allowed', runtime_owner: 'local', is_read_only: true, is_destructive: false },
      { tool_name: 'shell', policy: 'ask', runtime_owner: 'local', is_read_only: false, is_destructive: true },
    ],
  });
  goOn(desk, turnId);
}

/** Plays on, and starts what waited behind the turn when it is over. */
function goOn(desk: Desk, turnId: string): void {
  carryOn(desk, turnId);
  const turn = desk.world.turns.get(turnId)!;
  if (turn.status === 'ended') next(desk, turn);
}

function next(desk: Desk, { ids }: WorldTurn): void {
  const { session_id, thread_id } = ids as { session_id: string; thread_id: string };
  const [first, ...rest] = desk.world.threads.get(thread_id)!.queue;
  if (first === undefined) return;
  sayQueue(desk, { session_id, thread_id }, rest, 'remove', first, 'started');
  begin(desk, first);
}

const interrupt_turn: Command = (desk, input) => {
  const session_id = must(input, 'session_id');
  const reason = must(input, 'reason');
  const wanted = text(input, 'turn_id');
  const thread = text(input, 'thread_id');
  const turn = [...desk.world.turns.values()].find(
    ({ ids, status }) =>
      (status === 'running' || status === 'accepted') &&
      ids.session_id === session_id &&
      (wanted === undefined || ids.turn_id === wanted) &&
      (thread === undefined || ids.thread_id === thread),
  );
  if (turn === undefined) return { interrupted: false };
  const turnId = turn.ids.turn_id!;
  for (const [id, process] of desk.world.processes) {
    if (process.alive && process.ids.turn_id === turnId)
      desk.say('process.terminated', { ...process.ids, process_id: id }, { reason: 'cancelled_parent' });
  }
  for (const [id, call] of desk.world.calls) {
    if (call.turnId === turnId && call.ended === undefined) {
      desk.say(
        'tool.failed',
        { ...turn.ids, step_id: `${id}_step`, tool_call_id: id },
        { error_category: 'interrupted', retryable: true },
      );
    }
  }
  desk.say('turn.failed', turn.ids, { status: 'cancelled', failure_category: 'interrupted', reason });
  next(desk, turn);
  return { interrupted: true, turn_id: turnId };
};

const resume_thread: Command = (desk, input) => {
  const session_id = must(input, 'session_id');
  const thread_id = must(input, 'thread_id');
  const thread = found(desk.world.threads, thread_id, 'thread');
  desk.say(
    'history.reconstructed',
    { session_id, thread_id },
    { recovery_mode: 'snapshot', restored: { queued_turns: thread.queue.length }, missing: [], degraded: false },
  );
  desk.say(
    'snapshot.updated',
    { session_id, thread_id },
    {
      model: 'thread_read_model',
      status: thread.active === undefined && openActions(desk.world).length === 0 ? 'completed' : 'running',
      recovery_mode: 'snapshot',
      pending_action_ids: openActions(desk.world).filter(
        (id) => desk.world.actions.get(id)!.ids.thread_id === thread_id,
      ),
      failed_tool_call_ids: failedCalls(desk.world).filter(
        (id) => desk.world.turns.get(desk.world.calls.get(id)!.turnId ?? '')?.ids.thread_id === thread_id,
      ),
    },
  );
  return { resumed: true, active_turn_id: thread.active ?? null };
};

const respond_action: Command = (desk, input) => {
  const action_id = must(input, 'action_id');
  const decision = must(input, 'decision');
  const action = found(desk.world.actions, action_id, 'action');
  if (action.decision !== undefined) refuse('conflict', `action ${action_id} is already answered`);
  const { ids } = action;
  desk.say(
    'action.resolved',
    { ...ids, action_id },
    { decision, decided_by: 'human', ...(input['input'] === undefined ? {} : { input: input['input'] }) },
  );
  const turnId = ids.turn_id;
  if (turnId === undefined && ids.task_id !== undefined && desk.world.tasks.get(ids.task_id)?.status === 'waiting') {
    desk.say('task.resumed', ids, { reason: 'answered' });
  }
  if (turnId === undefined || desk.world.turns.get(turnId)?.status === 'ended') return { action_id, decision };
  finishAsked(desk, turnId, { ...ids, action_id }, decision);
  goOn(desk, turnId);
  return { action_id, decision };
};

const queued = (desk: Desk, id: string): { ids: { session_id: string; thread_id: string }; queue: string[] } => {
  const turn = found(desk.world.turns, id, 'turn');
  const { session_id, thread_id } = turn.ids as { session_id: string; thread_id: string };
  const { queue } = desk.world.threads.get(thread_id)!;
  if (!queue.includes(id)) refuse('not_found', `turn ${id} is not queued`);
  return { ids: { session_id, thread_id }, queue };
};

const remove_queued_turn: Command = (desk, input) => {
  const id = must(input, 'queued_turn_id');
  const { ids, queue } = queued(desk, id);
  sayQueue(
    desk,
    ids,
    queue.filter((turn) => turn !== id),
    'remove',
    id,
    'removed',
  );
  desk.say(
    'turn.failed',
    { ...ids, turn_id: id },
    { status: 'cancelled', failure_category: 'cancelled', reason: 'removed from the queue' },
  );
  return { removed: true };
};

const promote_queued_turn: Command = (desk, input) => {
  const id = must(input, 'queued_turn_id');
  const { ids, queue } = queued(desk, id);
  sayQueue(desk, ids, [id, ...queue.filter((turn) => turn !== id)], 'promote', id, 'promoted');
  return { promoted: true };
};

export const turnCommands = {
  submit_turn,
  interrupt_turn,
  resume_thread,
  respond_action,
  remove_queued_turn,
  promote_queued_turn,
};
