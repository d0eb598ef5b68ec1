// `runcert doctor`: what can be asked for; the examination is loaded behind it.
import { Argument, type Command } from 'commander';
import type { DoctorFlags } from '../doctor.ts';
import { configOption, targetOptions } from '../options.ts';
import type { Party } from '../target.ts';

export default function doctor(command: Command): void {
  command.addArgument(new Argument('[party]', 'who is under test').choices(['runner', 'host', 'runtime']));
  configOption(targetOptions(command))
    .option('--json', 'print the diagnosis as JSON and nothing else')
    .addHelpText(
      'after',
      `
Examples:
  $ runcert doctor runner --plugin -- python -m langbot_plugin.cli.__init__ run -s --prod
  $ runcert doctor host --host-url ws://127.0.0.1:5400/driver
  $ runcert doctor runtime --runtime -- npx runcert reference runtime --stdio

Steps: start, connect, handshake, discover, run. Exit: 0 all of them work · 2 one does not · 64 wrong arguments`,
    )
    .action(async (named: Party | undefined, given: DoctorFlags) => {
      const { configured } = await import('../config.ts');
      const { diagnose } = await import('../doctor.ts');
      const { flags, party } = await configured(command, given);
      await diagnose(named ?? party, flags);
    });
}
