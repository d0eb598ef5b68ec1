// Two outcomes side by side: what broke, what was mended, what is no longer known.
import { RuncertError } from '../../common/error.ts';
import { canonical } from '../../common/json.ts';
import type { Outcome, Verdict } from './outcome.ts';

export interface ClauseChange {
  readonly id: string;
  readonly from: Verdict;
  readonly to: Verdict;
}

export interface Comparison {
  readonly verdict: { readonly from: Outcome['verdict']; readonly to: Outcome['verdict'] };
  /** Fail now, and did not before. */
  readonly broken: readonly string[];
  /** Failed before, and pass now. */
  readonly mended: readonly string[];
  readonly stillBroken: readonly string[];
  /** Were decided (pass or fail) before, and are not any more. */
  readonly lost: readonly ClauseChange[];
  /** Every other change of verdict. */
  readonly changed: readonly ClauseChange[];
  /** Clauses that only one of the two knows. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** What else differs, and may explain a change: revision, target, seed, version. */
  readonly differences: readonly string[];
}

const decided = (verdict: Verdict): boolean => verdict === 'pass' || verdict === 'fail';

export function compareOutcomes(previous: Outcome, next: Outcome): Comparison {
  if (previous.protocol !== next.protocol || previous.party !== next.party) {
    throw new RuncertError(
      'RUNCERT_COMPARE',
      `A ${previous.protocol} ${previous.party} cannot be compared with a ${next.protocol} ${next.party}.`,
      {
        remedy: 'Give the previous outcome of the same protocol and party.',
      },
    );
  }
  const before = new Map(previous.clauses.map((result) => [result.id, result.verdict]));
  const after = new Map(next.clauses.map((result) => [result.id, result.verdict]));
  const changes = next.clauses.flatMap(({ id, verdict }): ClauseChange[] => {
    const from = before.get(id);
    return from === undefined ? [] : [{ id, from, to: verdict }];
  });
  const fresh = next.clauses.filter(({ id }) => !before.has(id));
  const ids = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);
  const moved = changes.filter(({ from, to }) => from !== to);
  return {
    verdict: { from: previous.verdict, to: next.verdict },
    broken: ids([...moved.filter(({ to }) => to === 'fail'), ...fresh.filter(({ verdict }) => verdict === 'fail')]),
    mended: ids(moved.filter(({ from, to }) => from === 'fail' && to === 'pass')),
    stillBroken: ids(changes.filter(({ from, to }) => from === 'fail' && to === 'fail')),
    lost: moved.filter(({ from, to }) => decided(from) && !decided(to)),
    changed: moved.filter(({ from, to }) => !decided(from) && to !== 'fail'),
    added: ids(fresh),
    removed: ids(previous.clauses.filter(({ id }) => !after.has(id))),
    differences: differences(previous, next),
  };
}

/** "Two clauses newly broken, one mended", in one sentence. */
export function comparisonSentence(comparison: Comparison): string {
  const parts = [
    phrase(comparison.broken.length, 'newly broken'),
    phrase(comparison.mended.length, 'mended'),
    phrase(comparison.lost.length, 'no longer decided'),
  ].filter((part) => part !== '');
  const still = comparison.stillBroken.length;
  if (parts.length === 0)
    return still === 0
      ? 'Nothing changed since the previous outcome.'
      : `Nothing changed since the previous outcome; ${number(still)} still broken.`;
  const [first = '', ...others] = parts;
  const count = [comparison.broken, comparison.mended, comparison.lost].find((list) => list.length > 0)?.length ?? 0;
  const head = first.replace(' ', count === 1 ? ' clause ' : ' clauses ');
  return `${capital([head, ...others].join(', '))} since the previous outcome.`;
}

function differences(previous: Outcome, next: Outcome): string[] {
  const say = (what: string, from: unknown, to: unknown): string[] =>
    canonical(from ?? null) === canonical(to ?? null) ? [] : [`${what}: ${text(from)} → ${text(to)}`];
  return [
    ...say('revision', previous.revision, next.revision),
    ...say('runcert', previous.runcert, next.runcert),
    ...say('seed', previous.seed, next.seed),
    ...say('target', previous.target.name, next.target.name),
    ...say('target version', previous.target.version, next.target.version),
    ...say('target traits', previous.target.traits, next.target.traits),
  ];
}

const text = (value: unknown): string => (typeof value === 'string' ? value : canonical(value ?? null));
const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const number = (n: number): string => WORDS[n] ?? String(n);
const phrase = (n: number, what: string): string => (n === 0 ? '' : `${number(n)} ${what}`);
const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
