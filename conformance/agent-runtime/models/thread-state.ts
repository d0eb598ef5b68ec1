// The state behind thread_read_model: turns, tool calls and open requests of one thread.
import type { Seen } from './model.ts';

export interface Turn extends Seen {
  turnId: string;
  status: string;
  reason: string | undefined;
  submittedAt: string | undefined;
  startedAt: string | undefined;
  endedAt: string | undefined;
  source: string | undefined;
  runPhase: string | undefined;
}

export interface ToolCall extends Seen {
  toolCallId: string;
  turnId: string | undefined;
  toolName: string | undefined;
  status: string;
  /** `kept` says that arguments or a reference to them are in the log. */
  input: 'kept' | 'unknown';
  policy: string | undefined;
  outputRef: string | undefined;
  category: string | undefined;
  retryable: boolean | undefined;
}

export interface Request extends Seen {
  actionId: string;
  actionType: string | undefined;
  turnId: string | undefined;
  taskId: string | undefined;
  toolCallId: string | undefined;
  prompt: string | undefined;
}

export interface Incident {
  kind: string;
  detail: string | undefined;
  turn_id: string | null;
  at: string | null;
}

export interface Thread extends Seen {
  threadId: string;
  detail: string;
  activeTurnId: string | undefined;
  /** Open turns, and the latest ended ones. */
  turns: Map<string, Turn>;
  endedTurns: Map<string, Turn>;
  turnCount: number;
  pending: Map<string, Request>;
  lastOutcome: { turn_id: string; outcome: string; reason: string | undefined } | undefined;
  incidents: Incident[];
  warnings: Incident[];
  openCalls: Map<string, ToolCall>;
  endedCalls: Map<string, ToolCall>;
  /** Failed calls never vanish by themselves: the latest by name, all by number. */
  failedCalls: Map<string, ToolCall>;
  failedCount: number;
  /** What stands in the way, by its cause. */
  blockers: Map<string, string>;
  /** A stop hook said no: the turn may not be shown as completed. */
  stopBlocked: Set<string>;
  compaction: { status: string; summary_ref: string | undefined } | undefined;
  queued: string[] | undefined;
}

export const TURNS = 20;
export const CALLS = 20;
export const FAILED = 100;
export const NOTICES = 50;

export const newThread = (threadId: string, seen: number): Thread => ({
  threadId,
  seen,
  detail: 'idle',
  activeTurnId: undefined,
  turns: new Map(),
  endedTurns: new Map(),
  turnCount: 0,
  pending: new Map(),
  lastOutcome: undefined,
  incidents: [],
  warnings: [],
  openCalls: new Map(),
  endedCalls: new Map(),
  failedCalls: new Map(),
  failedCount: 0,
  blockers: new Map(),
  stopBlocked: new Set(),
  compaction: undefined,
  queued: undefined,
});

/** The nine statuses of a thread, from the sixteen of the runtime. */
export function threadStatus(detail: string): string {
  switch (detail) {
    case 'accepted':
    case 'preparing':
    case 'streaming':
      return 'running';
    case 'waiting_input':
    case 'waiting_permission':
      return 'blocked';
    default:
      return detail;
  }
}
