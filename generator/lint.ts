// Is a specification whole? Everything that compiling finds, and whether the clauses stand on sections that exist.
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { RuncertError } from '../common/error.ts';
import { compile } from './compile.ts';
import { type Diagnostic, sortDiagnostics } from './diagnostics.ts';
import type { Protocol } from './model.ts';
import { type ClauseFile, readClauses } from './read/clauses.ts';
import { findRevisions, readClausesFile, readDocuments, readInput } from './workspace.ts';

export interface Linted {
  /** The folder or document, as it was named. */
  readonly label: string;
  readonly counts: Protocol['counts'] & {
    readonly examples: number;
    readonly clauses: number;
    readonly apiCalls: number;
  };
  /** Names that are used and nowhere defined. */
  readonly undefined: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The named documents and folders; without any, every revision under `root`/spec. */
export function lint(root: string, paths: readonly string[]): Linted[] {
  if (paths.length === 0) {
    const revisions = findRevisions(root);
    if (revisions.length === 0)
      throw new RuncertError(
        'RUNCERT_NO_SPEC',
        `There is no spec/<protocol>/<revision>/ with documents under ${root}.`,
        { remedy: 'Run it where spec/ is, or name a document or folder.' },
      );
    return revisions.map(({ folder }) => lintFolder(folder, relative(root, folder)));
  }
  return paths.map((path) => {
    if (!existsSync(path))
      throw new RuncertError('RUNCERT_UNREADABLE', `There is no ${path}.`, {
        remedy: 'Name a document or a folder with documents.',
      });
    return statSync(path).isDirectory() ? lintFolder(path, path) : lintFile(path);
  });
}

function lintFile(path: string): Linted {
  const { protocol, diagnostics } = compile(basename(path), '', [{ file: path, bytes: readInput(path) }]);
  return linted(path, protocol, diagnostics, undefined);
}

function lintFolder(folder: string, label: string): Linted {
  const documents = readDocuments(folder);
  if (documents.length === 0)
    throw new RuncertError('RUNCERT_NO_SPEC', `There is no Markdown document in ${folder}.`, {
      remedy: 'Name a folder with documents.',
    });
  const compiled = compile(basename(dirname(resolve(folder))), basename(resolve(folder)), documents);
  const file = readClausesFile(folder);
  const clauses = file === undefined ? undefined : readClauses(file.file, file.bytes);
  const found = [
    ...compiled.diagnostics,
    ...(clauses?.diagnostics ?? []),
    ...(clauses === undefined ? [] : strayClauses(clauses, compiled.protocol)),
  ];
  return linted(
    label,
    compiled.protocol,
    found.map((d) => ({ ...d, place: { ...d.place, file: `${label}/${d.place.file}` } })),
    clauses,
  );
}

const linted = (
  label: string,
  protocol: Protocol,
  diagnostics: readonly Diagnostic[],
  clauses: ClauseFile | undefined,
): Linted => ({
  label,
  counts: {
    ...protocol.counts,
    examples: protocol.examples.length,
    clauses: clauses?.clauses.length ?? 0,
    apiCalls: protocol.api.length,
  },
  undefined: protocol.models.filter((model) => model.kind === 'open').map((model) => model.name),
  diagnostics: sortDiagnostics(diagnostics),
});

/** A clause whose chapter no heading has; below a chapter a table or list may number its own duties. Sections with words in front (`host-4`) belong to documents that are not here. */
function strayClauses({ clauses, places }: ClauseFile, protocol: Protocol): Diagnostic[] {
  const sections = new Set(protocol.sections.map(({ id }) => id));
  return clauses
    .filter(
      ({ section }) => /^\d/u.test(section) && !sections.has(section) && !sections.has(section.split('.')[0] as string),
    )
    .map(({ id, section }) => ({
      severity: 'error' as const,
      code: 'clause-section',
      message: `${id} stands on section ${section}, which no document has.`,
      place: places.get(id) ?? { file: 'clauses.yaml', line: 1, column: 1, section: '' },
      remedy: 'Correct the section, or add it to the document.',
    }));
}
