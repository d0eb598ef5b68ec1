import fc from 'fast-check';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { parseJson, readDocument } from './document.ts';
import { RuncertError } from './error.ts';

const words = { what: 'thing', code: 'RUNCERT_THING', place: 'thing.json' } as const;
const placeOf = (text: string): string | undefined => {
  try {
    parseJson(text, words);
    return undefined;
  } catch (error) {
    return error instanceof RuncertError ? error.place : 'not ours';
  }
};

test.each([
  ['{"a":1,}', 'thing.json:1:8'],
  ['{"a":1\n "b":2}', 'thing.json:2:2'],
  ['[1, 2', 'thing.json:1:6'],
  ['{"a": tru}', 'thing.json:1:10'],
  ['{"a": "x', 'thing.json:1:9'],
  ['', 'thing.json:1:1'],
  ['{} x', 'thing.json:1:4'],
  ["{'a': 1}", 'thing.json:1:2'],
])('%j is told with its place', (text, place) => {
  expect(placeOf(text)).toBe(place);
});

test('any text gives a value or an error of ours, never another throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.json().chain((json) => fc.nat(json.length).map((at) => json.slice(0, at))),
      ),
      (text) => {
        const place = placeOf(text);
        return place === undefined || /^thing\.json:\d+:\d+$/.test(place);
      },
    ),
  );
});

test('mistakes against the schema are named, a few of them, with their path', () => {
  const schema = Type.Object(
    { list: Type.Array(Type.Enum(['x', 'y'])), n: Type.Integer() },
    { additionalProperties: false },
  );
  expect(() => readDocument(schema, '{"list":["x","z"],"m":1}', words)).toThrow(
    /lacks n; .*unknown member "m"; \/list\/1 must be one of x, y/,
  );
  const many = JSON.stringify({ n: 1, list: Array.from({ length: 30 }, () => 'z') });
  expect(() => readDocument(schema, many, words)).toThrow(/\/list\/7 must be one of x, y\.$/);
});
