// What the generator has published: the revisions under schemas/, with their clauses and validators.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RuncertError } from '../common/error.ts';
import type { Clause } from '../schemas/agent-runner/2026-06-03/clauses.ts';
import { specRoot } from './spec-root.ts';

export interface Published {
  readonly protocol: string;
  readonly revision: string;
  readonly folder: string;
}

export interface PublishedClause extends Clause {
  readonly protocol: string;
  readonly revision: string;
}

/** 0.3.10 after 0.3.9: runs of digits count as numbers. */
const byNumber = (a: string, b: string): number => new Intl.Collator('en', { numeric: true }).compare(a, b);

/** The published revisions; of each protocol the newest last. */
export function publishedRevisions(
  wanted: { readonly protocol?: string; readonly revision?: string } = {},
): Published[] {
  const schemas = join(specRoot(), 'schemas');
  const folders = (path: string): string[] =>
    existsSync(path)
      ? readdirSync(path, { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => entry.name)
          .sort(byNumber)
      : [];
  const all = folders(schemas).flatMap((protocol) =>
    folders(join(schemas, protocol)).map((revision) => ({
      protocol,
      revision,
      folder: join(schemas, protocol, revision),
    })),
  );
  const found = all.filter(
    ({ protocol, revision }) =>
      (wanted.protocol ?? protocol) === protocol && (wanted.revision ?? revision) === revision,
  );
  if (found.length === 0) {
    throw new RuncertError(
      'RUNCERT_UNKNOWN_REVISION',
      `Nothing is published for ${wanted.protocol ?? 'any protocol'}, ${wanted.revision ?? 'any revision'}.`,
      {
        remedy:
          all.length === 0
            ? 'Run `runcert generate`.'
            : `There is ${all.map(({ protocol, revision }) => `${protocol} ${revision}`).join(', ')}.`,
      },
    );
  }
  return found;
}

/** Of each protocol the newest revision, unless one is named. */
export function newestRevisions(wanted: { readonly protocol?: string; readonly revision?: string } = {}): Published[] {
  const found = publishedRevisions(wanted);
  return found.filter(({ protocol }, index) => found.findLastIndex((other) => other.protocol === protocol) === index);
}

export function publishedClauses(published: readonly Published[]): PublishedClause[] {
  return published.flatMap(({ protocol, revision, folder }) => {
    const file = join(folder, 'clauses.json');
    if (!existsSync(file)) return [];
    const clauses = JSON.parse(readFileSync(file, 'utf8')) as Clause[];
    return clauses.map((clause) => ({ ...clause, protocol, revision }));
  });
}

export interface Violation {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly section: string;
}

export interface ValidatorModule {
  readonly shapes: {
    readonly [name: string]: {
      readonly section: string;
      readonly fields?: object;
      readonly closed?: true;
      readonly payloads?: object;
    };
  };
  check(name: string, value: unknown): Violation[];
}

export const validatorsOf = async ({ folder }: Published): Promise<ValidatorModule> =>
  (await import(pathToFileURL(join(folder, 'validators.js')).href)) as ValidatorModule;
