// What the host knows, folded from its EventLog: one `apply` a fact, and nothing is ever changed in any other way.
import type { JsonObject } from '../../../../common/json.ts';
import type { AuditEntry, Delivery, RunEnd, RunStart, StateChange, StoredArtifact, Warning } from '../shapes.ts';
import type { LogEntry } from './log.ts';
import { type EventRecord, isWatched, recordsOf } from './records.ts';
import { projectTranscript, type TranscriptItem } from './transcript.ts';

export interface RunRecord {
  readonly start: RunStart;
  end?: RunEnd;
}

export class Memory {
  readonly entries: LogEntry[] = [];
  readonly runs = new Map<string, RunRecord>();
  readonly events: EventRecord[] = [];
  readonly transcript: TranscriptItem[] = [];
  /** Values by owner, then by key. */
  readonly state = new Map<string, Map<string, StateChange>>();
  readonly storage = new Map<string, Map<string, string>>();
  readonly artifacts = new Map<string, StoredArtifact>();
  readonly deliveries: Delivery[] = [];
  readonly audit: AuditEntry[] = [];
  readonly warnings: Warning[] = [];
  /** Results that are only watched: tool events and requested actions (§7.2). */
  readonly telemetry: { readonly run_id: string; readonly type: string; readonly data: JsonObject }[] = [];

  apply(entry: LogEntry): void {
    this.entries.push(entry);
    const run = this.#runOf(entry);
    if (entry.kind === 'submitted') {
      this.runs.set(entry.run.run_id, { start: entry.run });
      for (const artifact of entry.artifacts) this.artifacts.set(artifact.artifact_id, artifact);
    }
    if (entry.kind === 'result') {
      if (entry.artifact !== undefined) this.artifacts.set(entry.artifact.artifact_id, entry.artifact);
      const { type, data } = entry.result;
      if (isWatched(type)) this.telemetry.push({ run_id: entry.run_id, type: String(type), data: data as JsonObject });
    }
    if (entry.kind === 'call') this.audit.push(entry.audit);
    if ('end' in entry && entry.end !== undefined && run !== undefined) {
      const record = this.runs.get(run.run_id);
      if (record !== undefined) record.end ??= entry.end;
    }
    if ('deliveries' in entry) this.deliveries.push(...entry.deliveries!);
    if ('state' in entry && entry.state !== undefined) {
      const { owner, key, value } = entry.state;
      change(this.state, owner, key, value === undefined ? undefined : entry.state);
    }
    if ('storage' in entry && entry.storage !== undefined)
      change(this.storage, entry.storage.owner, entry.storage.key, entry.storage.value);
    if ('warning' in entry && entry.warning !== undefined) this.warnings.push(entry.warning);
    const records = recordsOf(entry, run, this.events.length + 1);
    const item = projectTranscript(entry, run, records[0]);
    this.events.push(...records);
    if (item !== undefined) this.transcript.push(item);
  }

  stateOf(owner: string): JsonObject {
    return Object.fromEntries([...(this.state.get(owner) ?? [])].map(([key, { value }]) => [key, value]));
  }

  *stateEntries(): Iterable<StateChange> {
    for (const own of this.state.values()) yield* own.values();
  }

  #runOf(entry: LogEntry): RunStart | undefined {
    if (entry.kind === 'submitted') return entry.run;
    const id = entry.kind === 'call' ? entry.audit.run_id : entry.kind === 'warning' ? null : entry.run_id;
    return id === null ? undefined : this.runs.get(id)?.start;
  }
}

function change<Value>(
  all: Map<string, Map<string, Value>>,
  owner: string,
  key: string,
  value: Value | undefined,
): void {
  const own = all.get(owner);
  if (value === undefined) own?.delete(key);
  else if (own === undefined) all.set(owner, new Map([[key, value]]));
  else own.set(key, value);
}
