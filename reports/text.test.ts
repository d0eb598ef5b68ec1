import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nastyWords } from './nasty.ts';
import { boundedJson, clip, codeSpan, cut, escapeWithin, escapeXml, oneLine, shellWords, visible } from './text.ts';

test('what acts is shown', () => {
  expect(visible('a\u001b[31mb\u202ec\u0000\ud800\r\nd\te')).toBe('a\\u{1b}[31mb\\u{202e}c\\u{0}\\u{d800}\nd\te');
  expect(oneLine('a\n  b\tc')).toBe('a ⏎ b c');
  expect(visible('naïve 日本 👩‍🚀')).toBe('naïve 日本 👩‍🚀');
});

test('what is cut says how much, and no character is split', () => {
  expect(cut('abcdef', 4)).toBe('abcd… (2 more characters)');
  expect(cut('ab😀cd', 3)).toBe('ab… (4 more characters)');
  fc.assert(
    fc.property(nastyWords, fc.integer({ min: 1, max: 300 }), (text, limit) => {
      const shown = visible(text);
      expect(clip(shown, limit + 2).length).toBeLessThanOrEqual(limit + 2);
      expect(cut(shown, limit)).not.toMatch(/\p{Surrogate}/u);
      expect(escapeWithin(text, limit).length).toBeLessThanOrEqual(limit * 1.25 + 200);
      expect(escapeWithin(text, limit)).not.toMatch(/[<>"]/);
    }),
  );
});

test('escaping is what a parser undoes', () => {
  const undo = (text: string): string =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  fc.assert(fc.property(nastyWords, (text) => undo(escapeXml(text)) === visible(text)));
});

test('a code span holds any text', () => {
  expect(codeSpan('a`b')).toBe('``a`b``');
  expect(codeSpan('`')).toBe('`` ` ``');
  expect(codeSpan('a|b')).toBe('`a\\|b`');
  expect(codeSpan('')).toBe('` `');
});

test('shell words are quoted where they must be', () => {
  expect(shellWords(['npx', 'a b', "it's", '$(x)', '--', 'a=b'])).toBe(`npx 'a b' 'it'\\''s' '$(x)' -- a=b`);
});

test('JSON is bounded, however long, wide or deep', () => {
  const deep = (levels: number): unknown => {
    let value: unknown = 1;
    for (let at = 0; at < levels; at++) value = [value];
    return value;
  };
  expect(boundedJson({ a: [1, 2] }, 100, 0)).toBe('{"a":[1,2]}');
  expect(boundedJson({ a: 'x'.repeat(1000) }, 400, 0)).toContain('… (700 more characters)');
  expect(
    boundedJson(
      Array.from({ length: 1000 }, () => 1),
      200,
      0,
    ),
  ).toContain('… (988 more items)');
  for (const value of [
    deep(50_000),
    { x: deep(50_000) },
    'x'.repeat(1e6),
    Array.from({ length: 1e5 }, () => ({ a: 1 })),
    undefined,
  ])
    expect(boundedJson(value, 500).length).toBeLessThan(600);
});
