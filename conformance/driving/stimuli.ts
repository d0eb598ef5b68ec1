// The stimuli of an area. The i-th of a seed is the same in every run, shard and worker, whatever was generated before it.
import fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { TargetInfo } from '../targets/target.ts';
import type { Area } from './suite.ts';

export interface Stimuli {
  /** How many stand at the beginning whatever the seed. */
  readonly corners: number;
  at(index: number): fc.Value<unknown>;
  /** Smaller stimuli than the given one, the most promising first. */
  shrink(value: fc.Value<unknown>): Iterable<fc.Value<unknown>>;
}

export function stimuliOf(area: Area, info: TargetInfo, seed: number): Stimuli {
  const arbitrary = area.stimulus(info);
  const corners = area.corners?.(info) ?? [];
  return {
    corners: corners.length,
    at(index) {
      if (index < corners.length) return new fc.Value(corners[index], undefined);
      const random = new fc.Random(xoroshiro128plus(seedOf(seed, area.id, index)));
      return arbitrary.generate(random, index % 3 === 2 ? undefined : 2 + Math.floor(Math.log10(index + 1)));
    },
    shrink: (value) =>
      value.context !== undefined || arbitrary.canShrinkWithoutContext(value.value_)
        ? arbitrary.shrink(value.value_, value.context)
        : [],
  };
}

/** A 32-bit seed from the run's seed, the area and the index (FNV-1a). */
export function seedOf(seed: number, area: string, index: number): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${area}/${index}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash | 0;
}
