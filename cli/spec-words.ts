// What the specification says of its clauses and sections, for reports: where this package has the revision, else nothing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RuncertError } from '../common/error.ts';
import type { Extras } from '../reports/extras.ts';
import { type PublishedClause, publishedClauses, publishedRevisions } from './published.ts';
import { specRoot } from './spec-root.ts';

/** @example specWords({ protocol: 'agent-runner', revision: '2026-06-03' }).sections['7.1'] // 'AgentRunResult' */
export function specWords({
  protocol,
  revision,
}: {
  readonly protocol: string;
  readonly revision: string;
}): Pick<Extras, 'clauses' | 'sections'> {
  try {
    const clauses = publishedClauses(publishedRevisions({ protocol, revision }));
    return { clauses, sections: titlesOf(join(specRoot(), 'spec', protocol, revision), clauses) };
  } catch (error) {
    if (error instanceof RuncertError) return {};
    throw error;
  }
}

/** The headings of the sections that clauses stand in. Where two documents share a number, the one that clauses cite more often wins. */
function titlesOf(folder: string, clauses: readonly PublishedClause[]): Record<string, string> {
  if (!existsSync(folder)) return {};
  const cited = (file: string): number =>
    clauses.filter(({ source }) => source?.includes(`${file.slice(0, -3)} §`)).length;
  const documents = readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .sort((a, b) => cited(b) - cited(a) || (a < b ? -1 : 1));
  const titles = new Map<string, string>();
  for (const file of documents) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, number, title] of text.matchAll(/^#{2,4} (\d+(?:\.\d+)*)\.? (\S.*)$/gm))
      if (number !== undefined && title !== undefined && !titles.has(number)) titles.set(number, title.trim());
  }
  const sections = new Set(clauses.map(({ section }) => section));
  return Object.fromEntries([...Object.entries(BESIDE), ...titles].filter(([number]) => sections.has(number)));
}

/** Sections that stand for documents beside the protocol, whose text this package does not hold (see the head of clauses.yaml). */
const BESIDE = {
  'host-4': 'Host and SDK infrastructure',
  'context-1': 'Agent context protocol',
  'official-1': 'Official runners',
};
