// The docs about the gate and the certificate, run as a reader would: each file of theirs is written, each command is played.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readBaseline } from '../conformance/judging/baseline.ts';
import { readConfig } from './config.ts';
import { packageRoot } from './spec-root.ts';
import { builtCli } from './testing/built.ts';

const run = promisify(execFile);
const root = packageRoot();

interface Block {
  readonly kind: string;
  readonly name: string;
  readonly text: string;
}

async function blocksOf(path: string): Promise<Block[]> {
  const text = await readFile(join(root, path), 'utf8');
  return [...text.matchAll(/^```(\w+) ?([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, kind = '', name = '', body = '']) => ({
    kind,
    name,
    text: body,
  }));
}

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'runcert-docs-'));
  const npx = join(home, 'bin', 'npx');
  await mkdir(dirname(npx));
  const main = await builtCli();
  await writeFile(
    npx,
    `#!/bin/sh\n[ "$1" = runcert ] || { echo "npx $1?" >&2; exit 64; }\nshift\nexec '${process.execPath}' '${main}' "$@"\n`,
  );
  await chmod(npx, 0o755);
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Plays the shell blocks of a page in a new folder, in order; any command that fails fails the test. */
async function play(page: string): Promise<string> {
  const folder = await mkdtemp(join(home, 'reader-'));
  const blocks = await blocksOf(page);
  for (const { name, text } of blocks.filter((block) => block.kind !== 'sh' && block.name !== '')) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const script = blocks
    .filter(({ kind }) => kind === 'sh')
    .map(({ text }) => `(${text.trim().includes('\n') ? `\n${text}` : text.trim()})`);
  const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env['PATH']}`, CI: 'true' };
  const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
    cwd: folder,
    env,
    maxBuffer: 1 << 26,
  });
  return stdout + stderr;
}

const GATE = 'docs/gate-your-host-in-ci.md';
const CERTIFICATES = 'docs/certificates.md';

test('the files that the docs show are valid', async () => {
  const folder = await mkdtemp(join(home, 'files-'));
  for (const { kind, name, text } of [...(await blocksOf(GATE)), ...(await blocksOf(CERTIFICATES))]) {
    if (kind === 'yaml') expect(parse(text), name).toBeTypeOf('object');
    if (kind !== 'json') continue;
    const path = join(folder, name);
    await writeFile(path, text);
    if (name === 'runcert.config.json') expect((await readConfig(path)).party).toBe('runner');
    else expect(readBaseline(text, name).entries.length).toBeGreaterThan(0);
  }
});

describe('played from the top to the bottom', () => {
  test('gate your host in CI', async () => {
    const said = await play(GATE);
    expect(said).toContain('Nothing changed since the previous outcome.');
    expect(said).toContain('merged/report.html');
  }, 120_000);

  test('certificates', async () => {
    const said = await play(CERTIFICATES);
    expect(said.match(/Verified: this certificate holds/g)).toHaveLength(2);
  }, 120_000);
});

describe('the composite action', () => {
  interface Action {
    readonly inputs: Record<string, { default: string; description: string }>;
    readonly outputs: Record<string, { value: string }>;
    readonly runs: { using: string; steps: { id: string; run: string; env: Record<string, string> }[] };
  }
  const action = async (): Promise<Action> => parse(await readFile(join(root, 'action.yml'), 'utf8')) as Action;

  test('hands every input on as a variable, and none into the script', async () => {
    const { inputs, runs } = await action();
    const [step] = runs.steps;
    expect(step?.run).not.toContain('${{');
    const handed = Object.values(step?.env ?? {}).map((value) => /inputs\.([\w-]+)/.exec(value)?.[1]);
    expect([...handed, 'working-directory'].sort()).toEqual(Object.keys(inputs).sort());
  });

  test('certifies, annotates, summarises, and passes the exit code on', async () => {
    const folder = await mkdtemp(join(home, 'action-'));
    const { inputs, runs } = await action();
    const given: Record<string, string> = {
      party: 'runner',
      arguments: '--runs\n20\n',
      out: 'my report',
      command: `${join(home, 'bin', 'npx')} runcert`,
    };
    const env = Object.fromEntries(
      Object.entries(runs.steps[0]!.env).map(([name, value]) => {
        const input = /inputs\.([\w-]+)/.exec(value)?.[1] ?? '';
        return [name, given[input] ?? inputs[input]?.default ?? ''];
      }),
    );
    const files = {
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      GITHUB_ACTION_PATH: root,
    };
    const step = (more: Record<string, string> = {}) =>
      run('bash', ['-c', runs.steps[0]!.run], { cwd: folder, env: { ...process.env, ...env, ...files, ...more } });
    const { stdout } = await step();
    expect(stdout).toContain('::notice title=Runcert%3A Conformant::');
    expect(await readFile(files.GITHUB_STEP_SUMMARY, 'utf8')).toContain('✅ Conformant');
    expect(await readFile(files.GITHUB_OUTPUT, 'utf8')).toBe('exit-code=0\nverdict=conformant\nreport=my report\n');
    const wrong = await step({ RUNCERT_ARGUMENTS: '--runs\n$(touch pwned)\n' }).catch(
      (error: { code: number }) => error,
    );
    expect(wrong).toMatchObject({ code: 64 });
    expect(await readFile(join(folder, 'pwned')).catch(() => 'never made')).toBe('never made');
  }, 60_000);

  test('the workflow of this repository uses it with inputs that it has', async () => {
    const { inputs } = await action();
    const { jobs } = parse(await readFile(join(root, '.github/workflows/certify.yml'), 'utf8')) as {
      jobs: Record<string, { steps: { uses?: string; with?: object }[] }>;
    };
    const steps = Object.values(jobs).flatMap((job) => job.steps.filter(({ uses }) => uses === './'));
    expect(steps).toHaveLength(1);
    for (const name of Object.keys(steps[0]?.with ?? {})) expect(Object.keys(inputs)).toContain(name);
  });
});
