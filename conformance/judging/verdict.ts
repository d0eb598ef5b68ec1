// From counts to verdicts, by DESIGN's vocabulary. A skip is never a pass; an empty run is never green.
import type { Clause } from './clause.ts';
import type { ClauseResult, Counts, Outcome, Verdict } from './outcome.ts';
import type { ClauseTally, Tally } from './tally.ts';

export interface Judgement {
  readonly clauses: readonly Clause[];
  readonly traits: readonly string[];
  readonly tally: Tally;
  /** Why the run stopped before its budget was spent, if it did. */
  readonly cutShort?: string;
  readonly requirements?: ReadonlySet<string>;
}

/** A verdict for every clause that can be judged, in the order of the specification. */
export function verdicts({ clauses, traits, tally, cutShort, requirements }: Judgement): ClauseResult[] {
  const judged = clauses.filter((clause) => clause.unjudged === undefined);
  const failed = new Set(
    judged.filter((clause) => (tally.clauses.get(clause.id)?.violations ?? 0) > 0).map((clause) => clause.id),
  );
  return judged.map((clause) => {
    const counted = tally.clauses.get(clause.id);
    const broken = clause.after?.filter((id) => failed.has(id)) ?? [];
    const { verdict, reason } = verdictOf(counted, missingTrait(clause, traits), broken, cutShort);
    const finding = verdict === 'fail' ? counted?.first?.finding : undefined;
    return {
      id: clause.id,
      level: clause.level,
      party: clause.party,
      section: clause.section,
      area: clause.area,
      text: clause.text,
      verdict,
      occasions: counted?.occasions ?? 0,
      violations: counted?.violations ?? 0,
      ...(reason === undefined ? {} : { reason }),
      ...(finding === undefined ? {} : { expected: finding.expected, found: finding.found, facts: [...finding.facts] }),
      required: requirements?.has(clause.id) ?? true,
    };
  });
}

function verdictOf(
  counted: ClauseTally | undefined,
  missing: string | undefined,
  brokenBefore: readonly string[],
  cutShort: string | undefined,
): { verdict: Verdict; reason?: string } {
  if (counted !== undefined && counted.violations > 0) {
    if (brokenBefore.length === 0) return { verdict: 'fail' };
    return { verdict: 'inconclusive', reason: `${brokenBefore.join(', ')} failed, on which this clause rests` };
  }
  if (counted !== undefined && counted.occasions > 0) return { verdict: 'pass' };
  if (missing !== undefined) return { verdict: 'not-applicable', reason: `the target does not declare ${missing}` };
  if (counted !== undefined && counted.spoiled > 0)
    return {
      verdict: 'harness-fault',
      reason: 'Runcert itself broke a rule of the wire in every case that could tell',
    };
  if (counted !== undefined && counted.open > 0)
    return { verdict: 'inconclusive', reason: counted.openReason ?? 'no occasion came to its end' };
  if (cutShort !== undefined) return { verdict: 'inconclusive', reason: cutShort };
  return { verdict: 'not-exercised', reason: 'no stimulus gave the target an occasion to break it' };
}

/** The first trait that the clause needs and the target lacks. */
export function missingTrait(clause: Clause, traits: readonly string[]): string | undefined {
  return clause.requires?.find((wanted) => !wanted.split('|').some((one) => traits.includes(one)));
}

/** The verdict on the whole, with its reason. `stale` baseline entries fail a run too. */
export function overall(results: readonly ClauseResult[], stale: number): Pick<Outcome, 'verdict' | 'reason'> {
  const musts = results.filter((result) => result.level === 'MUST' && result.required);
  const failed = musts.filter((result) => result.verdict === 'fail' && result.excused === undefined);
  if (failed.length > 0) return { verdict: 'not-conformant', reason: `${count(failed.length, 'MUST clause')} failed` };
  if (stale > 0)
    return {
      verdict: 'not-conformant',
      reason: `${count(stale, 'baseline entry', 'baseline entries')} stale or expired`,
    };
  const unknown = musts.filter((result) => ['not-exercised', 'inconclusive', 'harness-fault'].includes(result.verdict));
  if (unknown.length > 0)
    return {
      verdict: 'inconclusive',
      reason: `${count(unknown.length, 'MUST clause that applies', 'MUST clauses that apply')} could not be decided`,
    };
  if (!musts.some((result) => result.verdict === 'pass'))
    return { verdict: 'inconclusive', reason: 'no MUST clause was exercised' };
  return { verdict: 'conformant' };
}

export function countUp(results: readonly ClauseResult[], unjudged: number, stimuli: number): Counts {
  const of = (verdict: Verdict): number => results.filter((result) => result.verdict === verdict).length;
  return {
    clauses: results.length,
    pass: of('pass'),
    fail: of('fail'),
    'not-exercised': of('not-exercised'),
    'not-applicable': of('not-applicable'),
    inconclusive: of('inconclusive'),
    'harness-fault': of('harness-fault'),
    excused: results.filter((result) => result.excused !== undefined).length,
    warnings: results.filter((result) => result.verdict === 'fail' && result.level !== 'MUST').length,
    unjudged,
    stimuli,
    occasions: results.reduce((sum, result) => sum + result.occasions, 0),
  };
}

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
