import { describe, expect, it } from 'vitest';
import { clauses } from '../../schemas/agent-runner/2026-06-03/clauses.ts';
import { hostMutants } from './host-mutants.ts';

describe('the mutants of the reference host', () => {
  const judged = clauses
    .filter(({ party, unjudged }) => party === 'host' && unjudged === undefined)
    .map(({ id }) => id);

  it('each have an id of their own and say what they do', () => {
    expect(new Set(hostMutants.map(({ id }) => id)).size).toBe(hostMutants.length);
    for (const { what } of hostMutants) expect(what).toMatch(/^[A-Z].*\.$/);
  });

  it('name only clauses that there are', () => {
    expect(hostMutants.flatMap((mutant) => mutant.clauses).filter((id) => !judged.includes(id))).toEqual([]);
  });

  it('leave no judged clause of a host without one', () => {
    const broken = new Set(hostMutants.flatMap((mutant) => mutant.clauses));
    expect(judged.filter((id) => !broken.has(id))).toEqual([]);
  });
});
