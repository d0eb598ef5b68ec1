// `runcert matrix`: what can be asked for; the playing is loaded behind it.
import { availableParallelism } from 'node:os';
import { Argument, type Command } from 'commander';
import { PARTIES } from '../../conformance/suites.ts';
import type { MatrixFlags } from '../kill-matrix.ts';
import { DEFAULT_SEED, list, wholeNumber } from '../options.ts';
import type { Party } from '../target.ts';

export default function matrix(command: Command): void {
  command
    .addArgument(new Argument('[party]', 'only this party').choices(PARTIES))
    .option('--seed <n>', 'the seed of all stimuli', wholeNumber(-(2 ** 31), 2 ** 31 - 1), DEFAULT_SEED)
    .option(
      '--runs <n>',
      'stimuli an area and row (default: the corners of the area and a few more)',
      wholeNumber(1, 1_000_000),
    )
    .option('--rows <glob>', 'only these rows; repeatable', list)
    .option(
      '--quick',
      'leave a mutant once the clauses meant for it have caught it; which others would have is not told',
    )
    .option('--workers <n>', 'processes', wholeNumber(1, 64), availableParallelism())
    .option('--json', 'print the matrix as JSON and nothing else')
    .option('--html <file>', 'write the matrix as a page')
    .option('--part <i/n>', 'one worker’s part (used by the command itself)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ runcert matrix\n  $ runcert matrix host --rows "state-*" --runs 50\n  $ runcert matrix --quick  # the same misses and false alarms, sooner\n\nExit 1 on any miss and on any false alarm.',
    )
    .action(async (party: Party | undefined, flags: MatrixFlags) => {
      const { playMatrix } = await import('../kill-matrix.ts');
      await playMatrix(party, flags);
    });
}
