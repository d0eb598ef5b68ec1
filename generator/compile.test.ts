import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { typeText } from './check.ts';
import { compile } from './compile.ts';
import { compilePython, compileText, findings, modelOf, objectOf } from './testing/compile-text.ts';

const courier = () =>
  compile('courier', '', [
    { file: 'courier.md', bytes: readFileSync(new URL('./fixtures/courier.md', import.meta.url)) },
  ]);

describe('a document in another language', () => {
  it('is read whole', () => {
    const { protocol, diagnostics } = courier();
    expect(protocol.counts).toEqual({ blocks: 7, classes: 10, fields: 33 });
    expect(diagnostics.map((d) => [d.severity, d.code])).toEqual([['warning', 'undefined-name']]);
    expect(protocol.api).toHaveLength(5);
    expect(protocol.examples.map(({ model, wrong }) => [model, wrong])).toEqual([
      ['Waybill', false],
      ['Waybill', true],
      ['ParcelEvent', false],
      ['ParcelEvent', false],
    ]);
  });

  it('takes notes in lists as descriptions', () => {
    expect(objectOf(courier(), 'Address').fields.map((field) => field.doc)).toEqual([
      '街道与门牌。',
      '默认城市',
      '邮编,可以没有。',
    ]);
  });
});

describe('names', () => {
  it('that are used and nowhere defined stay open, with their first use', () => {
    const compiled = compilePython(
      'class A(BaseModel):\n    x: Foo\n    y: list[Foo] = []\n    z: Bar = Bar()\nclass B(Unknown):\n    model_config = ConfigDict(extra="forbid")\n    q: int',
    );
    expect(findings(compiled)).toEqual(['undefined-name 5:8', 'undefined-name 7:8', 'undefined-name 8:9']);
    expect(modelOf(compiled, 'Foo').kind).toBe('open');
    // Nothing is known of the base, so nothing can be forbidden.
    expect(objectOf(compiled, 'B').closed).toBe(false);
  });

  it('may be stated twice alike, not twice differently', () => {
    const twice = (second: string) =>
      findings(compilePython(`class A(BaseModel):\n    x: int  # one\nclass A(BaseModel):\n    x: ${second}`));
    expect(twice('int')).toEqual([]);
    expect(twice('str')).toEqual(['stated-twice 6:1']);
  });

  it('that TypeScript keeps for itself are refused, with what was meant', () => {
    const typo = compilePython('class A(BaseModel):\n    x: string');
    expect(findings(typo)).toEqual(['reserved-name 5:8']);
    expect(typo.diagnostics[0]?.remedy).toBe('Write str.');
    expect(findings(compilePython('class function(BaseModel):\n    x: int'))).toEqual(['reserved-name 4:1']);
    expect(findings(compilePython('class Function(BaseModel):\n    default: int'))).toEqual([]);
  });

  it('are found across documents, in whatever order', () => {
    const text = (python: string): Uint8Array => new TextEncoder().encode(`\`\`\`python\n${python}\n\`\`\`\n`);
    const { protocol, diagnostics } = compile('p', '1', [
      { file: 'a.md', bytes: text('class A(Base):\n    b: B') },
      { file: 'b.md', bytes: text('class Base(BaseModel):\n    x: int\nclass B(BaseModel):\n    y: int') },
    ]);
    expect(diagnostics).toEqual([]);
    expect(protocol.models.map(({ name, place }) => `${name} ${place.file}`)).toEqual([
      'A a.md',
      'Base b.md',
      'B b.md',
    ]);
  });
});

describe('circles', () => {
  it.each([
    ['aliases that lead to themselves', 'A = B | int\nB = A | str', ['alias-cycle 4:1', 'alias-cycle 5:1']],
    ['a base of itself', 'class A(B):\n    x: int\nclass B(A):\n    y: int', ['base-cycle 4:1']],
    ['a class that requires itself', 'class A(BaseModel):\n    a: A', ['no-value 4:1']],
    [
      'classes that require each other',
      'class A(BaseModel):\n    b: list[B] = Field(min_length=1)\nclass B(BaseModel):\n    a: A',
      ['no-value 4:1', 'no-value 6:1'],
    ],
  ])('%s', (_, python, expected) => expect(findings(compilePython(python))).toEqual(expect.arrayContaining(expected)));

  it.each([
    ['an alias through a list', 'J = int | list["J"] | dict[str, "J"]'],
    ['a class through an optional field', 'class A(BaseModel):\n    a: A | None = None'],
    ['a class through a list', 'class A(BaseModel):\n    a: list[A]'],
    ['a class through a union', 'class A(BaseModel):\n    a: A | int'],
  ])('%s is fine', (_, python) => expect(findings(compilePython(python))).toEqual([]));
});

describe('tables', () => {
  const models =
    '## 1 One\n\n```python\nclass Event(BaseModel):\n    type: str\n    data: dict[str, Any] = {}\nclass Payload(BaseModel):\n    x: int\n```\n\n';

  it('lists the values of a field by its name, near its model', () => {
    const { protocol } = compileText(
      `${models}### 1.1 Types\n\n| type | note |\n| --- | --- |\n| \`a.b\` | first |\n| \`c\`, \`d\` | others |\n`,
    );
    expect(protocol.catalogues).toMatchObject([
      { model: 'Event', field: 'type', values: [{ value: 'a.b', note: 'first' }, { value: 'c' }, { value: 'd' }] },
    ]);
  });

  it('warns of a table that Markdown takes for a paragraph', () => {
    const broken = compileText(`${models}| \`Event.type\` | note |\n| --- |\n| \`a\` | x |\n`);
    expect(broken.diagnostics.map(({ code, severity, place }) => [code, severity, place.line])).toEqual([
      ['broken-table', 'warning', 11],
    ]);
    expect(compileText(`${models}Either a | b\n\n---\n\nor | none\n`).diagnostics).toEqual([]);
  });

  it.each([
    ['in another chapter', '## 2 Two\n\n| type | note |\n| --- | --- |\n| `a` | x |\n'],
    ['of a name that is no field', '| kind | note |\n| --- | --- |\n| `a` | x |\n'],
    ['without code', '| type | note |\n| --- | --- |\n| a | x |\n'],
  ])('takes a table %s as prose', (_, table) => {
    const { protocol, diagnostics } = compileText(`${models}${table}`);
    expect(protocol.catalogues).toEqual([]);
    expect(diagnostics).toEqual([]);
  });

  it('says which model the content holds', () => {
    const { protocol, diagnostics } = compileText(
      `${models}| \`Event.type\` | \`Event.data\` |\n| --- | --- |\n| \`a\` | \`Payload\` |\n| \`b\` | - |\n`,
    );
    expect(diagnostics).toEqual([]);
    expect(protocol.variants).toMatchObject([
      { name: 'TypedEvent', model: 'Event', tag: 'type', content: 'data', rows: [{ value: 'a', payload: 'Payload' }] },
    ]);
    expect(protocol.catalogues[0]?.values.map(({ value }) => value)).toEqual(['a', 'b']);
  });

  it.each([
    ['an unknown model', '| `Nope.type` | x |\n| --- | --- |\n| `a` | x |\n', 'unknown-member'],
    ['an unknown field', '| `Event.nope` | x |\n| --- | --- |\n| `a` | x |\n', 'unknown-member'],
    ['a value without code', '| `Event.type` | x |\n| --- | --- |\n| a | x |\n', 'table-values'],
    ['a payload that is no name', '| `Event.type` | `Event.data` |\n| --- | --- |\n| `a` | a b |\n', 'table-payload'],
    [
      'a value twice',
      '| `Event.type` | `Event.data` |\n| --- | --- |\n| `a` | Payload |\n| `a` | Payload |\n',
      'table-twice',
    ],
    ['an unknown call', '| call | answer |\n| --- | --- |\n| `api.x` | `Payload` |\n', 'unknown-call'],
    ['an answer that is no type', '| call | answer |\n| --- | --- |\n| `api.x` | `set[int]` |\n', 'python-shape'],
  ])('refuses %s', (_, table, code) => {
    expect(compileText(models + table).diagnostics.map((d) => d.code)).toContain(code);
  });

  it('types calls by request and answer', () => {
    const { protocol, diagnostics } = compileText(
      `${models}\`\`\`python\nawait api.put(x, y=1)\n\`\`\`\n\n| call | request | answer |\n| --- | --- | --- |\n| \`api.put\` | \`Payload\` | \`list[Event]\` |\n`,
    );
    expect(diagnostics).toEqual([]);
    const call = protocol.api[0]!;
    expect([
      call.request,
      typeText(call.returns!),
      call.parameters.map(({ type }) => (type === undefined ? undefined : typeText(type))),
    ]).toEqual(['Payload', 'list[Event]', ['int', undefined]]);
  });
});

describe('examples', () => {
  const text = (json: string): string =>
    `# 1 A\n\n\`\`\`python\nclass A(BaseModel):\n    x: int\n    y: list[str] = []\nclass B(BaseModel):\n    z: str\n\`\`\`\n\n${json}`;

  it('are held against the model they name, or the last of the section', () => {
    const compiled = compileText(text('```json A\n{"x": 1}\n{"x": "one", "y": [1]}\n```\n\n```json\n{"z": 2}\n```\n'));
    expect(compiled.diagnostics.map((d) => [d.severity, d.code, d.place.line])).toEqual([
      ['warning', 'example-misfit', 13],
      ['warning', 'example-misfit', 13],
      ['warning', 'example-misfit', 17],
    ]);
    expect(compiled.diagnostics[0]?.message).toBe(
      'This example does not fit A: at /x int was expected, string "one" was found.',
    );
  });

  it('that are marked wrong must be', () => {
    expect(findings(compileText(text('```json A wrong\n{"x": "one"}\n```\n')))).toEqual([]);
    expect(findings(compileText(text('```json A wrong\n{"x": 1}\n```\n')))).toEqual(['example-fits 12:1']);
  });

  it('cannot name a model that is not there', () => {
    expect(findings(compileText(text('```json Nope\n{"x": 1}\n```\n')))).toEqual(['unknown-model 11:1']);
  });
});
