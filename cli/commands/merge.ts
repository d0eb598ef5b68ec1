// `runcert merge`: the shards of one run, joined again; then the gate and the reports as for a whole run.
import { cp, lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { exitOf } from '../exit.ts';
import type { GateFlags } from '../gate.ts';
import { gateOptions } from '../options.ts';

interface MergeFlags extends GateFlags {
  readonly out: string;
  readonly format: string;
  readonly json?: boolean;
}

export default function merge(command: Command): void {
  gateOptions(command)
    .argument('<outcome...>', 'the outcome.json or the report folder of every shard')
    .option('--out <dir>', 'the merged report folder', 'runcert-report')
    .option('--format <names>', 'report formats', 'html,json')
    .option('--json', 'print the outcome as JSON and nothing else')
    .addHelpText(
      'after',
      `
Example:
  $ runcert certify host --shard 1/2 --out shard-1 …     on one machine
  $ runcert certify host --shard 2/2 --out shard-2 …     on another
  $ runcert merge shard-1 shard-2 --baseline known.json --format html,junit

Exit: as runcert certify; 2 where a shard is missing.`,
    )
    .action(async (paths: readonly string[], flags: MergeFlags) => {
      const { mergeOutcomes } = await import('../../conformance/judging/merge.ts');
      const { readOutcome, readReportFolder, writeReports } = await import('../../reports/folder.ts');
      const { formatsOf } = await import('../../reports/format-names.ts');
      const { printJson, showOutcome } = await import('../show.ts');
      const { specWords } = await import('../spec-words.ts');
      const { gateOf } = await import('../gate.ts');
      const formats = formatsOf(flags.format);
      const gate = await gateOf(flags);
      const files = await Promise.all(paths.map(outcomeFile));
      const outcomes = await Promise.all(files.map(readOutcome));
      const merged = mergeOutcomes(outcomes, { relocate: shardPath });
      for (const [at, outcome] of outcomes.entries())
        await copyEvidence(dirname(files[at]!), flags.out, outcome.shard?.index ?? 1);
      const outcome = await gate.judge(merged);
      await writeReports(flags.out, outcome, []);
      const { extras } = await readReportFolder(flags.out);
      const more = {
        ...extras,
        ...specWords(outcome),
        folder: flags.out,
        page: formats.includes('html'),
        ...(gate.previous === undefined ? {} : { previous: gate.previous }),
      };
      await writeReports(flags.out, outcome, formats, more);
      showOutcome(outcome, { ...more, json: flags.json ?? false });
      if (flags.json) printJson(outcome);
      process.exitCode = exitOf(outcome.verdict);
    });
}

/** `cases/x.json` of shard 2 lies at `cases/shard-2/x.json` in the merged folder. */
const shardPath = (path: string, shard: number): string => path.replace(/^(cases|recordings)\//, `$1/shard-${shard}/`);

async function outcomeFile(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true ? join(path, 'outcome.json') : path;
}

async function copyEvidence(from: string, to: string, shard: number): Promise<void> {
  for (const folder of ['cases', 'recordings']) {
    const found = await lstat(join(from, folder)).catch(() => undefined);
    if (found?.isDirectory() === true)
      await cp(join(from, folder), join(to, folder, `shard-${shard}`), {
        recursive: true,
        filter: async (path) => !(await lstat(path)).isSymbolicLink(),
      });
  }
}
