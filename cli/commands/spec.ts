// `runcert spec lint` and `runcert spec diff`: is the specification whole, and what does an edit of it break.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { EXIT } from '../../common/error.ts';
import { specRoot } from '../spec-root.ts';

interface DiffFlags {
  readonly json?: boolean;
  readonly format: readonly Format[];
  readonly excuses?: string;
  readonly major?: boolean;
}

const FORMATS = ['text', 'json', 'markdown', 'github'] as const;
type Format = (typeof FORMATS)[number];

const formats = (text: string): Format[] =>
  text.split(',').map((word) => {
    const format = FORMATS.find((known) => known === word);
    if (format === undefined) throw new InvalidArgumentError(`"${word}" is not one of ${FORMATS.join(', ')}.`);
    return format;
  });

export default function spec(command: Command): void {
  command.addHelpText(
    'after',
    '\nExamples:\n  $ runcert spec lint\n  $ runcert spec diff agent-runner/2026-06-03 draft/PROTOCOL_V1.md\n',
  );
  command
    .command('lint')
    .description('is the specification whole: undefined names, examples that do not fit, clauses without a section')
    .argument('[path...]', 'documents or folders (default: every revision under spec/)')
    .option('--json', 'print what was found as JSON and nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  $ runcert spec lint\n  $ runcert spec lint PROTOCOL_V1.md --json\n\nExit 1 on an error; warnings alone are exit 0.',
    )
    .action(lintAction);
  command
    .command('diff')
    .description('every change between two revisions, and whom it breaks')
    .argument('<a>', 'the old side: a document, a folder, or a revision such as agent-runner/2026-06-03')
    .argument('<b>', 'the new side')
    .option('--format <format>', 'text, json, markdown or github; several with commas', formats, ['text'])
    .option('--json', 'the same as --format json')
    .option(
      '--excuses <file>',
      'breaking changes that are meant, each with a reason (default: excuses.yaml beside the new side)',
    )
    .option('--major', 'the new side is a new major: what breaks is expected, and no reason to fail')
    .addHelpText(
      'after',
      '\nExamples:\n  $ runcert spec diff spec/agent-runner/2026-06-03/PROTOCOL_V1.md draft.md\n  $ runcert spec diff agent-runner/2026-06-03 draft/ --format markdown > NOTES.md\n\nExit 1 on a breaking change that is not excused, and on an excuse that excuses nothing.',
    )
    .action(diffAction);
}

async function lintAction(paths: string[], flags: { json?: boolean }): Promise<void> {
  const [{ lint }, { diagnosticText, hasErrors }] = await Promise.all([
    import('../../generator/lint.ts'),
    import('../../generator/diagnostics.ts'),
  ]);
  const results = lint(specRoot(), paths);
  process.exitCode = results.some(({ diagnostics }) => hasErrors(diagnostics)) ? EXIT.notConformant : EXIT.conformant;
  if (flags.json) {
    process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    return;
  }
  for (const { label, counts, undefined: names, diagnostics } of results) {
    for (const diagnostic of diagnostics) process.stdout.write(`${diagnosticText(diagnostic)}\n`);
    const tally = (severity: string): number => diagnostics.filter((d) => d.severity === severity).length;
    const found = [
      many(counts.blocks, 'Python block'),
      many(counts.classes, 'class', 'classes'),
      many(counts.fields, 'field'),
      many(counts.apiCalls, 'API call'),
      many(counts.examples, 'example'),
      many(counts.clauses, 'clause'),
    ].join(', ');
    process.stdout.write(
      `${label}: ${found}; ${many(tally('error'), 'error')}, ${many(tally('warning'), 'warning')}\n`,
    );
    if (names.length > 0)
      process.stdout.write(`${many(names.length, 'name')} used and nowhere defined: ${names.join(', ')}\n`);
  }
}

const many = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

async function diffAction(a: string, b: string, flags: DiffFlags): Promise<void> {
  const [{ resolveSide, readExcuses }, { compare }, words] = await Promise.all([
    import('../../generator/diff/sides.ts'),
    import('../../generator/diff/diff.ts'),
    import('../../generator/diff/words.ts'),
  ]);
  const before = resolveSide(specRoot(), a);
  const after = resolveSide(specRoot(), b);
  const beside = join(after.folder, 'excuses.yaml');
  const excuses = flags.excuses ?? (existsSync(beside) ? beside : undefined);
  const comparison = compare(before.protocol, after.protocol, excuses === undefined ? [] : readExcuses(excuses));
  const print: Record<Format, () => string> = {
    text: () => words.comparisonText(comparison, before, after),
    json: () => `${JSON.stringify({ before: before.label, after: after.label, ...comparison }, null, 2)}\n`,
    markdown: () => words.comparisonMarkdown(comparison, before, after),
    github: () => words.comparisonGithub(comparison, after),
  };
  const chosen: readonly Format[] = flags.json ? ['json'] : flags.format;
  for (const format of chosen) process.stdout.write(print[format]());
  if (!chosen.includes('text')) process.stderr.write(`${words.summaryText(comparison)}\n`);
  const failed = (comparison.unexcused > 0 && !flags.major) || comparison.stale.length > 0;
  process.exitCode = failed ? EXIT.notConformant : EXIT.conformant;
}
