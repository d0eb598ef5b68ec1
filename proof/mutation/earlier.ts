// What earlier runs found, so that only what they left alive, and files that have changed since, need be tried again.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';

export type Tested = Pick<
  MutantResult,
  'fileName' | 'location' | 'mutatorName' | 'replacement' | 'status' | 'statusReason'
>;

export interface Earlier {
  /** Each file that was mutated as a whole, and the digest of what it held then. */
  readonly files: Readonly<Record<string, string>>;
  readonly mutants: readonly Tested[];
}

export const NOTHING: Earlier = { files: {}, mutants: [] };

export const readEarlier = (file: string): Earlier =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Earlier) : NOTHING;

const digestOf = (file: string): string =>
  existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';

/** Without the files that have changed since. */
export function stillTrue({ files, mutants }: Earlier): Earlier {
  const same = new Set(Object.keys(files).filter((file) => digestOf(file) === files[file]));
  return {
    files: Object.fromEntries(Object.entries(files).filter(([file]) => same.has(file))),
    mutants: mutants.filter(({ fileName }) => same.has(fileName)),
  };
}

export const isAlive = ({ status }: Tested): boolean => status === 'Survived' || status === 'NoCoverage';

/** What Stryker is to mutate: of a file that was measured only what is left alive in it without an excuse, of any other the whole. */
export function leftOver({ files, mutants }: Earlier, isExcused: (mutant: Tested) => boolean): string[] {
  const alive = mutants.filter((mutant) => isAlive(mutant) && !isExcused(mutant));
  return [
    ...Object.keys(files).map((file) => `!${file}`),
    // Lines count from 1 and columns from 0 here; in results both count from 1.
    ...alive.map(
      ({ fileName, location: { start, end } }) =>
        `${fileName}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`,
    ),
  ];
}

/** Earlier results with new ones in their place. */
export function together(earlier: Earlier, results: readonly MutantResult[]): Earlier {
  const tested = results.map(
    ({ fileName, location, mutatorName, replacement, status, statusReason }): Tested => ({
      fileName: relative('.', fileName),
      location,
      mutatorName,
      replacement,
      status,
      ...(statusReason === undefined ? {} : { statusReason }),
    }),
  );
  const again = new Set(tested.map(placeOf));
  const files = [...new Set([...Object.keys(earlier.files), ...tested.map(({ fileName }) => fileName)])];
  return {
    files: Object.fromEntries(files.map((file) => [file, digestOf(file)])),
    mutants: [...earlier.mutants.filter((mutant) => !again.has(placeOf(mutant))), ...tested],
  };
}

const placeOf = ({ fileName, location: { start, end }, mutatorName, replacement }: Tested): string =>
  [fileName, start.line, start.column, end.line, end.column, mutatorName, replacement].join(':');
