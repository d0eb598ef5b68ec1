// `runcert report`: a saved outcome in other formats. A view only: the verdict does not change, and neither does the exit code.
import { existsSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { RuncertError } from '../../common/error.ts';
import type { Matrix } from '../../conformance/driving/matrix.ts';
import type { Extras } from '../../reports/extras.ts';
import type { Format } from '../../reports/format-names.ts';
import { hasColor } from '../../reports/progress.ts';

interface ReportFlags {
  readonly format: string;
  readonly out?: string;
  readonly previous?: string;
  readonly matrix?: string;
  readonly events?: string;
}

export default function report(command: Command): void {
  command
    .argument('<outcome...>', 'outcome.json files, or report folders')
    .option('--format <names>', 'terminal, html, junit, sarif, ctrf, markdown, github, badge, json', 'terminal')
    .option('--out <dir>', 'write the formats into this folder, instead of one to stdout')
    .option('--previous <outcome>', 'an earlier outcome.json to compare with')
    .option('--matrix <file>', 'a kill matrix (`runcert matrix --json`) to show in the HTML')
    .option('--events <log>', 'the Agent Runtime log that was checked, to show its timeline in the HTML')
    .addHelpText(
      'after',
      `
Examples:
  $ runcert report runcert-report --format markdown >> "$GITHUB_STEP_SUMMARY"
  $ runcert report runcert-report --format html,junit,sarif --out reports
  $ runcert report new/outcome.json --previous old/outcome.json`,
    )
    .action(async (paths: readonly string[], flags: ReportFlags) => {
      const { formatsOf } = await import('../../reports/format-names.ts');
      const { reporters } = await import('../../reports/reporters.ts');
      const { readReportFolder, writeReports } = await import('../../reports/folder.ts');
      const formats = formatsOf(flags.format);
      const folders = (await Promise.all(paths.map(expand))).flat();
      refuseMixture(formats, folders.length, flags.out);
      for (const path of folders) {
        const { outcome, extras: evidence, dir } = await readReportFolder(path);
        const extras: Extras = {
          ...evidence,
          ...(await more(flags, outcome)),
          folder: dir,
          page: existsSync(join(dir, reporters.html.file)),
        };
        if (flags.out === undefined) {
          process.stdout.write(reporters[formats[0]!].report(outcome, { ...extras, terminal: screen() }));
          continue;
        }
        const out = folders.length === 1 ? flags.out : join(flags.out, outcome.party);
        const written = await writeReports(out, outcome, formats, { ...extras, folder: out });
        for (const { format, path: file } of written) if (format !== 'evidence') process.stderr.write(`${file}\n`);
      }
    });
}

type Outcome = Awaited<ReturnType<typeof import('../../reports/folder.ts')['readOutcome']>>;

async function more({ previous, matrix, events }: ReportFlags, outcome: Outcome): Promise<Partial<Extras>> {
  const { readOutcome } = await import('../../reports/folder.ts');
  return {
    ...(await import('../spec-words.ts')).specWords(outcome),
    ...(previous === undefined ? {} : { previous: await readOutcome(previous) }),
    ...(matrix === undefined ? {} : { matrix: await readMatrix(matrix) }),
    ...(events === undefined
      ? {}
      : await (await import('../../reports/event-timeline.ts')).timelineOf(events, outcome)),
  };
}

async function readMatrix(path: string): Promise<Matrix> {
  const { readMatrixFile } = await import('../../reports/matrix.ts');
  return readMatrixFile(path);
}

/** A folder of `runcert certify` without a party has a subfolder for each. */
async function expand(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || existsSync(join(path, 'outcome.json'))) return [path];
  const inner = (await readdir(path))
    .sort()
    .map((name) => join(path, name))
    .filter((folder) => existsSync(join(folder, 'outcome.json')));
  return inner.length === 0 ? [path] : inner;
}

function refuseMixture(formats: readonly Format[], outcomes: number, out: string | undefined): void {
  if (formats.length === 0) throw new RuncertError('RUNCERT_FORMAT', 'No format was named.');
  if (out !== undefined) return;
  const joinable: readonly Format[] = ['terminal', 'markdown', 'github'];
  if (formats.length > 1)
    throw new RuncertError('RUNCERT_USAGE', 'Only one format can go to stdout.', {
      remedy: 'Name a folder with --out.',
    });
  if (outcomes > 1 && !joinable.includes(formats[0]!))
    throw new RuncertError('RUNCERT_USAGE', `Several outcomes cannot be one ${formats[0]} document.`, {
      remedy: 'Name a folder with --out.',
    });
}

const screen = (): NonNullable<Extras['terminal']> => {
  const { isTTY, columns, rows } = process.stdout;
  return { color: hasColor(process.stdout, process.env), ...(isTTY ? { columns, rows } : {}) };
};
