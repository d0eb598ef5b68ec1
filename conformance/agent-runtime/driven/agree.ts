// Does a read model that a runtime shows agree with the events? It may say less, and say so; it may not say something else, nor guess.
import { isObject, type JsonObject } from '../../../common/json.ts';

const MARKS: ReadonlySet<unknown> = new Set(['unknown', 'unavailable', 'stale', 'blocked', 'not_applicable']);
export const isMark = (value: unknown): boolean => MARKS.has(value);

/** No event tells it, or there is nothing to tell. */
const isSilent = (value: unknown): boolean =>
  value === undefined || value === null || value === 'unknown' || value === 'unavailable';

export interface Difference {
  /**
   * `guess`: the runtime says something where no event does. `withheld`: it says `unknown` where an event tells.
   * `missing`: it leaves out what an event tells, or says that it does not offer it.
   */
  readonly kind: 'other' | 'guess' | 'withheld' | 'missing';
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
}

export interface Agreement {
  readonly differences: readonly Difference[];
  /** How many facts both state, and how many the events leave open. */
  readonly stated: number;
  readonly left: number;
}

/**
 * A runtime tells in words of its own how its stream was delivered, and may be careful with marks; a reader of foreign logs is held to
 * what the fold makes of the delivery, and to `stale`, `blocked` and `not_applicable` where they belong.
 */
export interface Comparing {
  readonly foreign?: boolean;
}

export function compare(expected: unknown, found: unknown, { foreign = false }: Comparing = {}): Agreement {
  const differences: Difference[] = [];
  let stated = 0;
  let left = 0;
  walk(expected, found, '');
  return { differences, stated, left };

  function walk(wanted: unknown, shown: unknown, path: string, cut = false): void {
    if (shown === undefined) {
      if (!isSilent(wanted)) differ(path, wanted, 'absent', 'missing');
      return;
    }
    if (wanted === 'unknown' || wanted === 'unavailable') {
      left++;
      if (!isSilent(shown) && (foreign || !isMark(shown))) differ(path, wanted, shown, 'guess');
      return;
    }
    if (isMark(shown) && !isMark(wanted)) {
      if (shown === 'unknown') differ(path, wanted, shown, 'withheld');
      else if (shown === 'unavailable') differ(path, wanted, shown, 'missing');
      else if (foreign) differ(path, wanted, shown);
      return;
    }
    if (Array.isArray(wanted)) lists(wanted, shown, path, cut);
    else if (isObject(wanted)) {
      if (!isObject(shown)) differ(path, wanted, shown);
      else records(wanted, shown, path);
    } else {
      stated++;
      if (wanted !== shown) differ(path, wanted, shown);
    }
  }

  /**
   * How much of what is over a read model keeps is its own choice. Where the fold has left something out, only what both show is compared,
   * and counts only where both show as much; whoever shows less says so.
   */
  function records(wanted: JsonObject, shown: JsonObject, path: string): void {
    const cut = wanted['truncated'] === true;
    const lengths = Object.keys(wanted).map((key) => lengthOf(shown[key]) - lengthOf(wanted[key]));
    const ownWindow = cut && lengths.some((difference) => difference !== 0);
    const less = lengths.some((difference) => difference < 0);
    for (const [key, value] of Object.entries(wanted)) {
      if (key === 'freshness' && !foreign) continue;
      if (ownWindow && !Array.isArray(value) && !(less && key === 'truncated')) continue;
      walk(value, shown[key], `${path}/${key}`, cut);
    }
  }

  function lists(wanted: readonly unknown[], shown: unknown, path: string, cut: boolean): void {
    if (!Array.isArray(shown)) {
      differ(path, wanted, shown);
      return;
    }
    stated++;
    const key = keyOf(wanted) ?? keyOf(shown);
    if (key === undefined) {
      if (cut && shown.length !== wanted.length) return;
      if (wanted.length !== shown.length) differ(path, wanted, shown);
      else for (const [i, value] of wanted.entries()) walk(value, shown[i], `${path}/${i}`);
      return;
    }
    const byId = (list: readonly unknown[]): Map<unknown, unknown> =>
      new Map(list.map((item) => [isObject(item) ? item[key] : item, item]));
    const [mine, theirs] = [byId(wanted), byId(shown)];
    for (const [id, item] of mine) {
      if (theirs.has(id)) walk(item, theirs.get(id), `${path}/${String(id)}`);
      else if (!cut) differ(`${path}/${String(id)}`, item, 'absent');
    }
    if (!cut) for (const id of theirs.keys()) if (!mine.has(id)) differ(`${path}/${String(id)}`, 'absent', id);
  }

  function differ(path: string, wanted: unknown, shown: unknown, kind: Difference['kind'] = 'other'): void {
    differences.push({ kind, path, expected: wanted, found: shown });
  }
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** The member by which the items of a list are told apart, if there is one. */
function keyOf(list: readonly unknown[]): string | undefined {
  const [first] = list;
  if (!isObject(first)) return undefined;
  const key = Object.keys(first).find((name) => name.endsWith('_id'));
  if (key === undefined) return undefined;
  const ids = list.map((item) => (isObject(item) ? item[key] : undefined));
  return ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length ? key : undefined;
}

export const words = ({
  path,
  expected,
  found,
}: Difference): { readonly expected: string; readonly found: string } => ({
  expected: `${path || '/'} ${text(expected)}, as the events say`,
  found: text(found),
});

const text = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 200);
