// What the reference runtime knows: everything follows from its events, so that after a restart it knows the same.
import type { JsonObject } from '../../../common/json.ts';
import { RuntimeEvent } from '../event.ts';

export interface Ids {
  readonly session_id?: string;
  readonly thread_id?: string;
  readonly turn_id?: string;
  readonly task_id?: string;
  readonly run_id?: string;
  readonly attempt_id?: string;
  readonly step_id?: string;
  readonly tool_call_id?: string;
  readonly action_id?: string;
  readonly process_id?: string;
}

export interface WorldTurn {
  readonly ids: Ids;
  readonly input: readonly unknown[];
  status: 'queued' | 'accepted' | 'running' | 'ended';
  /** The script's step under way. */
  step: number;
  waitsFor: string | undefined;
  stopBlocked: boolean;
  outcome: 'completed' | 'failed' | undefined;
}

export interface WorldTask {
  readonly ids: Ids;
  status: string;
  runs: string[];
  running: string | undefined;
  children: string[];
  cancelling: boolean;
  edges: Set<string>;
}

export interface World {
  events: number;
  sequences: Map<string, number>;
  threads: Map<string, { sessionId: string; active: string | undefined; queue: string[] }>;
  turns: Map<string, WorldTurn>;
  tasks: Map<string, WorldTask>;
  actions: Map<string, { ids: Ids; decision: string | undefined }>;
  calls: Map<string, { turnId: string | undefined; ended: 'result' | 'failed' | undefined }>;
  processes: Map<string, { ids: Ids; alive: boolean }>;
  subagents: Map<string, { ids: Ids; ended: boolean }>;
  jobs: Map<string, { ids: Ids; ended: boolean }>;
  channels: Map<string, { ids: Ids; acknowledged: number; connected: boolean }>;
  /** Step ids of each session, in order, for windows over its history. */
  steps: Map<string, string[]>;
}

export const newWorld = (): World => ({
  events: 0,
  sequences: new Map(),
  threads: new Map(),
  turns: new Map(),
  tasks: new Map(),
  actions: new Map(),
  calls: new Map(),
  processes: new Map(),
  subagents: new Map(),
  jobs: new Map(),
  channels: new Map(),
  steps: new Map(),
});

const TASK_STATUS: Readonly<Record<string, string>> = {
  'task.created': 'draft',
  'task.accepted': 'accepted',
  'task.started': 'running',
  'task.paused': 'paused',
  'task.resumed': 'running',
  'task.retrying': 'retrying',
  'task.cancel_requested': 'cancelling',
  'task.cancelled': 'cancelled',
  'task.completed': 'completed',
  'task.failed': 'failed',
  'task.lost': 'lost',
  'task.queued': 'queued',
  'task.waiting': 'waiting',
  'task.blocked': 'blocked',
  'task.timed_out': 'timed_out',
  'task.archived': 'archived',
};

/** Takes one of its own events in. */
export function learn(world: World, raw: JsonObject): void {
  const event = new RuntimeEvent(raw);
  const { type, sessionId = '', threadId, turnId, stepId } = event;
  world.events++;
  if (event.sequence !== undefined) world.sequences.set(sessionId, event.sequence);
  if (stepId !== undefined) {
    const steps = world.steps.get(sessionId) ?? [];
    if (!steps.includes(stepId)) steps.push(stepId);
    world.steps.set(sessionId, steps);
  }
  const thread = threadId === undefined ? undefined : world.threads.get(threadId);
  const turn = turnId === undefined ? undefined : world.turns.get(turnId);
  switch (type) {
    case 'thread.started':
      world.threads.set(threadId!, { sessionId, active: undefined, queue: [] });
      return;
    case 'turn.submitted': {
      const queued = event.text('status') === 'queued';
      world.turns.set(turnId!, {
        ids: idsOf(event),
        input: event.list('input') ?? [],
        status: queued ? 'queued' : 'accepted',
        step: 0,
        waitsFor: undefined,
        stopBlocked: false,
        outcome: undefined,
      });
      if (!queued && thread !== undefined) thread.active = turnId;
      return;
    }
    case 'turn.started':
      if (turn !== undefined) turn.status = 'running';
      if (thread !== undefined) thread.active = turnId;
      return;
    case 'turn.completed':
    case 'turn.failed':
      if (turn !== undefined) {
        turn.status = 'ended';
        turn.outcome = type === 'turn.completed' ? 'completed' : 'failed';
        turn.waitsFor = undefined;
      }
      if (thread?.active === turnId) thread!.active = undefined;
      return;
    case 'run.status': {
      const step = (event.get('metadata') as { step?: number } | undefined)?.step;
      if (turn !== undefined && step !== undefined) turn.step = step;
      return;
    }
    case 'queue.changed':
      if (thread !== undefined) changeQueue(thread, event);
      return;
    case 'action.required':
      world.actions.set(event.actionId!, { ids: idsOf(event), decision: undefined });
      if (turn !== undefined) turn.waitsFor = event.actionId;
      return;
    case 'action.resolved': {
      const action = world.actions.get(event.actionId!);
      if (action !== undefined) action.decision = event.text('decision');
      if (turn?.waitsFor === event.actionId) turn!.waitsFor = undefined;
      return;
    }
    case 'hook.completed':
      if (turn !== undefined && event.text('hookPoint') === 'stop')
        turn.stopBlocked = event.text('decision') === 'block';
      return;
    case 'tool.started':
      world.calls.set(event.toolCallId!, { turnId, ended: undefined });
      return;
    case 'tool.result':
    case 'tool.failed': {
      const call = world.calls.get(event.toolCallId!);
      if (call !== undefined) call.ended = type === 'tool.result' ? 'result' : 'failed';
      return;
    }
    case 'process.started':
      world.processes.set(event.id('processId')!, { ids: idsOf(event), alive: true });
      return;
    case 'process.completed':
    case 'process.failed':
    case 'process.terminated': {
      const process = world.processes.get(event.id('processId')!);
      if (process !== undefined) process.alive = false;
      return;
    }
    case 'subagent.spawned':
      world.subagents.set(event.id('subagentId')!, { ids: idsOf(event), ended: false });
      return;
    case 'subagent.closed':
    case 'subagent.completed':
    case 'subagent.failed': {
      const subagent = world.subagents.get(event.id('subagentId')!);
      if (subagent !== undefined) subagent.ended = true;
      return;
    }
    case 'job.created':
      world.jobs.set(event.id('jobId')!, { ids: idsOf(event), ended: false });
      return;
    case 'job.completed':
    case 'job.failed':
    case 'job.cancelled': {
      const job = world.jobs.get(event.id('jobId')!);
      if (job !== undefined) job.ended = true;
      return;
    }
    case 'channel.connected':
    case 'channel.resumed':
    case 'channel.disconnected': {
      const id = event.id('channelId')!;
      const acknowledged = event.number('lastAcknowledgedSequence') ?? world.channels.get(id)?.acknowledged ?? 0;
      world.channels.set(id, {
        ids: world.channels.get(id)?.ids ?? idsOf(event),
        acknowledged,
        connected: type !== 'channel.disconnected',
      });
      return;
    }
    default:
      if (type.startsWith('task.')) learnTask(world, event);
  }
}

function changeQueue(thread: { queue: string[] }, event: RuntimeEvent): void {
  const list = event.list('queuedTurns');
  if (list !== undefined) {
    thread.queue = list.map((entry) => String((entry as JsonObject)['turn_id'] ?? (entry as JsonObject)['turnId']));
    return;
  }
  const turn = event.id('queuedTurnId')!;
  const others = thread.queue.filter((id) => id !== turn);
  const op = event.text('op');
  if (op === 'remove') thread.queue = others;
  else thread.queue = others.toSpliced(op === 'promote' ? 0 : others.length, 0, turn);
}

function learnTask(world: World, event: RuntimeEvent): void {
  const taskId = event.taskId;
  if (taskId === undefined) return;
  let task = world.tasks.get(taskId);
  if (task === undefined) {
    task = {
      ids: idsOf(event),
      status: 'unknown',
      runs: [],
      running: undefined,
      children: [],
      cancelling: false,
      edges: new Set(),
    };
    world.tasks.set(taskId, task);
  }
  const status = TASK_STATUS[event.type];
  if (status !== undefined) task.status = status;
  switch (event.type) {
    case 'task.created': {
      const parent = event.id('parentTaskId');
      if (parent !== undefined) world.tasks.get(parent)?.children.push(taskId);
      return;
    }
    case 'task.attempt.started':
      task.runs.push(event.runId!);
      task.running = event.runId;
      return;
    case 'task.attempt.completed':
    case 'task.attempt.failed':
      task.running = undefined;
      return;
    case 'task.cancel_requested':
      task.cancelling = true;
      return;
    case 'task.cancelled':
    case 'task.timed_out':
    case 'task.lost':
    case 'task.failed':
      task.running = undefined;
      task.cancelling = false;
      return;
    case 'task.dependency.updated': {
      const edge = `${event.text('kind')} ${event.text('targetId')}`;
      if (event.text('op') === 'remove') task.edges.delete(edge);
      else task.edges.add(edge);
      return;
    }
    default:
  }
}

/** The ids of an event that say where it belongs. */
export function idsOf(event: RuntimeEvent): Ids {
  const ids = {
    session_id: event.sessionId,
    thread_id: event.threadId,
    turn_id: event.turnId,
    task_id: event.taskId,
    run_id: event.runId,
    step_id: event.stepId,
    tool_call_id: event.toolCallId,
    process_id: event.id('processId'),
  };
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined));
}

export const openActions = (world: World): string[] =>
  [...world.actions].filter(([, { decision }]) => decision === undefined).map(([id]) => id);
export const failedCalls = (world: World, turnId?: string): string[] =>
  [...world.calls]
    .filter(([, call]) => call.ended === 'failed' && (turnId === undefined || call.turnId === turnId))
    .map(([id]) => id);
export const callsOf = (world: World, turnId: string): string[] =>
  [...world.calls].filter(([, call]) => call.turnId === turnId && call.ended !== undefined).map(([id]) => id);
