// The command line as a whole: every command explains itself, refuses what it does not know, and does both without delay.
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { packageRoot } from './spec-root.ts';
import { builtCli } from './testing/built.ts';

const run = promisify(execFile);
const folder = join(packageRoot(), 'cli/commands');
const names = readdirSync(folder)
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => file.replace('.ts', ''));

async function commandOf(name: string): Promise<Command> {
  const command = new Command(name).exitOverride();
  const module = (await import(`./commands/${name}.ts`)) as { default: (command: Command) => void };
  module.default(command);
  return command;
}

/** A command with what stands below it: `spec`, `spec lint`, `spec diff`. */
const withInner = (command: Command): Command[] => [command, ...command.commands.flatMap(withInner)];

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

describe.each(names)('runcert %s', (name) => {
  test('has an example in its help, and in that of each part', async () => {
    for (const command of withInner(await commandOf(name)))
      expect(helpOf(command), command.name()).toMatch(/Examples?:\n {2}\$ runcert /);
  });

  test('refuses an option that it does not have', async () => {
    for (const command of withInner(await commandOf(name))) {
      command.exitOverride().configureOutput({ writeErr: () => {} });
      const refused = await command.parseAsync(['--no-such-option'], { from: 'user' }).catch((error: unknown) => error);
      expect(refused, command.name()).toBeInstanceOf(CommanderError);
    }
  });
});

/** The packages that a file loads by itself, and those of the files that it loads. Types and `import()` cost nothing. */
function packagesOf(file: string, seen: Map<string, Set<string>> = new Map()): Set<string> {
  const known = seen.get(file);
  if (known !== undefined) return known;
  const found = new Set<string>();
  seen.set(file, found);
  const text = readFileSync(file, 'utf8');
  for (const [, words = '', from = ''] of text.matchAll(/^(?:import|export) ([^;']*?) ?from '([^']+)'/gm)) {
    if (words.startsWith('type ') || from.endsWith('.json')) continue;
    if (from.startsWith('.')) for (const name of packagesOf(resolve(dirname(file), from), seen)) found.add(name);
    else if (!from.startsWith('node:')) found.add(from);
  }
  return found;
}

test('arguments are read before anything heavy is loaded', () => {
  const light = ['commander', 'picocolors'];
  for (const name of names)
    expect(
      [...packagesOf(join(folder, `${name}.ts`))].filter((from) => !light.includes(from)),
      name,
    ).toEqual([]);
});

test.each([
  [['certfy'], 'Did you mean certify?'],
  [['certify', '--rnus', '5'], '--runs'],
  [['certify', '--runs', 'many'], 'whole number from 1'],
  [['certify', 'bogus'], 'runner, host, runtime'],
  [['report'], 'outcome'],
  [['matrix', '--out', 'x'], 'runcert matrix --help'],
  [['certify', '--format', 'pdf'], 'Choose from'],
  [['certify', '--plugin'], '--plugin -- CMD'],
  [['certify', '--baseline', 'no-such.json'], 'Make one with --update-baseline'],
  [['certify', '--previous', 'no-such.json'], 'Give an outcome.json'],
  [['certify', '--update-baseline'], 'Name it with --baseline FILE'],
])('%j: exit 64, what is wrong and what to do, nothing on stdout', async (words, remedy) => {
  const failed = await run(process.execPath, [await builtCli(), ...words]).then(
    () => undefined,
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  expect(failed).toMatchObject({ code: 64, stdout: '' });
  expect(failed?.stderr).toContain(remedy);
  expect(failed?.stderr).toContain('→ ');
  // A mistake that can be seen beforehand costs no run.
  expect(failed?.stderr).not.toContain('cases,');
});

test('a reader that stops reading changes neither the verdict nor the exit code', async () => {
  const child = spawn(process.execPath, [await builtCli(), 'list', 'clauses', '--json'], { stdio: 'pipe' });
  let told = '';
  child.stderr.on('data', (text) => {
    told += text;
  });
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, told }).toEqual({ code: 0, told: expect.stringMatching(/^\d+ clauses\n$/) });
});
