// `runcert replay`: one saved case on a target, again. Exit 1 if it still fails.
import type { Command } from 'commander';
import { configOption, targetOptions, wholeNumber } from '../options.ts';
import type { ReplayFlags } from '../replay.ts';

export default function replay(command: Command): void {
  configOption(targetOptions(command.argument('<case>', 'a saved case, from the cases/ folder of a report')))
    .option('--grace <ms>', 'how late something may still be called in time', wholeNumber(0, 600_000), 1000)
    .option('--record <file>', 'write the recording of the case here')
    .option('--json', 'print the findings as JSON and nothing else')
    .addHelpText(
      'after',
      '\nExample:\n  $ runcert replay runcert-report/cases/v1_7.2_unknown-type-ignored.json --plugin -- python my_runner.py\n',
    )
    .action(async (path: string, given: ReplayFlags) => {
      const { configured } = await import('../config.ts');
      const { replayCase } = await import('../replay.ts');
      const { flags } = await configured(command, given);
      await replayCase(path, flags);
    });
}
