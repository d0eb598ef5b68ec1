import { describe, expect, it } from 'vitest';
import { compileText, findings, objectOf } from '../testing/compile-text.ts';
import { decodeDocument } from './document-text.ts';
import { readMarkdown } from './markdown.ts';

const read = (text: string) => readMarkdown(decodeDocument('doc.md', new TextEncoder().encode(text)));

describe('sections', () => {
  it.each([
    ['## 5.2 AgentRunContext', '5.2', 'AgentRunContext'],
    ['## 5. Run 协议', '5', 'Run 协议'],
    ['### §7.1 Results', '7.1', 'Results'],
    ['# 10、错误', '# 10、错误'.slice(2), '10、错误'],
    ['## Errors', 'Errors', 'Errors'],
    ['## `Model` and more', 'Model and more', 'Model and more'],
  ])('%s', (line, id, title) => {
    expect(read(`${line}\n`).sections[0]).toMatchObject({ id, title });
  });
});

describe('places', () => {
  const at = (text: string): [number, number] => {
    const place = objectOf(compileText(text), 'A').fields[0]!.place;
    return [place.line, place.column];
  };

  it.each<[string, string, [number, number]]>([
    ['a plain block', '```python\nclass A(BaseModel):\n    x: int\n```\n', [3, 5]],
    ['CRLF', '```python\r\nclass A(BaseModel):\r\n    x: int\r\n```\r\n', [3, 5]],
    ['a block in a list', '- item\n\n  ```python\n  class A(BaseModel):\n      x: int\n  ```\n', [5, 7]],
    ['a block in a quote', '> ```python\n> class A(BaseModel):\n>     x: int\n> ```\n', [3, 7]],
    ['tildes', '~~~py\nclass A(BaseModel):\n    x: int\n~~~\n', [3, 5]],
    ['a byte order mark', '\ufeff```python\nclass A(BaseModel):\n    x: int\n```\n', [3, 5]],
    ['a longer fence', '````python\nclass A(BaseModel):\n    x: int\n````\n', [3, 5]],
  ])('%s', (_, text, place) => expect(at(text)).toEqual(place));
});

describe('code', () => {
  const code = (text: string): string[] =>
    read(text).parts.flatMap((part) => (part.kind === 'block' ? [part.block.text] : []));

  it.each<[string, string, string[]]>([
    ['indented fences lose their indentation', '  ```python\n  x\n    y\n\n z\n  ```\n', ['x\n  y\n\nz']],
    ['a line that is just x', '> ```python\n> x\n>  x\n> ```\n\n```python\nx\n  x\n```\n', ['x\n x', 'x\n  x']],
    ['fences within fences', '````markdown\n```python\na\n```\n````\n\n~~~\n```\n~~~\n', ['```python\na\n```', '```']],
    [
      'a list with code, then more',
      '1. one\n\n   ```python\n   a: int\n     b\n   ```\n2. two\n\n```py\nc\n```\n',
      ['a: int\n  b', 'c'],
    ],
    ['a code span that looks like a fence', '``` not a fence ```\n\n```py\na\n```\n', ['a']],
    ['HTML around a fence is no fence', '<!--\n```python\nhidden\n```\n-->\n\n```python\nshown\n```\n', ['shown']],
    ['tabs and wide characters', '```python\n\ta\n你好 😀\n```\n', ['\ta\n你好 😀']],
  ])('%s', (_, text, expected) => expect(code(text)).toEqual(expected));
});

describe('what is not read as a statement', () => {
  const model = '```python\nclass A(BaseModel):\n    x: int\n```\n';
  it('indented code, other languages, and blocks marked so', () => {
    const compiled = compileText(
      `${model}\n    $ some command\n        nonsense nonsense\n\n\`\`\`yaml\nclass: 1\n\`\`\`\n\n\`\`\`python ignore\nwhatever this is\n\`\`\`\n`,
    );
    expect(findings(compiled)).toEqual([]);
    expect(compiled.protocol.models.map(({ name }) => name)).toEqual(['A']);
  });

  it('warns of a model in a block that is not marked as Python', () => {
    expect(findings(compileText(`${model}\n\`\`\`\nclass B(BaseModel):\n    x: int\n\`\`\`\n`))).toEqual([
      'unmarked-python 7:1',
    ]);
    expect(findings(compileText(`${model}\n    class B(BaseModel):\n        x: int\n`))).toEqual([
      'unmarked-python 6:1',
    ]);
  });
});

describe('hostile documents', () => {
  const codes = (text: string | Uint8Array): string[] => {
    const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
    return findings(compileText('')).length === 0 ? [] : compileBytes(bytes);
  };
  const compileBytes = (bytes: Uint8Array): string[] => {
    try {
      decodeDocument('doc.md', bytes);
    } catch (error) {
      const { diagnostic } = error as { diagnostic: { code: string; place: { line: number; column: number } } };
      return [`${diagnostic.code} ${diagnostic.place.line}:${diagnostic.place.column}`];
    }
    return findings(compileText(new TextDecoder().decode(bytes)));
  };

  it.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'no-models 1:1'],
    ['prose only', '# Hello\n\ntext\n', 'no-models 1:1'],
    ['not UTF-8', new Uint8Array([0x23, 0x20, 0x41, 0x0a, 0x42, 0xff, 0x43]), 'not-utf8 2:2'],
    ['a character cut off', new Uint8Array([0x41, 0xe4, 0xbd]), 'not-utf8 1:2'],
    ['NUL', 'a\nb\0c', 'not-text 2:2'],
    ['too large', new Uint8Array(9 * 1024 * 1024).fill(0x20), 'too-large 1:1'],
    ['an unclosed block', 'x\n\n```python\nclass A(BaseModel):\n    x: int\n', 'unclosed-block 3:1'],
    ['an unclosed block, half closed', '````python\nclass A(BaseModel):\n    x: int\n```\n', 'unclosed-block 1:1'],
    ['quotes without end', `${'>'.repeat(5000)} x`, 'too-deep 1:1'],
    ['lists without end', `${'- '.repeat(2000)}x`, 'too-deep 1:1'],
    [
      'broken JSON',
      '```python\nclass A(BaseModel):\n    x: int\n```\n\n```json\n{ "x": 1,\n  "y" }\n```\n',
      'json-syntax 8:7',
    ],
    [
      'JSON with a comma between values',
      '```python\nclass A(BaseModel):\n    x: int\n```\n\n```json\n{ "x": 1 }, { "x": 2 }\n```\n',
      'json-syntax 7:11',
    ],
  ])('%s', (_, text, finding) => expect(codes(text)).toContain(finding));

  it('brackets nested without end are refused in no time', () => {
    const started = performance.now();
    for (const python of [
      `class A(BaseModel):\n    x: ${'list['.repeat(20_000)}int${']'.repeat(20_000)}`,
      `class A(BaseModel):\n    x: Any = ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      `X = ${'('.repeat(20_000)}int${')'.repeat(20_000)}`,
    ]) {
      expect(findings(compileText(`\`\`\`python\n${python}\n\`\`\`\n`)).length).toBeGreaterThan(0);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('a union of hundreds, and thousands of classes, are read', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `C${i}`);
    const { diagnostics, protocol } = compileText(
      `\`\`\`python\n${many.map((name) => `class ${name}(BaseModel):\n    x: int`).join('\n')}\nAll = ${many.slice(0, 300).join(' | ')}\n\`\`\`\n`,
    );
    expect(diagnostics).toEqual([]);
    expect(protocol.counts.classes).toBe(3000);
  });
});
