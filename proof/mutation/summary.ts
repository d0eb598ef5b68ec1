// From Stryker's results to the figure that docs/soundness.md tells, and to the list of what is left.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';
import { parse } from 'yaml';
import type { Part } from './parts.ts';

/** A mutant that no run can tell from the original, and why. */
interface Equivalent {
  readonly file: string;
  /** The code before and after, white space folded; lines move, this stays. */
  readonly original: string;
  readonly replacement: string;
  readonly why: string;
}

export interface Survivor extends Omit<Equivalent, 'why'> {
  readonly line: number;
  readonly covered: boolean;
  readonly why?: string;
}

export interface Summary {
  readonly part: string;
  readonly what: string;
  readonly mutants: number;
  readonly killed: number;
  readonly timeouts: number;
  readonly equivalent: number;
  /** Survivors that empty a sentence meant for a person: its wording is free. */
  readonly wordings: number;
  /** Percent killed of those that are neither equivalent nor a wording. */
  readonly score: number;
  readonly left: readonly Survivor[];
  /** Entries of the list that no survivor matches any more. */
  readonly stale: readonly Equivalent[];
}

const fold = (code: string): string => code.replace(/\s+/g, ' ').trim();

export function summaryOf(part: Part, results: readonly MutantResult[], list: string): Summary {
  const known = ((parse(list) ?? []) as Equivalent[]).map((entry) => ({ ...entry, used: false }));
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
      const file = relative('.', mutant.fileName);
      const original = fold(codeAt(linesOf(file), mutant.location));
      const replacement = fold(mutant.replacement ?? '');
      const entry = known.find(
        (one) => one.file === file && fold(one.original) === original && fold(one.replacement) === replacement,
      );
      if (entry !== undefined) entry.used = true;
      return {
        file,
        line: mutant.location.start.line,
        original,
        replacement,
        covered: mutant.status === 'Survived',
        ...(entry === undefined ? {} : { why: entry.why }),
      };
    });
  const unexplained = survivors.filter(({ why }) => why === undefined);
  const left = unexplained.filter((survivor) => !isWording(survivor));
  const equivalent = survivors.length - unexplained.length;
  const wordings = unexplained.length - left.length;
  const of = (status: string): number => counted.filter((mutant) => mutant.status === status).length;
  const seen = new Set(results.map(({ fileName }) => relative('.', fileName)));
  return {
    part: part.id,
    what: part.what,
    mutants: counted.length,
    killed: of('Killed'),
    timeouts: of('Timeout'),
    equivalent,
    wordings,
    score:
      Math.floor((1000 * (counted.length - survivors.length)) / Math.max(1, counted.length - equivalent - wordings)) /
      10,
    left,
    stale: known.filter(({ used, file }) => !used && seen.has(file)).map(({ used: _, ...entry }) => entry),
  };
}

/** A literal of three words or more, emptied. No name, code or key of a protocol holds a blank, so none hides behind this. */
const isWording = ({ original, replacement }: Survivor): boolean =>
  /^(['"`]).*\1$/s.test(original) && /\w \w.* \w/.test(original) && ['""', '``'].includes(replacement);

/** The code between two positions, as Stryker counts them: lines and columns from 1. */
function codeAt(lines: readonly string[], { start, end }: MutantResult['location']): string {
  const part = lines.slice(start.line - 1, end.line);
  part[part.length - 1] = (part.at(-1) ?? '').slice(0, end.column - 1);
  part[0] = (part[0] ?? '').slice(start.column - 1);
  return part.join('\n');
}

const cut = (text: string): string => (text.length > 90 ? `${text.slice(0, 89)}…` : text);

export function wordsOf(summary: Summary): string {
  const { what, mutants, killed, timeouts, equivalent, wordings, score, left, stale } = summary;
  const lines = left.map(
    ({ file, line, original, replacement, covered }) =>
      `  ${file}:${line}${covered ? '' : ' (never run)'}\n    - ${cut(original)}\n    + ${cut(replacement)}`,
  );
  return [
    ...lines,
    ...stale.map(({ file, original }) => `  no longer needed in equivalent.yaml: ${file}: ${cut(original)}`),
    `${what}: ${score} % of ${mutants - equivalent - wordings} mutants killed (${killed} by a verdict, ` +
      `${timeouts} by never ending), ${left.length} left; beside them ${equivalent} equivalent, ${wordings} wordings`,
  ].join('\n');
}
