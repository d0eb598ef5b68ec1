// task_snapshot: every open task and the latest ended ones, with all their attempts and edges.
// A task changes by its own events; once ended, only a retry or an archive changes it.
import { pickFrom, type RuntimeEvent, texts } from '../event.ts';
import { defineModel, type Freshness, honest, keepIn, known, type Step, seenAt, values } from './model.ts';
import { type Attempt, addEdge, attemptOf, inverse, newTask, removeEdge, type Task, TERMINAL } from './task-state.ts';

/** How many ended tasks stay in sight. */
export const RECENT_TASKS = 50;

export interface TaskState {
  open: Map<string, Task>;
  recent: Map<string, Task>;
  counts: { created: number; completed: number; failed: number; cancelled: number; timed_out: number };
}

const taskById = (state: TaskState, taskId: string | undefined): Task | undefined =>
  state.open.get(taskId!) ?? state.recent.get(taskId!);

function taskOf(state: TaskState, taskId: string, event: RuntimeEvent): Task {
  const found = taskById(state, taskId);
  if (found !== undefined) return found;
  state.counts.created++;
  state.open.set(taskId, newTask(taskId, event));
  return state.open.get(taskId)!;
}

const onTask =
  (step: (task: Task, event: RuntimeEvent, state: TaskState) => void): Step<TaskState> =>
  (state, event) => {
    const taskId = event.id('taskId');
    if (taskId === undefined) return;
    const task = taskOf(state, taskId, event);
    task.seen = seenAt(event);
    step(task, event, state);
  };

const describe = (task: Task, event: RuntimeEvent): void => {
  task.title = event.text('title') ?? task.title;
  task.objective = event.text('objective') ?? task.objective;
  task.assignee = event.text('assignee') ?? task.assignee;
  task.threadId ??= event.threadId;
};

/** A status by an event of the task: it never undoes an end. */
const becomes =
  (status: string | ((event: RuntimeEvent) => string)) =>
  (task: Task, event: RuntimeEvent): void => {
    describe(task, event);
    if (TERMINAL.has(task.status)) return;
    task.status = typeof status === 'string' ? status : status(event);
    task.reason = event.text('statusReason') ?? event.text('reason');
  };

const waitingStatus = (event: RuntimeEvent): string => {
  const said = event.text('status');
  if (said === 'waiting_input' || said === 'waiting_permission' || said === 'waiting_resource' || said === 'blocked')
    return said;
  switch (event.text('waitingFor')) {
    case 'input':
      return 'waiting_input';
    case 'permission':
      return 'waiting_permission';
    case 'dependency':
      return 'blocked';
    default:
      return 'waiting_resource';
  }
};

const ends = (status: 'failed' | 'cancelled' | 'timed_out') =>
  onTask((task, event, state) => {
    if (TERMINAL.has(task.status)) return;
    becomes(status)(task, event);
    task.lastError = event.get('lastError') ?? task.lastError;
    settleAttempts(task, status, event);
    end(task, status, event, state);
  });

function end(
  task: Task,
  status: 'completed' | 'failed' | 'cancelled' | 'timed_out',
  event: RuntimeEvent,
  state: TaskState,
): void {
  task.status = status;
  task.claimed = false;
  task.endedAt = event.timestamp;
  state.counts[status]++;
  state.open.delete(task.taskId);
  keepIn(state.recent, task.taskId, task, RECENT_TASKS);
}

/** Completed is what its owner says and the other facts bear out; until they do it is `unknown`. */
const completed = onTask((task, event, state) => {
  if (TERMINAL.has(task.status)) return;
  task.claimed = true;
  task.deliveryState = event.text('deliveryState') ?? task.deliveryState;
  for (const ref of texts(event.list('evidenceRefs'))) addEvidence(task, ref);
  for (const artifact of event.list('artifacts') ?? []) {
    const id = typeof artifact === 'string' ? artifact : pickFrom(artifact, 'artifactId');
    if (typeof id === 'string') addEdge(task, 'produced_artifact', id);
  }
  reconcile(task, event, state);
});

const UNDELIVERED: ReadonlySet<string | undefined> = new Set(['pending', 'queued', 'failed']);

function reconcile(task: Task, event: RuntimeEvent, state: TaskState): void {
  if (!task.claimed) return;
  const running = values(task.attempts).find(({ status }) => status === 'running');
  if (running !== undefined) {
    task.status = 'unknown';
    task.reason = `said to be completed while attempt ${running.runId} still runs`;
  } else if (UNDELIVERED.has(task.deliveryState)) {
    task.status = 'unknown';
    task.reason = `said to be completed while its delivery is ${task.deliveryState}`;
  } else {
    task.reason = event.text('statusReason') ?? event.text('reason');
    end(task, 'completed', event, state);
  }
}

/** Attempts have no class for being cancelled or timed out: the event of the task says it for them. */
function settleAttempts(task: Task, status: string, event: RuntimeEvent): void {
  for (const attempt of task.attempts.values()) {
    if (attempt.status !== 'running') continue;
    attempt.status = status === 'timed_out' ? 'failed' : status;
    attempt.failureCategory ??= status;
    attempt.endedAt = event.timestamp;
  }
}

const addEvidence = (task: Task, ref: string): void => {
  if (!task.evidence.includes(ref)) task.evidence.push(ref);
};

const reopen = (state: TaskState, task: Task): void => {
  state.recent.delete(task.taskId);
  state.open.set(task.taskId, task);
  task.endedAt = undefined;
};

const retrying = onTask((task, event, state) => {
  if (task.status === 'archived') return;
  reopen(state, task);
  task.status = 'retrying';
  task.reason = event.text('reason');
});

/** The attempt that the event names, noted down if it is new. */
function attemptFor(task: Task, event: RuntimeEvent): Attempt | undefined {
  const found = attemptOf(task, event);
  const runId = event.id('runId') ?? event.id('attemptId');
  if (found !== undefined || runId === undefined) return found;
  task.attempts.set(runId, {
    runId,
    attemptId: event.id('attemptId'),
    status: 'unknown',
    worker: undefined,
    startedAt: undefined,
    endedAt: undefined,
    failureCategory: undefined,
    lastError: undefined,
    retryable: undefined,
    seen: seenAt(event),
  });
  task.currentRunId = runId;
  return task.attempts.get(runId);
}

const attemptStarted = onTask((task, event, state) => {
  if (task.status === 'archived') return;
  const attempt = attemptFor(task, event);
  if (attempt === undefined || attempt.status !== 'unknown' || attempt.startedAt !== undefined) return;
  attempt.status = 'running';
  attempt.startedAt = event.timestamp;
  attempt.worker = event.get('worker', 'taskAttempt');
  reopen(state, task);
  task.status = 'running';
});

/** An attempt ends once; what a later event says about it changes nothing. */
const attemptEnded = (status: 'completed' | 'failed') =>
  onTask((task, event, state) => {
    const attempt = attemptFor(task, event);
    if (attempt === undefined || attempt.endedAt !== undefined) return;
    attempt.status = status;
    attempt.endedAt = event.timestamp ?? '';
    attempt.seen = seenAt(event);
    attempt.failureCategory = event.text('failureCategory', 'taskAttempt');
    attempt.lastError = event.get('lastError', 'taskAttempt');
    const retryable = event.get('retryable', 'taskAttempt');
    attempt.retryable = typeof retryable === 'boolean' ? retryable : undefined;
    reconcile(task, event, state);
  });

/** Both ends of an edge know it. */
function link(state: TaskState, task: Task, kind: string, target: string, event: RuntimeEvent, remove: boolean): void {
  const change = remove ? removeEdge : addEdge;
  change(task, kind, target);
  const back = inverse(kind);
  if (back === undefined) return;
  const other = remove ? taskById(state, target) : taskOf(state, target, event);
  if (other === undefined) return;
  change(other, back, task.taskId);
  if (kind === 'child' && !remove) other.parentTaskId ??= task.taskId;
  if (kind === 'parent' && !remove) task.parentTaskId ??= target;
}

const delegated = onTask((task, event, state) => {
  const child = event.text('childTaskId');
  const subagent = event.id('subagentId');
  const job = event.id('jobId');
  if (child !== undefined) link(state, task, 'child', child, event, false);
  else if (subagent !== undefined) addEdge(task, 'spawned_subagent', subagent);
  else if (job !== undefined) addEdge(task, 'job', job);
  else {
    const target = event.text('targetId');
    if (target !== undefined) link(state, task, event.text('kind') ?? 'child', target, event, false);
  }
});

const dependency = onTask((task, event, state) => {
  const kind = event.text('kind', 'taskRelationship');
  const target = event.text('targetId', 'taskRelationship');
  if (kind === undefined || target === undefined) return;
  const removed = event.text('op') === 'remove' || event.text('status', 'taskRelationship') === 'removed';
  link(state, task, kind, target, event, removed);
});

export const taskSnapshot = defineModel({
  name: 'task_snapshot',
  initial: (): TaskState => ({
    open: new Map(),
    recent: new Map(),
    counts: { created: 0, completed: 0, failed: 0, cancelled: 0, timed_out: 0 },
  }),
  on: {
    'task.created': onTask((task, event, state) => {
      if (task.status === 'unknown') becomes('draft')(task, event);
      else describe(task, event);
      const parent = event.id('parentTaskId');
      if (parent !== undefined) link(state, task, 'parent', parent, event, false);
    }),
    'task.accepted': onTask(becomes('accepted')),
    'task.queued': onTask(becomes('queued')),
    'task.started': onTask(becomes('running')),
    'task.resumed': onTask(becomes('running')),
    'task.paused': onTask(becomes('paused')),
    'task.waiting': onTask((task, event) => {
      becomes(waitingStatus)(task, event);
      task.actionIds = texts(event.list('actionIds'));
    }),
    'task.blocked': onTask((task, event) => {
      becomes('blocked')(task, event);
      task.blockers = [...(event.list('blockers') ?? [])];
      task.actionIds = texts(event.list('actionIds'));
    }),
    'task.cancel_requested': onTask((task, event) => {
      becomes('cancelling')(task, event);
      task.cancelRequested = true;
    }),
    'task.updated': onTask(describe),
    'task.progress': onTask((task, event, state) => {
      if (TERMINAL.has(task.status)) return;
      task.percent = event.number('percent') ?? task.percent;
      task.phase = event.text('phase') ?? task.phase;
      task.deliveryState = event.text('deliveryState') ?? task.deliveryState;
      reconcile(task, event, state);
    }),
    'task.retrying': retrying,
    'task.completed': completed,
    'task.failed': ends('failed'),
    'task.cancelled': ends('cancelled'),
    'task.timed_out': ends('timed_out'),
    'task.lost': onTask((task, event) => {
      if (TERMINAL.has(task.status)) return;
      becomes('lost')(task, event);
      for (const attempt of task.attempts.values()) if (attempt.status === 'running') attempt.status = 'unknown';
    }),
    'task.archived': onTask((task, event, state) => {
      task.status = 'archived';
      task.reason = event.text('reason');
      state.open.delete(task.taskId);
      keepIn(state.recent, task.taskId, task, RECENT_TASKS);
    }),
    'task.attempt.started': attemptStarted,
    'task.attempt.completed': attemptEnded('completed'),
    'task.attempt.failed': attemptEnded('failed'),
    'task.delegated': delegated,
    'task.dependency.updated': dependency,
    'artifact.changed': (state, event) => {
      const artifact = event.id('artifactId');
      const task = taskById(state, event.taskId);
      if (task !== undefined && artifact !== undefined) addEdge(task, 'produced_artifact', artifact);
    },
    'evidence.changed': (state, event) => {
      const evidence = event.id('evidenceId');
      const task = taskById(state, event.taskId);
      if (task !== undefined && evidence !== undefined) addEvidence(task, evidence);
    },
  },
  show: (state, fresh) => {
    const open = values(state.open);
    const recent = values(state.recent);
    const ids = (tasks: readonly Task[], ...statuses: readonly string[]): string[] =>
      tasks.filter(({ status }) => statuses.includes(status)).map(({ taskId }) => taskId);
    const waiting = ids(open, 'waiting_input', 'waiting_permission', 'waiting_resource', 'blocked', 'paused');
    const lost = ids(open, 'lost');
    return {
      status: state.counts.created === 0 ? 'unknown' : 'known',
      summary: { ...state.counts, open: open.length, waiting: waiting.length, lost: lost.length },
      active: ids(open, 'draft', 'accepted', 'queued', 'running', 'retrying', 'cancelling', 'unknown'),
      waiting,
      lost,
      failed: ids(recent, 'failed', 'timed_out'),
      recent_terminal: recent.map(({ taskId }) => taskId),
      truncated: state.counts.created > open.length + recent.length,
      tasks: [...open, ...recent].map((task) => showTask(task, fresh)),
      task_graph: [...open, ...recent].flatMap((task) =>
        values(task.edges).map((edge) => ({ task_id: task.taskId, ...edge })),
      ),
      freshness: fresh,
    };
  },
});

const showTask = (task: Task, fresh: Freshness) => ({
  task_id: task.taskId,
  ...honest(task.status, task, fresh),
  reason: known(task.reason),
  title: known(task.title),
  objective: known(task.objective),
  parent_task_id: task.parentTaskId ?? null,
  root_task_id: task.rootTaskId ?? null,
  thread_id: known(task.threadId),
  turn_id: known(task.turnId),
  assignee: known(task.assignee),
  progress: { percent: known(task.percent), phase: known(task.phase) },
  delivery_state: known(task.deliveryState),
  current_run_id: known(task.currentRunId),
  attempts: values(task.attempts).map((attempt) => showAttempt(attempt, fresh)),
  relationships: values(task.edges),
  evidence_refs: task.evidence,
  blockers: task.blockers,
  required_action_ids: task.actionIds,
  last_error: known(task.lastError),
  cancel_requested: task.cancelRequested,
  history: task.fromTheStart ? 'whole' : 'unavailable',
  created_at: known(task.createdAt),
  ended_at: task.endedAt ?? null,
});

const showAttempt = (attempt: Attempt, fresh: Freshness) => ({
  run_id: attempt.runId,
  attempt_id: attempt.attemptId ?? null,
  ...honest(attempt.status, attempt, fresh),
  worker: known(attempt.worker),
  started_at: known(attempt.startedAt),
  ended_at: attempt.endedAt ?? null,
  failure_category: known(attempt.failureCategory),
  last_error: known(attempt.lastError),
  retryable: known(attempt.retryable),
});
