import { describe, expect, it } from 'vitest';
import { clauses } from '../../../../schemas/agent-runner/2026-06-03/clauses.ts';
import { Pilot } from '../../../driving/pilot.ts';
import type { Mutant, Suite } from '../../../driving/suite.ts';
import { judgeCase } from '../../../judging/tally.ts';
import type { Target } from '../../../targets/target.ts';
import { referenceHostTarget } from '../../reference-host/target.ts';
import { apiAnswersAreas } from '../areas/api-answers.ts';
import { authorizationAreas } from '../areas/authorization.ts';
import { assembleHost } from '../assemble.ts';
import { apiAnswersMutants } from '../mutants/api-answers.ts';
import { authorizationMutants } from '../mutants/authorization.ts';
import type { HostCase } from '../view.ts';
import { apiAnswersJudges } from './api-answers.ts';
import { authorizationJudges } from './authorization.ts';

const mine = clauses.filter(
  ({ party, area }) => party === 'host' && (area === 'authorization' || area === 'api-answers'),
);
const judged = mine.filter(({ unjudged }) => unjudged === undefined).map(({ id }) => id);
const suite: Suite<HostCase> = {
  protocol: 'agent-runner',
  revision: '2026-06-03',
  party: 'host',
  clauses: mine,
  areas: [...authorizationAreas, ...apiAnswersAreas],
  judges: [...authorizationJudges, ...apiAnswersJudges],
  assemble: assembleHost,
  reference: () => referenceHostTarget(),
  mutants: [...authorizationMutants, ...apiAnswersMutants],
  variants: [],
};

/** Plays every corner; stops once `enough` has seen what it wants. */
async function look(
  target: Target,
  only: ReadonlySet<string>,
  enough: (found: ReadonlyMap<string, ReadonlySet<string>>) => boolean,
) {
  const found = new Map<string, Set<string>>();
  const pilot = new Pilot({ suite, target, grace: 1000, seed: 1 });
  const info = await pilot.meet();
  for (const area of suite.areas)
    for (const [index, corner] of (area.corners?.(info) ?? []).entries()) {
      const findings = judgeCase(suite, pilot.head(), await pilot.play(area, corner, `${area.id}-${index}`), only);
      for (const [clause, all] of findings)
        for (const { kind } of all) found.set(clause, (found.get(clause) ?? new Set()).add(kind));
      if (enough(found)) return found;
    }
  return found;
}

describe('the judges of authorization and API answers', () => {
  it('has one judge for each clause, and no other', () => {
    expect(suite.judges.map(({ clause }) => clause).toSorted()).toEqual([...judged].toSorted());
  });

  it('has a mutant for each clause', () => {
    const broken = new Set(suite.mutants.flatMap((one) => one.clauses));
    expect(judged.filter((clause) => !broken.has(clause))).toEqual([]);
  });

  it('finds every clause kept by the reference host, from the corners alone', async () => {
    const found = await look(referenceHostTarget(), new Set(judged), () => false);
    expect(judged.filter((clause) => !found.get(clause)?.has('kept'))).toEqual([]);
    expect(
      [...found].filter(([, kinds]) => kinds.has('broken') || kinds.has('open')).map(([clause]) => clause),
    ).toEqual([]);
  }, 120_000);

  it.each(suite.mutants)(
    'catches $id',
    async ({ clauses: blamed, target }: Mutant) => {
      const caught = (found: ReadonlyMap<string, ReadonlySet<string>>): boolean =>
        blamed.every((clause) => found.get(clause)?.has('broken'));
      expect(caught(await look(target(), new Set(blamed), caught))).toBe(true);
    },
    120_000,
  );
});
