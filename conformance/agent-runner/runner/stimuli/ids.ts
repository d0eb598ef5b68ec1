// Ids as hosts give them: opaque, so that nobody may trim, fold, decode or count them.
import fc from 'fast-check';

export const AWKWARD_IDS = [
  'Model A',
  ' leading',
  'trailing ',
  'a/b/c',
  'a%20b',
  'ÜMLAUT',
  '模型-1',
  '007',
  '1e3',
  'MiXeD-Case',
  'x'.repeat(200),
] as const;

export const opaqueId: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...AWKWARD_IDS) },
  { weight: 3, arbitrary: fc.uuid() },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => text.trim() !== ''),
  },
);

/** A run id of its own for each place in a stimulus. */
export const runIds = (count: number): fc.Arbitrary<string[]> =>
  fc.nat({ max: 0xffffff }).map((salt) => Array.from({ length: count }, (_, i) => `run-${salt.toString(36)}-${i}`));
