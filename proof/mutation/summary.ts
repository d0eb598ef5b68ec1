// From Stryker's results to the figure that docs/soundness.md tells, and to the list of what is left.
import { isAlive, type Tested } from './earlier.ts';
import type { Change, Excuse, Excuses } from './excuses.ts';
import type { Part } from './parts.ts';
import { HUNG, LOST } from './runner.ts';
import { SHOWN } from './trial.ts';
import { WORDS } from './words.ts';

export interface Survivor extends Change {
  readonly covered: boolean;
  /** Why it is not counted. */
  readonly excuse?: 'equivalent' | 'lawful';
}

export interface Summary {
  readonly part: string;
  readonly what: string;
  readonly mutants: number;
  /** Killed by a verdict. */
  readonly killed: number;
  /** Killed because a MUST that the original exercised was not exercised any more, so that a run would end inconclusive. */
  readonly open: number;
  /** Killed because a call or a type of result that the original shows never came any more. */
  readonly silent: number;
  readonly timeouts: number;
  /** Not counted: the same as the original, another lawful choice, or words for people, which are not even tried. */
  readonly equivalent: number;
  readonly lawful: number;
  readonly words: number;
  /** Percent killed of those that count, and of all. */
  readonly score: number;
  readonly scoreOfAll: number;
  readonly left: readonly Survivor[];
  /** Entries of the list that no survivor matches any more. */
  readonly stale: readonly Excuse[];
}

export function summaryOf(part: Part, results: readonly Tested[], excuses: Excuses): Summary {
  const used = new Set<Excuse>();
  const counted = results.filter(({ status }) => !['Ignored', 'CompileError', 'RuntimeError'].includes(status));
  const survivors = counted.filter(isAlive).map((mutant): Survivor => {
    const excuse = excuses.find(mutant);
    if (excuse !== undefined) used.add(excuse);
    return {
      ...excuses.changeOf(mutant),
      covered: mutant.status === 'Survived',
      ...(excuse !== undefined && { excuse: excuse.lawful ? 'lawful' : 'equivalent' }),
    };
  });
  const left = survivors.filter(({ excuse }) => excuse === undefined);
  const excused = (kind: Survivor['excuse']): number => survivors.filter(({ excuse }) => excuse === kind).length;
  const percentOf = (all: number): number =>
    Math.floor((1000 * (counted.length - survivors.length)) / Math.max(1, all)) / 10;
  const words = results.filter(({ statusReason }) => statusReason === WORDS).length;
  const of = (status: string): number => counted.filter((mutant) => mutant.status === status).length;
  const lost = counted.filter(({ status, statusReason }) => status === 'Killed' && statusReason?.includes(LOST));
  const silent = lost.filter(({ statusReason }) => statusReason?.startsWith(SHOWN)).length;
  const hung = counted.filter(({ status, statusReason }) => status === 'Killed' && statusReason === HUNG).length;
  const seen = new Set(results.map(({ fileName }) => fileName));
  return {
    part: part.id,
    what: part.what,
    mutants: counted.length + words,
    killed: of('Killed') - lost.length - hung,
    open: lost.length - silent,
    silent,
    timeouts: of('Timeout') + hung,
    equivalent: excused('equivalent'),
    lawful: excused('lawful'),
    words,
    score: percentOf(counted.length - survivors.length + left.length),
    scoreOfAll: percentOf(counted.length + words),
    left,
    stale: excuses.all.filter((one) => !used.has(one) && seen.has(one.file)),
  };
}

const cut = (text: string): string => (text.length > 90 ? `${text.slice(0, 89)}…` : text);

export function wordsOf(summary: Summary): string {
  const { what, mutants, killed, open, silent, timeouts, equivalent, lawful, words, score, scoreOfAll, left, stale } =
    summary;
  const lines = left.map(
    ({ file, line, original, replacement, covered }) =>
      `  ${file}:${line}${covered ? '' : ' (never run)'}\n    - ${cut(original)}\n    + ${cut(replacement)}`,
  );
  return [
    ...lines,
    ...stale.map(({ file, original }) => `  no longer needed in equivalent.yaml: ${file}: ${cut(original)}`),
    `${what}: ${score} % of ${mutants - equivalent - lawful - words} mutants killed (${killed} by a failing clause, ` +
      `${open} by a MUST no longer exercised, ${silent} by a call or result that no longer came, ${timeouts} by never ending), ${left.length} left; not counted: ${equivalent} equivalent, ` +
      `${lawful} lawful, ${words} in words for people; ${scoreOfAll} % of all ${mutants}`,
  ].join('\n');
}
