// The replay command of a summary, pasted into a shell as it stands: it plays the saved case on the same target and fails as it did.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { builtPackage } from './testing/built.ts';

const built = await builtPackage();
const folder = mkdtempSync(join(tmpdir(), "runcert 'replay' "));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'bin'));
writeFileSync(
  join(folder, 'bin/npx'),
  `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(built, 'main.js')}' "$@"\n`,
);
chmodSync(join(folder, 'bin/npx'), 0o755);

/** The reference runner as a process, which ends every run twice, but only with these words and this variable. */
const PLUGIN = `
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const twice = process.argv[2] === "it's $HOME" && process.env.TWICE === 'yes; please';
const child = spawn(process.execPath, [${JSON.stringify(join(built, 'main.js'))}, 'reference', 'runner', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
child.on('exit', () => process.exit(0));
createInterface({ input: child.stdout }).on('line', (line) => {
  process.stdout.write(line + '\\n');
  if (twice && line.includes('"run.completed"')) process.stdout.write(line + '\\n');
});
`;
const MODULE = `
import { defineRunner } from ${JSON.stringify(join(built, 'index.js'))};
export default defineRunner({
  manifest: { id: 'plugin:acme/twice/default', name: 'default', label: { en_US: 'Twice' }, protocol_version: '1' },
  async *run() {
    yield { type: 'run.completed', data: {} };
    yield { type: 'run.completed', data: {} };
  },
});
`;
mkdirSync(join(folder, 'my runner'));
writeFileSync(join(folder, 'my runner/plug in.mjs'), PLUGIN);
writeFileSync(join(folder, "my runner/it's.mjs"), MODULE);
writeFileSync(
  join(folder, 'my settings.json'),
  JSON.stringify({ party: 'runner', target: { module: "my runner/it's.mjs" } }),
);

const bash = (script: string): { readonly status: number | null; readonly said: string } => {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, CI: 'true' },
  });
  return { status, said: stdout + stderr };
};

test.each([
  ['a module', `--module "my runner/it's.mjs"`],
  ['a process', `--env 'TWICE=yes; please' --grace 1500 --plugin -- node 'my runner/plug in.mjs' "it's \\$HOME"`],
  ['a target in a configuration file', `--config 'my settings.json'`],
])('%s', { timeout: 120_000 }, (_, target) => {
  const { status, said } = bash(
    `npx runcert certify runner --runs 2 --only v1/7.2/exactly-one-terminal --out 'my report' ${target}`,
  );
  expect(status, said).toBe(1);
  const command = /^ replay {2}(.*)$/m.exec(said)?.[1] ?? '';
  expect(bash(command)).toMatchObject({
    status: 1,
    said: expect.stringContaining('v1/7.2/exactly-one-terminal: fail'),
  });
});
