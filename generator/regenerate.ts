// The whole of `runcert generate`: what to compile, what came of it, what it changes on disk.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RuncertError } from '../common/error.ts';
import { type Diagnostic, hasErrors } from './diagnostics.ts';
import { type Generated, generateDocument, generateRevision } from './generate.ts';
import { findRevisions, subfolders } from './workspace.ts';
import { apply, type Change, changesOf, type Output, untrackedOf } from './write.ts';

export interface Request {
  /** The folder with spec/ and schemas/ in it. */
  readonly root: string;
  /** One document instead, and where its output goes. */
  readonly spec?: string;
  readonly out?: string;
  /** Compare only. */
  readonly check?: boolean;
}

export interface Compilation {
  readonly protocol: string;
  readonly revision: string;
  readonly counts: Generated['protocol']['counts'];
  readonly folder: string;
  readonly files: readonly string[];
}

export interface Result {
  readonly compilations: readonly Compilation[];
  readonly diagnostics: readonly Diagnostic[];
  /** What was written; with `check`, what is not as it should be. */
  readonly changes: readonly Change[];
  readonly ok: boolean;
}

export function regenerate(request: Request): Result {
  const jobs = request.spec === undefined ? revisionJobs(request) : [documentJob(request.spec, request.out)];
  const made = jobs.map((job) => ({ ...job, generated: job.generate() }));
  const diagnostics = made.flatMap(({ generated, label }) =>
    generated.diagnostics.map((d) =>
      label === '' ? d : { ...d, place: { ...d.place, file: `${label}/${d.place.file}` } },
    ),
  );
  const compilations = made.map(({ generated, folder }) => ({
    protocol: generated.protocol.name,
    revision: generated.protocol.revision,
    counts: generated.protocol.counts,
    folder,
    files: [...generated.files.keys()],
  }));
  if (hasErrors(diagnostics)) return { compilations, diagnostics, changes: [], ok: false };
  const outputs: Output[] = made.map(({ generated, folder, owned }) => ({ folder, files: generated.files, owned }));
  if (request.spec === undefined) outputs.push(...abandoned(request.root, outputs));
  const changes = changesOf(outputs);
  if (request.check) {
    const all = [...changes, ...untrackedOf(outputs)];
    return { compilations, diagnostics, changes: all, ok: all.length === 0 };
  }
  if (changes.length > 0) apply(outputs, changes);
  return { compilations, diagnostics, changes, ok: true };
}

interface Job {
  readonly folder: string;
  readonly owned: boolean;
  /** What file names in messages begin with. */
  readonly label: string;
  readonly generate: () => Generated;
}

function revisionJobs({ root, out }: Request): Job[] {
  if (out !== undefined)
    throw new RuncertError('RUNCERT_USAGE', '--out goes with --spec.', {
      remedy: 'Name the document: --spec FILE --out DIR.',
    });
  const revisions = findRevisions(root);
  if (revisions.length === 0) {
    throw new RuncertError('RUNCERT_NO_SPEC', `There is no spec/<protocol>/<revision>/ with documents under ${root}.`, {
      remedy: 'Run it where spec/ is, or name a document: --spec FILE --out DIR.',
    });
  }
  return revisions.map((revision) => ({
    folder: join(root, 'schemas', revision.protocol, revision.revision),
    owned: true,
    label: `spec/${revision.protocol}/${revision.revision}`,
    generate: () => generateRevision(revision),
  }));
}

function documentJob(spec: string, out: string | undefined): Job {
  if (out === undefined)
    throw new RuncertError('RUNCERT_USAGE', '--spec needs --out.', {
      remedy: 'Say where the output goes: --spec FILE --out DIR.',
    });
  const within = dirname(spec);
  return { folder: out, owned: false, label: within === '.' ? '' : within, generate: () => generateDocument(spec) };
}

/** Output folders whose documents are gone. */
function abandoned(root: string, outputs: readonly Output[]): Output[] {
  const schemas = join(root, 'schemas');
  const kept = new Set(outputs.map(({ folder }) => folder));
  return subfolders(schemas)
    .flatMap((protocol) => subfolders(join(schemas, protocol)).map((revision) => join(schemas, protocol, revision)))
    .filter((folder) => !kept.has(folder) && existsSync(join(folder, 'protocol.schema.json')))
    .map((folder) => ({ folder, files: new Map(), owned: true }));
}
