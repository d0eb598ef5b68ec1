// From Stryker's results to the figure that docs/soundness.md tells, and to the list of what is left.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Tested } from './earlier.ts';
import type { Part } from './parts.ts';
import { HUNG, LOST } from './runner.ts';
import { SHOWN } from './trial.ts';
import { WORDS } from './words.ts';

/**
 * Mutants that are no fault, and why: no run can tell them from the original; or, where `lawful` says so, they do something else
 * that every clause allows.
 */
interface Excuse {
  readonly file: string;
  readonly lawful?: boolean;
  readonly why: string;
  /** The line on which it stands (empty where any will do), and the code before and after; white space folded. Numbers of lines move, this stays. */
  readonly changes: readonly (readonly [line: string, original: string, replacement: string])[];
}

interface Equivalent extends Omit<Excuse, 'changes'> {
  readonly on: string;
  readonly original: string;
  readonly replacement: string;
}

export interface Survivor extends Pick<Equivalent, 'file' | 'original' | 'replacement'> {
  readonly line: number;
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
  readonly stale: readonly Equivalent[];
}

const fold = (code: string): string => code.replace(/\s+/g, ' ').trim();

export function summaryOf(part: Part, results: readonly Tested[], list: string): Summary {
  const known = ((parse(list) ?? []) as Excuse[]).flatMap(({ changes, ...excuse }) =>
    changes.map(([on, original, replacement]) => ({ ...excuse, on, original, replacement, used: false })),
  );
  const sources = new Map<string, string[]>();
  const linesOf = (file: string): string[] => {
    const lines = sources.get(file) ?? readFileSync(file, 'utf8').split('\n');
    sources.set(file, lines);
    return lines;
  };
  const counted = results.filter(({ status }) => !['Ignored', 'CompileError', 'RuntimeError'].includes(status));
  const survivors = counted
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map((mutant): Survivor => {
      const file = mutant.fileName;
      const original = fold(codeAt(linesOf(file), mutant.location));
      const replacement = fold(mutant.replacement ?? '');
      const on = fold(linesOf(file)[mutant.location.start.line - 1] ?? '');
      const entry = known.find(
        (one) =>
          one.file === file &&
          (one.on === '' || fold(one.on) === on) &&
          fold(one.original) === original &&
          fold(one.replacement) === replacement,
      );
      if (entry !== undefined) entry.used = true;
      return {
        file,
        line: mutant.location.start.line,
        original,
        replacement,
        covered: mutant.status === 'Survived',
        ...(entry !== undefined && { excuse: entry.lawful ? 'lawful' : 'equivalent' }),
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
    stale: known.filter(({ used, file }) => !used && seen.has(file)).map(({ used: _, ...entry }) => entry),
  };
}

/** The code between two positions, as Stryker counts them: lines and columns from 1. */
function codeAt(lines: readonly string[], { start, end }: Tested['location']): string {
  const part = lines.slice(start.line - 1, end.line);
  part[part.length - 1] = (part.at(-1) ?? '').slice(0, end.column - 1);
  part[0] = (part[0] ?? '').slice(start.column - 1);
  return part.join('\n');
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
