// The list of mutants that are no fault (equivalent.yaml), and how one of them is known again.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Tested } from './earlier.ts';

/**
 * Mutants that are no fault, and why: no run can tell them from the original; or, where `lawful` says so, they do something else
 * that every clause allows.
 */
interface Entry {
  readonly file: string;
  readonly lawful?: boolean;
  readonly why: string;
  /** The line on which it stands (empty where any will do), and the code before and after; white space folded. Numbers of lines move, this stays. */
  readonly changes: readonly (readonly [line: string, original: string, replacement: string])[];
}

export interface Excuse extends Omit<Entry, 'changes'> {
  readonly on: string;
  readonly original: string;
  readonly replacement: string;
}

/** A mutant as a reader sees it. */
export interface Change {
  readonly file: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}

export interface Excuses {
  readonly all: readonly Excuse[];
  changeOf(mutant: Tested): Change;
  find(mutant: Tested): Excuse | undefined;
}

const fold = (code: string): string => code.replace(/\s+/g, ' ').trim();

export function readExcuses(path: string): Excuses {
  const all = ((parse(readFileSync(path, 'utf8')) ?? []) as Entry[]).flatMap(({ changes, ...excuse }) =>
    changes.map(([on, original, replacement]) => ({
      ...excuse,
      on: fold(on),
      original: fold(original),
      replacement: fold(replacement),
    })),
  );
  const sources = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const lines = sources.get(file) ?? readFileSync(file, 'utf8').split('\n');
    sources.set(file, lines);
    return lines;
  };
  const changeOf = ({ fileName: file, location, replacement }: Tested): Change => ({
    file,
    line: location.start.line,
    original: fold(codeAt(linesOf(file), location)),
    replacement: fold(replacement ?? ''),
  });
  return {
    all,
    changeOf,
    find: (mutant) => {
      const { file, line, original, replacement } = changeOf(mutant);
      const on = fold(linesOf(file)[line - 1] ?? '');
      return all.find(
        (one) =>
          one.file === file &&
          (one.on === '' || one.on === on) &&
          one.original === original &&
          one.replacement === replacement,
      );
    },
  };
}

/** The code between two positions, as Stryker counts them: lines and columns from 1. */
function codeAt(lines: readonly string[], { start, end }: Tested['location']): string {
  const part = lines.slice(start.line - 1, end.line);
  part[part.length - 1] = (part.at(-1) ?? '').slice(0, end.column - 1);
  part[0] = (part[0] ?? '').slice(start.column - 1);
  return part.join('\n');
}
