// Requirement sets: what "certified" demands at a revision, frozen. A clause that is written later runs and is shown, and counts in the next set.
import { type Static, Type } from 'typebox';
import { checkDocument } from '../../common/document.ts';
import agentRunner from '../../spec/agent-runner/2026-06-03/requirements.json' with { type: 'json' };
import agentRuntime from '../../spec/agent-runtime/0.3.9/requirements.json' with { type: 'json' };
import type { Clause } from './clause.ts';
import type { Outcome } from './outcome.ts';

export const RequirementSet = Type.Object(
  {
    protocol: Type.String(),
    revision: Type.String(),
    /** Every clause that could be judged when the set was frozen. */
    clauses: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          level: Type.Enum(['MUST', 'SHOULD', 'MAY']),
          party: Type.Enum(['host', 'runtime', 'runner', 'sdk']),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type RequirementSet = Static<typeof RequirementSet>;

/** A new revision adds its line here. */
const SETS: readonly unknown[] = [agentRunner, agentRuntime];

/** The set of a revision; undefined where this version of Runcert has none. */
export function requirementSet(protocol: string, revision: string): RequirementSet | undefined {
  return SETS.map((set) =>
    checkDocument(RequirementSet, set, { what: 'requirement set', code: 'RUNCERT_REQUIREMENTS', place: 'spec' }),
  ).find((set) => set.protocol === protocol && set.revision === revision);
}

/** The ids that a suite takes as its `requirements`; undefined means that every clause counts. */
export function requiredIds(protocol: string, revision: string): ReadonlySet<string> | undefined {
  const set = requirementSet(protocol, revision);
  return set === undefined ? undefined : new Set(set.clauses.map(({ id }) => id));
}

const JUDGED: Readonly<Record<Outcome['party'], readonly Clause['party'][]>> = {
  host: ['host'],
  runner: ['runner', 'runtime', 'sdk'],
  runtime: ['runtime', 'host', 'runner', 'sdk'],
};

/** What a claim of "certified" would lack: clauses of the set that the outcome does not hold, because they were filtered away. */
export function missingFrom(outcome: Outcome, set: RequirementSet): string[] {
  const held = new Set(outcome.clauses.map(({ id }) => id));
  return set.clauses
    .filter(({ id, party }) => JUDGED[outcome.party].includes(party) && !held.has(id))
    .map(({ id }) => id);
}

/** The set that these clauses make, to be frozen in the folder of their revision. */
export function freezeRequirements(protocol: string, revision: string, clauses: readonly Clause[]): RequirementSet {
  const judged = clauses
    .filter(({ unjudged }) => unjudged === undefined)
    .map(({ id, level, party }) => ({ id, level, party }));
  return { protocol, revision, clauses: judged.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)) };
}
