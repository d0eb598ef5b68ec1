// For tests: a JSON value with one thing in it changed at random, so that engines can be compared on what is nearly right.
import * as fc from 'fast-check';

type Path = readonly (string | number)[];

function paths(value: unknown, here: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [here];
  const inner = Array.isArray(value)
    ? value.map((item, index) => paths(item, [...here, index]))
    : Object.entries(value).map(([key, item]) => paths(item, [...here, key]));
  return [here, ...inner.flat()];
}

function edit(value: unknown, path: Path, change: (part: unknown) => unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === first ? edit(item, rest, change) : item));
  const entries = Object.entries(value as object).flatMap(([key, item]): [string, unknown][] => {
    if (key !== first) return [[key, item]];
    const changed = edit(item, rest, change);
    return changed === GONE ? [] : [[key, changed]];
  });
  return Object.fromEntries(entries);
}

const GONE = Symbol('gone');
const strange = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e21,
  2 ** 53,
  '',
  'x',
  '1',
  'true',
  'None',
  [],
  [1],
  ['a'],
  {},
  { a: 1 },
  { type: 'message.delta' },
  { length: 0 },
];

/** One of: a value replaced by another kind, a field taken out, a field put in, an item doubled, a string changed. */
export const mutated = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(valid, fc.nat(), fc.nat(), fc.constantFrom(...strange)).map(([value, where, how, stranger]) => {
    const all = paths(value);
    const path = all[where % all.length]!;
    return edit(value, path, (part) => {
      switch (how % 5) {
        case 0:
          return path.length > 0 && typeof path.at(-1) === 'string' ? GONE : stranger;
        case 1:
          return typeof part === 'object' && part !== null && !Array.isArray(part)
            ? { ...part, [`extra${how % 3}`]: stranger }
            : stranger;
        case 2:
          return Array.isArray(part) ? [...part, ...part, stranger] : stranger;
        case 3:
          return typeof part === 'string' ? `${part}!` : typeof part === 'number' ? part + 0.5 : stranger;
        default:
          return stranger;
      }
    });
  });
