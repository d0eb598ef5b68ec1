// What was seen of state after a run: what its observation shows, and what state_get answers in later runs of the same owner.
import { type JsonValue, sameJson } from '../../../common/json.ts';
import type { Ruling } from '../oracle/state.ts';
import type { Item } from '../oracle/stream.ts';
import { type Folded, foldAll } from './folded.ts';
import type { Shown } from './shown.ts';
import { ownerOf, stateDue, type Written } from './stored.ts';
import type { HostCase } from './view.ts';

export interface Seen {
  readonly n: number;
  readonly scope: string;
  readonly key: string;
  /** Undefined where nothing is there; a null that state_get answers says the same. */
  readonly value: JsonValue | undefined;
}

export const valueIn = (shown: Shown, scope: string, key: string): JsonValue | undefined =>
  shown.state?.find((entry) => entry.scope === scope && entry.key === key)?.value;

/** Answers of state_get in runs that began after this one ended, about what this one could have written. */
export function gotAfter(view: HostCase, { run }: Folded): readonly Seen[] {
  return view.runs.flatMap((other) => {
    if (other.n < (run.end?.n ?? run.n)) return [];
    return other.calls.flatMap(({ action, data, identity, reply }) => {
      const { scope, key } = data;
      if (action !== 'state_get' || identity !== other.identity || reply?.code !== 0) return [];
      if (typeof scope !== 'string' || typeof key !== 'string' || ownerOf(other, scope) !== ownerOf(run, scope))
        return [];
      return [{ n: reply.n, scope, key, value: reply.data['value'] ?? undefined }];
    });
  });
}

/** What was seen of one key. */
export function seenOf(view: HostCase, folded: Folded, scope: string, key: string): readonly Seen[] {
  const { settled } = folded;
  const shown = settled?.state === undefined ? [] : [{ n: settled.n, scope, key, value: valueIn(settled, scope, key) }];
  return [...shown, ...gotAfter(view, folded).filter((one) => one.scope === scope && one.key === key)];
}

/** Each last write of a result that must be seen, with what was seen of it. */
export function* accepted(
  view: HostCase,
): Iterable<{ readonly write: Written; readonly item: Item; readonly seen: Seen }> {
  const all = foldAll(view);
  for (const folded of all) {
    for (const item of folded.items) {
      if (item.ruling?.ruling !== 'stored' || !folded.counts(item)) continue;
      const { scope, key } = item.ruling;
      for (const seen of seenOf(view, folded, scope, key)) {
        const write = stateDue(view, all, folded.run, seen.n).find((one) => one.scope === scope && one.key === key);
        // A null that is there and a key that is not look alike to state_get.
        if (
          write?.n === item.n &&
          !(sameJson(write.value, null) && seen.value === undefined && seen.n !== folded.settled?.n)
        )
          yield { write, item, seen };
      }
    }
  }
}

export type Why = Extract<Ruling, { ruling: 'refused' }>['why'];

/** Each refused update in a run that was looked at afterwards. */
export function* refused(
  view: HostCase,
  ...whys: readonly Why[]
): Iterable<{ readonly folded: Folded; readonly item: Item; readonly settled: Shown }> {
  for (const folded of foldAll(view)) {
    const { settled } = folded;
    if (settled === undefined) continue;
    for (const item of folded.items) {
      if (item.ruling?.ruling !== 'refused' || (item.phase !== 'live' && item.phase !== 'shaky')) continue;
      if (whys.length === 0 || whys.includes(item.ruling.why)) yield { folded, item, settled };
    }
  }
}

/** All that was seen of state after a run, as far as it could tell of this update; none where nobody looked. */
export function looksAfter(view: HostCase, folded: Folded, item: Item): readonly Seen[] | undefined {
  const { settled } = folded;
  const shown = settled?.state?.map(({ scope, key, value }) => ({ n: settled.n, scope, key, value }));
  const got = gotAfter(view, folded).filter(({ key }) => key === String(item.data['key']));
  return shown === undefined && got.length === 0 ? undefined : [...(shown ?? []), ...got];
}
