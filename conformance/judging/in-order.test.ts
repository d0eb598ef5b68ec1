import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inOrder } from './in-order.ts';

async function* items(count: number, broken = false): AsyncGenerator<number> {
  for (let at = 0; at < count; at++) yield at;
  if (broken) throw new Error('unreadable');
}

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await turn();
}

it('gives results in the order of the items, with no more under way than there is room for', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (pace, room) => {
      let underWay = 0;
      let most = 0;
      const results: number[] = [];
      const work = async (at: number): Promise<number> => {
        most = Math.max(most, ++underWay);
        await turns(pace[at]!);
        underWay--;
        return at;
      };
      for await (const result of inOrder(items(pace.length), room, work)) results.push(result);
      expect(results).toEqual(pace.map((_, at) => at));
      expect(most).toBeLessThanOrEqual(room);
    }),
    { seed: 5, numRuns: 50 },
  ));

it('throws the error of the first item that failed, whichever was quicker, before what could not be read', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ pace: fc.nat(4), fails: fc.boolean() }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      async (plan, room) => {
        const first = plan.findIndex(({ fails }) => fails);
        const seen: number[] = [];
        const run = async (): Promise<void> => {
          const work = async (at: number): Promise<number> => {
            await turns(plan[at]!.pace);
            if (plan[at]!.fails) throw new Error(`item ${at}`);
            return at;
          };
          for await (const result of inOrder(items(plan.length, true), room, work)) seen.push(result);
        };
        await expect(run()).rejects.toThrow(first === -1 ? 'unreadable' : `item ${first}`);
        if (first !== -1) expect(seen.every((at) => at < first)).toBe(true);
      },
    ),
    { seed: 6, numRuns: 50 },
  ));
