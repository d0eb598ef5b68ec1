// The folders: spec/<protocol>/<revision>/ holds documents, schemas/<protocol>/<revision>/ what is generated from them.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RuncertError } from '../common/error.ts';
import type { SourceFile } from './compile.ts';

export interface Revision {
  readonly protocol: string;
  readonly revision: string;
  /** The folder with its documents. */
  readonly folder: string;
}

/** Every revision of every protocol under `root`/spec, in order. */
export function findRevisions(root: string): Revision[] {
  const spec = join(root, 'spec');
  return subfolders(spec).flatMap((protocol) =>
    subfolders(join(spec, protocol))
      .map((revision) => ({ protocol, revision, folder: join(spec, protocol, revision) }))
      .filter(({ folder }) => documentNames(folder).length > 0),
  );
}

export function subfolders(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort(byCodeUnit);
}

export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const documentNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort(byCodeUnit);

export const readDocuments = (folder: string): SourceFile[] =>
  documentNames(folder).map((file) => ({ file, bytes: readInput(join(folder, file)) }));

export function readClausesFile(folder: string): SourceFile | undefined {
  const file = ['clauses.yaml', 'clauses.yml'].find((name) => existsSync(join(folder, name)));
  return file === undefined ? undefined : { file, bytes: readInput(join(folder, file)) };
}

/** A file that the user named, or an error they can act on. */
export function readInput(path: string): Uint8Array {
  try {
    if (statSync(path).isDirectory())
      throw new RuncertError('RUNCERT_NOT_A_FILE', `${path} is a folder.`, { remedy: 'Name a file in it.' });
    return readFileSync(path);
  } catch (error) {
    if (error instanceof RuncertError) throw error;
    throw new RuncertError(
      'RUNCERT_UNREADABLE',
      `${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`,
      { remedy: 'Check the path and your rights to it.' },
    );
  }
}
