// subagent_job_summary: child agents and background jobs, item by item. An edge to a child never goes away; a completed item stays completed.
import { pickFrom, type RuntimeEvent, texts } from '../event.ts';
import { defineModel, type Freshness, honest, keepIn, known, type Seen, type Step, seenAt, values } from './model.ts';

const CLOSED = 500;
const JOBS = 50;
const ITEMS = 1000;

interface Subagent extends Seen {
  subagentId: string;
  parent: { session: string | undefined; thread: string | undefined; turn: string | undefined };
  threadId: string | undefined;
  role: string | undefined;
  status: string;
  lastMessageRef: string | undefined;
  inputs: number;
}

interface Item extends Seen {
  itemId: string;
  status: string;
  attempts: number;
  lastError: unknown;
  retryable: boolean | undefined;
  threadId: string | undefined;
}

interface Job extends Seen {
  jobId: string;
  taskId: string | undefined;
  status: string;
  items: Map<string, Item>;
  itemCount: number;
  /** What the runtime itself counts, beside what its items show. */
  reported: unknown;
  threads: string[];
}

export interface SubagentJobState {
  subagents: Map<string, Subagent>;
  subagentCount: number;
  openJobs: Map<string, Job>;
  endedJobs: Map<string, Job>;
  jobCount: number;
}

const ENDED = new Set(['completed', 'failed', 'cancelled', 'closed']);

const onSubagent =
  (step: (subagent: Subagent, event: RuntimeEvent) => void): Step<SubagentJobState> =>
  (state, event) => {
    const subagentId = event.id('subagentId');
    if (subagentId === undefined) return;
    if (!state.subagents.has(subagentId)) {
      state.subagentCount++;
      const fresh: Subagent = {
        subagentId,
        parent: {
          session: event.text('parentSessionId') ?? event.sessionId,
          thread: event.text('parentThreadId') ?? event.threadId,
          turn: event.text('parentTurnId') ?? event.turnId,
        },
        threadId: childThread(event),
        role: undefined,
        status: 'unknown',
        lastMessageRef: undefined,
        inputs: 0,
        seen: seenAt(event),
      };
      keepIn(state.subagents, subagentId, fresh, CLOSED);
    }
    const subagent = state.subagents.get(subagentId)!;
    subagent.seen = seenAt(event);
    subagent.role = event.text('role') ?? subagent.role;
    subagent.lastMessageRef = event.text('lastMessageRef') ?? subagent.lastMessageRef;
    subagent.threadId ??= childThread(event);
    step(subagent, event);
  };

/** The child's own thread stands in the payload; the envelope's is the parent's. */
const childThread = (event: RuntimeEvent): string | undefined => {
  const thread = pickFrom(event.payload, 'threadId');
  return typeof thread === 'string' ? thread : undefined;
};

const becomes = (status: string): Step<SubagentJobState> =>
  onSubagent((subagent) => {
    if (!ENDED.has(subagent.status) || status === 'closed') subagent.status = status;
  });

function jobOf(state: SubagentJobState, event: RuntimeEvent): Job | undefined {
  const jobId = event.id('jobId');
  if (jobId === undefined) return undefined;
  const found = state.openJobs.get(jobId) ?? state.endedJobs.get(jobId);
  if (found !== undefined) {
    found.seen = seenAt(event);
    return found;
  }
  state.jobCount++;
  state.openJobs.set(jobId, {
    jobId,
    taskId: event.taskId,
    status: 'unknown',
    items: new Map(),
    itemCount: 0,
    reported: undefined,
    threads: [],
    seen: seenAt(event),
  });
  return state.openJobs.get(jobId)!;
}

const job =
  (status: string | undefined): Step<SubagentJobState> =>
  (state, event) => {
    const job = jobOf(state, event);
    if (job === undefined || ENDED.has(job.status)) return;
    job.status = status ?? job.status;
    job.reported = event.get('progress', 'job') ?? job.reported;
    for (const thread of texts(event.list('assignedThreadIds', 'job')))
      if (!job.threads.includes(thread)) job.threads.push(thread);
    for (const item of event.list('items', 'job') ?? []) {
      const itemId = typeof item === 'string' ? item : pickFrom(item, 'jobItemId');
      if (typeof itemId === 'string') itemOf(job, itemId, event);
    }
    if (!ENDED.has(job.status)) return;
    state.openJobs.delete(job.jobId);
    keepIn(state.endedJobs, job.jobId, job, JOBS);
  };

function itemOf(job: Job, itemId: string, event: RuntimeEvent): Item {
  if (!job.items.has(itemId)) {
    job.itemCount++;
    const fresh: Item = {
      itemId,
      status: 'pending',
      attempts: 0,
      lastError: undefined,
      retryable: undefined,
      threadId: undefined,
      seen: seenAt(event),
    };
    keepIn(job.items, itemId, fresh, ITEMS);
  }
  return job.items.get(itemId)!;
}

const item =
  (status: 'running' | 'completed' | 'failed'): Step<SubagentJobState> =>
  (state, event) => {
    const job = jobOf(state, event);
    const itemId = event.id('jobItemId');
    if (job === undefined || itemId === undefined) return;
    const item = itemOf(job, itemId, event);
    if (item.status === 'completed') return;
    item.seen = seenAt(event);
    item.status = status;
    item.threadId = event.text('assignedThreadId', 'jobItem') ?? item.threadId;
    if (status === 'running') item.attempts++;
    if (status !== 'failed') return;
    item.lastError = event.get('lastError', 'jobItem');
    const retryable = event.get('retryable', 'jobItem');
    item.retryable = typeof retryable === 'boolean' ? retryable : undefined;
  };

export const subagentJob = defineModel({
  name: 'subagent_job_summary',
  initial: (): SubagentJobState => ({
    subagents: new Map(),
    subagentCount: 0,
    openJobs: new Map(),
    endedJobs: new Map(),
    jobCount: 0,
  }),
  on: {
    'subagent.spawned': onSubagent((subagent, event) => {
      if (subagent.status === 'unknown') subagent.status = event.text('status') ?? 'running';
    }),
    'subagent.status': onSubagent((subagent, event) => {
      if (!ENDED.has(subagent.status)) subagent.status = event.text('status') ?? subagent.status;
    }),
    'subagent.input': onSubagent((subagent) => {
      subagent.inputs++;
    }),
    'subagent.completed': becomes('completed'),
    'subagent.failed': becomes('failed'),
    'subagent.closed': becomes('closed'),
    'job.created': job('pending'),
    'job.started': job('running'),
    'job.progress': job(undefined),
    'job.completed': job('completed'),
    'job.failed': job('failed'),
    'job.cancelled': job('cancelled'),
    'job.item.started': item('running'),
    'job.item.completed': item('completed'),
    'job.item.failed': item('failed'),
  },
  show: (state, fresh) => ({
    status: state.subagentCount === 0 && state.jobCount === 0 ? 'unknown' : 'known',
    subagents: values(state.subagents).map((subagent) => ({
      subagent_id: subagent.subagentId,
      parent_session_id: known(subagent.parent.session),
      parent_thread_id: known(subagent.parent.thread),
      parent_turn_id: known(subagent.parent.turn),
      thread_id: known(subagent.threadId),
      role: known(subagent.role),
      ...honest(subagent.status, subagent, fresh),
      last_message_ref: known(subagent.lastMessageRef),
      input_count: subagent.inputs,
      recoverable: subagent.threadId === undefined ? 'unknown' : subagent.status !== 'closed',
    })),
    jobs: [...values(state.endedJobs), ...values(state.openJobs)].map((job) => showJob(job, fresh)),
    truncated:
      state.subagentCount > state.subagents.size || state.jobCount > state.openJobs.size + state.endedJobs.size,
    freshness: fresh,
  }),
});

function showJob(job: Job, fresh: Freshness) {
  const items = values(job.items);
  const counted = (status: string): number => items.filter((item) => item.status === status).length;
  const progress = {
    pending: counted('pending'),
    running: counted('running'),
    completed: counted('completed'),
    failed: counted('failed'),
  };
  return {
    job_id: job.jobId,
    task_id: known(job.taskId),
    ...honest(job.status, job, fresh),
    progress: items.length === 0 ? 'unknown' : progress,
    reported_progress: job.reported ?? 'unknown',
    progress_agrees: items.length === 0 || job.reported === undefined ? 'unknown' : agrees(progress, job.reported),
    assigned_thread_ids: job.threads,
    items: items.map((item) => ({
      job_item_id: item.itemId,
      ...honest(item.status, item, fresh),
      attempt_count: item.attempts,
      assigned_thread_id: known(item.threadId),
      last_error: known(item.lastError),
      retryable: known(item.retryable),
    })),
    truncated: job.itemCount > items.length,
  };
}

const agrees = (counted: Readonly<Record<string, number>>, reported: unknown): boolean =>
  Object.entries(counted).every(([status, count]) => (pickFrom(reported, status) ?? count) === count);
