// `runcert explain CLAUSE`: what one clause asks, why, how it is judged, and what proves that the judge works.
import type { Command } from 'commander';
import { RuncertError } from '../../common/error.ts';
import { nearest } from '../nearest.ts';
import { newestRevisions, type PublishedClause, publishedClauses } from '../published.ts';

export default function explain(command: Command): void {
  command
    .argument('<clause>', 'the id of a clause, or the end of one')
    .option('--protocol <name>', 'only this protocol')
    .option('--revision <date>', 'this revision (default: the newest)')
    .option('--json', 'print the clause as JSON and nothing else')
    .addHelpText('after', '\nExample:\n  $ runcert explain v1/7.2/unknown-type-ignored\n')
    .action(async (id: string, flags: { protocol?: string; revision?: string; json?: boolean }) => {
      const clause = find(id, publishedClauses(newestRevisions(flags)));
      const mutants = await mutantsOf(clause);
      process.stdout.write(
        flags.json ? `${JSON.stringify({ ...clause, mutants }, null, 2)}\n` : words(clause, mutants),
      );
    });
}

function find(id: string, clauses: readonly PublishedClause[]): PublishedClause {
  const exact = clauses.filter((clause) => clause.id === id);
  const found = exact.length > 0 ? exact : clauses.filter((clause) => clause.id.endsWith(`/${id}`));
  const [only, more] = found;
  if (only !== undefined && more === undefined) return only;
  if (more !== undefined)
    throw new RuncertError('RUNCERT_AMBIGUOUS_CLAUSE', `"${id}" is the end of ${found.length} ids.`, {
      remedy: `Give one of: ${found.map((clause) => clause.id).join(', ')}.`,
    });
  const whole = nearest(
    id,
    clauses.map((clause) => clause.id),
  );
  const ends = nearest(id, [...new Set(clauses.map((clause) => endOf(clause.id)))]);
  const close =
    whole.length > 0 ? whole : clauses.filter((clause) => ends.includes(endOf(clause.id))).map((clause) => clause.id);
  throw new RuncertError('RUNCERT_UNKNOWN_CLAUSE', `There is no clause "${id}".`, {
    remedy: close.length === 0 ? '`runcert list clauses` names them all.' : `Did you mean ${close.join(', ')}?`,
  });
}

const endOf = (id: string): string => id.slice(id.lastIndexOf('/') + 1);

interface MutantNote {
  readonly id: string;
  readonly what: string;
}

/** The mutants that this clause must catch. */
async function mutantsOf(clause: PublishedClause): Promise<MutantNote[]> {
  const { PARTIES, suiteFor } = await import('../../conformance/suites.ts');
  const suites = await Promise.all(PARTIES.map((party) => suiteFor(party)));
  return suites
    .filter(({ protocol }) => protocol === clause.protocol)
    .flatMap(({ mutants }) =>
      mutants.filter(({ clauses }) => clauses.includes(clause.id)).map(({ id, what }) => ({ id, what })),
    );
}

function words(clause: PublishedClause, mutants: readonly MutantNote[]): string {
  const lines = [
    `${clause.id}  ${clause.level}, kept by the ${clause.party}`,
    `${clause.protocol} ${clause.revision}, ${clause.source}`,
    '',
    clause.text,
    ...(clause.why === undefined ? [] : ['', `Why: ${clause.why}`]),
    ...(clause.how === undefined ? [] : ['', `Judged: ${clause.how}`]),
    ...(clause.unjudged === undefined ? [] : ['', `Not judged: ${clause.unjudged}`]),
    '',
    `Area: ${clause.area}${clause.requires === undefined ? '' : `. Applies where the target has: ${clause.requires.join(', ')}`}`,
    ...(clause.after === undefined ? [] : [`Blamed only where these hold: ${clause.after.join(', ')}`]),
    ...(mutants.length === 0 ? [] : ['', 'Caught with it:', ...mutants.map(({ id, what }) => `  ${id}: ${what}`)]),
  ];
  return `${lines.join('\n')}\n`;
}
