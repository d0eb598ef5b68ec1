import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DepthScan, excerpt, parseMessage } from './text.ts';

/** The same, one character at a time. */
function plainly(text: string): { depth: number; deepest: number; values: number; inString: boolean } {
  const seen = { depth: 0, deepest: 0, values: 0, inString: false };
  let escaped = false;
  for (const c of text) {
    if (seen.inString) {
      if (escaped) escaped = false;
      else if (c === '\\') escaped = true;
      else if (c === '"') seen.inString = false;
    } else if (c === '"') seen.inString = true;
    else if (c === '{' || c === '[') {
      seen.values++;
      seen.deepest = Math.max(seen.deepest, ++seen.depth);
    } else if (c === '}' || c === ']') seen.depth--;
    else if (c === ',') seen.values++;
  }
  return seen;
}

const pieces = fc.array(fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', 'x', ',') }), {
  maxLength: 6,
});

test('brackets and strings are followed through any text, cut anywhere', () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const scan = new DepthScan();
      for (const part of parts) scan.read(part);
      const { inString, ...expected } = plainly(parts.join(''));
      const { depth, deepest, values, whole } = scan;
      expect({ depth, deepest, values }).toEqual(expected);
      if (parts.some((part) => part !== ''))
        expect(whole).toBe(expected.deepest > 0 && expected.depth <= 0 && !inString);
    }),
    { numRuns: 5000, seed: 51 },
  );
});

test('what is JSON and small enough is read as it is; what is not is named', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      expect(parseMessage(text)).toMatchObject({ ok: true, value: JSON.parse(text) });
    }),
    { numRuns: 300, seed: 52 },
  );
  const code = (text: string): string => {
    const parsed = parseMessage(text);
    return parsed.ok ? 'ok' : parsed.fault.code;
  };
  expect(code(`{"a":${'['.repeat(600)}${']'.repeat(600)}}`)).toBe('RUNCERT_WIRE_TOO_DEEP');
  expect(code(`{"a":[${'0,'.repeat(600_000)}0]}`)).toBe('RUNCERT_WIRE_TOO_LARGE');
  expect(code('{"a":-1E+400}')).toBe('RUNCERT_WIRE_NUMBER');
  expect(code(`{"a":${'9'.repeat(400)}}`)).toBe('RUNCERT_WIRE_NUMBER');
  expect(code('{"a":"1e999","b":1e300,"c":1e-999}')).toBe('ok');
  expect(code('{"a":Infinity}')).toBe('RUNCERT_WIRE_JSON');
  expect(code('[]')).toBe('RUNCERT_WIRE_JSON');
});

test('an excerpt never ends in half a character', () => {
  expect(excerpt('ab😀', 3)).toBe('ab… (4 characters)');
});
