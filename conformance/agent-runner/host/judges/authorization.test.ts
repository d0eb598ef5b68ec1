import { describe, expect, it } from 'vitest';
import { clauses as all } from '../../../../schemas/agent-runner/2026-06-03/clauses.ts';
import { Pilot } from '../../../driving/pilot.ts';
import type { Mutant, Suite } from '../../../driving/suite.ts';
import { judgeCase } from '../../../judging/tally.ts';
import type { Target } from '../../../targets/target.ts';
import { hostMutants } from '../../host-mutants.ts';
import { admissionChecks } from '../../reference-host/calls.ts';
import { deny } from '../../reference-host/refusal.ts';
import { type ReferenceHostOptions, referenceHostTarget } from '../../reference-host/target.ts';
import { apiAnswersAreas } from '../areas/api-answers.ts';
import { authorizationAreas } from '../areas/authorization.ts';
import { assembleHost } from '../assemble.ts';
import type { HostCase } from '../view.ts';
import { apiAnswersJudges } from './api-answers.ts';
import { authorizationJudges } from './authorization.ts';

const mine = all.filter(({ party, area }) => party === 'host' && (area === 'authorization' || area === 'api-answers'));
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
  mutants: hostMutants.filter((one) => one.clauses.some((clause) => judged.includes(clause))),
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

  it.each<[string, ReferenceHostOptions]>([
    [
      'declares no limits',
      {
        undeclared: [
          'state_key_chars',
          'state_value_bytes',
          'history_page_items',
          'event_page_items',
          'artifact_read_bytes',
          'result_bytes',
          'calls_per_second',
        ],
      },
    ],
    ['shows next to nothing', { features: ['status'] }],
    [
      'is narrow',
      { limits: { calls_per_second: 5, history_page_items: 3, state_value_bytes: 64, artifact_read_bytes: 100 } },
    ],
  ])(
    'raises no alarm about a host that %s',
    async (_, options) => {
      const found = await look(referenceHostTarget(options), new Set(judged), () => false);
      expect([...found].filter(([, kinds]) => kinds.has('broken')).map(([clause]) => clause)).toEqual([]);
    },
    120_000,
  );

  it('gives a host that refuses everything no credit for its refusals', async () => {
    const refuser = referenceHostTarget({
      parts: { admission: { ...admissionChecks, active: () => deny('unauthorized') } },
    });
    const found = await look(refuser, new Set(judged), () => false);
    const kept = [...found].filter(([, kinds]) => kinds.has('kept') && !kinds.has('broken')).map(([clause]) => clause);
    // What it really keeps: the form of its refusals, its audit, and what happens apart from calls.
    expect(
      kept.filter(
        (clause) =>
          !/^v1\/(9\/(error-shape|codes-from-table|retryable-fits|nothing-leaked|no-internals)|11\/audit|8\/artifact-)/.test(
            clause,
          ),
      ),
    ).toEqual([]);
  }, 120_000);

  it.each(suite.mutants)(
    'catches $id',
    async ({ clauses, target }: Mutant) => {
      const blamed = clauses.filter((clause) => judged.includes(clause));
      const caught = (found: ReadonlyMap<string, ReadonlySet<string>>): boolean =>
        blamed.every((clause) => found.get(clause)?.has('broken'));
      expect(caught(await look(target(), new Set(blamed), caught))).toBe(true);
    },
    120_000,
  );
});
