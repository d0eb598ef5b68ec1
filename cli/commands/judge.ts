// `runcert judge`: a recording in, an outcome out. Nothing is driven; any recording of real traffic will do.
import type { Command } from 'commander';
import { globs } from '../../conformance/driving/glob.ts';
import { judgeRecording } from '../../conformance/judging/recorded.ts';
import { suiteFor } from '../../conformance/suites.ts';
import { exitOf } from '../exit.ts';
import { list } from '../options.ts';
import { printJson, showOutcome } from '../show.ts';
import { VERSION } from '../version.ts';

export default function judge(command: Command): void {
  command
    .argument('<recording>', 'a recording, NDJSON')
    .option('--only <glob>', 'judge only these clauses; repeatable', list)
    .option('--skip <glob>', 'leave these clauses out; repeatable', list)
    .option('--json', 'print the outcome as JSON and nothing else')
    .addHelpText('after', '\nExample:\n  $ runcert judge runcert-report/recordings/run.ndjson.gz\n')
    .action(async (recording: string, options: { only?: string[]; skip?: string[]; json?: boolean }) => {
      const outcome = await judgeRecording(recording, suiteFor, {
        version: VERSION,
        wanted: (id) =>
          (options.only === undefined || globs(options.only)(id)) &&
          !(options.skip !== undefined && globs(options.skip)(id)),
      });
      showOutcome(outcome, { json: options.json ?? false });
      if (options.json) printJson(outcome);
      process.exitCode = exitOf(outcome.verdict);
    });
}
