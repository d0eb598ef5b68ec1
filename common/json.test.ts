import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonical, sameJson } from './json.ts';

it('finds the same JSON exactly where the canonical texts are the same', () => {
  const any = fc.anything({ maxDepth: 3, withNullPrototype: false });
  const twin = fc
    .jsonValue()
    .chain((value) => fc.tuple(fc.constant(value), fc.constant(JSON.parse(JSON.stringify(value)) as unknown)));
  fc.assert(
    fc.property(fc.oneof(fc.tuple(any, any), twin), ([a, b]) => {
      expect(sameJson(a, b)).toBe(canonical(a) === canonical(b));
    }),
    { seed: 1, numRuns: 2000 },
  );
  expect(sameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(sameJson([undefined], [null])).toBe(true);
});
