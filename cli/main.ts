#!/usr/bin/env node
// Arguments in, exit code out. Each command's module is loaded only when it is called, so that `--help` stays quick.
import { Command, CommanderError } from 'commander';
import { EXIT } from '../common/error.ts';
import { version } from '../package.json' with { type: 'json' };
import { explainError } from './errors.ts';

type Configure = (command: Command) => void;
type Load = () => Promise<{ default: Configure }>;

/** Every command with its one line of help. */
const commands: Record<string, readonly [summary: string, load: Load]> = {
  certify: [
    'drive a runner or a host, judge it clause by clause, write the report',
    () => import('./commands/certify.ts'),
  ],
};

async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('runcert')
    .description('Does this host, or this runner, keep the AgentRunner protocol? Conformance with evidence.')
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false });
  const wanted = argv.find((word) => !word.startsWith('-'));
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const command = program.command(name).description(summary).exitOverride();
    if (name === wanted) (await load()).default(command);
  }
  await program.parseAsync(argv as string[], { from: 'user' });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.conformant : EXIT.usage;
    return;
  }
  process.exitCode = explainError(error);
});
