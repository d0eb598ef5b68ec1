import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hash, IdTable } from './id-table.ts';
import { Identity, REMEMBERED } from './identity.ts';

const word = fc.integer({ min: 0, max: 0xffffffff });
const place = fc.oneof(fc.nat({ max: 10 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));

it('is a map from ids to the first place that each had', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.oneof(fc.nat({ max: 3 }), word), fc.oneof(fc.nat({ max: 3 }), word), place), {
        maxLength: 3000,
        size: 'max',
      }),
      (ids) => {
        const table = new IdTable();
        const model = new Map<string, number>();
        for (const [high, low, at] of ids) {
          const key = `${high} ${low}`;
          if (!model.has(key)) model.set(key, at);
          expect(table.findOrAdd(high, low, at)).toBe(model.get(key));
        }
        expect(table.size).toBe(model.size);
        expect(IdTable.load(table.dump()).dump().sort()).toEqual(table.dump().sort());
        for (const [high, low] of ids) expect(table.find(high, low)).toBe(model.get(`${high} ${low}`));
        table.clear();
        expect([table.size, table.dump()]).toEqual([0, []]);
        for (const [high, low] of ids) expect(table.find(high, low)).toBeUndefined();
      },
    ),
    { numRuns: 8, seed: 1 },
  );
});

it('spreads ids that differ little', () => {
  const seen = new Set<string>();
  for (let i = 0; i < 100_000; i++) seen.add(hash(`evt_${i}`).join());
  expect(seen.size).toBe(100_000);
});

it('remembers so many ids, and no more than twice as many', () => {
  const identity = new Identity(() => 'other');
  for (let i = 0; i < 4 * REMEMBERED; i++) identity.see(`e${i}`, i, 'one');
  const last = 4 * REMEMBERED - 1;
  expect(identity.see(`e${last - REMEMBERED + 1}`, last + 1, 'one')).toBe('conflict');
  const { recent, before } = identity.toJSON();
  expect((recent.length + before.length) / 3).toBeLessThanOrEqual(2 * REMEMBERED);
  expect(identity.see('e0', last + 2, 'one')).toBe('new');
});
