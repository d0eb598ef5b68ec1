// context_boundary_snapshot: what each thread's turn was given to work with, where history was compacted, what is missing.

import type { Seen } from './model.ts';
import { defineModel, honest, keep, keepIn, known, type Step, seenAt, values } from './model.ts';

const THREADS = 50;
const BOUNDARIES = 20;
const WARNINGS = 50;
const REFS = ['memoryRefs', 'knowledgeRefs', 'sourceRefs', 'workspaceRefs', 'policyFacts', 'instructionRefs'] as const;

interface Selection {
  turnId: string | undefined;
  refs: Record<string, readonly unknown[] | undefined>;
  missing: readonly unknown[];
}

interface Boundary extends Seen {
  threadId: string | undefined;
  status: string;
  trigger: string | undefined;
  turnIds: readonly unknown[];
  summaryRef: string | undefined;
  continuationRef: string | undefined;
  tokensBefore: number | undefined;
  tokensAfter: number | undefined;
  preservedActions: readonly unknown[] | undefined;
}

export interface ContextState {
  selections: Map<string, Selection>;
  /** Compactions that began and did not end yet, by thread. */
  open: Map<string, Boundary>;
  boundaries: Boundary[];
  warnings: { thread_id: string | null; warning: unknown }[];
}

const begins: Step<ContextState> = (state, event) => {
  const boundary: Boundary = {
    threadId: event.threadId,
    status: 'running',
    trigger: event.text('trigger'),
    turnIds: event.list('turnIds') ?? [],
    summaryRef: undefined,
    continuationRef: undefined,
    tokensBefore: event.number('tokensBefore'),
    tokensAfter: undefined,
    preservedActions: undefined,
    seen: seenAt(event),
  };
  keepIn(state.open, event.threadId ?? '', boundary, THREADS);
};

const completes: Step<ContextState> = (state, event) => {
  const key = event.threadId ?? '';
  if (!state.open.has(key)) begins(state, event);
  const boundary = state.open.get(key)!;
  state.open.delete(key);
  boundary.status = 'completed';
  boundary.trigger = event.text('trigger') ?? boundary.trigger;
  boundary.turnIds = event.list('turnIds') ?? boundary.turnIds;
  boundary.summaryRef = event.text('summaryRef');
  boundary.continuationRef = event.text('continuationRef');
  boundary.tokensBefore = event.number('tokensBefore') ?? boundary.tokensBefore;
  boundary.tokensAfter = event.number('tokensAfter');
  boundary.preservedActions = event.list('preservedActionIds');
  boundary.seen = seenAt(event);
  keep(state.boundaries, boundary, BOUNDARIES);
};

const fails: Step<ContextState> = (state, event) => {
  state.open.delete(event.threadId ?? '');
  warn(state, event.threadId, event.get('error') ?? 'compaction failed; the boundary before it stands');
};

const warn = (state: ContextState, threadId: string | undefined, warning: unknown): void =>
  keep(state.warnings, { thread_id: threadId ?? null, warning }, WARNINGS);

export const contextBoundary = defineModel({
  name: 'context_boundary_snapshot',
  initial: (): ContextState => ({ selections: new Map(), open: new Map(), boundaries: [], warnings: [] }),
  on: {
    'context.resolved': (state, event) => {
      const refs = Object.fromEntries(REFS.map((name) => [name, event.list(name)]));
      keepIn(
        state.selections,
        event.threadId ?? '',
        { turnId: event.turnId, refs, missing: event.list('missing') ?? [] },
        THREADS,
      );
      for (const warning of event.list('warnings') ?? []) warn(state, event.threadId, warning);
    },
    'context.compaction.started': begins,
    'context.compaction.completed': completes,
    'context.compaction.failed': fails,
  },
  show: (state, fresh) => ({
    status: state.selections.size === 0 && state.boundaries.length === 0 && state.open.size === 0 ? 'unknown' : 'known',
    selected: [...state.selections].map(([threadId, { turnId, refs, missing }]) => ({
      thread_id: known(threadId || undefined),
      turn_id: known(turnId),
      memory_refs: refs['memoryRefs'] ?? 'unknown',
      knowledge_refs: refs['knowledgeRefs'] ?? 'unknown',
      source_refs: refs['sourceRefs'] ?? 'unknown',
      workspace_refs: refs['workspaceRefs'] ?? 'unknown',
      policy_facts: refs['policyFacts'] ?? 'unknown',
      instruction_refs: refs['instructionRefs'] ?? 'unknown',
      missing_facts: missing,
    })),
    compactions: [...state.boundaries, ...values(state.open)].map((boundary) => ({
      thread_id: known(boundary.threadId),
      ...honest(boundary.status, boundary, fresh),
      trigger: known(boundary.trigger),
      turn_ids: boundary.turnIds,
      summary_ref: known(boundary.summaryRef),
      continuation_ref: known(boundary.continuationRef),
      tokens_before: known(boundary.tokensBefore),
      tokens_after: known(boundary.tokensAfter),
      preserved_action_ids: boundary.preservedActions ?? 'unknown',
    })),
    warnings: state.warnings,
    freshness: fresh,
  }),
});
