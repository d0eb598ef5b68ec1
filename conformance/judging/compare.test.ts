import { expect, test } from 'vitest';
import { compareOutcomes, comparisonSentence } from './compare.ts';
import { sampleClause, sampleOutcome } from './samples.ts';

const before = sampleOutcome([
  sampleClause('a', 'pass'),
  sampleClause('b', 'pass'),
  sampleClause('c', 'fail'),
  sampleClause('d', 'fail'),
  sampleClause('e', 'pass'),
  sampleClause('gone', 'pass'),
]);
const after = sampleOutcome(
  [
    sampleClause('a', 'fail'),
    sampleClause('b', 'pass'),
    sampleClause('c', 'pass'),
    sampleClause('d', 'fail'),
    sampleClause('e', 'not-exercised'),
    sampleClause('new', 'fail'),
  ],
  { seed: 7 },
);

test('what broke, what was mended, what is no longer known', () => {
  expect(compareOutcomes(before, after)).toMatchObject({
    verdict: { from: 'not-conformant', to: 'not-conformant' },
    broken: ['a', 'new'],
    mended: ['c'],
    stillBroken: ['d'],
    lost: [{ id: 'e', from: 'pass', to: 'not-exercised' }],
    added: ['new'],
    removed: ['gone'],
    differences: ['seed: 42 → 7'],
  });
});

test.each([
  [before, after, 'Two clauses newly broken, one mended, one no longer decided since the previous outcome.'],
  [before, before, 'Nothing changed since the previous outcome; two still broken.'],
  [
    sampleOutcome([sampleClause('a', 'fail')]),
    sampleOutcome([sampleClause('a', 'pass')]),
    'One clause mended since the previous outcome.',
  ],
  [
    sampleOutcome([sampleClause('a', 'pass')]),
    sampleOutcome([sampleClause('a', 'pass')]),
    'Nothing changed since the previous outcome.',
  ],
])('in a sentence', (from, to, sentence) => {
  expect(comparisonSentence(compareOutcomes(from, to))).toBe(sentence);
});

test('a failure that is only not exercised any more is not called mended', () => {
  const comparison = compareOutcomes(
    sampleOutcome([sampleClause('a', 'fail')]),
    sampleOutcome([sampleClause('a', 'not-exercised')]),
  );
  expect(comparison.mended).toEqual([]);
  expect(comparison.lost).toHaveLength(1);
});

test('outcomes of different parties are refused', () => {
  expect(() => compareOutcomes(before, { ...after, party: 'host' })).toThrow(/cannot be compared/);
});
