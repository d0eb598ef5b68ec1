// Options that several commands share, checked at the door with messages that name the value and the bound.
import { type Command, InvalidArgumentError } from 'commander';

const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}, not "${text}".`);
    }
    return value;
  };

const shard = (text: string): { index: number; of: number } => {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (index === undefined || Number(index) < 1 || Number(index) > Number(of)) {
    throw new InvalidArgumentError(`It must be I/N with 1 ≤ I ≤ N, e.g. 2/4, not "${text}".`);
  }
  return { index: Number(index), of: Number(of) };
};

const list = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(',').filter((word) => word !== ''),
];
const again = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** The seed of a run that names none: always the same, so that a gate does not fail without a change. */
export const DEFAULT_SEED = 20260603;

const seed = (text: string): number =>
  text === 'random' ? Date.now() % 2 ** 31 : wholeNumber(-(2 ** 31), 2 ** 31 - 1)(text);

/** How to reach what is under test (CONTRACT, "Targets"). */
export function targetOptions(command: Command): Command {
  return command
    .option('--reference', 'the embedded reference, in this process (the default)')
    .option('--mutant <id>', 'the embedded reference with one small break: see what a failing report looks like')
    .option('--module <file>', 'a runner or host written as a JS/TS module, in this process')
    .option('--plugin', 'a plugin process on stdio: --plugin -- CMD ARG…')
    .option('--plugin-listen <url>', 'wait for a plugin that connects by WebSocket, as in the SDK’s debug mode')
    .option('--runtime', 'a Plugin Runtime (or, for `runtime`, an Agent Runtime) on stdio: --runtime -- CMD ARG…')
    .option('--runtime-url <url>', 'the same by WebSocket')
    .option('--host', 'a host on stdio, by the driver contract: --host -- CMD ARG…')
    .option('--host-url <url>', 'a host by WebSocket')
    .option('--host-listen <url>', 'wait for a host that connects by WebSocket')
    .option(
      '--env <name>',
      'pass an environment variable on to the child (NAME), or set it (NAME=VALUE); repeatable',
      again,
    )
    .option('--generation <S|J|A>', 'the SDK generation of the target, where it cannot be detected');
}

/** How much to drive, and what to judge. */
export function runOptions(command: Command): Command {
  return command
    .option('--seed <n>', 'the seed of all stimuli, or "random"', seed, DEFAULT_SEED)
    .option('--runs <n>', 'stimuli an area (default: each area’s own)', wholeNumber(1, 1_000_000))
    .option(
      '--time-limit <seconds>',
      'stop after this long; what is not decided by then is inconclusive',
      wholeNumber(1, 86_400),
    )
    .option('--grace <ms>', 'how late something may still be called in time', wholeNumber(0, 600_000), 1000)
    .option('--only <glob>', 'judge only these clauses; repeatable', list)
    .option('--skip <glob>', 'leave these clauses out; repeatable', list)
    .option('--parallel <n>', 'cases played at once', wholeNumber(1, 64), 1)
    .option('--revision <date>', 'the revision of the specification (default: the newest)');
}

export const shardOption = (command: Command): Command =>
  command.option('--shard <i/n>', 'play the I-th of N parts; join them with runcert merge', shard);

/** What is excused, and what to compare with. */
export const gateOptions = (command: Command): Command =>
  command
    .option('--baseline <file>', 'known failures with their reasons; what it excuses does not fail the run')
    .option('--update-baseline', 'write the failures of this run into the baseline, and drop what is stale')
    .option('--previous <outcome>', 'an earlier outcome.json to compare with');

export const CONFIG_FILE = 'runcert.config.json';

export const configOption = (command: Command): Command =>
  command.option('--config <file>', `settings (default: ${CONFIG_FILE} in this folder, where there is one)`);

export { again, list, wholeNumber };
