// `runcert generate`: documents in; schemas, types, validators and arbitraries out.
import { relative } from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../../common/error.ts';
import type { Request, Result } from '../../generator/regenerate.ts';

interface Flags {
  readonly spec?: string;
  readonly out?: string;
  readonly check?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
}

export default function generate(command: Command): void {
  command
    .option('--spec <file>', 'one document instead of the spec folder')
    .option('--out <dir>', 'where the output of that document goes')
    .option('--check', 'write nothing; exit 1 on output that is missing, changed, extra or untracked')
    .option('--watch', 'go on, and generate again whenever a document changes')
    .option('--json', 'print what was done as JSON and nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  $ runcert generate\n  $ runcert generate --check\n  $ runcert generate --spec PROTOCOL_V1.md --out schemas-of-it\n\nReads spec/<protocol>/<revision>/ and writes schemas/<protocol>/<revision>/. An error leaves the old output untouched.',
    )
    .action(async (flags: Flags) => {
      const { regenerate } = await import('../../generator/regenerate.ts');
      const request: Request = { root: process.cwd(), ...flags };
      const run = (): void => {
        const result = regenerate(request);
        show(result, flags);
        process.exitCode = result.ok ? EXIT.conformant : EXIT.notConformant;
      };
      run();
      if (flags.watch) await watchOn(request, run);
    });
}

async function watchOn(request: Request, run: () => void): Promise<void> {
  const { watchSpec } = await import('../../generator/watch.ts');
  const { explainError } = await import('../errors.ts');
  process.stderr.write('watching; press Ctrl-C to stop\n');
  const stop = watchSpec(request, () => {
    try {
      run();
    } catch (error) {
      explainError(error);
    }
  });
  await new Promise<void>((done) => {
    process.once('SIGINT', done);
    process.once('SIGTERM', done);
  });
  stop();
  process.exitCode = EXIT.conformant;
}

const many = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

const WORDS = { added: 'missing', changed: 'changed', removed: 'extra', untracked: 'untracked' } as const;

function show(result: Result, flags: Flags): void {
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  for (const d of result.diagnostics) {
    const remedy = d.remedy === undefined ? '' : `\n  → ${d.remedy}`;
    process.stderr.write(
      `${d.place.file}:${d.place.line}:${d.place.column}: ${d.severity}: ${d.message} [${d.code}]${remedy}\n`,
    );
  }
  for (const { protocol, revision, counts, files } of result.compilations) {
    const made = files.length === 0 ? 'nothing, because of the errors above' : `${files.length} files`;
    process.stderr.write(
      `${`${protocol} ${revision}`.trim()}: ${many(counts.blocks, 'Python block')}, ${many(counts.classes, 'class', 'classes')}, ${many(counts.fields, 'field')} → ${made}\n`,
    );
  }
  const path = (file: string): string => {
    const near = relative(process.cwd(), file);
    return near === '' || near.startsWith('..') ? file : near;
  };
  for (const change of result.changes)
    process.stdout.write(`${flags.check ? WORDS[change.kind] : change.kind} ${path(change.path)}\n`);
  if (result.diagnostics.some((d) => d.severity === 'error'))
    process.stderr.write('nothing was written: the old output is as it was\n');
  else if (result.changes.length === 0)
    process.stdout.write(flags.check ? 'the output is up to date\n' : 'nothing changed\n');
  else if (flags.check) process.stderr.write('run `runcert generate` and commit what it writes\n');
}
