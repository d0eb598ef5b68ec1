// What the host shows to its driver (MODELS §7.3): its read models, of one run or of everything.
import type { JsonObject } from '../../../common/json.ts';
import { showEvent } from './api/events.ts';
import { showItem } from './api/history.ts';
import { metadataOf } from './artifacts.ts';
import type { Memory, RunRecord } from './stores/memory.ts';
import type { EventRecord } from './stores/records.ts';

export function observationOf(memory: Memory, active: readonly string[], runId: string | undefined): JsonObject {
  const record = memory.runs.get(runId!);
  const one = runId !== undefined;
  const own = <Entry extends { readonly run_id: string | null }>(entries: readonly Entry[]): readonly Entry[] =>
    one ? entries.filter(({ run_id }) => run_id === runId) : entries;
  const { conversation_id } = record?.start.scope ?? {};
  const owners = new Set(Object.values(record?.start.owners.state ?? {}));
  return {
    ...(record && { status: statusOf(record), failure: failureOf(record) }),
    statuses: one ? {} : Object.fromEntries([...memory.runs].map(([id, run]) => [id, statusOf(run)])),
    deliveries: listOf(own(memory.deliveries)),
    state: listOf([...memory.stateEntries()].filter(({ owner }) => !one || owners.has(owner))),
    transcript: memory.transcript.filter((item) => !one || item.conversation_id === conversation_id).map(showItem),
    events: own(memory.events).map(showRecord),
    artifacts: own([...memory.artifacts.values()]).map(metadataOf),
    audit: listOf(own(memory.audit)),
    warnings: listOf(own(memory.warnings)),
    telemetry: listOf(own(memory.telemetry)),
    active_runs: [...active],
  };
}

const statusOf = ({ end }: RunRecord): string => end?.status ?? 'running';

/** Why it failed; nothing of a run that did not. */
const failureOf = ({ end }: RunRecord): JsonObject | null => {
  const { code, message, retryable } = end ?? {};
  return code === undefined ? null : { code, message, retryable };
};

const listOf = (entries: readonly object[]): JsonObject[] => entries as readonly JsonObject[] as JsonObject[];

const showRecord = (record: EventRecord): JsonObject => {
  const { run_id, runner_id, data } = record;
  return { ...showEvent(record), run_id, runner_id, data };
};
