// session_snapshot: the shell of a session, its threads, a window over the latest steps and a cursor to what is older.
import type { RuntimeEvent } from '../event.ts';
import { defineModel, keep, keepIn, known, type Step, values } from './model.ts';

/** How many steps the window holds. */
export const WINDOW = 50;
const THREADS = 200;
const REFS = 20;

interface RecentStep {
  step_id: string;
  kind: string;
  turn_id: string | null;
  last_type: string;
  sequence: number | null;
}

export interface SessionState {
  sessionId: string | undefined;
  title: string | undefined;
  workspaceId: string | undefined;
  accountScope: string | undefined;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  threads: Map<string, { thread_id: string; title: string | undefined }>;
  threadCount: number;
  steps: Map<string, RecentStep>;
  stepCount: number;
  /** What a reader has to ask for to get the steps before the window. */
  cursor: string | undefined;
  artifacts: string[];
  evidence: string[];
}

const describe: Step<SessionState> = (state, event) => {
  state.title = event.text('title') ?? state.title;
  state.workspaceId = event.text('workspaceId') ?? state.workspaceId;
  state.accountScope = event.text('accountScope') ?? state.accountScope;
};

const step = (state: SessionState, event: RuntimeEvent): void => {
  const { stepId } = event;
  if (stepId === undefined) return;
  const recent = state.steps.get(stepId);
  if (recent !== undefined) {
    recent.last_type = event.type;
    return;
  }
  state.stepCount++;
  state.steps.set(stepId, {
    step_id: stepId,
    kind: event.type.slice(0, event.type.indexOf('.') >>> 0),
    turn_id: event.turnId ?? null,
    last_type: event.type,
    sequence: event.sequence ?? null,
  });
  if (state.steps.size <= WINDOW) return;
  const [oldest] = state.steps.keys();
  state.steps.delete(oldest!);
  state.cursor = state.steps.keys().next().value;
};

const ref =
  (list: 'artifacts' | 'evidence', id: 'artifactId' | 'evidenceId'): Step<SessionState> =>
  (state, event) => {
    const found = event.id(id);
    if (found !== undefined && !state[list].includes(found)) keep(state[list], found, REFS);
  };

export const sessionSnapshot = defineModel({
  name: 'session_snapshot',
  initial: (): SessionState => ({
    sessionId: undefined,
    title: undefined,
    workspaceId: undefined,
    accountScope: undefined,
    createdAt: undefined,
    updatedAt: undefined,
    threads: new Map(),
    threadCount: 0,
    steps: new Map(),
    stepCount: 0,
    cursor: undefined,
    artifacts: [],
    evidence: [],
  }),
  on: {
    'session.created': (state, event) => {
      describe(state, event);
      state.createdAt ??= event.timestamp;
    },
    'session.updated': describe,
    'artifact.changed': ref('artifacts', 'artifactId'),
    'evidence.changed': ref('evidence', 'evidenceId'),
  },
  every: (state, event) => {
    state.sessionId ??= event.sessionId;
    titleThread(state, event);
    if ((event.timestamp ?? '') > (state.updatedAt ?? '')) state.updatedAt = event.timestamp;
    step(state, event);
  },
  show: (state, fresh) => ({
    session_id: known(state.sessionId),
    title: known(state.title),
    workspace_id: known(state.workspaceId),
    account_scope: known(state.accountScope),
    created_at: known(state.createdAt),
    updated_at: known(state.updatedAt),
    threads: values(state.threads).map(({ thread_id, title }) => ({ thread_id, title: known(title) })),
    thread_count: state.threadCount,
    recent_steps: values(state.steps),
    step_count: state.stepCount,
    history_cursor: state.cursor ?? null,
    truncated: state.cursor !== undefined || state.threadCount > state.threads.size,
    latest_artifact_ids: state.artifacts,
    latest_evidence_ids: state.evidence,
    freshness: fresh,
  }),
});

function titleThread(state: SessionState, event: RuntimeEvent): void {
  const { threadId } = event;
  if (threadId === undefined) return;
  const title = event.type.startsWith('thread.') ? event.text('title') : undefined;
  const thread = state.threads.get(threadId);
  if (thread !== undefined) {
    thread.title = title ?? thread.title;
    return;
  }
  state.threadCount++;
  keepIn(state.threads, threadId, { thread_id: threadId, title }, THREADS);
}
