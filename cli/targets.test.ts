// docs/targets.md as a reader uses it: its files are written, its commands played, and what it shows is what they say.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from './spec-root.ts';
import { builtPackage } from './testing/built.ts';

const root = packageRoot();
const page = readFileSync(join(root, 'docs/targets.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'runcert-targets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const built = await builtPackage();
const installed = join(folder, 'node_modules/runcert');
mkdirSync(installed, { recursive: true });
writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'runcert', type: 'module', main: 'index.js' }));
writeFileSync(join(installed, 'index.js'), `export * from ${JSON.stringify(join(built, 'index.js'))};\n`);
mkdirSync(join(folder, 'bin'));
writeFileSync(
  join(folder, 'bin/npx'),
  `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(built, 'main.js')}' "$@"\n`,
);
chmodSync(join(folder, 'bin/npx'), 0o755);
// The corners of every area and some more are enough to show what the page says.
writeFileSync(join(folder, 'runcert.config.json'), JSON.stringify({ runs: 40 }));

function play(command: string): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, CI: 'true', NO_COLOR: '1' },
  });
  return { status, said: stdout + stderr };
}

describe('docs/targets.md', () => {
  let said = '';
  const blocks = [...page.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)];
  for (const [, language, name = '', text = ''] of blocks) {
    if (language === 'ts') it(`gives ${name}`, () => writeFileSync(join(folder, name), text));
    else if (language === 'text') it('shows what the command before it said', () => expect(said).toContain(text));
    else
      it(text.trim(), { timeout: 120_000 }, () => {
        const played = play(text);
        ({ said } = played);
        expect(`exit=${played.status}`, said).toBe(name);
      });
  }

  it('has its runner from examples/', () => {
    const example = readFileSync(join(root, 'examples/echo-runner.ts'), 'utf8').replace('../index.ts', 'runcert');
    const shown = blocks.find(([, , name]) => name === 'echo-runner.ts')?.[3] ?? 'no such block';
    expect(example).toContain(shown);
  });
});

describe('the doctor says what to do next', () => {
  it.each([
    [
      'a program that is not there',
      'npx runcert doctor runner --plugin -- pyton plugin.py',
      /no such program.*Check its name, its path/s,
    ],
    [
      'a plugin that dies with a traceback',
      `npx runcert doctor runner --plugin -- bash -c 'echo "ModuleNotFoundError: nowhere" >&2; exit 1'`,
      /exited with code 1.*ModuleNotFoundError: nowhere.*Mend what its stderr says/s,
    ],
  ])('%s', (_, command, words) => {
    const { status, said } = play(command);
    expect(said).toMatch(words);
    expect(status).toBe(2);
  });
});
