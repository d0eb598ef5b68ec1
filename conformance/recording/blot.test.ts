import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOT, blotter } from './blot.ts';

test('a secret is blotted out of texts, values and keys, plain, escaped, URL-encoded and in base64', () => {
  const secret = 'p@ss"word/1';
  const blot = blotter([secret, 'short']);
  const value = {
    [`k ${secret}`]: [`${secret}!`, { url: encodeURIComponent(secret), text: JSON.stringify({ secret }) }],
    n: 1,
  };
  expect(blot.json(value)).toEqual({ [`k ${BLOT}`]: [`${BLOT}!`, { url: BLOT, text: `{"secret":"${BLOT}"}` }], n: 1 });
  expect(blot.text(`Basic ${Buffer.from(secret).toString('base64')}`)).toBe(`Basic ${BLOT}=`);
  expect(blot.text('a short text')).toBe('a short text');
});

test('whatever holds a secret holds none afterwards, and what holds none stays the same value', () => {
  const secret = fc.string({ unit: 'binary', minLength: 8, maxLength: 30 });
  fc.assert(
    fc.property(
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      fc.jsonValue(),
      fc.string(),
      (secrets, value, around) => {
        const blot = blotter(secrets);
        const kept = blot.json({ value, list: secrets.map((one) => ({ [one]: around + one + around })) });
        const text = JSON.stringify(kept.list.map((entry) => Object.entries(entry)));
        for (const one of secrets)
          if (!BLOT.includes(one)) expect(text.includes(JSON.stringify(one).slice(1, -1))).toBe(false);
        const innocent = { answer: 42 };
        expect(blot.json(innocent)).toBe(innocent);
      },
    ),
    { numRuns: 200, seed: 41 },
  );
});
