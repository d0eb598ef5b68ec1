// Drives a target again as its certificate says, in a process of its own, through the command that everybody uses.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, RuncertError } from '../common/error.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Statement } from '../reports/certificate/statement.ts';
import { readOutcome } from '../reports/folder.ts';

/** Certifies again with the seed, the budget and the revision of the certificate. `target` are the words that name the target. */
export async function rerun(statement: Statement, target: readonly string[]): Promise<Outcome> {
  const { party, seed, revision, options } = statement.predicate.runcert;
  const out = await mkdtemp(join(tmpdir(), 'runcert-rerun-'));
  const numbers = ['runs', 'grace', 'parallel'].flatMap((name) =>
    Number.isInteger(options[name]) ? [`--${name}`, String(options[name])] : [],
  );
  try {
    const code = await run([
      'certify',
      party,
      '--seed',
      String(seed),
      ...numbers,
      '--revision',
      revision,
      '--out',
      out,
      '--format',
      'json',
      ...target,
    ]);
    if (code === EXIT.usage || code === EXIT.internal) {
      throw new RuncertError('RUNCERT_RERUN', `The target could not be driven again (exit ${code}).`, {
        remedy: 'Name the target as for `runcert certify`, behind --rerun.',
      });
    }
    return await readOutcome(join(out, 'outcome.json'));
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function run(words: readonly string[]): Promise<number> {
  const [, script = ''] = process.argv;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, script, ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? EXIT.internal));
  });
}
