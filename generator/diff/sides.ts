// What A and B of `runcert spec diff A B` may be: a document, a folder of documents, or a revision under spec/.
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { RuncertError } from '../../common/error.ts';
import { compile } from '../compile.ts';
import { type Diagnostic, diagnosticText, hasErrors } from '../diagnostics.ts';
import type { Protocol } from '../model.ts';
import { findRevisions, readDocuments, readInput } from '../workspace.ts';
import type { Excuse } from './diff.ts';

export interface ResolvedSide {
  readonly protocol: Protocol;
  readonly diagnostics: readonly Diagnostic[];
  /** As the user can find it again: a path, or protocol and revision. */
  readonly label: string;
  /** The folder that holds its documents. */
  readonly folder: string;
}

export function resolveSide(root: string, name: string): ResolvedSide {
  const path = resolve(name);
  if (existsSync(path)) return statSync(path).isDirectory() ? folderSide(path, name) : fileSide(path, name);
  const revisions = findRevisions(root);
  const found = revisions.filter(
    ({ protocol, revision }) =>
      name === revision || name === `${protocol}/${revision}` || name === `${protocol}@${revision}`,
  );
  const [only, more] = found;
  if (only !== undefined && more === undefined) return folderSide(only.folder, `${only.protocol}/${only.revision}`);
  throw new RuncertError(
    'RUNCERT_UNKNOWN_SIDE',
    more === undefined
      ? `There is no document, folder or revision "${name}".`
      : `"${name}" is a revision of several protocols.`,
    {
      remedy: `Give a path, or one of: ${revisions.map(({ protocol, revision }) => `${protocol}/${revision}`).join(', ') || '(no revision found)'}.`,
    },
  );
}

function folderSide(folder: string, label: string): ResolvedSide {
  const documents = readDocuments(folder);
  if (documents.length === 0)
    throw new RuncertError('RUNCERT_NO_SPEC', `There is no Markdown document in ${label}.`, {
      remedy: 'Name a folder with documents, or a document.',
    });
  return checked({ ...compile(basename(dirname(folder)), basename(folder), documents), label, folder });
}

const fileSide = (path: string, label: string): ResolvedSide =>
  checked({
    ...compile(basename(path), '', [{ file: basename(path), bytes: readInput(path) }]),
    label,
    folder: dirname(path),
  });

function checked(side: ResolvedSide): ResolvedSide {
  if (!hasErrors(side.diagnostics)) return side;
  const errors = side.diagnostics.filter((d) => d.severity === 'error');
  throw new RuncertError(
    'RUNCERT_SPEC_ERROR',
    `${side.label} has errors, so it cannot be compared:\n${errors.map(diagnosticText).join('\n')}`,
    { remedy: 'Correct them; `runcert spec lint` shows them all.', exit: 1 },
  );
}

/** The place of a change as a path from where the user stands. */
export const pathOf = (side: ResolvedSide, file: string): string =>
  relative(process.cwd(), join(side.folder, file)) || file;

/** Excuses: `- change: field-removed X.y` with a `reason`, in YAML or JSON. */
export function readExcuses(path: string): Excuse[] {
  const wrong = (what: string): never => {
    throw new RuncertError('RUNCERT_EXCUSES', `${path}: ${what}`, {
      remedy: 'Give a list of entries with `change:` ("kind subject", as spec diff prints it) and `reason:`.',
    });
  };
  let data: unknown;
  try {
    data = parse(new TextDecoder('utf-8', { fatal: true }).decode(readInput(path)));
  } catch (error) {
    if (error instanceof RuncertError) throw error;
    return wrong(`it is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  if (!Array.isArray(data)) return wrong('it is not a list.');
  return data.map((entry: unknown, index) => {
    const { change, reason } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>;
    if (typeof change !== 'string' || typeof reason !== 'string' || reason.trim() === '')
      return wrong(`entry ${index + 1} has no change or no reason.`);
    return { change, reason };
  });
}
