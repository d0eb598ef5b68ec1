// The ledger of one session: what its events have said so far, as far as judges need it. It is kept apart from the read models,
// so that the two can check each other. Only so much is remembered of what is over.
import type { Decision } from '../models/permission-decision.ts';

/** How much of what has ended is remembered. */
export const REMEMBERED = 256;

export interface TurnNote {
  threadId: string | undefined;
  submitted: boolean;
  started: boolean;
  ended: 'completed' | 'failed' | undefined;
  stopBlocked: boolean;
  /** Has a normalised class been seen in it? A vendor's type? */
  normalised: boolean;
  vendor: number | undefined;
}

export interface ModelCall {
  place: number;
  model: string | undefined;
  text: string;
  /** False once a chunk came that is no text, or the text became too long to compare. */
  comparable: boolean;
}

export interface CallNote {
  place: number;
  turnId: string | undefined;
  toolName: string | undefined;
  started: boolean;
  input: boolean;
  inputRef: string | undefined;
  rewritten: string | undefined;
  decisions: Decision[];
  hookBlocked: boolean;
  sandboxed: boolean;
  violation: boolean;
  ended: 'result' | 'failed' | undefined;
}

export interface ActionNote {
  place: number;
  threadId: string | undefined;
  turnId: string | undefined;
  taskId: string | undefined;
  toolCallId: string | undefined;
}

export interface TaskNote {
  attempts: Map<string, 'running' | 'completed' | 'failed'>;
  ended: 'completed' | 'failed' | 'cancelled' | 'timed_out' | 'archived' | undefined;
  cancelRequested: boolean;
  lost: boolean;
  delivery: string | undefined;
}

export interface QueueNote {
  listed: string[] | undefined;
  /** Turns that came while another was active and that no `queue.changed` has named. */
  untold: Map<string, number>;
  /** Turns that started and are still listed. */
  startedListed: Map<string, number>;
  removed: Set<string>;
  active: string | undefined;
}

export interface RoutingNote {
  candidates: number | undefined;
  selected: string | undefined;
  known: boolean;
  impossible: boolean;
  trouble: boolean;
  quotaBlocked: boolean;
}

export interface Ledger {
  /** Thread, turn and tool call of the last event: those of the next are mostly the same. */
  last: {
    /** Where the last event stands in the log. */
    place: number;
    threadId: string | undefined;
    turnId: string | undefined;
    noted: string | undefined;
    turn: TurnNote | undefined;
    callId: string | undefined;
    call: CallNote | undefined;
  };
  turns: Map<string, TurnNote>;
  parents: {
    turn: Map<string, string>;
    run: Map<string, string>;
    call: Map<string, string>;
    step: Map<string, string>;
    attempt: Map<string, string>;
  };
  threads: Set<string>;
  models: Map<string, ModelCall>;
  endedModels: Map<string, number>;
  catalogue: Map<string, string>;
  calls: Map<string, CallNote>;
  endedCalls: Map<string, CallNote>;
  forgotCalls: boolean;
  actions: Map<string, ActionNote>;
  resolved: Map<string, { decision: string; place: number }>;
  approvals: Map<string, string>;
  mode: string | undefined;
  queues: Map<string, QueueNote>;
  tasks: Map<string, TaskNote>;
  endedTasks: Map<string, TaskNote>;
  forgotTasks: boolean;
  runs: Map<string, string>;
  compactions: Map<string, number>;
  rollback: number | undefined;
  /** A gap at a reconnect that no snapshot has repaired yet. */
  unrepaired: number | undefined;
  processes: Map<string, { ended: boolean }>;
  /** What was decided about processes themselves, apart from the calls they run for. */
  commands: Map<string, CallNote>;
  /** Actions that ask about a process. */
  commandApprovals: Map<string, string>;
  hooks: Map<string, number>;
  routed: boolean;
  routings: Map<string, RoutingNote>;
  subagents: Map<string, { ended: boolean }>;
  jobs: Map<string, { ended: boolean; items: Map<string, { done: boolean; attempts: number }> }>;
  channels: Set<string>;
  forwarded: Map<string, number>;
}

export const newLedger = (): Ledger => ({
  last: {
    place: 0,
    threadId: undefined,
    turnId: undefined,
    noted: undefined,
    turn: undefined,
    callId: undefined,
    call: undefined,
  },
  turns: new Map(),
  parents: { turn: new Map(), run: new Map(), call: new Map(), step: new Map(), attempt: new Map() },
  threads: new Set(),
  models: new Map(),
  endedModels: new Map(),
  catalogue: new Map(),
  calls: new Map(),
  endedCalls: new Map(),
  forgotCalls: false,
  actions: new Map(),
  resolved: new Map(),
  approvals: new Map(),
  mode: undefined,
  queues: new Map(),
  tasks: new Map(),
  endedTasks: new Map(),
  forgotTasks: false,
  runs: new Map(),
  compactions: new Map(),
  rollback: undefined,
  unrepaired: undefined,
  processes: new Map(),
  commands: new Map(),
  commandApprovals: new Map(),
  hooks: new Map(),
  routed: false,
  routings: new Map(),
  subagents: new Map(),
  jobs: new Map(),
  channels: new Set(),
  forwarded: new Map(),
});

/** Adds to a map that forgets its oldest; true when it forgot one. */
export function remember<T>(map: Map<string, T>, key: string, value: T, most = REMEMBERED): boolean {
  map.set(key, value);
  if (map.size <= most) return false;
  map.delete(map.keys().next().value as string);
  return true;
}
