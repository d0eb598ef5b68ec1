import { describe, expect, test } from 'vitest';
import { clauses as runnerClauses } from '../../schemas/agent-runner/2026-06-03/clauses.ts';
import { clauses as runtimeClauses } from '../../schemas/agent-runtime/0.3.9/clauses.ts';
import { freezeRequirements, missingFrom, requiredIds, requirementSet } from './requirements.ts';
import { sampleClause, sampleOutcome } from './samples.ts';

describe.each([
  ['agent-runner', '2026-06-03', runnerClauses],
  ['agent-runtime', '0.3.9', runtimeClauses],
] as const)('%s %s', (protocol, revision, clauses) => {
  const set = requirementSet(protocol, revision)!;
  const known = new Map(clauses.map((clause) => [clause.id, clause]));

  test('everything that is demanded still exists, can be judged, and has the level it was frozen with', () => {
    for (const { id, level, party } of set.clauses) {
      expect(known.get(id), id).toMatchObject({ level, party });
      expect(known.get(id)?.unjudged, id).toBeUndefined();
    }
  });

  test('freezing today would drop nothing that is demanded', () => {
    const ids = new Set(freezeRequirements(protocol, revision, clauses).clauses.map(({ id }) => id));
    expect(set.clauses.filter(({ id }) => !ids.has(id))).toEqual([]);
  });

  test('no clause stands in it twice, and there are some', () => {
    expect(requiredIds(protocol, revision)?.size).toBe(set.clauses.length);
    expect(set.clauses.length).toBeGreaterThan(20);
  });
});

test('a revision that nobody knows has no set', () => {
  expect(requirementSet('agent-runner', '1999-01-01')).toBeUndefined();
});

test('a run that left clauses out cannot claim the set', () => {
  const set = requirementSet('agent-runner', '2026-06-03')!;
  const mine = set.clauses.filter(({ party }) => party === 'host');
  const whole = sampleOutcome(
    mine.map(({ id }) => sampleClause(id, 'pass')),
    { party: 'host' },
  );
  expect(missingFrom(whole, set)).toEqual([]);
  expect(missingFrom({ ...whole, clauses: whole.clauses.slice(2) }, set)).toEqual(mine.slice(0, 2).map(({ id }) => id));
});
