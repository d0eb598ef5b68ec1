// `runcert list`: what there is: clauses, models, mutants, targets.
import { Argument, type Command, Option } from 'commander';
import { RuncertError } from '../../common/error.ts';
import { globs } from '../../conformance/driving/glob.ts';
import { newestRevisions, publishedClauses, validatorsOf } from '../published.ts';

interface Flags {
  readonly protocol?: string;
  readonly revision?: string;
  readonly party?: string;
  readonly level?: string;
  readonly area?: string;
  readonly only?: string;
  readonly json?: boolean;
}

type Row = Record<string, unknown>;

export default function list(command: Command): void {
  command
    .addArgument(new Argument('<what>', 'what to list').choices(['clauses', 'models', 'mutants', 'targets']))
    .option('--protocol <name>', 'only this protocol')
    .option('--revision <date>', 'this revision (default: the newest)')
    .addOption(
      new Option('--party <party>', 'clauses and mutants of this party').choices(['host', 'runner', 'runtime', 'sdk']),
    )
    .addOption(new Option('--level <level>', 'clauses of this level').choices(['MUST', 'SHOULD', 'MAY']))
    .option('--area <area>', 'clauses of this area')
    .option('--only <glob>', 'ids or names like this')
    .option('--json', 'print the list as JSON and nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  $ runcert list clauses --party runner --level MUST\n  $ runcert list models --protocol agent-runner --json\n',
    )
    .action(async (what: keyof typeof LISTS, flags: Flags) => {
      const wanted = flags.only === undefined ? () => true : globs([flags.only]);
      const { rows, name, line } = await LISTS[what](flags);
      const kept = rows.filter((row) => wanted(String(row[name])));
      if (flags.json) process.stdout.write(`${JSON.stringify(kept, null, 2)}\n`);
      else process.stdout.write(kept.map((row) => `${line(row)}\n`).join(''));
      process.stderr.write(`${kept.length} ${kept.length === 1 ? what.slice(0, -1) : what}\n`);
    });
}

interface Listing {
  readonly rows: readonly Row[];
  /** The member that names a row. */
  readonly name: string;
  readonly line: (row: Row) => string;
}

const LISTS = {
  async clauses(flags: Flags): Promise<Listing> {
    const rows = publishedClauses(newestRevisions(flags)).filter(
      (clause) =>
        (flags.party ?? clause.party) === clause.party &&
        (flags.level ?? clause.level) === clause.level &&
        (flags.area ?? clause.area) === clause.area,
    );
    return {
      rows: rows as unknown as Row[],
      name: 'id',
      line: (row) =>
        `${row['id']}  ${row['level']} ${row['party']}${row['unjudged'] === undefined ? '' : ' (not judged)'}  ${row['text']}`,
    };
  },

  async models(flags: Flags): Promise<Listing> {
    const rows: Row[] = [];
    for (const published of newestRevisions(flags)) {
      const { shapes } = await validatorsOf(published);
      for (const [name, shape] of Object.entries(shapes)) {
        const kind = shape.fields !== undefined ? 'object' : shape.payloads !== undefined ? 'variants' : 'alias';
        rows.push({
          name,
          protocol: published.protocol,
          revision: published.revision,
          kind,
          section: shape.section,
          ...(shape.fields === undefined ? {} : { fields: Object.keys(shape.fields), closed: shape.closed === true }),
        });
      }
    }
    return {
      rows,
      name: 'name',
      line: (row) =>
        `${row['name']}  ${row['protocol']} §${row['section']}  ${Array.isArray(row['fields']) ? `${row['fields'].length} ${row['fields'].length === 1 ? 'field' : 'fields'}${row['closed'] ? ', closed' : ''}` : row['kind']}`,
    };
  },

  async mutants(flags: Flags): Promise<Listing> {
    const { PARTIES, suiteFor } = await import('../../conformance/suites.ts');
    const rows: Row[] = [];
    for (const party of PARTIES.filter((one) => (flags.party ?? one) === one)) {
      const suite = await suiteFor(party, flags.revision);
      if ((flags.protocol ?? suite.protocol) !== suite.protocol) continue;
      rows.push(
        ...suite.mutants.map(({ id, what, clauses }) => ({ id, party, protocol: suite.protocol, what, clauses })),
      );
    }
    if (rows.length === 0)
      throw new RuncertError('RUNCERT_NOTHING_LISTED', 'There is no such mutant.', {
        remedy: 'Drop --party, --protocol or --revision.',
      });
    return {
      rows,
      name: 'id',
      line: (row) => `${row['id']}  ${row['party']}  ${row['what']}  → ${(row['clauses'] as string[]).join(', ')}`,
    };
  },

  async targets(): Promise<Listing> {
    const { TARGET_KINDS } = await import('../../conformance/targets/kinds.ts');
    return {
      rows: TARGET_KINDS.map(({ flags: option, what }) => ({ option, what })),
      name: 'option',
      line: (row) => `${row['option']}  ${row['what']}`,
    };
  },
};
