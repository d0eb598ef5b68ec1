// Mutants that nobody wrote: StrykerJS over the reference implementations, with the conformance run as the only test.
// Usage: npm run mutation [-- PART…] [--files GLOB] [--left]
// --left takes over what earlier runs found in files that are still the same, and tries again only what they left alive without an excuse.
// Survivors that stand in mutation/equivalent.yaml are told apart; any other survivor is listed with its place.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { leftOver, NOTHING, readEarlier, stillTrue, together } from './mutation/earlier.ts';
import { readExcuses } from './mutation/excuses.ts';
import { PARTS, type Part } from './mutation/parts.ts';
import { ORIGINAL, PART } from './mutation/runner.ts';
import { summaryOf, wordsOf } from './mutation/summary.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', multiple: true },
    left: { type: 'boolean', default: false },
    workers: { type: 'string' },
  },
});
const unknown = positionals.find((name) => !PARTS.some(({ id }) => id === name));
if (unknown !== undefined)
  throw new Error(`There is no part ${unknown}; the parts are ${PARTS.map(({ id }) => id).join(', ')}.`);

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const OUT = 'mutation-report';
const BUILD = ['--config', 'proof/mutation/tsdown.config.ts'];
execFileSync('node_modules/.bin/tsdown', [...BUILD, '--out-dir', fileURLToPath(ORIGINAL)], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
await mkdir(OUT, { recursive: true });
const excuses = readExcuses(here('mutation/equivalent.yaml'));
let enough = true;
for (const part of PARTS.filter(({ id }) => positionals.length === 0 || positionals.includes(id))) {
  const file = `${OUT}/${part.id}.mutants.json`;
  const known = stillTrue(readEarlier(file));
  const results = await mutate(
    part,
    values.left ? leftOver(known, (mutant) => excuses.find(mutant) !== undefined) : [],
  );
  const all = together(known, results);
  // A range of lines is not the file.
  if (!values.files?.some((glob) => /:\d/.test(glob))) await writeFile(file, JSON.stringify(all));
  const tested = values.left ? all.mutants : together(NOTHING, results).mutants;
  const summary = summaryOf(part, tested, excuses);
  await writeFile(`${OUT}/${part.id}.json`, `${JSON.stringify(summary, null, 2)}\n`);
  console.log(wordsOf(summary));
  enough &&= summary.score >= part.goal;
}
process.exitCode = enough ? 0 : 1;

function mutate({ id, mutate: globs }: Part, more: readonly string[]): Promise<MutantResult[]> {
  process.env[PART] = id;
  return new Stryker({
    mutate: [...(values.files ?? globs), '!**/*.test.ts', ...more],
    plugins: [here('mutation/runner.ts'), here('mutation/survivors.ts'), here('mutation/words.ts')],
    ignorers: ['words'],
    testRunner: 'trials',
    coverageAnalysis: 'perTest',
    buildCommand: ['tsdown', ...BUILD].join(' '),
    // One process serves many mutants; every reload of the code leaves the old one in memory.
    maxTestRunnerReuse: 300,
    concurrency: Number(values.workers ?? availableParallelism()),
    // For loops that never let go; a trial that only waits is ended sooner.
    timeoutMS: 20_000,
    // The dry run makes the recordings that some trials judge again.
    dryRunTimeoutMinutes: 30,
    ignorePatterns: ['dist', 'bench', 'runcert-report', OUT],
    tempDirName: 'node_modules/.cache/stryker',
    reporters: ['progress-append-only', 'survivors', 'html'],
    htmlReporter: { fileName: `${OUT}/${id}.html` },
    allowConsoleColors: false,
    disableTypeChecks: '{common,conformance,schemas,proof}/**/*.{js,ts}',
    checkers: [],
  }).runMutationTest();
}
