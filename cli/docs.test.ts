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

  interface Ran {
    readonly code: number;
    readonly stdout: string;
    readonly summary: string;
    readonly output: string;
  }

  /** Plays a script as a runner of GitHub plays `shell: bash`, in a folder of its own or in one that is there. */
  async function shell(script: string, env: Record<string, string>, cwd: string): Promise<Ran> {
    const files = { GITHUB_OUTPUT: join(cwd, '.output'), GITHUB_STEP_SUMMARY: join(cwd, '.summary') };
    await writeFile(join(cwd, '.step.sh'), script);
    for (const file of Object.values(files)) await writeFile(file, '');
    const { stdout, code } = await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', join(cwd, '.step.sh')], {
      cwd,
      env: { ...process.env, ...files, ...env, CI: 'true' },
      maxBuffer: 1 << 26,
    }).then(
      (done) => ({ ...done, code: 0 }),
      (error: { code: number; stdout: string }) => error,
    );
    const text = (path: string): Promise<string> => readFile(path, 'utf8');
    return { code, stdout, summary: await text(files.GITHUB_STEP_SUMMARY), output: await text(files.GITHUB_OUTPUT) };
  }

  /** The one step of the action, with these inputs and the defaults of the others. */
  async function act(given: Record<string, string>, cwd?: string): Promise<Ran> {
    const { inputs, runs } = await action();
    const all: Record<string, string> = { command: `${join(home, 'bin', 'npx')} runcert`, ...given };
    const env = Object.entries(runs.steps[0]!.env).map(([name, value]) => {
      const input = /inputs\.([\w-]+)/.exec(value)?.[1] ?? '';
      return [name, all[input] ?? inputs[input]?.default ?? ''];
    });
    return shell(
      runs.steps[0]!.run,
      { ...Object.fromEntries(env), GITHUB_ACTION_PATH: root },
      cwd ?? (await mkdtemp(join(home, 'action-'))),
    );
  }

  test('certifies, annotates, summarises, and passes the exit code on', async () => {
    const { code, stdout, summary, output } = await act({
      party: 'runner',
      arguments: '--runs\n20\n',
      out: 'my report',
    });
    expect(code).toBe(0);
    expect(stdout).toContain('::notice title=Runcert%3A Conformant::');
    expect(summary).toContain('✅ Conformant');
    expect(output).toBe('exit-code=0\nverdict=conformant\nreport=my report\n');
  }, 60_000);

  test('fails the job when the contract breaks, with an annotation and the replay command', async () => {
    const { code, stdout, summary, output } = await act({
      arguments: '--runs\n5\n--only\nv1/4.2/id-format\n',
      target: '--mutant\nrunner/id-with-space\n',
    });
    expect(code).toBe(1);
    expect(output).toBe('exit-code=1\nverdict=not-conformant\nreport=runcert-report\n');
    expect(stdout).toMatch(
      /^::error file=runcert-report\/recordings\/\S+,line=\d+,title=v1\/4\.2\/id-format \(MUST\)::/m,
    );
    expect(summary).toContain('--mutant runner/id-with-space');
    // What the run itself prints gives no command; what follows it does.
    const [, token] = /^::stop-commands::(\S+)$/m.exec(stdout) ?? [];
    expect(stdout.indexOf('::error ')).toBeGreaterThan(stdout.indexOf(`\n::${token}::\n`));
  }, 60_000);

  test('lets nothing in an input act', async () => {
    const folder = await mkdtemp(join(home, 'action-'));
    for (const [input, value, code] of [
      ['arguments', '--runs\n$(touch pwned)\n', 64],
      ['arguments', '--seed\n1; touch pwned\n', 64],
      ['party', 'runner"; touch pwned; "', 64],
      ['config', '`touch pwned`.json', 64],
      ['out', 'x\nverdict=conformant', 64],
    ] as const) {
      const ran = await act({ party: 'runner', [input]: value }, folder);
      expect(ran.code, value).toBe(code);
      expect(ran.output, value).not.toContain('verdict=conformant');
    }
    expect(await readFile(join(folder, 'pwned')).catch(() => 'never made')).toBe('never made');
  }, 60_000);

  interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly if?: string;
    readonly with?: Record<string, string>;
  }
  const workflow = async (): Promise<Record<string, { steps: Step[] }>> => {
    const text = await readFile(join(root, '.github/workflows/certify.yml'), 'utf8');
    return (parse(text) as { jobs: Record<string, { steps: Step[] }> }).jobs;
  };

  test('the workflow of this repository uses it with inputs that it has', async () => {
    const { inputs } = await action();
    const steps = Object.values(await workflow()).flatMap((job) => job.steps.filter(({ uses }) => uses === './'));
    expect(steps).toHaveLength(1);
    for (const name of Object.keys(steps[0]?.with ?? {})) expect(Object.keys(inputs)).toContain(name);
  });

  test('the workflow, played: two shards that decide nothing alone, and a gate that has the last word', async () => {
    const { shard, gate } = await workflow();
    const folder = await mkdtemp(join(home, 'workflow-'));
    await mkdir(join(folder, 'dist/cli'), { recursive: true });
    await writeFile(join(folder, 'dist/cli/main.js'), `import(${JSON.stringify(await builtCli())});\n`);
    const certify = shard!.steps.find(({ uses }) => uses === './')!.with!;
    for (const index of [1, 2]) {
      const filled = Object.entries(certify).map(([name, value]) => [
        name,
        value.replace(/\$\{\{ matrix\.party \}\}/, 'runner').replace(/\$\{\{ matrix\.shard \}\}/, String(index)),
      ]);
      const given = { ...Object.fromEntries(filled), arguments: '--runs\n20\n', out: `shards/runner-${index}` };
      const ran = await act(given as Record<string, string>, folder);
      expect(ran.code, ran.stdout).toBe(0);
    }
    for (const { run: script } of gate!.steps.filter((step) => step.run !== undefined && step.run !== 'npm ci')) {
      const ran = await shell(script!, {}, folder);
      expect(ran.code, ran.stdout).toBe(0);
      if (script!.includes('GITHUB_STEP_SUMMARY')) expect(ran.summary).toContain('✅ Conformant');
    }
    const scripts = [...shard!.steps, ...gate!.steps].map((step) => step.run ?? '');
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  }, 120_000);
});
