// `runcert runtime`: judges an Agent Runtime event log, folds it into read models, or makes one of an AgentRunner recording.
import type { Command } from 'commander';
import { globs } from '../../conformance/driving/glob.ts';
import type { Outcome } from '../../conformance/judging/outcome.ts';
import type { Extras } from '../../reports/extras.ts';
import { type Format, formatsOf } from '../../reports/format-names.ts';
import { exitOf } from '../exit.ts';
import { list, wholeNumber } from '../options.ts';
import { printJson, showOutcome } from '../show.ts';
import { VERSION } from '../version.ts';

export default function runtime(command: Command): void {
  command.addHelpText(
    'after',
    '\nExamples:\n  $ runcert runtime check events.ndjson\n  $ runcert runtime replay events.ndjson --model queue --at 120\n  $ runcert runtime bridge runcert-report/recordings/run.ndjson.gz > events.ndjson\n',
  );
  check(command.command('check').description('judge an event log clause by clause'));
  replay(command.command('replay').description('fold an event log into read models and print them as JSON'));
  bridge(command.command('bridge').description('turn a recording of AgentRunner runs into an event log'));
}

interface CheckFlags {
  readonly only?: string[];
  readonly skip?: string[];
  readonly out?: string;
  readonly format: readonly Format[];
  readonly json?: boolean;
}

const CHECK_FORMATS: readonly Format[] = ['html', 'json'];

function check(command: Command): void {
  command
    .argument('<log>', 'an event log: NDJSON, one event a line')
    .option('--only <glob>', 'judge only these clauses; repeatable', list)
    .option('--skip <glob>', 'leave these clauses out; repeatable', list)
    .option('--out <dir>', 'write a report folder: the outcome, and a page with the timeline of the log')
    .option('--format <names>', 'report formats of that folder', formatsOf, CHECK_FORMATS)
    .option('--json', 'print the outcome as JSON and nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  $ runcert runtime check events.ndjson --json\n  $ runcert runtime check events.ndjson --out check --format html,junit\n',
    )
    .action(async (log: string, options: CheckFlags) => {
      const { checkLog } = await import('../../conformance/agent-runtime/log/check.ts');
      const { outcome } = await checkLog(log, {
        version: VERSION,
        wanted: (id) =>
          (options.only === undefined || globs(options.only)(id)) &&
          !(options.skip !== undefined && globs(options.skip)(id)),
      });
      const extras = options.out === undefined ? {} : await written(options.out, options.format, log, outcome);
      showOutcome(outcome, { ...extras, json: options.json ?? false });
      if (options.json) printJson(outcome);
      process.exitCode = exitOf(outcome.verdict);
    });
}

/** The report folder of a log. */
async function written(out: string, formats: readonly Format[], log: string, outcome: Outcome): Promise<Extras> {
  const { timelineOf } = await import('../../reports/event-timeline.ts');
  const { writeReports } = await import('../../reports/folder.ts');
  const { specWords } = await import('../spec-words.ts');
  const timeline = formats.includes('html') ? await timelineOf(log, outcome) : {};
  const extras: Extras = { ...specWords(outcome), ...timeline, folder: out, page: formats.includes('html') };
  await writeReports(out, outcome, formats, extras);
  return extras;
}

interface ReplayFlags {
  readonly model?: string;
  readonly at?: number;
  readonly session?: string;
  readonly sessions?: number;
  readonly live?: boolean;
  readonly json?: boolean;
}

function replay(command: Command): void {
  command
    .argument('<log>', 'an event log: NDJSON, one event a line')
    .option('--model <name>', 'one read model, by its name or the beginning of it (default: all thirteen)')
    .option('--at <n>', 'the models after the N-th event', wholeNumber(1))
    .option('--session <id>', 'one session')
    .option(
      '--sessions <n>',
      'how many sessions to hold; the latest are kept (default: 250)',
      wholeNumber(1, 1_000_000),
    )
    .option('--live', 'the log goes on: do not call work stale that had not ended with it')
    .option('--json', 'print the models as JSON and nothing else: no words about broken lines on stderr')
    .addHelpText('after', '\nExample:\n  $ runcert runtime replay events.ndjson --model task --at 120\n')
    .action(async (log: string, flags: ReplayFlags) => {
      const { replayLog } = await import('../../conformance/agent-runtime/log/replay.ts');
      const { json, ...options } = flags;
      const replayed = await replayLog(log, options);
      if (!json) {
        if (replayed.at === 0) process.stderr.write(`${log}: the log is empty\n`);
        for (const { line, column, message } of replayed.log.broken_lines)
          process.stderr.write(`${log}:${line}${column === undefined ? '' : `:${column}`}: ${message}\n`);
        const torn = replayed.log.torn_line;
        if (torn !== null) process.stderr.write(`${log}:${torn.line}: the last line is cut off: ${torn.message}\n`);
        const dropped = replayed.log.dropped_sessions;
        if (dropped > 0 && options.session === undefined)
          process.stderr.write(
            `${log}: ${dropped} sessions are not shown; name one with --session, or hold more with --sessions\n`,
          );
      }
      printJson(replayed);
    });
}

function bridge(command: Command): void {
  command
    .argument('<recording>', 'a recording of `certify runner`, `certify host` or real traffic')
    .option('--case <id>', 'only this case of it')
    .addHelpText(
      'after',
      '\nEvents go to stdout, one a line.\n\nExample:\n  $ runcert runtime bridge runcert-report/recordings/run.ndjson.gz > events.ndjson\n',
    )
    .action(async (recording: string, options: { readonly case?: string }) => {
      const { bridgeRecording } = await import('../../conformance/bridge/recording.ts');
      let events = 0;
      const { cases, runs } = await bridgeRecording(
        recording,
        (event) => {
          events++;
          process.stdout.write(`${JSON.stringify(event)}\n`);
        },
        options,
      );
      process.stderr.write(`${events} events of ${runs} runs in ${cases} cases\n`);
    });
}
