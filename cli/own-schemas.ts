// The JSON Schemas of what people write and read: configuration, baseline, outcome, recording, case.
// They are drawn from the same definitions that the code checks with: npx tsx cli/own-schemas.ts writes them to schemas/runcert/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TSchema } from 'typebox';
import { CaseFile } from '../conformance/driving/case-file.ts';
import { Baseline } from '../conformance/judging/baseline.ts';
import { Outcome } from '../conformance/judging/outcome.ts';
import { RequirementSet } from '../conformance/judging/requirements.ts';
import { Fact, RecordingHead } from '../conformance/recording/fact.ts';
import { Statement } from '../reports/certificate/statement.ts';
import { Config } from './config.ts';
import { packageRoot } from './spec-root.ts';

const OWN: Readonly<Record<string, readonly [title: string, schema: TSchema]>> = {
  config: ['runcert.config.json', Config],
  baseline: ['A baseline of known failures', Baseline],
  outcome: ['outcome.json: all that a run found', Outcome],
  case: ['A saved case', CaseFile],
  'recording-head': ['The first line of a recording', RecordingHead],
  'recording-fact': ['Every other line of a recording', Fact],
  requirements: ['A requirement set', RequirementSet],
  certificate: ['The statement inside a certificate', Statement],
};

/** File name → text, one a schema. */
export function ownSchemas(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(OWN).map(([name, [title, schema]]) => [
      `${name}.schema.json`,
      `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...schema }, null, 2)}\n`,
    ]),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = join(packageRoot(), 'schemas', 'runcert');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(ownSchemas())) writeFileSync(join(folder, name), text);
}
