import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RuncertError } from '../common/error.ts';
import { configured, readConfig } from './config.ts';
import { configOption, gateOptions, runOptions, shardOption, targetOptions } from './options.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'runcert-config-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function config(text: string | object): Promise<string> {
  const path = join(dir, 'runcert.config.json');
  await writeFile(path, typeof text === 'string' ? text : JSON.stringify(text));
  return path;
}

async function flagsFor(settings: object, ...argv: string[]) {
  const command = new Command('certify');
  for (const add of [targetOptions, runOptions, shardOption, gateOptions, configOption]) add(command);
  command.option('--out <dir>', '', 'runcert-report').option('--format <names>', '');
  command.parse([...argv, '--config', await config(settings)], { from: 'user' });
  return configured(command, command.opts());
}

test('settings stand behind the flags, and the defaults behind the settings', async () => {
  const { flags, party } = await flagsFor(
    {
      party: 'host',
      seed: 7,
      runs: 50,
      timeLimit: 60,
      only: ['v1/7*'],
      out: 'reports',
      baseline: 'known.json',
      format: ['html', 'junit'],
      shard: '2/3',
    },
    '--seed',
    '9',
  );
  expect(party).toBe('host');
  expect(flags).toMatchObject({
    seed: 9,
    runs: 50,
    timeLimit: 60,
    grace: 1000,
    only: ['v1/7*'],
    out: join(dir, 'reports'),
    baseline: join(dir, 'known.json'),
    format: ['html', 'junit'],
    shard: { index: 2, of: 3 },
  });
});

test('a command in the file is the flag and its words; a module is a path', async () => {
  expect((await flagsFor({ target: { plugin: ['python', 'main.py'] } })).flags).toMatchObject({
    plugin: true,
    command: ['python', 'main.py'],
  });
  expect((await flagsFor({ target: { module: 'runner.ts' } })).flags).toMatchObject({ module: join(dir, 'runner.ts') });
  expect((await flagsFor({ target: { hostUrl: 'ws://127.0.0.1:1' } })).flags).toMatchObject({
    hostUrl: 'ws://127.0.0.1:1',
  });
});

test('a target on the command line replaces the one in the file, and the party with it', async () => {
  const { flags, party } = await flagsFor(
    { party: 'host', target: { host: ['node', 'host.js'] }, seed: 3 },
    '--module',
    'x.ts',
  );
  expect(flags).toMatchObject({ module: 'x.ts', seed: 3 });
  expect(flags).not.toHaveProperty('host');
  expect(flags).not.toHaveProperty('command');
  expect(party).toBeUndefined();
});

test('a command takes only the settings that it has', async () => {
  const command = configOption(new Command('report')).option('--out <dir>');
  command.parse(['--config', await config({ seed: 7, out: 'o', target: { plugin: ['x'] } })], { from: 'user' });
  const { flags } = await configured(command, command.opts());
  expect(Object.keys(flags).sort()).toEqual(['config', 'out']);
});

test('without a file nothing changes', async () => {
  const command = configOption(new Command('x'));
  command.parse([], { from: 'user' });
  expect(await configured(command, { a: 1 })).toEqual({ flags: { a: 1 }, party: undefined });
});

test.each<[string | object, RegExp, RegExp | undefined]>([
  [{ sed: 7 }, /no setting "sed"/, /"seed"/],
  [{ timelimit: 7 }, /no setting "timelimit"/, /"timeLimit"/],
  [{ target: { plugins: ['x'] } }, /no target "plugins"/, /"plugin"/],
  [{ target: { plugin: ['x'], host: ['y'] } }, /Two targets are named: plugin and host/, /one target/],
  [{ target: { plugin: 'python main.py' } }, /\/plugin must be array/, /list of words/],
  [{ target: { hostUrl: 'http://x' } }, /\/hostUrl/, /ws:/],
  [{ target: {} }, /No target is named/, /one target/],
  [{ runs: 0 }, /\/runs must be >= 1/, undefined],
  [{ seed: 1.5 }, /\/seed must be integer/, undefined],
  [{ format: ['pdf'] }, /\/format\/0 must be one of terminal, html/, undefined],
  [{ shard: '3/2' }, /1 ≤ I ≤ N/, undefined],
  [{ env: ['A B'] }, /\/env\/0/, undefined],
  ['{"seed": 7,\n}', /is not JSON/, undefined],
  ['[]', /must be object/, undefined],
])('%j is refused with what to do', async (settings, message, remedy) => {
  const path = await config(settings);
  const error = await configured(configOption(new Command('x')), { config: path }).catch(
    (cause: unknown) => cause as RuncertError,
  );
  expect(error).toBeInstanceOf(RuncertError);
  expect(error).toMatchObject({ code: 'RUNCERT_CONFIG', place: expect.stringContaining(path) as unknown, exit: 64 });
  expect((error as RuncertError).message).toMatch(message);
  if (remedy !== undefined) expect((error as RuncertError).remedy).toMatch(remedy);
});

test('no text crashes the reader', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc
          .dictionary(fc.constantFrom('seed', 'target', 'env', 'format', 'x'), fc.jsonValue())
          .map((value) => JSON.stringify(value)),
      ),
      async (text) => {
        const path = await config(text);
        await readConfig(path).catch((error: unknown) => expect(error).toBeInstanceOf(RuncertError));
      },
    ),
    { numRuns: 200 },
  );
});
