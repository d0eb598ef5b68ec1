// `runcert judge`: a recording in, an outcome out. Nothing is driven; any recording of real traffic will do.
import type { Command } from 'commander';
import { exitOf } from '../exit.ts';
import { list } from '../options.ts';
import { VERSION } from '../version.ts';

export default function judge(command: Command): void {
  command
    .argument('<recording>', 'a recording, NDJSON')
    .option('--only <glob>', 'judge only these clauses; repeatable', list)
    .option('--skip <glob>', 'leave these clauses out; repeatable', list)
    .option('--json', 'print the outcome as JSON and nothing else')
    .addHelpText('after', '\nExample:\n  $ runcert judge runcert-report/recordings/run.ndjson.gz\n')
    .action(async (recording: string, options: { only?: string[]; skip?: string[]; json?: boolean }) => {
      const { globs } = await import('../../conformance/driving/glob.ts');
      const { judgeRecording } = await import('../../conformance/judging/recorded.ts');
      const { suiteFor } = await import('../../conformance/suites.ts');
      const { printJson, showOutcome } = await import('../show.ts');
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
