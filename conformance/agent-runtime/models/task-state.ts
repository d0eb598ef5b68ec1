// The state behind task_snapshot: a task, its attempts and its edges.
import type { RuntimeEvent } from '../event.ts';
import { type Seen, seenAt, values } from './model.ts';

export interface Attempt extends Seen {
  runId: string;
  attemptId: string | undefined;
  status: string;
  worker: unknown;
  startedAt: string | undefined;
  endedAt: string | undefined;
  failureCategory: string | undefined;
  lastError: unknown;
  retryable: boolean | undefined;
}

export interface Edge {
  kind: string;
  target_id: string;
}

export interface Task extends Seen {
  taskId: string;
  status: string;
  /** False when the first fact about it was not its creation: what came before is not known. */
  fromTheStart: boolean;
  title: string | undefined;
  objective: string | undefined;
  parentTaskId: string | undefined;
  rootTaskId: string | undefined;
  threadId: string | undefined;
  turnId: string | undefined;
  assignee: string | undefined;
  reason: string | undefined;
  percent: number | undefined;
  phase: string | undefined;
  deliveryState: string | undefined;
  attempts: Map<string, Attempt>;
  currentRunId: string | undefined;
  edges: Map<string, Edge>;
  evidence: string[];
  blockers: unknown[];
  actionIds: string[];
  lastError: unknown;
  cancelRequested: boolean;
  /** Its owner says that it is completed, and the other facts do not agree yet. */
  claimed: boolean;
  createdAt: string | undefined;
  endedAt: string | undefined;
}

export const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'timed_out', 'archived']);

export const newTask = (taskId: string, event: RuntimeEvent): Task => ({
  taskId,
  status: 'unknown',
  fromTheStart: event.type === 'task.created',
  title: undefined,
  objective: undefined,
  parentTaskId: event.id('parentTaskId'),
  rootTaskId: event.id('rootTaskId'),
  threadId: event.threadId,
  turnId: event.turnId,
  assignee: undefined,
  reason: undefined,
  percent: undefined,
  phase: undefined,
  deliveryState: undefined,
  attempts: new Map(),
  currentRunId: undefined,
  edges: new Map(),
  evidence: [],
  blockers: [],
  actionIds: [],
  lastError: undefined,
  cancelRequested: false,
  claimed: false,
  createdAt: event.timestamp,
  endedAt: undefined,
  seen: seenAt(event),
});

/** The other end of an edge sees it under this name. */
const INVERSE: Readonly<Record<string, string>> = {
  parent: 'child',
  child: 'parent',
  blocks: 'blocked_by',
  blocked_by: 'blocks',
};
export const inverse = (kind: string): string | undefined => INVERSE[kind];

export const addEdge = (task: Task, kind: string, target: string): void => {
  task.edges.set(`${kind} ${target}`, { kind, target_id: target });
};
export const removeEdge = (task: Task, kind: string, target: string): void => {
  task.edges.delete(`${kind} ${target}`);
};

/** What an attempt is called, by either of its names. */
export function attemptOf(task: Task, event: RuntimeEvent): Attempt | undefined {
  const runId = event.id('runId');
  if (runId !== undefined) return task.attempts.get(runId);
  const attemptId = event.id('attemptId');
  if (attemptId === undefined) return undefined;
  return values(task.attempts).find((attempt) => attempt.attemptId === attemptId || attempt.runId === attemptId);
}
