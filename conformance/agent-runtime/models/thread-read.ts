// thread_read_model: what a thread does now, what it waits for, how its last turn ended, and what went wrong.
// A turn ends by its own event alone; no text, provider or tool success ends it.
import { type RuntimeEvent, texts } from '../event.ts';
import { defineModel, type Freshness, honest, keep, keepIn, known, type Step, seenAt, values } from './model.ts';
import { entriesOf } from './queue.ts';
import {
  CALLS,
  FAILED,
  type Incident,
  NOTICES,
  newThread,
  type Request,
  type Thread,
  type ToolCall,
  TURNS,
  type Turn,
  threadStatus,
} from './thread-state.ts';

export interface ThreadState {
  threads: Map<string, Thread>;
}

const onThread =
  (step: (thread: Thread, event: RuntimeEvent) => void): Step<ThreadState> =>
  (state, event) => {
    const threadId = event.threadId ?? (event.turnId === undefined ? undefined : '');
    if (threadId === undefined) return;
    let thread = state.threads.get(threadId);
    if (thread === undefined) {
      state.threads.set(threadId, newThread(threadId, seenAt(event)));
      thread = state.threads.get(threadId)!;
    }
    thread.seen = seenAt(event);
    step(thread, event);
  };

/** While a request is open or something blocks, activity does not make the thread look free. */
const active =
  (detail: string): Step<ThreadState> =>
  (state, event) => {
    const thread = state.threads.get(event.threadId ?? '');
    if (thread === undefined) return;
    thread.seen = seenAt(event);
    if (thread.activeTurnId === event.turnId && event.turnId !== undefined) thread.detail = detail;
  };

const preparing: Step<ThreadState> = (state, event) => {
  const thread = state.threads.get(event.threadId ?? '');
  if (thread === undefined || thread.activeTurnId !== event.turnId || thread.detail !== 'accepted') return;
  thread.detail = 'preparing';
};

function turnOf(thread: Thread, event: RuntimeEvent): Turn | undefined {
  const { turnId } = event;
  if (turnId === undefined || thread.endedTurns.has(turnId)) return undefined;
  if (!thread.turns.has(turnId)) {
    thread.turnCount++;
    thread.turns.set(turnId, {
      turnId,
      status: 'unknown',
      reason: undefined,
      submittedAt: undefined,
      startedAt: undefined,
      endedAt: undefined,
      source: undefined,
      runPhase: undefined,
      seen: seenAt(event),
    });
  }
  const turn = thread.turns.get(turnId)!;
  turn.seen = seenAt(event);
  return turn;
}

const submitted = onThread((thread, event) => {
  const turn = turnOf(thread, event);
  if (turn === undefined || turn.submittedAt !== undefined) return;
  turn.submittedAt = event.timestamp;
  turn.source = event.text('source');
  if (turn.status !== 'unknown') return;
  const busy = thread.activeTurnId !== undefined;
  turn.status = event.text('status') ?? (busy ? 'queued' : 'accepted');
  if (busy || turn.status === 'queued') return;
  thread.activeTurnId = turn.turnId;
  thread.detail = 'accepted';
});

const started = onThread((thread, event) => {
  const turn = turnOf(thread, event);
  if (turn === undefined) return;
  turn.status = 'running';
  turn.startedAt ??= event.timestamp;
  thread.activeTurnId = turn.turnId;
  thread.detail = 'running';
});

const ended = (outcome: 'completed' | 'failed') =>
  onThread((thread, event) => {
    const turn = turnOf(thread, event);
    if (turn === undefined) return;
    const said = event.text('status') ?? event.text('failureCategory');
    const how = outcome === 'failed' && (said === 'cancelled' || said === 'interrupted') ? 'cancelled' : outcome;
    if (how === 'completed' && !mayComplete(thread, turn.turnId)) {
      incident(thread, event, 'completion_not_supported', unsupported(thread, turn.turnId));
      return;
    }
    turn.status = how;
    turn.reason = event.text('statusReason') ?? event.text('reason') ?? event.text('failureCategory');
    turn.endedAt = event.timestamp;
    thread.turns.delete(turn.turnId);
    keepIn(thread.endedTurns, turn.turnId, turn, TURNS);
    thread.stopBlocked.delete(turn.turnId);
    thread.lastOutcome = { turn_id: turn.turnId, outcome: how, reason: turn.reason };
    for (const call of values(thread.openCalls)) {
      if (call.turnId === turn.turnId) endCall(thread, call, 'unknown');
    }
    if (thread.activeTurnId !== turn.turnId) return;
    thread.activeTurnId = undefined;
    thread.detail = how;
  });

const openRequests = (thread: Thread, turnId: string): Request[] =>
  values(thread.pending).filter((request) => request.turnId === turnId);

/** A turn with an open request, or that a stop hook holds, is not completed whatever its event says. */
const mayComplete = (thread: Thread, turnId: string): boolean =>
  openRequests(thread, turnId).length === 0 && !thread.stopBlocked.has(turnId);

const unsupported = (thread: Thread, turnId: string): string =>
  thread.stopBlocked.has(turnId)
    ? 'a stop hook blocks it'
    : `open requests: ${openRequests(thread, turnId)
        .map(({ actionId }) => actionId)
        .join(', ')}`;

function incident(thread: Thread, event: RuntimeEvent, kind: string, detail?: string): void {
  keep(thread.incidents, noticeOf(event, kind, detail), NOTICES);
}

const noticeOf = (event: RuntimeEvent, kind: string, detail?: string): Incident => ({
  kind,
  detail: detail ?? event.text('message') ?? event.text('reason') ?? event.text('decisionReason'),
  turn_id: event.turnId ?? null,
  at: event.timestamp ?? null,
});

const callOf = (thread: Thread, event: RuntimeEvent): ToolCall | undefined => {
  const { toolCallId } = event;
  if (toolCallId === undefined || thread.endedCalls.has(toolCallId) || thread.failedCalls.has(toolCallId))
    return undefined;
  if (!thread.openCalls.has(toolCallId)) {
    thread.openCalls.set(toolCallId, {
      toolCallId,
      turnId: event.turnId,
      toolName: undefined,
      status: 'running',
      input: 'unknown',
      policy: undefined,
      outputRef: undefined,
      category: undefined,
      retryable: undefined,
      seen: seenAt(event),
    });
  }
  const call = thread.openCalls.get(toolCallId)!;
  call.seen = seenAt(event);
  call.toolName ??= event.text('toolName');
  call.policy ??= event.text('policy');
  if (event.get('safeArgs') !== undefined || event.text('inputRef') !== undefined) call.input = 'kept';
  return call;
};

const toolCall = onThread((thread, event) => {
  callOf(thread, event);
});

const toolEnded = (status: 'completed' | 'failed') =>
  onThread((thread, event) => {
    const call = callOf(thread, event);
    if (call === undefined) return;
    call.outputRef = event.text('outputRef') ?? event.text('rawOutputRef') ?? event.text('structuredContentRef');
    call.category = event.text('errorCategory') ?? event.text('failureCategory');
    const retryable = event.get('retryable');
    call.retryable = typeof retryable === 'boolean' ? retryable : undefined;
    endCall(thread, call, status);
  });

function endCall(thread: Thread, call: ToolCall, status: string): void {
  call.status = status;
  thread.openCalls.delete(call.toolCallId);
  if (status !== 'failed') {
    keepIn(thread.endedCalls, call.toolCallId, call, CALLS);
    return;
  }
  thread.failedCount++;
  keepIn(thread.failedCalls, call.toolCallId, call, FAILED);
}

const asked = onThread((thread, event) => {
  const { actionId } = event;
  if (actionId === undefined || thread.pending.has(actionId)) return;
  thread.pending.set(actionId, {
    actionId,
    actionType: event.text('actionType'),
    turnId: event.turnId,
    taskId: event.taskId,
    toolCallId: event.id('toolCallId'),
    prompt: event.text('prompt'),
    seen: seenAt(event),
  });
});

/** An answer frees the work that waited; it is looked for by id, whatever thread its event names. */
const answered: Step<ThreadState> = (state, event) => {
  for (const thread of state.threads.values()) {
    if (thread.pending.delete(event.actionId!)) thread.seen = seenAt(event);
  }
};

const blocked = (cause: string) =>
  onThread((thread, event) => {
    thread.blockers.set(cause, event.text('reason') ?? event.text('decisionReason') ?? cause);
    incident(thread, event, cause);
  });

/** Without a thread of its own, the fact is about every thread of the session. */
const unblocked =
  (...causes: readonly string[]): Step<ThreadState> =>
  (state, event) => {
    for (const thread of state.threads.values()) {
      if (event.threadId !== undefined && event.threadId !== thread.threadId) continue;
      for (const cause of causes) thread.blockers.delete(cause);
    }
  };

export const threadRead = defineModel({
  name: 'thread_read_model',
  initial: (): ThreadState => ({ threads: new Map() }),
  on: {
    'thread.started': onThread(() => {}),
    'thread.updated': onThread(() => {}),
    'turn.submitted': submitted,
    'turn.started': started,
    'turn.completed': ended('completed'),
    'turn.failed': ended('failed'),
    'run.status': (state, event) => {
      const turn = state.threads.get(event.threadId ?? '')?.turns.get(event.turnId!);
      if (turn !== undefined) turn.runPhase = event.text('phase') ?? event.text('title');
    },
    'context.resolved': preparing,
    'tool.catalog.resolved': preparing,
    'routing.candidates.resolved': preparing,
    'model.requested': active('running'),
    'model.delta': active('streaming'),
    'reasoning.delta': active('streaming'),
    'model.completed': active('running'),
    'model.failed': active('running'),
    'tool.started': toolCall,
    'tool.args': toolCall,
    'tool.progress': toolCall,
    'tool.result': toolEnded('completed'),
    'tool.failed': toolEnded('failed'),
    'action.required': asked,
    'action.resolved': answered,
    'queue.changed': onThread((thread, event) => {
      const whole = event.list('queuedTurns');
      if (whole !== undefined) thread.queued = entriesOf(whole).map(({ turnId }) => turnId);
      else changeQueued(thread, event);
    }),
    'quota.blocked': blocked('quota_blocked'),
    'routing.not_possible': blocked('routing_not_possible'),
    'limit.changed': unblocked('quota_blocked'),
    'routing.decided': unblocked('routing_not_possible'),
    'routing.single_candidate': unblocked('routing_not_possible'),
    'routing.fallback.applied': unblocked('routing_not_possible', 'quota_blocked'),
    'hook.completed': onThread((thread, event) => {
      if (event.text('hookPoint', 'hookRun') !== 'stop' || event.turnId === undefined) return;
      const decision = event.text('decision', 'hookRun');
      if (decision === 'block' || decision === 'deny') thread.stopBlocked.add(event.turnId);
      else thread.stopBlocked.delete(event.turnId);
    }),
    'sandbox.violation': onThread((thread, event) =>
      incident(thread, event, 'sandbox_violation', event.text('detail') ?? event.text('boundary')),
    ),
    'runtime.warning': onThread((thread, event) => keep(thread.warnings, noticeOf(event, 'warning'), NOTICES)),
    'runtime.error': onThread((thread, event) => {
      incident(thread, event, 'runtime_error');
      thread.blockers.set('runtime_error', event.text('message') ?? 'runtime_error');
    }),
    'history.reconstructed': unblocked('runtime_error'),
    'snapshot.repaired': unblocked('runtime_error'),
    'context.compaction.started': onThread((thread) => {
      thread.compaction = { status: 'running', summary_ref: undefined };
    }),
    'context.compaction.completed': onThread((thread, event) => {
      thread.compaction = { status: 'completed', summary_ref: event.text('summaryRef') };
    }),
    'context.compaction.failed': onThread((thread) => {
      thread.compaction = { status: 'failed', summary_ref: undefined };
    }),
    'history.rollback.completed': onThread((thread, event) => {
      for (const turnId of texts(event.list('removedTurnIds'))) {
        thread.turns.delete(turnId);
        thread.endedTurns.delete(turnId);
        if (thread.activeTurnId === turnId) {
          thread.activeTurnId = undefined;
          thread.detail = 'idle';
        }
        if (thread.lastOutcome?.turn_id === turnId) thread.lastOutcome = undefined;
      }
    }),
  },
  show: (state, fresh) => ({
    status: state.threads.size === 0 ? 'unknown' : 'known',
    threads: values(state.threads).map((thread) => showThread(thread, fresh)),
    freshness: fresh,
  }),
});

function changeQueued(thread: Thread, event: RuntimeEvent): void {
  const turnId = event.id('queuedTurnId') ?? event.id('turnId');
  if (turnId === undefined) return;
  const others = (thread.queued ?? []).filter((queued) => queued !== turnId);
  const op = event.text('op');
  if (op === 'remove') thread.queued = others;
  else if (op === 'add' || op === 'promote' || op === 'reorder') {
    const place = event.number('position') ?? (op === 'add' ? others.length : 0);
    thread.queued = others.toSpliced(place, 0, turnId);
  }
}

/** An open request outranks everything, then whatever else blocks, then what was going on. */
function detailOf(thread: Thread): string {
  const turnId = thread.activeTurnId;
  const requests = values(thread.pending).filter(
    (request) => turnId === undefined || request.turnId === undefined || request.turnId === turnId,
  );
  if (requests.length > 0) return requests.some(isPermission) ? 'waiting_permission' : 'waiting_input';
  if (thread.blockers.size > 0) return 'blocked';
  if (thread.stopBlocked.has(turnId!)) return 'blocked';
  return thread.detail;
}

const isPermission = (request: Request): boolean =>
  request.toolCallId !== undefined || /permission|approval/.test(String(request.actionType));

const showCall = (call: ToolCall, fresh: Freshness) => ({
  tool_call_id: call.toolCallId,
  turn_id: known(call.turnId),
  tool_name: known(call.toolName),
  ...honest(call.status, call, fresh),
  input: call.input,
  policy: known(call.policy),
  output_ref: known(call.outputRef),
  error_category: known(call.category),
  retryable: known(call.retryable),
});

const showTurn = (turn: Turn, fresh: Freshness) => ({
  turn_id: turn.turnId,
  ...honest(turn.status, turn, fresh),
  reason: known(turn.reason),
  source: known(turn.source),
  phase: known(turn.runPhase),
  submitted_at: known(turn.submittedAt),
  started_at: known(turn.startedAt),
  ended_at: turn.endedAt ?? null,
});

function showThread(thread: Thread, fresh: Freshness) {
  const detail = detailOf(thread);
  const { status, last_known } = honest(detail, thread, fresh);
  return {
    thread_id: known(thread.threadId || undefined),
    status: threadStatus(status),
    detail_status: status,
    last_known,
    active_turn_id: thread.activeTurnId ?? null,
    turns: [...values(thread.endedTurns), ...values(thread.turns)].map((turn) => showTurn(turn, fresh)),
    turn_count: thread.turnCount,
    pending_requests: values(thread.pending).map((request) => ({
      action_id: request.actionId,
      action_type: known(request.actionType),
      turn_id: known(request.turnId),
      task_id: known(request.taskId),
      tool_call_id: known(request.toolCallId),
      prompt: known(request.prompt),
      status: 'pending',
    })),
    last_outcome: thread.lastOutcome ?? 'unknown',
    incidents: thread.incidents,
    queued_turns: thread.queued ?? 'unknown',
    tool_calls: [...values(thread.endedCalls), ...values(thread.openCalls)].map((call) => showCall(call, fresh)),
    latest_compaction: thread.compaction ?? 'unknown',
    diagnostics: {
      failed_tool_calls: values(thread.failedCalls).map((call) => showCall(call, fresh)),
      failed_tool_call_count: thread.failedCount,
      blockers: [...thread.blockers].map(([cause, reason]) => ({ cause, reason })),
      stop_blocked_turns: [...thread.stopBlocked],
      warnings: thread.warnings,
    },
  };
}
