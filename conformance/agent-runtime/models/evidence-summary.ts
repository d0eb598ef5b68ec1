// evidence_summary: references to evidence and verdicts as the evidence system gave them. Nothing here is computed from other facts.
import { defineModel, keep, keepIn, known, values } from './model.ts';

const EVIDENCE = 200;
const TRACES = 100;
const NOTES = 50;

interface Evidence {
  evidenceId: string;
  kind: string | undefined;
  taskId: string | undefined;
  turnId: string | undefined;
  packRef: string | undefined;
  traceRef: string | undefined;
  replayRef: string | undefined;
  reviewRef: string | undefined;
  outcomes: readonly unknown[] | undefined;
  gaps: readonly unknown[] | undefined;
}

export interface EvidenceState {
  traces: Map<string, string>;
  traceCount: number;
  evidence: Map<string, Evidence>;
  count: number;
  notes: unknown[];
}

export const evidenceSummary = defineModel({
  name: 'evidence_summary',
  initial: (): EvidenceState => ({ traces: new Map(), traceCount: 0, evidence: new Map(), count: 0, notes: [] }),
  on: {
    'evidence.changed': (state, event) => {
      const evidenceId = event.id('evidenceId');
      if (evidenceId === undefined) return;
      const old = state.evidence.get(evidenceId);
      if (old === undefined) state.count++;
      const evidence: Evidence = {
        evidenceId,
        kind: event.text('kind') ?? old?.kind,
        taskId: event.taskId ?? old?.taskId,
        turnId: event.turnId ?? old?.turnId,
        packRef: event.text('packRef') ?? old?.packRef,
        traceRef: event.text('traceRef') ?? old?.traceRef,
        replayRef: event.text('replayRef') ?? old?.replayRef,
        reviewRef: event.text('reviewRef') ?? old?.reviewRef,
        outcomes: event.list('verificationOutcomes') ?? old?.outcomes,
        gaps: event.list('knownGaps') ?? old?.gaps,
      };
      keepIn(state.evidence, evidenceId, evidence, EVIDENCE);
      for (const note of event.list('auditNotes') ?? []) keep(state.notes, note, NOTES);
    },
  },
  every: (state, event) => {
    const trace = event.traceId;
    if (trace === undefined || state.traces.has(trace)) return;
    state.traceCount++;
    keepIn(state.traces, trace, trace, TRACES);
  },
  show: (state, fresh) => ({
    status: state.count === 0 ? 'unknown' : 'known',
    trace_ids: state.traceCount === 0 ? 'unavailable' : values(state.traces),
    trace_count: state.traceCount,
    evidence: values(state.evidence).map((evidence) => ({
      evidence_id: evidence.evidenceId,
      kind: known(evidence.kind),
      task_id: known(evidence.taskId),
      turn_id: known(evidence.turnId),
      pack_ref: known(evidence.packRef),
      trace_ref: known(evidence.traceRef),
      replay_ref: known(evidence.replayRef),
      review_ref: known(evidence.reviewRef),
      verification_outcomes: evidence.outcomes ?? 'unknown',
      known_gaps: evidence.gaps ?? 'unknown',
    })),
    evidence_count: state.count,
    truncated: state.count > state.evidence.size,
    audit_notes: state.notes,
    freshness: fresh,
  }),
});
