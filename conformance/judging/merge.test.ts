import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyBaseline } from './baseline.ts';
import { mergeOutcomes } from './merge.ts';
import type { Outcome, Verdict } from './outcome.ts';
import { sampleClause, sampleOutcome } from './samples.ts';

const shard = (index: number, of: number, verdicts: readonly Verdict[]): Outcome =>
  sampleOutcome(
    verdicts.map((verdict, at) =>
      sampleClause(
        `v1/1/c${at}`,
        verdict,
        verdict === 'fail' ? { case: `cases/c${at}.json`, found: `shard ${index}` } : {},
      ),
    ),
    { shard: { index, of }, options: { runs: 100, shard: `${index}/${of}` } },
  );

test('what one shard exercised counts for the whole; violations decide', () => {
  const merged = mergeOutcomes(
    [shard(2, 2, ['not-exercised', 'fail', 'pass']), shard(1, 2, ['pass', 'pass', 'pass'])],
    {
      relocate: (path, index) => `shard-${index}/${path}`,
    },
  );
  expect(merged.clauses.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'pass']);
  expect(merged.clauses[1]).toMatchObject({ case: 'shard-2/cases/c1.json', occasions: 24, violations: 3 });
  expect(merged.counts).toMatchObject({ stimuli: 200, pass: 2, fail: 1 });
  expect(merged.verdict).toBe('not-conformant');
  expect(merged.shard).toBeUndefined();
  expect(merged.options).toEqual({ runs: 100 });
});

test('shards that are inconclusive alone are conformant together', () => {
  const shards = [shard(1, 2, ['pass', 'not-exercised']), shard(2, 2, ['not-exercised', 'pass'])];
  expect(shards.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'inconclusive']);
  expect(mergeOutcomes(shards).verdict).toBe('conformant');
});

test('the order in which shards come makes no difference', () => {
  const verdict = fc.constantFrom<Verdict>(
    'pass',
    'fail',
    'not-exercised',
    'not-applicable',
    'inconclusive',
    'harness-fault',
  );
  const shards = fc
    .integer({ min: 1, max: 4 })
    .chain((of) =>
      fc.tuple(
        ...Array.from({ length: of }, (_, at) =>
          fc.array(verdict, { minLength: 3, maxLength: 3 }).map((list) => shard(at + 1, of, list)),
        ),
      ),
    );
  fc.assert(
    fc.property(
      shards.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
      ([list, shuffled]) => {
        expect(mergeOutcomes(shuffled)).toEqual(mergeOutcomes(list));
      },
    ),
    { numRuns: 100 },
  );
});

test('a baseline is applied to the whole, not to its parts', () => {
  const parts = [shard(1, 2, ['pass', 'pass']), shard(2, 2, ['fail', 'pass'])];
  const baseline = { version: 1 as const, entries: [{ clause: 'v1/1/c0', reason: 'known' }] };
  const excused = parts.map((part) => applyBaseline(part, baseline, '2026-06-10'));
  expect(applyBaseline(mergeOutcomes(excused), baseline, '2026-06-10')).toMatchObject({
    verdict: 'conformant',
    stale: [],
  });
});

const one = shard(1, 2, ['pass']);
const two = shard(2, 2, ['pass']);
test.each<[string, readonly Outcome[], RegExp]>([
  ['nothing', [], /nothing to merge/],
  ['a seed of its own', [one, { ...two, seed: 1 }], /seed differs \(42 and 1\)/],
  ['another target', [one, { ...two, target: { ...two.target, name: 'other' } }], /target differs/],
  ['another revision', [one, { ...two, revision: '2027-01-01' }], /revision differs/],
  ['another version', [one, { ...two, runcert: '9.9.9' }], /version of Runcert differs/],
  ['another budget', [one, { ...two, options: { runs: 5 } }], /options differs/],
  ['a missing shard', [one], /2\/2 is missing/],
  ['one shard twice', [one, one], /given twice/],
  ['a whole run among them', [one, { ...two, shard: undefined }], /whole run/],
])('refuses %s', (_, outcomes, message) => {
  expect(() => mergeOutcomes(outcomes)).toThrow(message);
});
