// The reference implementations as processes of their own, on every link: the verdicts of the references in this process,
// and the same outcome twice for the same seed, with one worker and with four.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { type DriveOptions, drive } from '../conformance/driving/drive.ts';
import { globs } from '../conformance/driving/glob.ts';
import { stimuliOf } from '../conformance/driving/stimuli.ts';
import type { Area, Suite } from '../conformance/driving/suite.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { suiteFor } from '../conformance/suites.ts';
import { resolveTarget, type TargetSpec } from '../conformance/targets/resolve.ts';
import type { Target } from '../conformance/targets/target.ts';
import { builtCli } from './testing/built.ts';

const cli = await builtCli();
const reference = (...args: readonly string[]): readonly string[] => [process.execPath, cli, 'reference', ...args];
/** Connects to the address that it finds in its environment, as plugins in debug mode do. */
const connecting = (role: string): readonly string[] => [
  process.execPath,
  '--input-type=module',
  '--eval',
  `process.argv.splice(1, 0, ${JSON.stringify(cli)}, 'reference', ${JSON.stringify(role)}, '--connect', process.env.WHERE); await import(${JSON.stringify(cli)});`,
];

const listening: ChildProcess[] = [];
afterAll(() => {
  for (const child of listening) child.kill();
});

/** A reference that waits for connections; gives its address. */
async function listener(...args: readonly string[]): Promise<string> {
  const [command = '', ...rest] = reference(...args, '--listen', 'ws://127.0.0.1:0/');
  const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  listening.push(child);
  let said = '';
  while (!/ws:\S+/.test(said)) said += String((await once(child.stderr!, 'data'))[0]);
  return /ws:\S+/.exec(said)![0];
}

const SEED = 20260603;
const OPTIONS: DriveOptions = { seed: SEED, version: 'test', shrinkPlays: 0, grace: 400 };

/** Whether they have an occasion in a small budget, a clock decides: a session seen once grace was over, an answer that came late. */
const CLOCKED = ['v1/10/*', 'v1/9/runner-survives-delays'];
const isClocked = globs(CLOCKED);

const verdictsOf = ({ clauses }: Outcome): Record<string, string> =>
  Object.fromEntries(clauses.filter(({ id }) => !isClocked(id)).map(({ id, verdict }) => [id, verdict]));

/** What a plugin has no seat for is not asked of it; all else is as in this process. */
const asSeated = (outcome: Outcome, inside: Outcome): Record<string, string> => {
  const unseated = outcome.clauses.filter(({ reason }) => reason?.includes('seat:runtime'));
  return { ...verdictsOf(inside), ...Object.fromEntries(unseated.map(({ id }) => [id, 'not-applicable'])) };
};

const WAYS: readonly (readonly [party: 'runner' | 'host', spec: () => Promise<TargetSpec>, name: string])[] = [
  ['runner', async () => ({ kind: 'plugin', command: reference('runner', '--stdio') }), 'plugin on stdio'],
  [
    'runner',
    async () => ({ kind: 'runtime', command: reference('runner', '--stdio', '--seat', 'runtime') }),
    'Plugin Runtime on stdio',
  ],
  [
    'runner',
    async () => ({
      kind: 'plugin-listen',
      url: 'ws://127.0.0.1:0/',
      env: ['WHERE={url}'],
      command: connecting('runner'),
    }),
    'plugin that connects',
  ],
  [
    'runner',
    async () => ({ kind: 'runtime-url', url: await listener('runner', '--seat', 'runtime') }),
    'Plugin Runtime by WebSocket',
  ],
  ['host', async () => ({ kind: 'host', command: reference('host', '--stdio') }), 'host on stdio'],
  [
    'host',
    async () => ({ kind: 'host-listen', url: 'ws://127.0.0.1:0/', env: ['WHERE={url}'], command: connecting('host') }),
    'host that connects',
  ],
  ['host', async () => ({ kind: 'host-url', url: await listener('host') }), 'host by WebSocket'],
];

const suites = { runner: await suiteFor('runner'), host: await suiteFor('host') };

describe('the references as processes have the verdicts of the references in this process', () => {
  for (const [party, spec, name] of WAYS)
    it(name, { timeout: 240_000 }, async () => {
      const budget = { ...OPTIONS, runs: 3, parallel: 6 };
      const inside = await drive(suites[party], suites[party].reference(), budget);
      const { outcome } = await drive(suites[party], await resolveTarget(await spec()), budget);
      expect(verdictsOf(outcome)).toEqual(asSeated(outcome, inside.outcome));
      expect(outcome.counts.fail).toBe(0);
      expect(outcome.counts.pass).toBeGreaterThan(40);
    });
});

/** Stimuli that leave nothing to a clock: no deadline, delay, cancel or burst, and one run after another. */
function isTimeless(stimulus: unknown): boolean {
  const { runs = [] } = stimulus as { readonly runs?: readonly { readonly after?: number }[] };
  return (
    runs.every(({ after }, i) => i === 0 || after === i - 1) &&
    !/"(deadline|delay|cancel|at|linger|wait|ms|within|times|alongside|timeout|silence|hang|null-data|array-data|no-data|no-code)"/.test(
      JSON.stringify(stimulus),
    )
  );
}

/** The corners and the first stimuli of a seed of every area, but for those that time is in. */
const timeless = (suite: Suite): Suite => ({
  ...suite,
  areas: suite.areas.map((area): Area => {
    const corners: Area['corners'] = (info) => {
      const stimuli = stimuliOf(area, info, SEED);
      return Array.from({ length: 6 }, (_, i) => stimuli.at(i).value_).filter(isTimeless);
    };
    return { ...area, corners };
  }),
});

describe('what no clock decides is the same twice, byte for byte, with one worker and with four', () => {
  for (const [party, spec, name] of WAYS.filter(([, , way]) => !/by WebSocket/.test(way)))
    it(name, { timeout: 240_000 }, async () => {
      const target: Target = await resolveTarget(await spec());
      const play = async (parallel: number): Promise<Outcome> =>
        (await drive(timeless(suites[party]), target, { ...OPTIONS, beyond: 0, skip: CLOCKED, parallel })).outcome;
      const first = await play(1);
      expect(first.counts.pass).toBeGreaterThan(40);
      expect(await play(1)).toStrictEqual(first);
      expect(await play(4)).toStrictEqual(first);
    });
});
