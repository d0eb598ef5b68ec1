import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { regenerate } from './regenerate.ts';
import { apply } from './write.ts';

const GOOD = '# 1 A\n\n```python\nclass A(BaseModel):\n    x: int\n```\n';
const OTHER = '# 1 A\n\n```python\nclass A(BaseModel):\n    x: int\n    y: str = ""\n```\n';
const BAD = '# 1 A\n\n```python\nclass A(BaseModel)\n    x: int\n```\n';
const FILES = [
  'REFERENCE.md',
  'api.ts',
  'arbitraries.ts',
  'protocol.schema.json',
  'types.ts',
  'validators.d.ts',
  'validators.js',
];

let root: string;
const at = (...parts: string[]): string => join(root, ...parts);
const put = (path: string, text: string): void => {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text);
};
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(at(folder))
      .sort()
      .map((name) => [name, readFileSync(at(folder, name), 'utf8')]),
  );
const git = (...args: string[]): void => void execFileSync('git', args, { cwd: root, stdio: 'ignore' });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'runcert-'));
  put('spec/p/1/DOC.md', GOOD);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('generate', () => {
  it('writes every product, and nothing the second time', () => {
    const first = regenerate({ root });
    expect(first.ok).toBe(true);
    expect(first.changes.map(({ kind }) => kind)).toEqual(FILES.map(() => 'added'));
    const before = contents('schemas/p/1');
    expect(Object.keys(before)).toEqual(FILES);
    expect(regenerate({ root })).toMatchObject({ ok: true, changes: [] });
    expect(contents('schemas/p/1')).toEqual(before);
  });

  it('makes the same bytes wherever it runs', () => {
    const make = (): Record<string, string> => {
      regenerate({ root });
      return contents('schemas/p/1');
    };
    const here = make();
    rmSync(root, { recursive: true });
    root = mkdtempSync(join(tmpdir(), 'somewhere-else-'));
    put('spec/p/1/DOC.md', GOOD.replaceAll('\n', '\r\n'));
    expect(make()).toEqual(here);
    expect(Object.values(here).join('')).not.toContain(tmpdir());
  });

  it('compiles the documents of a folder together, and each revision apart', () => {
    put('spec/p/1/MORE.md', '# 2 B\n\n```python\nclass B(A):\n    z: Missing\n```\n');
    put('spec/q/2/DOC.md', OTHER);
    put(
      'spec/q/2/clauses.yaml',
      'clauses:\n  - { id: v1/1/x, section: "1", level: MUST, party: host, area: a, text: t, source: s, how: h }\n',
    );
    const { compilations, diagnostics } = regenerate({ root });
    expect(
      compilations.map(({ protocol, revision, counts, files }) => [protocol, revision, counts.classes, files.length]),
    ).toEqual([
      ['p', '1', 2, 7],
      ['q', '2', 1, 9],
    ]);
    expect(diagnostics.map((d) => [d.code, d.place.file])).toEqual([['undefined-name', 'spec/p/1/MORE.md']]);
    expect(JSON.parse(readFileSync(at('schemas/q/2/clauses.json'), 'utf8'))).toEqual([
      { id: 'v1/1/x', section: '1', level: 'MUST', party: 'host', area: 'a', text: 't', source: 's', how: 'h' },
    ]);
  });

  it('removes output that no document makes any more', () => {
    put('spec/p/2/DOC.md', OTHER);
    regenerate({ root });
    put('schemas/p/1/left-over.ts', 'x');
    rmSync(at('spec/p/2'), { recursive: true });
    const { changes } = regenerate({ root });
    expect(changes.every(({ kind }) => kind === 'removed')).toBe(true);
    expect(changes).toHaveLength(1 + FILES.length);
    expect(existsSync(at('schemas/p/2'))).toBe(false);
    expect(Object.keys(contents('schemas/p/1'))).toEqual(FILES);
  });

  it('leaves folders alone that are not its own', () => {
    put('schemas/mine/1/notes.txt', 'keep');
    regenerate({ root });
    expect(readFileSync(at('schemas/mine/1/notes.txt'), 'utf8')).toBe('keep');
  });
});

describe('all or nothing', () => {
  it('an error in one revision leaves the output of all as it was', () => {
    put('spec/q/1/DOC.md', GOOD);
    regenerate({ root });
    const before = [contents('schemas/p/1'), contents('schemas/q/1')];
    put('spec/p/1/DOC.md', OTHER);
    put('spec/q/1/DOC.md', BAD);
    const result = regenerate({ root });
    expect(result).toMatchObject({ ok: false, changes: [] });
    expect(result.diagnostics).toMatchObject([{ severity: 'error', place: { file: 'spec/q/1/DOC.md', line: 4 } }]);
    expect([contents('schemas/p/1'), contents('schemas/q/1')]).toEqual(before);
  });

  it('an error in the clauses does too', () => {
    put('spec/p/1/clauses.yaml', 'clauses:\n  - id: x\n');
    expect(regenerate({ root }).ok).toBe(false);
    expect(existsSync(at('schemas'))).toBe(false);
  });

  // Root may write anywhere: the test needs another user, and is skipped without one.
  it.skipIf(process.getuid?.() === 0)('a folder that cannot be written is told, and nothing is half done', () => {
    regenerate({ root });
    const before = contents('schemas/p/1');
    put('spec/p/1/DOC.md', OTHER);
    chmodSync(at('schemas/p/1'), 0o500);
    expect(() => regenerate({ root })).toThrow(/cannot be written/u);
    chmodSync(at('schemas/p/1'), 0o700);
    expect(contents('schemas/p/1')).toEqual(before);
  });

  it('a folder where a file belongs is replaced', () => {
    mkdirSync(at('schemas/p/1/validators.js/inside'), { recursive: true });
    expect(regenerate({ root }).ok).toBe(true);
    expect(Object.keys(contents('schemas/p/1'))).toEqual(FILES);
  });

  it('a move that fails half-way is undone', () => {
    put('out/a.ts', 'old a');
    // Made by somebody else after the comparison: the last move cannot be made.
    put('out/c.ts/inside.ts', 'theirs');
    const files = new Map([
      ['a.ts', 'new a'],
      ['b.ts', 'new b'],
      ['c.ts', 'new c'],
    ]);
    const changes = [
      { kind: 'changed', path: at('out/a.ts') },
      { kind: 'added', path: at('out/b.ts') },
      { kind: 'added', path: at('out/c.ts') },
    ] as const;
    expect(() => apply([{ folder: at('out'), files, owned: false }], changes)).toThrow(/cannot be written/u);
    expect(readdirSync(at('out')).sort()).toEqual(['a.ts', 'c.ts']);
    expect(readFileSync(at('out/a.ts'), 'utf8')).toBe('old a');
  });
});

describe('--check', () => {
  const check = () => regenerate({ root, check: true });
  const kinds = () => check().changes.map(({ kind, path }) => `${kind} ${path.slice(root.length + 1)}`);

  it('writes nothing, and names what is missing, changed and extra', () => {
    expect(check().ok).toBe(false);
    expect(existsSync(at('schemas'))).toBe(false);
    regenerate({ root });
    expect(check()).toMatchObject({ ok: true, changes: [] });
    rmSync(at('schemas/p/1/types.ts'));
    writeFileSync(at('schemas/p/1/api.ts'), 'edited by hand');
    put('schemas/p/1/extra.ts', '');
    expect(kinds()).toEqual([
      'added schemas/p/1/types.ts',
      'changed schemas/p/1/api.ts',
      'removed schemas/p/1/extra.ts',
    ]);
    expect(readFileSync(at('schemas/p/1/api.ts'), 'utf8')).toBe('edited by hand');
  });

  it('names output that git does not know', () => {
    git('init');
    git('add', '-A');
    regenerate({ root });
    expect(kinds()).toEqual(
      [
        'protocol.schema.json',
        'types.ts',
        'validators.js',
        'validators.d.ts',
        'arbitraries.ts',
        'api.ts',
        'REFERENCE.md',
      ].map((name) => `untracked schemas/p/1/${name}`),
    );
    put('.gitignore', 'schemas/p/1/types.ts\n');
    git('add', '-A');
    expect(kinds()).toEqual(['untracked schemas/p/1/types.ts']);
    git('add', '-f', 'schemas/p/1/types.ts');
    expect(check().ok).toBe(true);
  });
});

describe('one document', () => {
  it('is compiled alone, and other files of the folder stay', () => {
    put('out/mine.txt', 'keep');
    expect(regenerate({ root, spec: at('spec/p/1/DOC.md'), out: at('out') })).toMatchObject({ ok: true });
    expect(Object.keys(contents('out'))).toEqual([...FILES, 'mine.txt'].sort());
    expect(regenerate({ root, spec: at('spec/p/1/DOC.md'), out: at('out'), check: true }).ok).toBe(true);
    put('bad.md', BAD);
    const before = contents('out');
    expect(regenerate({ root, spec: at('bad.md'), out: at('out') })).toMatchObject({
      ok: false,
      diagnostics: [{ place: { line: 4 } }],
    });
    expect(contents('out')).toEqual(before);
  });

  it.each([
    ['no --out', { spec: 'x.md' }, /--spec needs --out/u],
    ['no --spec', { out: 'x' }, /--out goes with --spec/u],
    ['no such file', { spec: '/nowhere/x.md', out: 'x' }, /cannot be read: ENOENT/u],
    ['a folder', { spec: '/', out: 'x' }, /is a folder/u],
  ])('%s', (_, request, message) => expect(() => regenerate({ root, ...request })).toThrow(message));

  it('needs a spec folder otherwise', () => {
    expect(() => regenerate({ root: at('spec') })).toThrow(/There is no spec/u);
  });
});

it('the committed schemas are what the committed documents make', () => {
  const { changes, diagnostics } = regenerate({ root: fileURLToPath(new URL('..', import.meta.url)), check: true });
  expect(changes.filter(({ kind }) => kind !== 'untracked')).toEqual([]);
  expect(diagnostics).toEqual([]);
});
