import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { droppable, minimise, without } from './minimise.ts';

const endless = { plays: 10_000, outOfTime: () => false };
const stimuliOf = (arbitrary: fc.Arbitrary<unknown>) => ({
  corners: 0,
  at: () => new fc.Value<unknown>(undefined, undefined),
  shrink: (value: fc.Value<unknown>) => arbitrary.shrink(value.value_, value.context),
});

describe('minimise', () => {
  it('drops all that is not needed, wherever it stands', async () => {
    const steps = fc.array(
      fc.record({ kind: fc.constantFrom('a', 'b', 'c'), data: fc.dictionary(fc.string(), fc.nat()) }),
    );
    const from = new fc.Value<unknown>(
      [
        { kind: 'a', data: { x: 1 } },
        { kind: 'b', data: { y: 2, z: 3 } },
        { kind: 'c', data: {} },
        { kind: 'b', data: {} },
      ],
      undefined,
    );
    const broken = async (stimulus: unknown): Promise<boolean> =>
      (stimulus as { kind?: string; data?: Record<string, number> }[]).some(
        ({ kind, data }) => kind === 'b' && data?.['z'] === 3,
      );
    const { stimulus, minimal } = await minimise(stimuliOf(steps), from, broken, endless);
    expect(stimulus).toEqual([{ kind: 'b', data: { z: 3 } }]);
    expect(minimal).toBe(true);
  });

  it('never calls a case minimal that its budget did not let it prove', async () => {
    const from = new fc.Value<unknown>([1, 2, 3, 4, 5, 6], undefined);
    const { minimal, plays } = await minimise(stimuliOf(fc.array(fc.nat())), from, async () => false, {
      plays: 3,
      outOfTime: () => false,
    });
    expect([minimal, plays]).toEqual([false, 3]);
  });

  it('leaves out candidates that are no stimulus', async () => {
    const from = new fc.Value<unknown>({ steps: [1, 2] }, undefined);
    const tried: unknown[] = [];
    await minimise(
      { corners: 0, at: () => from, shrink: () => [] },
      from,
      async (one) => tried.push(one) < 0,
      endless,
      (one) => 'steps' in (one as object),
    );
    expect(tried).toEqual([{ steps: [1] }, { steps: [2] }]);
  });

  it('every droppable path drops exactly one thing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const size = (one: unknown): number => droppable(one).length;
        for (const path of droppable(value)) {
          const less = without(value, path);
          expect(less).toBeDefined();
          expect(size(less)).toBeLessThan(size(value));
        }
      }),
      { seed: 1 },
    );
  });
});
