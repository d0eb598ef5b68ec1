// What the host shows to its driver (MODELS §7.3): its read models, of one run or of everything.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { showItem } from './api/history.ts';
import { cursorOf } from './api/paging.ts';
import { metadataOf } from './artifacts.ts';
import type { RunStart } from './shapes.ts';
import type { Memory } from './stores/memory.ts';
import type { EventRecord } from './stores/records.ts';

export function observationOf(memory: Memory, active: readonly string[], runId: string | undefined): JsonObject {
  const record = runId === undefined ? undefined : memory.runs.get(runId);
  const run = record?.start;
  const one = runId !== undefined;
  const ofRun = (entry: { readonly run_id: string | null }): boolean => !one || entry.run_id === runId;
  const { conversation_id: conversation } = run?.scope ?? {};
  const statuses = Object.fromEntries([...memory.runs].map(([id, { end }]) => [id, end?.status ?? 'running']));
  return {
    status: one ? (record === undefined ? null : (record.end?.status ?? 'running')) : null,
    failure:
      record?.end === undefined || record.end.status === 'completed'
        ? null
        : { code: record.end.code, message: record.end.message, retryable: record.end.retryable ?? false },
    statuses: one ? {} : statuses,
    deliveries: memory.deliveries.filter(ofRun).map((delivery): JsonObject => ({ ...delivery })),
    state: stateEntries(memory, one ? run : undefined, one),
    transcript: memory.transcript
      .filter((item) => !one || (conversation != null && item.conversation_id === conversation))
      .map((item) => ({ ...showItem(true)(item), cursor: cursorOf('history', item) })),
    events: memory.events.filter(ofRun).map(showRecord),
    artifacts: [...memory.artifacts.values()].filter(ofRun).map((artifact) => metadataOf(artifact)),
    audit: memory.audit.filter(ofRun).map((entry): JsonObject => ({ ...entry })),
    warnings: memory.warnings.filter(ofRun).map((warning): JsonObject => ({ ...warning })),
    telemetry: memory.telemetry.filter(ofRun).map((entry): JsonObject => ({ ...entry })),
    active_runs: [...active],
  };
}

/** What the store holds; of one run, what its scopes can see. */
function stateEntries(memory: Memory, run: RunStart | undefined, one: boolean): JsonValue[] {
  const seen = new Set(Object.values(run?.owners.state ?? {}));
  return [...memory.stateEntries()]
    .filter(({ owner }) => !one || seen.has(owner))
    .map((entry): JsonObject => ({ ...entry }));
}

function showRecord({ internal: _internal, actor, subject, ...record }: EventRecord): JsonObject {
  return {
    ...record,
    actor_type: isObject(actor) ? actor['actor_type'] : null,
    actor_id: isObject(actor) ? (actor['actor_id'] ?? null) : null,
    subject_type: isObject(subject) ? subject['subject_type'] : null,
    subject_id: isObject(subject) ? (subject['subject_id'] ?? null) : null,
    cursor: cursorOf('events', record),
    metadata: {},
  };
}
