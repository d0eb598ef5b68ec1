// generate, spec, validate, list and explain as a user calls them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtCli } from '../testing/built.ts';

const main = await builtCli();
const folder = mkdtempSync(join(tmpdir(), 'runcert-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string | Uint8Array): string => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
  return name;
};
const runcert = (args: readonly string[], input = '') =>
  spawnSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    input,
    env: { ...process.env, NO_COLOR: '1' },
  });
const document = (python: string): string => `# 1 Test\n\n\`\`\`python\n${python}\n\`\`\`\n`;

describe('runcert validate', { timeout: 60_000 }, () => {
  const good = { run_id: 'r', type: 'message.delta' };

  it('tells which line of many does not fit, and exits 1', () => {
    const { status, stdout } = runcert([
      'validate',
      'AgentRunResult',
      file('results.ndjson', `${JSON.stringify(good)}\n\n{"type":5}\n`),
    ]);
    expect(stdout).toBe(
      'results.ndjson:3: /run_id: expected string, found nothing (§7.1)\nresults.ndjson:3: /type: expected string, found number 5 (§7.1)\nresults.ndjson: 1 of 2 values do not fit AgentRunResult\n',
    );
    expect(status).toBe(1);
  });

  it('reads the standard input, and gives data where asked', () => {
    const { status, stdout } = runcert(['validate', 'AgentRunResult', '-', '--json'], JSON.stringify(good));
    expect(JSON.parse(stdout)).toEqual({
      model: 'AgentRunResult',
      files: [{ file: '-', values: 1, invalid: 0, errors: [] }],
    });
    expect(status).toBe(0);
  });

  it.each<[string, string[], number, RegExp]>([
    ['an unknown model', ['AgentRunResul', 'x.json'], 64, /Did you mean AgentRunResult/u],
    ['no such file', ['AgentRunResult', 'nowhere.json'], 64, /nowhere\.json cannot be read: ENOENT/u],
    ['not JSON', ['AgentRunResult', file('bad.json', '{"a": }')], 1, /bad\.json:1: This is not JSON/u],
    ['not UTF-8', ['AgentRunResult', file('bytes.json', new Uint8Array([0x22, 0xff, 0x22]))], 64, /not UTF-8/u],
    ['an empty file', ['AgentRunResult', file('empty.json', '')], 2, /^$/u],
    [
      'a revision that is not there',
      ['AgentRunResult', 'x.json', '--revision', '1999-01-01'],
      64,
      /There is agent-runner 2026-06-03/u,
    ],
  ])('%s', (_, args, exit, words) => {
    const { status, stderr } = runcert(['validate', ...args]);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('    at ');
    expect(status).toBe(exit);
  });
});

describe('runcert list and explain', { timeout: 60_000 }, () => {
  it('lists clauses by party and level, models with their sections, and targets', () => {
    const clauses = JSON.parse(
      runcert(['list', 'clauses', '--protocol', 'agent-runner', '--party', 'runner', '--level', 'MUST', '--json'])
        .stdout,
    ) as { party: string; level: string }[];
    expect(clauses.length).toBeGreaterThan(20);
    expect(clauses.every(({ party, level }) => party === 'runner' && level === 'MUST')).toBe(true);
    expect(runcert(['list', 'models', '--only', 'AgentTrigger']).stdout).toBe(
      'AgentTrigger  agent-runner §5.3  3 fields\n',
    );
    expect(runcert(['list', 'targets']).stdout).toContain('--plugin -- CMD ARG…');
    expect(runcert(['list', 'nothing']).status).toBe(64);
  });

  it('explains a clause by its id or the end of it', () => {
    const whole = runcert(['explain', 'v1/3/version-1-accepted']);
    expect(whole.stdout).toMatch(
      /^v1\/3\/version-1-accepted {2}MUST, kept by the host\nagent-runner 2026-06-03, PROTOCOL_V1 §3\n\n.+\n\nWhy: .+\n\nJudged: .+/u,
    );
    expect(runcert(['explain', 'version-1-accepted']).stdout).toBe(whole.stdout);
    const wrong = runcert(['explain', 'version-1-acepted']);
    expect([wrong.status, wrong.stderr]).toEqual([64, expect.stringContaining('Did you mean v1/3/version-1-accepted')]);
  });
});

describe('runcert generate', { timeout: 60_000 }, () => {
  it('names line and column of an error, exits 1 and leaves the old output', () => {
    const doc = file('doc.md', document('class A(BaseModel):\n    x: int'));
    expect(runcert(['generate', '--spec', doc, '--out', 'out']).status).toBe(0);
    const before = readFileSync(join(folder, 'out/types.ts'), 'utf8');
    file('doc.md', document('class A(BaseModel):\n    x: set[int]'));
    const { status, stderr } = runcert(['generate', '--spec', doc, '--out', 'out']);
    expect(stderr).toContain('doc.md:5:8: error: "set[…]" is not an annotation that is understood. [python-shape]');
    expect(status).toBe(1);
    expect(readFileSync(join(folder, 'out/types.ts'), 'utf8')).toBe(before);
  });

  it('a name that is nowhere defined is a warning: exit 0', () => {
    const { status, stderr } = runcert([
      'generate',
      '--spec',
      file('open.md', document('class A(BaseModel):\n    x: Open')),
      '--out',
      'open',
    ]);
    expect(stderr).toContain('open.md:5:8: warning: Open is used here and nowhere defined');
    expect(status).toBe(0);
  });

  it('--check names what is not as it should be', () => {
    const doc = file('checked.md', document('class A(BaseModel):\n    x: int'));
    const check = () => runcert(['generate', '--spec', doc, '--out', 'checked', '--check']);
    expect(check()).toMatchObject({ status: 1, stdout: expect.stringContaining('missing checked/types.ts\n') });
    runcert(['generate', '--spec', doc, '--out', 'checked']);
    expect(check()).toMatchObject({ status: 0, stdout: 'the output is up to date\n' });
    file('checked/types.ts', '');
    expect(check()).toMatchObject({ status: 1, stdout: 'changed checked/types.ts\n' });
  });

  it('--watch follows an edit, survives an error, and ends with 0', async () => {
    const doc = file('watched/doc.md', document('class A(BaseModel):\n    x: int'));
    const child = spawn(process.execPath, [main, 'generate', '--spec', doc, '--out', 'watched/out', '--watch'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const until = async (words: string): Promise<void> => {
      for (let waited = 0; !output.includes(words); waited += 50) {
        if (waited > 20_000) throw new Error(`no "${words}" in: ${output}`);
        await new Promise((done) => setTimeout(done, 50));
      }
      output = '';
    };
    const ended = new Promise<number | null>((done) => child.on('exit', done));
    await until('watching');
    file('watched/doc.md', document('class A(BaseModel):\n    x:'));
    await until('nothing was written');
    file('watched/doc.md', document('class A(BaseModel):\n    x: str'));
    await until('changed watched/out/types.ts');
    expect(readFileSync(join(folder, 'watched/out/types.ts'), 'utf8')).toContain('x: string');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });
});

describe('runcert spec', { timeout: 60_000 }, () => {
  it('diff takes revisions and folders, prints data, and exits 1 only for what is not excused', () => {
    file('spec/p/1/DOC.md', document('class A(BaseModel):\n    x: int\n    y: int'));
    file('spec/p/2/DOC.md', document('class A(BaseModel):\n    x: int'));
    const diff = (...more: string[]) => runcert(['spec', 'diff', 'p/1', 'spec/p/2', ...more]);
    const { status, stdout } = diff('--json');
    expect(JSON.parse(stdout)).toMatchObject({
      before: 'p/1',
      after: 'spec/p/2',
      breaking: 1,
      unexcused: 1,
      changes: [
        { kind: 'field-removed', subject: 'A.y', breaks: ['reader'], before: { place: { file: 'DOC.md', line: 6 } } },
      ],
    });
    expect(status).toBe(1);
    expect(diff('--major').status).toBe(0);
    file('spec/p/2/excuses.yaml', '- change: field-removed A.y\n  reason: unused\n');
    expect(diff().status).toBe(0);
    file('spec/p/2/excuses.yaml', '- change: field-removed A.z\n  reason: unused\n');
    expect(diff('--major').stdout).toContain('stale excuse: field-removed A.z');
    expect(diff('--major').status).toBe(1);
    file('spec/p/2/excuses.yaml', '- change: 5\n');
    expect(diff()).toMatchObject({ status: 64, stderr: expect.stringContaining('entry 1 has no change or no reason') });
    expect(runcert(['spec', 'diff', 'p/1', 'p/9'])).toMatchObject({
      status: 64,
      stderr: expect.stringContaining('p/1, p/2'),
    });
    rmSync(join(folder, 'spec'), { recursive: true });
  });

  it('diff of a document with an error names it', () => {
    const good = file('good.md', document('class A(BaseModel):\n    x: int'));
    const bad = file('bad.md', document('class A(BaseModel):\n  x: int\n    y: int'));
    const { status, stderr } = runcert(['spec', 'diff', good, bad]);
    expect(stderr).toContain('bad.md:6:1: error');
    expect(status).toBe(1);
  });

  it('lint gives data, and exits 1 on an error alone', () => {
    const doc = file('lint.md', document('class A(BaseModel):\n    x: Open'));
    const { status, stdout } = runcert(['spec', 'lint', doc, '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        label: 'lint.md',
        counts: { blocks: 1, classes: 1, fields: 1 },
        undefined: ['Open'],
        diagnostics: [{ code: 'undefined-name' }],
      },
    ]);
    expect(status).toBe(0);
    expect(runcert(['spec', 'lint', file('none.md', 'prose')]).status).toBe(1);
    expect(existsSync(join(folder, 'schemas'))).toBe(false);
  });
});
