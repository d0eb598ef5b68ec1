// What the state of a run must be, from what its stream and its calls asked for: the last accepted write of each key.
import { isObject, type JsonValue, sameJson } from '../../../common/json.ts';
import { SCOPES } from '../oracle/state.ts';
import type { Folded } from './folded.ts';
import type { HostCase, HostRun } from './view.ts';

export interface Written {
  readonly n: number;
  readonly scope: string;
  readonly key: string;
  /** Absent once deleted. */
  readonly value?: JsonValue;
  /** Whether it counts is not sure. */
  readonly unsure?: true;
  readonly by: 'result' | 'call';
}

/** Every write that a run asked for and that was not refused, in order. */
export function writesOf(folded: Folded): readonly Written[] {
  const writes: Written[] = [];
  for (const item of folded.items) {
    if (item.type !== 'state.updated' || item.phase === 'after' || item.phase === 'cut') continue;
    const { scope, key, value } = item.data;
    if (typeof scope !== 'string' || typeof key !== 'string' || item.ruling?.ruling === 'refused') continue;
    const sure = item.kind === 'state' && item.ruling?.ruling === 'stored' && folded.counts(item);
    writes.push({ n: item.n, scope, key, value: value ?? null, by: 'result', ...(sure ? {} : { unsure: true }) });
  }
  for (const call of folded.run.calls) {
    if (call.action !== 'state_set' && call.action !== 'state_delete') continue;
    const { scope, key, value } = call.data;
    if (typeof scope !== 'string' || typeof key !== 'string' || (call.reply !== undefined && call.reply.code !== 0))
      continue;
    const write = {
      n: call.n,
      scope,
      key,
      by: 'call' as const,
      ...(call.reply === undefined ? { unsure: true as const } : {}),
    };
    writes.push(call.action === 'state_set' ? { ...write, value: value ?? null } : write);
  }
  return writes.sort((a, b) => a.n - b.n);
}

/** Who owns the entries that a run writes in a scope. Equal texts are surely one owner; others surely are not. */
export function ownerOf(run: HostRun, scope: string): string {
  const event = run.submission?.event ?? {};
  const who = (part: 'actor' | 'subject'): unknown[] => {
    const ref = event[part];
    return isObject(ref) ? [ref[`${part}_type`], ref[`${part}_id`]] : [null];
  };
  const base = [scope, run.runnerId, run.submission?.binding['binding_id'], event['bot_id'], event['workspace_id']];
  const own =
    scope === 'conversation'
      ? [event['conversation_id'], event['thread_id']]
      : scope === 'runner'
        ? []
        : who(scope as 'actor' | 'subject');
  return JSON.stringify([...base, ...own]);
}

/**
 * The last write of each key that this run's scopes can see, of all runs, up to a place in the recording.
 * Where an unsure write, or writes of two runs at once, make it unsure, the key is left out.
 */
export const stateDue = (view: HostCase, all: readonly Folded[], run: HostRun, until: number): readonly Written[] =>
  lastWrites(view, all, run, until).filter(({ value }) => value !== undefined);

/** The same with what was deleted among it. */
export function lastWrites(view: HostCase, all: readonly Folded[], run: HostRun, until: number): readonly Written[] {
  const last = new Map<string, Written | null>();
  for (const folded of all) {
    const other = folded.run;
    for (const write of writesOf(folded)) {
      if (write.n > until || !SCOPES.includes(write.scope as never)) continue;
      if (ownerOf(other, write.scope) !== ownerOf(run, write.scope)) continue;
      const place = `${write.scope}\n${write.key}`;
      const before = last.get(place);
      const newer = before == null || write.n > before.n;
      if (write.unsure || before === null || (before !== undefined && overlap(view, other, before.n, write.n)))
        last.set(place, null);
      else if (newer) last.set(place, write);
    }
  }
  return [...last.values()].filter((write): write is Written => write !== null);
}

/** Two writes of different runs that were under way together have no order. */
const overlap = (view: HostCase, run: HostRun, one: number, other: number): boolean =>
  view.runs.some(
    (another) =>
      another !== run &&
      another.n < Math.max(one, other) &&
      (another.end?.n ?? Number.POSITIVE_INFINITY) > Math.min(one, other) &&
      another.n > run.n,
  );

export const sameWrite = (value: JsonValue | undefined, write: Written): boolean => sameJson(value, write.value);
