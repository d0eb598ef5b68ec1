// One schema, four readings of it: our fast test, our error-collecting check, Ajv and TypeBox. They must never part ways.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { generateDocument } from './generate.ts';
import { committed, engines, type Products, productsIn } from './testing/engines.ts';
import { mutated } from './testing/mutate.ts';

const folder = mkdtempSync(join(fileURLToPath(new URL('.', import.meta.url)), '.courier-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function courier(): Promise<Products> {
  const { files } = generateDocument(fileURLToPath(new URL('./fixtures/courier.md', import.meta.url)));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return productsIn(folder);
}

const sets: [string, () => Promise<Products>, number][] = [
  ['agent-runner', () => committed('agent-runner/2026-06-03'), 60],
  ['agent-runtime', () => committed('agent-runtime/0.3.9'), 60],
  ['courier', courier, 500],
];

describe.each(sets)('%s', (_, load, runs) => {
  it('all four agree on values that fit, on near misses and on values changed at random', {
    timeout: 120_000,
  }, async () => {
    const { schema, validators, arbitraries, names } = await load();
    const engine = engines(schema);
    let seen = 0;
    let invalid = 0;
    for (const name of names) {
      const { ajv, typebox } = engine(name);
      const { is, check } = validators.validators[name]!;
      const agree = (value: unknown): boolean => {
        const answer = is(value);
        // Not check, which asks the fast test first: the walk itself must agree with it.
        const errors = validators.violationsOf({ ref: name }, value);
        const others = { check: errors.length === 0, ajv: ajv(value), typebox: typebox(value) };
        if (Object.values(others).some((other) => other !== answer)) {
          throw new Error(`${name}: is says ${answer}, the others ${JSON.stringify(others)}: ${JSON.stringify(value)}`);
        }
        seen += 1;
        if (!answer) invalid += 1;
        return answer;
      };
      const valid = arbitraries.valid(name);
      fc.assert(
        fc.property(valid, (value) => agree(value)),
        { numRuns: runs, seed: 1 },
      );
      fc.assert(
        fc.property(mutated(valid), (value) => void agree(value)),
        { numRuns: runs, seed: 2 },
      );
      if (is(null) && is(0) && is({})) continue;
      fc.assert(
        fc.property(arbitraries.nearMiss(name), ({ value, path }) => {
          const found = check(value).map((error) => error.path);
          return !agree(value) && found.length === 1 && found[0] === path;
        }),
        { numRuns: runs, seed: 3 },
      );
    }
    expect(seen).toBeGreaterThan(runs * names.length * 2);
    // A comparison on valid values alone would prove little.
    expect(invalid / seen).toBeGreaterThan(0.3);
  });
});

describe('hostile values', async () => {
  const { validators: runner } = await committed('agent-runner/2026-06-03');
  const { validators } = await courier();
  const waybill = { id: 'w', sender: { street: 's' }, weight: 1 };

  it('inherited fields do not count', () => {
    const { is, check } = validators.validators['Waybill']!;
    expect(is(waybill)).toBe(true);
    expect(is(Object.create(waybill))).toBe(false);
    expect(check(Object.create(waybill)).map(({ path }) => path)).toEqual(['/id', '/sender', '/weight']);
    class Sent {
      id = 'w';
      sender = { street: 's' };
      weight = 1;
    }
    expect(is(new Sent())).toBe(true);
  });

  it('__proto__ and constructor are names like others', () => {
    const { is } = validators.validators['Address']!;
    expect(is(JSON.parse('{"street": "s", "__proto__": {"city": 1}}'))).toBe(false);
    expect(is(JSON.parse('{"street": "s", "constructor": 1}'))).toBe(false);
    expect(is({ street: 's' })).toBe(true);
    expect(
      validators.validators['Record']!.is(JSON.parse('{"id": "x", "__proto__": 5, "metadata": {"__proto__": []}}')),
    ).toBe(true);
  });

  it.each([['a list'], ['an object']])('%s nested without end is refused, not walked', (kind) => {
    const deep = JSON.parse(
      kind === 'a list' ? '['.repeat(50_000) + ']'.repeat(50_000) : `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    ) as unknown;
    const { is, check } = validators.validators['JSONValue']!;
    expect(is(deep)).toBe(false);
    expect(check(deep).length).toBeGreaterThan(0);
    const shallow = JSON.parse('['.repeat(250) + ']'.repeat(250)) as unknown;
    expect([is(shallow), check(shallow)]).toEqual([true, []]);
    // Free JSON is not walked at all.
    expect(runner.validators['AgentRunState']!.is({ conversation: { deep } })).toBe(true);
  });

  it('tells at most a hundred violations, whatever the size', () => {
    const parts = Array.from({ length: 10_000 }, () => ({}));
    expect(validators.check('Waybill', { ...waybill, parts })).toHaveLength(100);
  });

  it('does not coerce, and takes every integer that JSON can write', () => {
    const { is } = validators.validators['Waybill']!;
    const wrong = [
      { id: 1 },
      { weight: '1' },
      { weight: true },
      { count: '5' },
      { count: 1.5 },
      { speed: 'SLOW' },
      { ratio: Number.NaN },
      { ratio: Number.POSITIVE_INFINITY },
      { labels: 'cold' },
    ];
    expect(wrong.map((part) => is({ ...waybill, ...part }))).toEqual(wrong.map(() => false));
    expect([1e21, -0, 2 ** 53, 5.0].map((count) => is({ ...waybill, count }))).toEqual([true, true, true, true]);
  });
});

describe('errors tell', async () => {
  const { validators } = await courier();
  const first = (name: string, value: unknown) => validators.check(name, value)[0];
  const waybill = { id: 'w', sender: { street: 's' }, weight: 1 };

  it.each<[string, string, unknown, object]>([
    [
      'a wrong kind',
      'Waybill',
      { ...waybill, id: 5 },
      { path: '/id', expected: 'string', found: 'number 5', section: '2' },
    ],
    [
      'a missing field',
      'Waybill',
      { id: 'w', weight: 1 },
      { path: '/sender', expected: 'Address', found: 'nothing', section: '2' },
    ],
    [
      'the section of what is inside',
      'Waybill',
      { ...waybill, sender: {} },
      { path: '/sender/street', expected: 'string', found: 'nothing', section: '1' },
    ],
    [
      'an unlisted literal',
      'Waybill',
      { ...waybill, labels: ['hot'] },
      { path: '/labels/0', expected: '"fragile" | "cold" | "heavy"', found: 'string "hot"', section: '2' },
    ],
    [
      'an extra field',
      'Address',
      { street: 's', floor: 1 },
      { path: '/floor', expected: 'no such field', found: 'number 1', section: '1' },
    ],
    [
      'a limit',
      'Insurance',
      { amount: -1 },
      { path: '/amount', expected: 'integer minimum 0, maximum 1000000', found: 'number -1', section: '2' },
    ],
    [
      'the branch that is meant',
      'Payment',
      { kind: 'card' },
      { path: '/number', expected: 'string', found: 'nothing', section: '付款方式' },
    ],
    [
      'the tag that names no branch',
      'Payment',
      { kind: 'gold' },
      { path: '/kind', expected: '"card" | "cash"', found: 'string "gold"', section: '付款方式' },
    ],
    [
      'the payload that the tag asks for',
      'TypedParcelEvent',
      { waybill_id: 'w', type: 'parcel.delivered', data: { at: 1 } },
      { path: '/data/signed_by', expected: 'string', found: 'nothing', section: '2.1' },
    ],
    [
      'the payload that is missing',
      'TypedParcelEvent',
      { waybill_id: 'w', type: 'parcel.delivered' },
      { path: '/data', expected: 'DeliveredData', found: 'nothing', section: '2.1' },
    ],
    [
      'keys that need escaping',
      'Waybill',
      { ...waybill, notes: { 'a/b~c': undefined } },
      {
        path: '/notes/a~1b~0c',
        expected: 'string | integer | number | boolean | null | list of JSONValue | object of JSONValue',
        found: 'nothing',
        section: '1',
      },
    ],
    ['not an object at all', 'Waybill', [], { path: '', expected: 'Waybill', found: 'a list of 0', section: '2' }],
  ])('%s', (_, name, value, error) => expect(first(name, value)).toEqual(error));

  it('accepts a tag that is not listed, and content that may be left out', () => {
    expect(validators.check('TypedParcelEvent', { waybill_id: 'w', type: 'parcel.stolen', data: { x: 1 } })).toEqual(
      [],
    );
    expect(validators.check('TypedParcelEvent', { waybill_id: 'w', type: 'parcel.picked' })).toEqual([]);
  });

  it('reads: fills in defaults, keeps what it does not know, changes nothing that it was given', () => {
    const sent = { ...waybill, extra: 1, sender: { street: 's' }, parts: [waybill] };
    const copy = structuredClone(sent);
    const read = validators.validators['Waybill']!.read(sent) as Record<string, unknown>;
    expect(sent).toEqual(copy);
    expect(read).toMatchObject({
      created_at: null,
      metadata: {},
      sender: { street: 's', city: '上海', zip: null },
      insurance: { covered: false, amount: 0, code: null },
      extra: 1,
      parts: [{ speed: 'slow', sender: { city: '上海' } }],
    });
    expect(validators.validators['TypedParcelEvent']!.read({ waybill_id: 'w', type: 'parcel.picked' })).toMatchObject({
      data: { by: null },
      courier: null,
    });
    // Defaults are not shared between two readings.
    (read['metadata'] as Record<string, unknown>)['touched'] = true;
    expect((validators.validators['Waybill']!.read(sent) as { metadata: object }).metadata).toEqual({});
  });
});
