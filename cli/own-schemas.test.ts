import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { sampleReport } from '../reports/samples.ts';
import { ownSchemas } from './own-schemas.ts';
import { packageRoot } from './spec-root.ts';

const folder = join(packageRoot(), 'schemas', 'runcert');
const schemas = ownSchemas();

test('what is published is what the code checks with (npx tsx cli/own-schemas.ts)', () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(schemas).sort());
  for (const [name, text] of Object.entries(schemas)) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(text);
});

test.each(Object.entries(schemas))('%s is a JSON Schema that another engine takes', (_, text) => {
  expect(() => new Ajv2020({ strict: true, strictTypes: false }).compile(JSON.parse(text) as object)).not.toThrow();
});

test('another engine takes a real outcome, and refuses one without a seed', () => {
  const check = new Ajv2020({ strict: false }).compile(JSON.parse(schemas['outcome.schema.json']!) as object);
  const { seed: _, ...without } = sampleReport().outcome;
  expect(check(sampleReport().outcome)).toBe(true);
  expect(check(without)).toBe(false);
});

test('another engine takes the configurations of the docs', () => {
  const check = new Ajv2020({ strict: false }).compile(JSON.parse(schemas['config.schema.json']!) as object);
  expect(
    check({ $schema: 'x', party: 'host', target: { host: ['node', 'host.js'] }, runs: 100, format: ['html', 'junit'] }),
  ).toBe(true);
  expect(check({ target: { host: 'node host.js' } })).toBe(false);
});
