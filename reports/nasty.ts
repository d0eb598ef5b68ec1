// The nastiest strings a target could say, for tests: each tries to act in some format instead of being read.
import fc from 'fast-check';

export const NASTY: readonly string[] = [
  '<script>window.__pwned=1</script>',
  '"><img src=x onerror="window.__pwned=1">',
  "'-alert(1)-'",
  '</style><script>window.__pwned=1</script>',
  '</title><svg onload=window.__pwned=1>',
  '<!-- --><a href="javascript:window.__pwned=1">x</a>',
  ']]></failure><testcase name="forged"/>',
  '&amp;&lt;&#0;&nosuch;',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
  '\u0000\u0001\u0008\u000b\u000c\u001b[31mred\u001b[0m\u001b]8;;http://evil\u0007link\u001b]8;;\u0007',
  '\u001b[2J\u001b[H\u009b31m\u0090q\u009c',
  '\u202eevil\u202c \u2066iso\u2069 \u200f',
  '\ud800 lone \udc00 \uffff \ufffe \u{e0041}',
  '| a | b |\n|---|---|\n`code` **bold** [x](javascript:alert(1)) ![i](http://evil/x.png) <b>html</b>',
  '``` \n~~~\n# heading\n- list\n> quote\n\\`',
  '::error file=a,line=1::forged%0A::set-output name=x::y',
  '\n::error::forged\n',
  '../../../etc/passwd',
  '..\\..\\windows\\system32',
  '/etc/passwd',
  'C:\\autoexec.bat',
  'file:///etc/passwd',
  'cases/../../x.json',
  '__proto__',
  'constructor',
  'a\u2028b\u2029c\rd\te',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant to stay as it is
  '${7*7} {{7*7}} %s %n $(reboot) `reboot` ; rm -rf /',
  '𝕏'.repeat(50),
  "'".repeat(3000),
  '<'.repeat(20_000),
  'x'.repeat(100_000),
  ' ',
  '',
  'v1/7.2/plain',
];

export const nastyWords: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...NASTY), fc.constantFrom(...NASTY)).map(([a, b]) => a + b) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);
