// Does a read model that a runtime shows agree with the events? It may say less, and say so; it may not say something else, nor guess.
import { isObject } from '../../../common/json.ts';

const MARKS = new Set(['unknown', 'unavailable', 'stale', 'blocked', 'not_applicable']);
export const isMark = (value: unknown): boolean => typeof value === 'string' && MARKS.has(value);

export interface Difference {
  /** `guess`: the runtime says something where no event does. `withheld`: it says `unknown` where an event tells. */
  readonly kind: 'other' | 'guess' | 'withheld';
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

/** How the stream was delivered is told in words of the model's own; only a reader of foreign logs is held to it. */
export interface Comparing {
  readonly freshness?: boolean;
}

export function compare(expected: unknown, found: unknown, { freshness = false }: Comparing = {}): Agreement {
  const differences: Difference[] = [];
  let stated = 0;
  let left = 0;
  walk(expected, found, '');
  return { differences, stated, left };

  function walk(wanted: unknown, shown: unknown, path: string): void {
    if (shown === undefined) return;
    if (wanted === 'unknown' || wanted === 'unavailable') {
      left++;
      if (!isMark(shown) && shown !== null) differences.push({ kind: 'guess', path, expected: wanted, found: shown });
      return;
    }
    if (isMark(shown) && !isMark(wanted)) {
      if (shown === 'unknown') differences.push({ kind: 'withheld', path, expected: wanted, found: shown });
      return;
    }
    if (Array.isArray(wanted)) lists(wanted, shown, path);
    else if (isObject(wanted)) {
      if (!isObject(shown)) differ(path, wanted, shown);
      else
        for (const [key, value] of Object.entries(wanted))
          if (freshness || key !== 'freshness') walk(value, shown[key], `${path}/${key}`);
    } else {
      stated++;
      if (wanted !== shown) differ(path, wanted, shown);
    }
  }

  function lists(wanted: readonly unknown[], shown: unknown, path: string): void {
    if (!Array.isArray(shown)) {
      differ(path, wanted, shown);
      return;
    }
    stated++;
    const key = keyOf(wanted) ?? keyOf(shown);
    if (key === undefined) {
      if (wanted.length !== shown.length) differ(path, wanted, shown);
      else for (const [i, value] of wanted.entries()) walk(value, shown[i], `${path}/${i}`);
      return;
    }
    const ids = (list: readonly unknown[]): unknown[] => list.map((item) => (isObject(item) ? item[key] : item));
    for (const [i, item] of wanted.entries()) {
      const at = ids(shown).indexOf(ids(wanted)[i]);
      if (at === -1) differ(`${path}/${String(ids(wanted)[i])}`, item, 'absent');
      else walk(item, shown[at], `${path}/${String(ids(wanted)[i])}`);
    }
    for (const id of ids(shown)) if (!ids(wanted).includes(id)) differ(`${path}/${String(id)}`, 'absent', id);
  }

  function differ(path: string, wanted: unknown, shown: unknown): void {
    differences.push({ kind: 'other', path, expected: wanted, found: shown });
  }
}

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
