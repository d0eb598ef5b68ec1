// `runcert certify`: what can be asked for. What it does is loaded once that is known to make sense.
import { Argument, type Command } from 'commander';
import type { Format } from '../../reports/format-names.ts';
import { formatsOf } from '../../reports/format-names.ts';
import type { CertifyFlags } from '../certify.ts';
import { configOption, gateOptions, runOptions, shardOption, targetOptions } from '../options.ts';
import { signOptions } from '../signing.ts';
import type { Party } from '../target.ts';

const DEFAULT_FORMATS: readonly Format[] = ['html', 'json'];

export default function certify(command: Command): void {
  command.addArgument(new Argument('[party]', 'who is under test').choices(['runner', 'host', 'runtime']));
  for (const add of [targetOptions, runOptions, shardOption, gateOptions, signOptions, configOption]) add(command);
  command
    .option('--out <dir>', 'the report folder', 'runcert-report')
    .option(
      '--format <names>',
      'report formats, e.g. html,junit,sarif,ctrf,markdown,github,badge',
      formatsOf,
      DEFAULT_FORMATS,
    )
    .option('--json', 'print the outcome as JSON and nothing else')
    .addHelpText(
      'after',
      `
Examples:
  $ runcert certify                                        the embedded reference host and runner
  $ runcert certify runner --module my-runner.ts
  $ runcert certify runner --plugin -- python -m langbot_plugin.cli run -s --prod
  $ runcert certify host --host -- node my-host.js --stdio --baseline known.json

Exit: 0 conformant · 1 not conformant · 2 inconclusive · 64 wrong arguments · 70 a fault of Runcert`,
    )
    .action(async (named: Party | undefined, given: CertifyFlags) => {
      const { configured } = await import('../config.ts');
      const { certifyAll } = await import('../certify.ts');
      const { flags, party } = await configured(command, given);
      await certifyAll(named ?? party, flags);
    });
}
