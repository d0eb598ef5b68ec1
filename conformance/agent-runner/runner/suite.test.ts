import { describe, expect, it } from 'vitest';
import { drive } from '../../driving/drive.ts';
import { Pilot } from '../../driving/pilot.ts';
import { stimuliOf } from '../../driving/stimuli.ts';
import type { Suite } from '../../driving/suite.ts';
import type { Target } from '../../targets/target.ts';
import { referenceRunnerTarget } from '../reference-runner/target.ts';
import { isRunnerStimulus } from './stimuli/valid.ts';
import { runnerSuite } from './suite.ts';
import { honestVariants, vacuousVariants } from './variants.ts';

const judged = runnerSuite.clauses.filter(({ unjudged }) => unjudged === undefined);

const meet = async (target: Target) => {
  const pilot = new Pilot({ suite: runnerSuite, target, grace: 1000, seed: 1 });
  const info = await pilot.meet();
  await pilot.close();
  return info;
};

/** The corners of every area, and this many generated stimuli after them. */
async function cornersAnd(more: number, target: Target, ids?: readonly string[]): Promise<Suite> {
  const info = await meet(target);
  const areas = runnerSuite.areas
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map((area) => ({ ...area, runs: area.corners!(info).length + more }));
  return { ...(runnerSuite as Suite), areas };
}

const options = { seed: 5, version: 'test', shrinkPlays: 0 };

describe('the suite for runners', () => {
  it('has a judge for every clause that can be judged, and a clause for every judge', () => {
    const judges = runnerSuite.judges.map(({ clause }) => clause);
    expect(judged.filter(({ id }) => !judges.includes(id)).map(({ id }) => id)).toEqual([]);
    expect(judges.filter((id) => !judged.some((clause) => clause.id === id))).toEqual([]);
    expect(new Set(judges).size).toBe(judges.length);
  });

  it('has an area of stimuli for every clause, and a mutant for every judge', () => {
    const areas = runnerSuite.areas.map(({ id }) => id);
    const broken = new Set(runnerSuite.mutants.flatMap(({ clauses }) => clauses));
    expect(judged.filter(({ area }) => !areas.includes(area)).map(({ id }) => id)).toEqual([]);
    expect(judged.filter(({ id }) => !broken.has(id)).map(({ id }) => id)).toEqual([]);
    expect([...broken].filter((id) => !judged.some((clause) => clause.id === id))).toEqual([]);
  });

  it('generates nothing but stimuli that a runner may be blamed for', async () => {
    const info = await meet(runnerSuite.reference());
    for (const area of runnerSuite.areas) {
      const stimuli = stimuliOf(area, info, 3);
      const corners = area.corners!(info).length;
      for (let i = 0; i < corners + 60; i++) {
        const { value_ } = stimuli.at(i);
        expect(isRunnerStimulus(value_), `${area.id} ${i}: ${JSON.stringify(value_)}`).toBe(true);
        expect(JSON.parse(JSON.stringify(value_))).toEqual(value_);
      }
    }
  });

  it.each(['runtime', 'module'] as const)(
    'exercises every clause that applies by its corners alone, and finds the reference conformant as a %s',
    async (seat) => {
      const target = referenceRunnerTarget({ seat });
      const { outcome } = await drive(await cornersAnd(5, target), target, options);
      const odd = outcome.clauses.filter(
        ({ verdict, reason }) => verdict !== 'pass' && !(seat === 'module' && reason?.includes('seat:runtime')),
      );
      expect(odd.map(({ id, verdict, reason, found }) => [id, verdict, reason, found])).toEqual([]);
      expect(outcome.verdict).toBe('conformant');
    },
    120_000,
  );

  it('exercises every clause in its own area, so that --only can be trusted', async () => {
    for (const area of runnerSuite.areas) {
      const suite = await cornersAnd(0, runnerSuite.reference(), [area.id]);
      const { outcome } = await drive(suite, runnerSuite.reference(), options);
      const own = outcome.clauses.filter((clause) => clause.area === area.id && clause.verdict !== 'pass');
      expect(own.map(({ id, verdict }) => [area.id, id, verdict])).toEqual([]);
    }
  }, 120_000);

  it('gives the same outcome for the same seed', async () => {
    const once = async () => {
      const { outcome } = await drive(
        await cornersAnd(10, runnerSuite.reference(), ['isolation', 'deadline-cancel']),
        runnerSuite.reference(),
        options,
      );
      return JSON.stringify(outcome);
    };
    expect(await once()).toBe(await once());
  }, 60_000);
});

describe('broken runners', () => {
  it.each(runnerSuite.mutants.map((mutant) => [mutant.id, mutant] as const))(
    '%s is caught by the clauses it breaks',
    async (_id, mutant) => {
      const areas = judged.filter(({ id }) => mutant.clauses.includes(id)).map(({ area }) => area);
      const suite = await cornersAnd(30, mutant.target(), areas);
      const { outcome } = await drive(suite, mutant.target(), { ...options, only: mutant.clauses });
      const caught = outcome.clauses.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
      expect(caught).toEqual(expect.arrayContaining([...mutant.clauses]));
    },
    60_000,
  );
});

describe('honest runners', () => {
  it.each(honestVariants.map((variant) => [variant.id, variant] as const))(
    '%s is conformant, without a warning',
    async (_id, variant) => {
      const target = variant.target();
      const { outcome } = await drive(await cornersAnd(5, target), target, options);
      const failed = outcome.clauses.filter(({ verdict }) => verdict === 'fail');
      expect(failed.map(({ id, expected, found }) => [id, expected, found])).toEqual([]);
      expect([outcome.verdict, outcome.reason]).toEqual(['conformant', undefined]);
    },
    120_000,
  );

  it.each(vacuousVariants.map((variant) => [variant.id, variant] as const))(
    '%s passes nothing that it does not keep',
    async (_id, variant) => {
      const target = variant.target();
      const { outcome } = await drive(await cornersAnd(5, target), target, options);
      const passed = outcome.clauses.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
      expect(passed.filter((id) => !variant.vacuous!.passes.includes(id))).toEqual([]);
      expect(outcome.verdict).not.toBe('conformant');
    },
    120_000,
  );
});
