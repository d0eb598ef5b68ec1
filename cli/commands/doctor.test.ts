// The doctor as a user calls it: every step, and the words at the first that fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtCli } from '../testing/built.ts';

const main = await builtCli();

const doctor = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'doctor', ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, stdout, stderr };
};

const folder = mkdtempSync(join(tmpdir(), 'runcert-doctor-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const runner = (body: string): string =>
  `export default { runcert: 'runner', manifest: { id: 'plugin:acme/echo/default', name: 'default', label: { en_US: 'Echo' }, capabilities: { streaming: true }, permissions: {}, context: {} },
   async *run(context, api) { ${body} } };`;

describe('runcert doctor', () => {
  test('a runner that works: one line a step, and what it declares', () => {
    const path = file(
      'good.ts',
      runner(`await api.call('history_page').catch(() => {}); yield { type: 'run.completed', data: {} };`),
    );
    const { status, stdout } = doctor('runner', '--module', path);
    expect(stdout).toMatch(/✓ handshake acme\/echo\n✓ discover {2}default\n✓ run {7}run\.completed; 1 API calls/);
    expect(stdout).toContain('capability:streaming');
    expect(status).toBe(0);
  });

  test('the example is in order', () => {
    const { status, stdout } = doctor('--module', 'examples/echo-runner.ts');
    expect(stdout).toMatch(/✓ run {7}run\.completed/);
    expect(status).toBe(0);
  });

  test('a run that has no end: expected, came, try', () => {
    const { status, stdout } = doctor(
      'runner',
      '--module',
      file('bad.mjs', runner(`yield { type: 'message.delta', data: {} };`)),
    );
    expect(stdout).toMatch(/✗ run\n {2}expected .*run\.completed or run\.failed\n {2}came {6}message\.delta\n {2}try /);
    expect(status).toBe(2);
  });

  test('a program that dies: its last words are shown, and its secret is not', () => {
    const script = 'console.error("cannot log in with " + process.env.RUNCERT_TEST_KEY); process.exit(3)';
    process.env['RUNCERT_TEST_KEY'] = 'a-very-secret-key';
    const { status, stdout } = doctor('--plugin', '--env', 'RUNCERT_TEST_KEY', '--', process.execPath, '-e', script);
    expect(stdout).toMatch(/✓ start .*\n✓ connect .*\n✗ handshake\n/);
    expect(stdout).toContain('exited with code 3; the end of its stderr:\n    cannot log in with [blotted]');
    expect(stdout).not.toContain('a-very-secret-key');
    expect(status).toBe(2);
  });

  test('--json prints the diagnosis and nothing else; wrong arguments exit 64', () => {
    const { status, stdout } = doctor('--host-url', 'ws://127.0.0.1:1/', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      steps: [{ step: 'connect', ok: false }],
      failure: { code: 'RUNCERT_TARGET_CONNECT' },
    });
    expect(status).toBe(2);
    expect(doctor('--host-url', 'nonsense').status).toBe(64);
  });
});
