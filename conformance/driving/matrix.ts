// The kill matrix: every mutant, honest variant and vacuous implementation against every clause.
// A mutant is caught when every clause that must catch it fails; what else fails is told beside it.
import type { Outcome } from '../judging/outcome.ts';
import { drive } from './drive.ts';
import type { Suite } from './suite.ts';

export interface MatrixRow {
  readonly id: string;
  readonly kind: 'reference' | 'mutant' | 'variant' | 'vacuous';
  readonly party: Suite['party'];
  readonly what: string;
  /** The clauses that must catch a mutant. */
  readonly intended: readonly string[];
  /** The clauses that failed. */
  readonly failed: readonly string[];
  /** Why the row is not as it should be; empty when it is. */
  readonly wrong: readonly string[];
  readonly verdict: Outcome['verdict'];
  readonly stimuli: number;
}

export interface Matrix {
  readonly rows: readonly MatrixRow[];
  /** Judged clauses that no mutant is meant for. */
  readonly uncovered: readonly string[];
  readonly counts: {
    readonly mutants: number;
    readonly caught: number;
    readonly honest: number;
    readonly falseAlarms: number;
  };
}

interface Entry extends Pick<MatrixRow, 'id' | 'kind' | 'what' | 'intended'> {
  readonly target: () => ReturnType<Suite['reference']>;
  readonly passes?: readonly string[];
}

export function entriesOf(suite: Suite): Entry[] {
  return [
    {
      id: `reference-${suite.party}`,
      kind: 'reference',
      what: 'the reference implementation as it is',
      intended: [],
      target: suite.reference,
    },
    ...suite.mutants.map(({ id, what, clauses, target }) => ({
      id,
      what,
      kind: 'mutant' as const,
      intended: clauses,
      target,
    })),
    ...suite.variants.map(({ id, what, vacuous, target }) => ({
      id,
      what,
      kind: vacuous === undefined ? ('variant' as const) : ('vacuous' as const),
      intended: [],
      target,
      ...(vacuous === undefined ? {} : { passes: vacuous.passes }),
    })),
  ];
}

export interface MatrixOptions {
  readonly seed: number;
  readonly runs?: number;
  readonly beyond?: number;
  readonly version: string;
  readonly signal?: AbortSignal;
  /** Leave a mutant alone once the clauses meant for it have caught it; which others would have is then not told. */
  readonly quick?: boolean;
}

export async function matrixRow(suite: Suite, entry: Entry, { quick, ...rest }: MatrixOptions): Promise<MatrixRow> {
  const options = { ...rest, shrinkPlays: 0 };
  if (quick && entry.kind === 'mutant') {
    // A clause has an area that exercises it; where that is not enough, the mutant meets the whole suite.
    const areas = suite.areas.filter((area) =>
      suite.clauses.some(({ id, area: own }) => own === area.id && entry.intended.includes(id)),
    );
    const { outcome } = await drive({ ...suite, areas }, entry.target(), { ...options, until: entry.intended });
    const row = rowOf(suite, entry, outcome);
    if (row.wrong.length === 0) return row;
  }
  const { outcome } = await drive(suite, entry.target(), options);
  return rowOf(suite, entry, outcome);
}

function rowOf(suite: Suite, entry: Entry, outcome: Outcome): MatrixRow {
  const of = (verdict: string): string[] =>
    outcome.clauses.filter((clause) => clause.verdict === verdict).map(({ id }) => id);
  const failed = of('fail');
  return {
    id: entry.id,
    kind: entry.kind,
    party: suite.party,
    what: entry.what,
    intended: entry.intended,
    failed,
    wrong: wrongs(entry, outcome, failed, of('pass')),
    verdict: outcome.verdict,
    stimuli: outcome.counts.stimuli,
  };
}

function wrongs(entry: Entry, outcome: Outcome, failed: readonly string[], passed: readonly string[]): string[] {
  switch (entry.kind) {
    case 'mutant':
      return entry.intended.filter((clause) => !failed.includes(clause)).map((clause) => `missed by ${clause}`);
    case 'vacuous':
      return [
        ...(outcome.verdict === 'conformant' ? ['found conformant'] : []),
        ...passed
          .filter((clause) => !entry.passes?.includes(clause))
          .map((clause) => `passes ${clause}, which it never kept`),
      ];
    default:
      return [
        ...failed.map((clause) => `false alarm of ${clause}`),
        ...(failed.length === 0 && outcome.verdict !== 'conformant' ? [outcome.reason ?? 'not found conformant'] : []),
      ];
  }
}

export function matrixOf(suites: readonly Suite[], rows: readonly MatrixRow[]): Matrix {
  const meant = new Set(rows.flatMap(({ intended }) => intended));
  const mutants = rows.filter(({ kind }) => kind === 'mutant');
  const honest = rows.filter(({ kind }) => kind === 'reference' || kind === 'variant');
  return {
    rows,
    uncovered: suites.flatMap(({ clauses }) =>
      clauses.filter(({ id, unjudged }) => unjudged === undefined && !meant.has(id)).map(({ id }) => id),
    ),
    counts: {
      mutants: mutants.length,
      caught: mutants.filter(({ wrong }) => wrong.length === 0).length,
      honest: honest.length,
      falseAlarms: honest.filter(({ wrong }) => wrong.length > 0).length,
    },
  };
}
