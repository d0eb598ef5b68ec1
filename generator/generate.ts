// One set of documents → its files, as text. Nothing is written here: an error must leave the old output as it is.
import { basename } from 'node:path';
import { type Compiled, compile, type SourceFile } from './compile.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from './diagnostics.ts';
import { emitApiSurface } from './emit/api-surface.ts';
import { emitArbitraries } from './emit/arbitraries.ts';
import { CLAUSES_MODULE, emitClausesJson } from './emit/clauses.ts';
import { emitJsonSchema } from './emit/json-schema.ts';
import { emitReference } from './emit/reference.ts';
import { emitTypes } from './emit/types.ts';
import { emitValidatorTypes } from './emit/validator-types.ts';
import { emitValidators } from './emit/validators.ts';
import type { Protocol } from './model.ts';
import { readClauses } from './read/clauses.ts';
import { type Revision, readClausesFile, readDocuments, readInput } from './workspace.ts';

export interface Generated {
  readonly protocol: Protocol;
  /** Name → content; empty where there are errors. */
  readonly files: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
}

export function generateRevision({ protocol, revision, folder }: Revision): Generated {
  const compiled = compile(protocol, revision, readDocuments(folder));
  return outputsOf(compiled, readClausesFile(folder));
}

/** One document alone, under its own name. */
export function generateDocument(path: string): Generated {
  const file = basename(path);
  return outputsOf(compile(file.replace(/\.md$/u, ''), '', [{ file, bytes: readInput(path) }]), undefined);
}

function outputsOf({ protocol, diagnostics }: Compiled, clauseFile: SourceFile | undefined): Generated {
  const clauses = clauseFile === undefined ? undefined : readClauses(clauseFile.file, clauseFile.bytes);
  const all = sortDiagnostics([...diagnostics, ...(clauses?.diagnostics ?? [])]);
  if (hasErrors(all)) return { protocol, files: new Map(), diagnostics: all };
  const files = new Map([
    ['protocol.schema.json', emitJsonSchema(protocol)],
    ['types.ts', emitTypes(protocol)],
    ['validators.js', emitValidators(protocol)],
    ['validators.d.ts', emitValidatorTypes(protocol)],
    ['arbitraries.ts', emitArbitraries(protocol)],
    ['api.ts', emitApiSurface(protocol)],
    ['REFERENCE.md', emitReference(protocol)],
  ]);
  if (clauses !== undefined) {
    files.set('clauses.json', emitClausesJson(clauses.clauses));
    files.set('clauses.ts', CLAUSES_MODULE);
  }
  return { protocol, files, diagnostics: all };
}
