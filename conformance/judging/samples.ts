// Outcomes for tests: small ones made by hand, and arbitrary ones that keep the laws of an outcome.
import fc from 'fast-check';
import { concluded } from './baseline.ts';
import type { ClauseResult, Outcome, Verdict } from './outcome.ts';

export function sampleClause(id: string, verdict: Verdict, more: Partial<ClauseResult> = {}): ClauseResult {
  const tried = verdict === 'pass' || verdict === 'fail';
  return {
    id,
    level: 'MUST',
    party: 'runner',
    section: id.split('/')[1] ?? '1',
    area: 'results',
    text: `What ${id} asks.`,
    verdict,
    occasions: tried ? 12 : 0,
    violations: verdict === 'fail' ? 3 : 0,
    required: true,
    ...(tried ? {} : { reason: `because it is ${verdict}` }),
    ...(verdict === 'fail' ? { expected: 'one terminal result', found: 'none' } : {}),
    ...more,
  };
}

export function sampleOutcome(clauses: readonly ClauseResult[], more: Partial<Outcome> = {}): Outcome {
  return concluded({
    version: 1,
    runcert: '0.1.0',
    protocol: 'agent-runner',
    revision: '2026-06-03',
    party: 'runner',
    target: {
      kind: 'plugin',
      name: 'demo/echo',
      version: '1.2.3',
      declared: {},
      traits: ['seat:plugin', 'capability:streaming'],
    },
    seed: 42,
    options: { runs: 100, grace: 1000 },
    verdict: 'conformant',
    clauses: [...clauses],
    unjudged: [],
    notes: [],
    stale: [],
    counts: {
      clauses: 0,
      pass: 0,
      fail: 0,
      'not-exercised': 0,
      'not-applicable': 0,
      inconclusive: 0,
      'harness-fault': 0,
      excused: 0,
      warnings: 0,
      unjudged: 0,
      stimuli: 100,
      occasions: 0,
    },
    timing: { started: '2026-06-03T10:00:00.000Z', ms: 4200 },
    ...more,
  });
}

const VERDICTS: readonly Verdict[] = [
  'pass',
  'fail',
  'not-exercised',
  'not-applicable',
  'inconclusive',
  'harness-fault',
];

/** Any outcome whose words are drawn from `words`: the reports' property tests give it the nastiest there are. */
export function anyOutcome(words: fc.Arbitrary<string>): fc.Arbitrary<Outcome> {
  const maybe = <T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
    fc.option(value, { nil: undefined }).map((one) => (one === undefined ? {} : { [key]: one }) as Record<string, T>);
  const clause = fc
    .tuple(
      fc.record({
        id: words,
        level: fc.constantFrom('MUST' as const, 'SHOULD' as const, 'MAY' as const),
        party: fc.constantFrom('host' as const, 'runner' as const, 'runtime' as const),
        section: words,
        area: words,
        text: words,
        verdict: fc.constantFrom(...VERDICTS),
        occasions: fc.nat(1000),
        violations: fc.nat(10),
        required: fc.boolean(),
      }),
      maybe('reason', words),
      maybe('expected', words),
      maybe('found', words),
      maybe('case', words),
      maybe('recording', words),
      maybe('facts', fc.array(fc.nat(20), { maxLength: 3 })),
      maybe('excused', fc.record({ reason: words })),
    )
    .map((parts) => {
      const clause = Object.assign({}, ...parts) as ClauseResult;
      if (clause.verdict !== 'fail') delete clause.excused;
      return clause;
    });
  return fc
    .record({
      clauses: fc.uniqueArray(clause, { selector: ({ id }) => id, maxLength: 12 }),
      name: words,
      kind: words,
      targetVersion: words,
      traits: fc.array(words, { maxLength: 3 }),
      declared: fc.dictionary(words, words, { maxKeys: 3 }),
      options: fc.dictionary(words, words, { maxKeys: 3 }),
      revision: words,
      protocol: words,
      seed: fc.integer(),
      notes: fc.array(fc.record({ kind: words, text: words }), { maxLength: 3 }),
      unjudged: fc.array(fc.record({ id: words, reason: words }), { maxLength: 3 }),
      stale: fc.array(fc.record({ clause: words, why: words }), { maxLength: 2 }),
    })
    .map(
      ({
        clauses,
        name,
        kind,
        targetVersion,
        traits,
        declared,
        options,
        revision,
        protocol,
        seed,
        notes,
        unjudged,
        stale,
      }) =>
        sampleOutcome(clauses, {
          target: { kind, name, version: targetVersion, declared, traits },
          options,
          revision,
          protocol,
          seed,
          notes,
          unjudged,
          stale,
        }),
    );
}
