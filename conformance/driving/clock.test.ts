import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_EPOCH, VirtualClock } from './clock.ts';

describe('VirtualClock', () => {
  it('fires timers in the order they are due, at the instant they are due, in no time at all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 600_000 }), { minLength: 1, maxLength: 20 }),
        async (delays) => {
          const clock = new VirtualClock();
          const fired: number[] = [];
          await clock.run(async () => {
            await Promise.all(
              delays.map(async (ms) => {
                await clock.sleep(ms);
                expect(clock.now()).toBe(VIRTUAL_EPOCH + ms);
                fired.push(ms);
              }),
            );
          });
          expect(fired).toEqual(delays.toSorted((a, b) => a - b));
        },
      ),
      { seed: 2 },
    );
  });

  it('wakes a sleeper whose signal aborts, and forgets its timer', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    await clock.run(async () => {
      const sleeping = clock.sleep(60_000, stop.signal);
      await clock.sleep(10);
      stop.abort();
      await sleeping;
    });
    expect(clock.now()).toBe(VIRTUAL_EPOCH + 10);
  });

  it('says so when everything waits for something that never comes', async () => {
    await expect(new VirtualClock().run(() => new Promise(() => {}))).rejects.toThrow('stands still');
  });
});
