// Modules that misbehave inside Runcert's own process: the run still ends, and says whose fault it was.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { builtPackage } from './testing/built.ts';

const built = await builtPackage();
const folder = mkdtempSync(join(tmpdir(), 'runcert-modules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A runner with these words around and in its `run`, certified with a small budget. */
function certify(name: string, run: string, around = ''): { status: number | null; said: string } {
  writeFileSync(
    join(folder, `${name}.mjs`),
    `import { defineRunner } from 'runcert';
${around}
export default defineRunner({
  manifest: { id: 'plugin:acme/${name}/default', name: 'default', label: { en_US: 'Broken' }, capabilities: { streaming: true }, permissions: { history: ['page'] }, context: {} },
  async *run(context, api) {
    ${run}
    yield { type: 'run.completed' };
  },
});`,
  );
  return runcert(['certify', 'runner', '--module', `${name}.mjs`, '--runs', '2', '--only', 'v1/7.*/*', '--out', name]);
}

function runcert(words: readonly string[]): { status: number | null; said: string } {
  const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, CI: 'true' }, timeout: 100_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(built, 'main.js'), ...words], options);
  return { status, said: stdout + stderr };
}

test('an error that nobody catches ends the runner, not Runcert, and is told in its words', () => {
  const { status, said } = certify(
    'uncaught',
    `Promise.reject(new Error('the lamp is out')); await api.clock.sleep(5);`,
  );
  expect(said).toContain('v1/7.2/run-ends (MUST)');
  expect(said).toContain('an error that nobody caught: the lamp is out');
  expect(said).not.toContain('RUNCERT_INTERNAL');
  expect(status).toBe(1);
}, 120_000);

test.each([
  ['calls', `for (;;) try { await api.call('history_page', {}); } catch {}`],
  ['results', `for (;;) yield { type: 'message.delta', data: { chunk: { role: 'assistant', content: 'x' } } };`],
])(
  'endless %s do not hold the run up',
  (name, run) => {
    const { status, said } = certify(name, run);
    expect(said).toContain('v1/7.2/run-ends (MUST)');
    expect(status).toBe(1);
  },
  120_000,
);

test('the saved case breaks a module that is loaded anew, though it was broken for what came before', () => {
  const { status } = certify(
    'counting',
    `yield { type: 'x.count', data: {}, ...(++runs > 1 && { run_id: 'another' }) };`,
    'let runs = 0;',
  );
  expect(status).toBe(1);
  const file = 'counting/cases/v1_7.1_run-id-echoed.json';
  expect(JSON.parse(readFileSync(join(folder, file), 'utf8')).stimulus.runs).toHaveLength(2);
  expect(runcert(['replay', file, '--module', 'counting.mjs']).status).toBe(1);
}, 120_000);

test('a pattern that names no clause is told, and nothing is run', () => {
  const { status, said } = runcert(['certify', 'runner', '--reference', '--only', 'v1/7*']);
  expect(said).toContain('--only v1/7*: No clause of a runner is called that.');
  expect(status).toBe(64);
});
