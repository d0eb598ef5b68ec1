// `runcert judge`: a recording in, an outcome out. Nothing is driven; any recording of real traffic will do.
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { exitOf } from '../exit.ts';
import { list, wholeNumber } from '../options.ts';
import { VERSION } from '../version.ts';

interface JudgeFlags {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly threads?: number;
  readonly json?: boolean;
}

/** Below this size threads take longer to start than they save; packed recordings have a tenth of it. */
const LARGE_BYTES = 32 << 20;
/** Each thread has a heap of its own. */
const MOST_THREADS = 8;

export default function judge(command: Command): void {
  command
    .argument('<recording>', 'a recording, NDJSON')
    .option('--only <glob>', 'judge only these clauses; repeatable', list)
    .option('--skip <glob>', 'leave these clauses out; repeatable', list)
    .option(
      '--threads <n>',
      'judge on so many threads (default: one a processor where the recording is large)',
      wholeNumber(1, 64),
    )
    .option('--json', 'print the outcome as JSON and nothing else')
    .addHelpText('after', '\nExample:\n  $ runcert judge runcert-report/recordings/run.ndjson.gz\n')
    .action(async (recording: string, flags: JudgeFlags) => {
      const { globs } = await import('../../conformance/driving/glob.ts');
      const { judgeRecording } = await import('../../conformance/judging/recorded.ts');
      const { suiteFor } = await import('../../conformance/suites.ts');
      const { printJson, showOutcome } = await import('../show.ts');
      const threads = flags.threads ?? (await threadsFor(recording));
      const crew =
        threads === 1 ? undefined : (await import('../../conformance/judging-threads.ts')).judgingThreads(threads);
      const { only, skip } = flags;
      const outcome = await judgeRecording(recording, suiteFor, {
        version: VERSION,
        wanted: (id) => (only === undefined || globs(only)(id)) && !(skip !== undefined && globs(skip)(id)),
        ...(crew === undefined ? {} : { crew }),
      }).finally(() => crew?.close());
      showOutcome(outcome, { json: flags.json ?? false });
      if (flags.json) printJson(outcome);
      process.exitCode = exitOf(outcome.verdict);
    });
}

async function threadsFor(recording: string): Promise<number> {
  const size = await stat(recording).then(
    (file) => file.size * (recording.endsWith('.gz') ? 10 : 1),
    () => 0, // The reader says what is wrong with it.
  );
  return size < LARGE_BYTES ? 1 : Math.min(availableParallelism(), MOST_THREADS);
}
