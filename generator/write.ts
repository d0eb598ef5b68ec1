// Files → disk, all or nothing: everything is staged first, then moved into place; a failure puts back what was there.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { RuncertError } from '../common/error.ts';
import { byCodeUnit } from './workspace.ts';

export interface Output {
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
  /** True where the folder holds nothing but output: what else lies there is removed. */
  readonly owned: boolean;
}

export interface Change {
  /** `added` is missing on disk, `removed` is on disk and no output, `untracked` is there but unknown to git. */
  readonly kind: 'added' | 'changed' | 'removed' | 'untracked';
  readonly path: string;
}

/** What is different on disk. */
export function changesOf(outputs: readonly Output[]): Change[] {
  return outputs.flatMap(({ folder, files, owned }) => {
    const there = existsSync(folder) ? readdirSync(folder).sort(byCodeUnit) : [];
    const own = [...files].flatMap(([name, text]): Change[] => {
      const path = join(folder, name);
      if (!there.includes(name)) return [{ kind: 'added', path }];
      return !statSync(path).isFile() || readFileSync(path, 'utf8') !== text ? [{ kind: 'changed', path }] : [];
    });
    const extra = owned
      ? there.filter((name) => !files.has(name)).map((name): Change => ({ kind: 'removed', path: join(folder, name) }))
      : [];
    return [...own, ...extra];
  });
}

/** Outputs that a checkout would not have, because git does not know them; none outside a git work tree. */
export function untrackedOf(outputs: readonly Output[]): Change[] {
  return outputs.flatMap(({ folder, files }) => {
    const paths = [...files.keys()].map((name) => join(folder, name)).filter((path) => existsSync(path));
    const tracked = gitTracked(folder);
    return tracked === undefined
      ? []
      : paths.filter((path) => !tracked.has(resolve(path))).map((path): Change => ({ kind: 'untracked', path }));
  });
}

function gitTracked(folder: string): Set<string> | undefined {
  if (!existsSync(folder)) return undefined;
  try {
    const listed = execFileSync('git', ['ls-files', '-z'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
    return new Set(
      listed
        .split('\0')
        .filter((name) => name !== '')
        .map((name) => resolve(folder, name)),
    );
  } catch {
    return undefined;
  }
}

/** Brings the disk to the outputs. */
export function apply(outputs: readonly Output[], changes: readonly Change[]): void {
  const moves: { readonly from: string; readonly to: string }[] = [];
  const stages: string[] = [];
  const undo: (() => void)[] = [];
  const content = new Map(
    outputs.flatMap(({ folder, files }) =>
      [...files].map(([name, text]): [string, string] => [join(folder, name), text]),
    ),
  );
  try {
    for (const folder of new Set(changes.map(({ path }) => dirname(path)))) {
      mkdirSync(folder, { recursive: true });
      const stage = mkdtempSync(join(folder, '.runcert-'));
      stages.push(stage);
      for (const { kind, path } of changes.filter((change) => dirname(change.path) === folder)) {
        const name = path.slice(folder.length + 1);
        if (kind !== 'added') moves.push({ from: path, to: join(stage, `${name}.old`) });
        if (kind !== 'removed') {
          writeFileSync(join(stage, name), content.get(path) ?? '');
          moves.push({ from: join(stage, name), to: path });
        }
      }
    }
    for (const { from, to } of moves) {
      renameSync(from, to);
      undo.unshift(() => renameSync(to, from));
    }
  } catch (error) {
    for (const step of undo) step();
    const failure = error as NodeJS.ErrnoException;
    throw new RuncertError('RUNCERT_UNWRITABLE', `The output cannot be written: ${failure.message}.`, {
      remedy: 'Check the folder, your rights to it and the space on the disk. The old output is untouched.',
    });
  } finally {
    for (const stage of stages) rmSync(stage, { recursive: true, force: true });
  }
  for (const folder of new Set(changes.map(({ path }) => dirname(path)))) removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
