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
    events: (one ? memory.events.filter(ofRun) : memory.events).map(showRecord),
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

const shown = new WeakMap<EventRecord, JsonObject>();

/** A record as it is shown, made once: the log only grows, and a driver may look often. Fields that say nothing are left out. */
function showRecord(record: EventRecord): JsonObject {
  let show = shown.get(record);
  if (show === undefined) {
    const { internal: _internal, actor, subject, ...rest } = record;
    const whole: JsonObject = {
      ...rest,
      ...(isObject(actor) && { actor_type: actor['actor_type'], actor_id: actor['actor_id'] }),
      ...(isObject(subject) && { subject_type: subject['subject_type'], subject_id: subject['subject_id'] }),
      cursor: cursorOf('events', record),
    };
    show = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
    shown.set(record, show);
  }
  return show;
}
