// The schedule of a stimulus whose runs go on at the same time: how many turns of the promise queue each message of the
// harness is held back, so that they meet at points at which they would not meet by themselves.
// Only a target in this process is held back; outside of it time itself mixes them.
import fc from 'fast-check';
import { Type } from 'typebox';

export const Holds = Type.Array(Type.Integer({ minimum: 0, maximum: 1000 }), { maxItems: 200 });

/** Mostly short holds, for what happens within a few turns; now and then one that lasts as long as a whole answer takes. */
export const holds: fc.Arbitrary<number[]> = fc.array(
  fc.oneof(fc.constant(0), fc.nat({ max: 8 }), fc.nat({ max: 150 })),
  { maxLength: 40 },
);
