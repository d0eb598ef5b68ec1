#!/usr/bin/env node
// Arguments in, exit code out. Each command's module is loaded only when it is called, so that `--help` stays quick.
import { Command, CommanderError } from 'commander';
import { EXIT } from '../common/error.ts';
import { cutAtDashes } from './argv.ts';
import { explainError } from './errors.ts';
import { VERSION } from './version.ts';

type Configure = (command: Command) => void;
type Load = () => Promise<{ default: Configure }>;

/** Every command with its one line of help, in the order a newcomer needs them. */
const commands: Record<string, readonly [summary: string, load: Load]> = {
  certify: [
    'drive a runner or a host, judge it clause by clause, write the report',
    () => import('./commands/certify.ts'),
  ],
  doctor: ['can the target be reached, who is it, what does it declare', () => import('./commands/doctor.ts')],
  replay: ['play one saved case again', () => import('./commands/replay.ts')],
  judge: ['judge a recording made earlier, by whomever', () => import('./commands/judge.ts')],
  explain: ['what one clause asks, why, and how it is judged', () => import('./commands/explain.ts')],
  list: ['list clauses, models, mutants or targets', () => import('./commands/list.ts')],
  report: ['show an outcome in other formats', () => import('./commands/report.ts')],
  merge: ['join the outcomes of several shards', () => import('./commands/merge.ts')],
  sign: ['issue a certificate for a report', () => import('./commands/sign.ts')],
  verify: ['check a certificate', () => import('./commands/verify.ts')],
  validate: ['check JSON or NDJSON against a model of the protocol', () => import('./commands/validate.ts')],
  generate: ['specification → schemas, types, validators, arbitraries', () => import('./commands/generate.ts')],
  spec: ['lint the specification, or compare two revisions', () => import('./commands/spec.ts')],
  runtime: ['check or replay an Agent Runtime event log', () => import('./commands/runtime.ts')],
  reference: ['run a reference implementation as a real process', () => import('./commands/reference.ts')],
  matrix: ['the kill matrix: every mutant against every clause', () => import('./commands/matrix.ts')],
};

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('runcert')
    .description('Does this host, or this runner, keep the AgentRunner protocol? Conformance with evidence.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('→ runcert --help lists the commands; runcert COMMAND --help has an example of each.')
    .configureHelp({ showGlobalOptions: false });
  const wanted = argv.find((word) => !word.startsWith('-'));
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const command = program
      .command(name)
      .description(summary)
      .exitOverride()
      .showHelpAfterError(`→ runcert ${name} --help has an example.`);
    if (name === wanted) (await load()).default(command);
  }
  await program.parseAsync(argv as string[], { from: 'user' });
}

// What nobody caught is a fault of Runcert's own, and must not leave with the exit code of a verdict.
process.on('uncaughtException', (error) => process.exit(explainError(error)));

// Whoever reads may stop, as `| head` does. The command goes on to its verdict, report and exit code, unheard.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });

main(cutAtDashes(process.argv.slice(2))).catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.conformant : EXIT.usage;
    return;
  }
  process.exitCode = explainError(error);
});
