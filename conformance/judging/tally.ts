// Counting findings, case by case, without keeping the cases.
import type { Fact, RecordingHead } from '../recording/fact.ts';
import type { Finding, Judge } from './judge.ts';

/** The first violation of a clause, and where it was seen. */
export interface FirstViolation {
  readonly case: string;
  readonly area: string;
  /** Which stimulus of its area it was. */
  readonly index: number;
  readonly finding: Extract<Finding, { kind: 'broken' }>;
}

export interface ClauseTally {
  occasions: number;
  violations: number;
  /** Occasions that never came to their end. */
  open: number;
  openReason: string | undefined;
  /** Findings set aside because the harness itself was at fault in their case. */
  spoiled: number;
  first: FirstViolation | undefined;
}

export type Findings = ReadonlyMap<string, readonly Finding[]>;

interface Judging<View> {
  readonly judges: readonly Judge<View>[];
  assemble(head: RecordingHead, facts: readonly Fact[]): View;
}

/** Lets every judge look at one case. A judge that throws is a fault of ours and is told as such. */
export function judgeCase<View>(
  suite: Judging<View>,
  head: RecordingHead,
  facts: readonly Fact[],
  only?: ReadonlySet<string>,
): Findings {
  return judgeView(suite.judges, suite.assemble(head, facts), only);
}

/** The same for a case that is set in order already. */
export function judgeView<View>(
  judges: readonly Judge<View>[],
  view: View,
  only: ReadonlySet<string> | undefined,
): Findings {
  const findings = new Map<string, readonly Finding[]>();
  for (const { clause, judge } of judges) {
    if (only !== undefined && !only.has(clause)) continue;
    const found: Finding[] = [];
    for (const finding of judge(view)) found.push(finding);
    if (found.length === 0) continue;
    const before = findings.get(clause);
    findings.set(clause, before === undefined ? found : [...before, ...found]);
  }
  return findings;
}

/** What was counted in some cases, as plain data. */
export interface Counted {
  readonly cases: number;
  readonly clauses: ReadonlyMap<string, ClauseTally>;
}

export class Tally implements Counted {
  readonly clauses = new Map<string, ClauseTally>();
  cases = 0;

  of(clause: string): ClauseTally {
    let tally = this.clauses.get(clause);
    if (tally === undefined) {
      tally = { occasions: 0, violations: 0, open: 0, openReason: undefined, spoiled: 0, first: undefined };
      this.clauses.set(clause, tally);
    }
    return tally;
  }

  /** Adds the findings of one case. Where the harness broke the rules in it, they prove nothing. */
  add(
    findings: Findings,
    from: { readonly case: string; readonly area: string; readonly index: number; readonly harnessFault: boolean },
  ): void {
    this.cases++;
    for (const [clause, list] of findings) {
      const tally = this.of(clause);
      for (const finding of list) {
        if (from.harnessFault) {
          tally.spoiled++;
        } else if (finding.kind === 'open') {
          tally.open++;
          tally.openReason ??= finding.reason;
        } else {
          tally.occasions++;
          if (finding.kind === 'broken') {
            tally.violations++;
            tally.first ??= { case: from.case, area: from.area, index: from.index, finding };
          }
        }
      }
    }
  }

  /** Goes on with what was counted apart in the cases that follow. */
  join({ cases, clauses }: Counted): void {
    for (const [clause, { occasions, violations, open, openReason, spoiled, first }] of clauses) {
      const tally = this.of(clause);
      tally.occasions += occasions;
      tally.violations += violations;
      tally.open += open;
      tally.openReason ??= openReason;
      tally.spoiled += spoiled;
      if (first !== undefined) tally.first ??= { ...first, index: this.cases + first.index };
    }
    this.cases += cases;
  }
}

export const hasHarnessFault = (facts: readonly Fact[]): boolean =>
  facts.some((fact) => fact.fact === 'fault' && fact.by === 'harness');
