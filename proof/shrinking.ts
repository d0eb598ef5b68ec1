// For every mutant written by hand: the smallest case that its clause is shown with is minimal, and fails again in a process of its own.
// Usage: npm run shrinking [-- --every N] [--rows GLOB]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withEvidence } from '../cli/report-folder.ts';
import type { CaseFile } from '../conformance/driving/case-file.ts';
import { drive } from '../conformance/driving/drive.ts';
import { globs } from '../conformance/driving/glob.ts';
import type { Mutant, Suite } from '../conformance/driving/suite.ts';
import { PARTIES, suiteFor } from '../conformance/suites.ts';
import { inProcesses, ownShare, send } from './parallel.ts';

const { values } = parseArgs({
  options: { every: { type: 'string', default: '1' }, rows: { type: 'string', default: '**' } },
});
const SEED = 20260603;
const BEYOND = 8;
/** What a failing certify run spends on one clause, at the most. */
const PLAYS = 2000;
const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

interface Shrunk {
  readonly party: string;
  readonly mutant: string;
  readonly clause: string;
  readonly minimal: boolean;
  readonly plays: number;
  /** Characters of the stimulus. */
  readonly size: number;
  readonly replays: boolean;
}

const wanted = globs([values.rows]);
const suites = await Promise.all(PARTIES.map((party) => suiteFor(party)));
const mutants = suites
  .flatMap((suite) => suite.mutants.filter(({ id }) => wanted(id)).map((mutant) => ({ suite, mutant })))
  .filter((_, at) => at % Number(values.every) === 0);
const mine = ownShare();
if (mine === undefined) await lead();
else await follow(mine);

async function follow(own: (at: number) => boolean): Promise<void> {
  for (const [at, { suite, mutant }] of mutants.entries()) if (own(at)) await shrink(suite, mutant);
  process.disconnect?.();
}

async function shrink(suite: Suite, mutant: Mutant): Promise<void> {
  let broken = 0;
  const driven = await drive(
    suite,
    mutant.target(),
    {
      seed: SEED,
      beyond: BEYOND,
      only: mutant.clauses,
      version: 'proof',
      shrinkPlays: PLAYS,
    },
    {
      progress: ({ failing }) => {
        broken = failing;
      },
    },
  );
  const saved = Object.values(withEvidence(driven).evidence.cases ?? {}) as readonly CaseFile[];
  for (const example of driven.counterexamples) {
    send({
      party: suite.party,
      mutant: mutant.id,
      clause: example.clause,
      minimal: example.minimal,
      plays: example.plays,
      size: JSON.stringify(example.stimulus).length,
      replays: replays(
        saved.find(({ clause }) => clause === example.clause),
        mutant.id,
      ),
    } satisfies Shrunk);
  }
  if (broken === 0)
    send({
      party: suite.party,
      mutant: mutant.id,
      clause: mutant.clauses.join(', '),
      minimal: false,
      plays: 0,
      size: 0,
      replays: false,
    } satisfies Shrunk);
}

/** Does the saved case fail again, by the command that its report names, in a process that knows nothing but the file? */
function replays(saved: unknown, mutant: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'runcert-shrinking-'));
  const file = join(folder, 'case.json');
  try {
    writeFileSync(file, JSON.stringify(saved));
    return spawnSync(process.execPath, [CLI, 'replay', file, '--mutant', mutant], { stdio: 'ignore' }).status === 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function lead(): Promise<void> {
  const all: Shrunk[] = [];
  await inProcesses<Shrunk>(fileURLToPath(import.meta.url), (shrunk) => {
    all.push(shrunk);
    const { party, mutant, clause, minimal, replays: again } = shrunk;
    if (!minimal || !again)
      console.log(`${party} ${mutant}, ${clause}: ${minimal ? '' : 'not minimal '}${again ? '' : 'does not replay'}`);
    if (all.length % 50 === 0) console.log(`${all.length} cases`);
  });
  const sizes = all.map(({ size }) => size).sort((a, b) => a - b);
  const wrong = all.filter(({ minimal, replays: again }) => !minimal || !again).length;
  console.log(
    `${all.length} cases of ${mutants.length} mutants: ${all.filter(({ minimal }) => minimal).length} minimal, ` +
      `${all.filter(({ replays: again }) => again).length} replay in a fresh process; ` +
      `median size ${sizes[sizes.length >> 1] ?? 0} characters, largest ${sizes.at(-1) ?? 0}`,
  );
  process.exitCode = wrong === 0 && all.length >= mutants.length && all.length > 0 ? 0 : 1;
}
