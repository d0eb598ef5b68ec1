// Freezes the requirement set of a revision, once: npx tsx cli/freeze-requirements.ts PROTOCOL REVISION [--again]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clause } from '../conformance/judging/clause.ts';
import { packageRoot } from './spec-root.ts';

const [protocol = '', revision = '', again] = process.argv.slice(2);
const root = packageRoot();
const from = join(root, 'schemas', protocol, revision, 'clauses.json');
const to = join(root, 'spec', protocol, revision, 'requirements.json');
if (!existsSync(from))
  throw new Error(`There is no ${from}: name a protocol and a revision, and run \`runcert generate\` first.`);
if (existsSync(to) && again !== '--again')
  throw new Error(
    `${to} is frozen. What is certified must not change under people's feet; --again is for a revision that nobody has used yet.`,
  );
// The loader imports the sets, so the first freeze must not go through it.
const clauses = (JSON.parse(readFileSync(from, 'utf8')) as Clause[])
  .filter(({ unjudged }) => unjudged === undefined)
  .map(({ id, level, party }) => ({ id, level, party }))
  .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
writeFileSync(
  to,
  `{\n  "protocol": ${JSON.stringify(protocol)},\n  "revision": ${JSON.stringify(revision)},\n  "clauses": [\n${clauses.map((clause) => `    ${JSON.stringify(clause)}`).join(',\n')}\n  ]\n}\n`,
);
process.stdout.write(`${to}: ${clauses.length} clauses\n`);
