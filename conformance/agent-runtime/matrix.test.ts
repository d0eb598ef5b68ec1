// The kill matrix, on the quickest of the suites.
import { expect, it } from 'vitest';
import { entriesOf, matrixRow } from '../driving/matrix.ts';
import type { Suite } from '../driving/suite.ts';
import { runtimeSuite } from './suite.ts';

const suite = runtimeSuite as Suite;
const options = { seed: 1, beyond: 0, version: 'test' };
const [mutant] = entriesOf(suite).filter(({ kind }) => kind === 'mutant');

it('leaves a mutant in quick mode once the clauses meant for it have caught it', async () => {
  const whole = await matrixRow(suite, mutant!, options);
  const quick = await matrixRow(suite, mutant!, { ...options, quick: true });
  expect([whole.wrong, quick.wrong]).toEqual([[], []]);
  expect(quick.stimuli).toBeLessThan(whole.stimuli);
}, 60_000);

it('gives a mutant that goes free in quick mode the whole suite, and tells the miss', async () => {
  const [spared] = suite.clauses.filter(({ id, unjudged }) => unjudged === undefined && !mutant!.intended.includes(id));
  const entry = { ...mutant!, intended: [spared!.id], target: suite.reference };
  const quick = await matrixRow(suite, entry, { ...options, quick: true });
  expect(quick).toEqual(await matrixRow(suite, entry, options));
  expect(quick.wrong).toEqual([`missed by ${spared!.id}`]);
}, 60_000);
