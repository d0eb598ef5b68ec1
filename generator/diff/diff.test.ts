import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { misfits } from '../check.ts';
import { compile } from '../compile.ts';
import type { TypeExpr } from '../model.ts';
import { compilePython, compileText } from '../testing/compile-text.ts';
import { compare, diffProtocols } from './diff.ts';
import { isWithin, relationOf } from './subtype.ts';
import { comparisonGithub, comparisonMarkdown, comparisonText, migrationText } from './words.ts';

const diff = (before: string, after: string) =>
  diffProtocols(compilePython(before).protocol, compilePython(after).protocol);
/** `kind subject [whom]` of each change. */
const told = (before: string, after: string): string[] =>
  diff(before, after).map(({ kind, subject, breaks }) => `${kind} ${subject} [${breaks.join(' ')}]`);
const model = (...fields: string[]): string =>
  `class A(BaseModel):\n${fields.map((field) => `    ${field}`).join('\n')}`;
const closed = 'model_config = ConfigDict(extra="forbid")';

describe('fields', () => {
  it('names the one new field that looks like one that goes', () => {
    const todo = (...fields: string[]) =>
      diff(model('x: int', 'old: str | None = None'), model('x: int', ...fields)).flatMap(
        ({ todo }) => todo.reader ?? [],
      );
    expect(todo('new: str | None = None')).toEqual([
      'Do without A.old. A.new is new and of the same type: it may have taken its place.',
    ]);
    expect(todo('new: int = 1')).toEqual(['Do without A.old.']);
    expect(todo('one: str | None = None', 'two: str | None = None')).toEqual(['Do without A.old.']);
  });

  it.each<[string, string[], string[], string[]]>([
    ['an optional field comes', ['x: int'], ['x: int', 'y: str = ""'], ['optional-field-added A.y []']],
    ['a required field comes', ['x: int'], ['x: int', 'y: str'], ['required-field-added A.y [writer]']],
    [
      'an optional field comes to a closed model',
      [closed, 'x: int'],
      [closed, 'x: int', 'y: str = ""'],
      ['optional-field-added A.y [reader]'],
    ],
    [
      'a required field comes to a closed model',
      [closed, 'x: int'],
      [closed, 'x: int', 'y: str'],
      ['required-field-added A.y [writer reader]'],
    ],
    ['a required field goes', ['x: int', 'y: str'], ['x: int'], ['field-removed A.y [reader]']],
    ['an optional field goes', ['x: int', 'y: str = ""'], ['x: int'], ['field-removed A.y [reader]']],
    [
      'a field goes from a closed model',
      [closed, 'x: int', 'y: str'],
      [closed, 'x: int'],
      ['field-removed A.y [writer reader]'],
    ],
    ['required becomes optional', ['x: int'], ['x: int = 0'], ['field-made-optional A.x [reader]']],
    ['optional becomes required', ['x: int = 0'], ['x: int'], ['field-made-required A.x [writer]']],
    ['another default', ['x: int = 0'], ['x: int = 1'], ['default-changed A.x [writer reader]']],
    ['a wider type', ['x: int'], ['x: float'], ['field-type-changed A.x [reader]']],
    ['a narrower type', ['x: int | None'], ['x: int'], ['field-type-changed A.x [writer]']],
    ['another type', ['x: int'], ['x: str'], ['field-type-changed A.x [writer reader]']],
    ['a literal more', ['x: Literal["a"]'], ['x: Literal["a", "b"]'], ['field-type-changed A.x [reader]']],
    ['a literal less', ['x: Literal["a", "b"]'], ['x: Literal["b"]'], ['field-type-changed A.x [writer]']],
    [
      'a tighter limit',
      ['x: int = Field(0, ge=0)'],
      ['x: int = Field(0, ge=0, le=9)'],
      ['field-type-changed A.x [writer]'],
    ],
    [
      'type and presence at once',
      ['x: int'],
      ['x: str = ""'],
      ['field-type-changed A.x [writer reader]', 'field-made-optional A.x [reader]'],
    ],
    ['the model is closed', ['x: int'], [closed, 'x: int'], ['model-closed A [writer]']],
    ['the model is opened', [closed, 'x: int'], ['x: int'], ['model-opened A [reader]']],
    ['another order', ['x: int', 'y: str'], ['y: str', 'x: int'], []],
    [
      'another way to write it',
      ['x: Optional[int] = None', 'y: Union[int, str]'],
      ['x: int | None = None', 'y: str | int'],
      [],
    ],
    ['words only', ['x: int  # one'], ['"""Said."""', 'x: int  # other'], []],
  ])('%s', (_, before, after, expected) => expect(told(model(...before), model(...after))).toEqual(expected));

  it('inherited fields are told once, at the base', () => {
    expect(
      told(
        'class B(BaseModel):\n    x: int\nclass C(B):\n    y: int',
        'class B(BaseModel):\n    x: str\nclass C(B):\n    y: int',
      ),
    ).toEqual(['field-type-changed B.x [writer reader]']);
    expect(
      told(
        'class B(BaseModel):\n    x: int\nclass C(B):\n    y: int',
        'class B(BaseModel):\n    z: int = 0\nclass C(B):\n    y: int',
      ),
    ).toEqual(['field-removed B.x [reader]', 'optional-field-added B.z []']);
  });

  it('Class() stays the same default when the class changes', () => {
    const of = (field: string): string => `class B(BaseModel):\n    ${field}\nclass A(BaseModel):\n    b: B = B()`;
    expect(told(of('x: int = 0'), of('x: int = 1'))).toEqual(['default-changed B.x [writer reader]']);
  });
});

describe('models', () => {
  it.each<[string, string, string, string[]]>([
    ['a new model', model('x: int'), `${model('x: int')}\nclass B(BaseModel):\n    y: int`, ['model-added B []']],
    [
      'a message of its own goes',
      `${model('x: int')}\nclass B(BaseModel):\n    y: int`,
      model('x: int'),
      ['model-removed B [writer reader]'],
    ],
    [
      'a part goes',
      'class A(BaseModel):\n    b: B\nclass B(BaseModel):\n    y: int',
      'class A(BaseModel):\n    b: int',
      ['field-type-changed A.b [writer reader]', 'model-removed B []'],
    ],
    [
      'only the name',
      'class A(BaseModel):\n    b: B\nclass B(BaseModel):\n    y: int',
      'class A(BaseModel):\n    b: C\nclass C(BaseModel):\n    y: int',
      ['model-renamed B []'],
    ],
    [
      'a name gets its definition',
      'class A(BaseModel):\n    b: B',
      'class A(BaseModel):\n    b: B\nclass B(BaseModel):\n    y: int',
      ['model-defined B []'],
    ],
    [
      'a name loses its definition',
      'class A(BaseModel):\n    b: B\nclass B(BaseModel):\n    y: int',
      'class A(BaseModel):\n    b: B',
      ['model-undefined B [reader]'],
    ],
    [
      'an alias grows, told once',
      'X = Literal["a"]\nclass A(BaseModel):\n    x: X',
      'X = Literal["a", "b"]\nclass A(BaseModel):\n    x: X',
      ['alias-changed X [reader]'],
    ],
    [
      'an alias for what stood there',
      'class A(BaseModel):\n    x: Literal["a"]',
      'X = Literal["a"]\nclass A(BaseModel):\n    x: X',
      ['model-added X []'],
    ],
    ['an enum for literals', 'X = Literal["a", "b"]', 'class X(str, Enum):\n    A = "a"\n    B = "b"', []],
    [
      'one undefined name for another',
      'class A(BaseModel):\n    x: P',
      'class A(BaseModel):\n    x: Q',
      ['field-type-changed A.x [writer reader]', 'model-removed P []', 'model-added Q []'],
    ],
    [
      'a class becomes a union',
      'class A(BaseModel):\n    k: str',
      'class B(BaseModel):\n    k: Literal["b"]\nclass C(BaseModel):\n    k: Literal["c"]\nA = B | C',
      ['model-kind-changed A [writer]', 'model-added B []', 'model-added C []'],
    ],
  ])('%s', (_, before, after, expected) => expect(told(before, after)).toEqual(expected));
});

describe('the API and the tables', () => {
  const call = (text: string): string => `class A(BaseModel):\n    x: int\n${text}`;
  it.each<[string, string, string, string[]]>([
    ['a call more', 'await api.a()', 'await api.a(); await api.b()', ['call-added api.b []']],
    ['a call less', 'await api.a(); await api.b()', 'await api.a()', ['call-removed api.b [writer]']],
    ['an optional parameter', 'await api.a()', 'await api.a(x=1)', ['parameter-added api.a(x) []']],
    ['a required parameter', 'await api.a()', 'await api.a(x)', ['parameter-added api.a(x) [writer]']],
    ['a parameter less', 'await api.a(x, y=1)', 'await api.a(x)', ['parameter-removed api.a(y) [writer]']],
    ['a parameter renamed', 'await api.a(x, y=1)', 'await api.a(z, y=1)', ['parameter-renamed api.a(x) [writer]']],
    [
      'not renamed, where the default differs',
      'await api.a(x=1)',
      'await api.a(z=2)',
      ['parameter-removed api.a(x) [writer]', 'parameter-added api.a(z) []'],
    ],
    ['required becomes optional', 'await api.a(x)', 'await api.a(x=1)', ['parameter-made-optional api.a(x) [reader]']],
    ['optional becomes required', 'await api.a(x=1)', 'await api.a(x)', ['parameter-made-required api.a(x) [writer]']],
    ['another default', 'await api.a(x=1)', 'await api.a(x=2)', ['parameter-default-changed api.a(x) [writer]']],
    ['another order', 'await api.a(x, y)', 'await api.a(y, x)', ['parameters-reordered api.a [writer]']],
    [
      'a stream now',
      'await api.a()',
      'async for x in api.a():\n    ...',
      ['call-streams-changed api.a [writer reader]'],
    ],
    ['another answer', 'r: int = await api.a()', 'r: str = await api.a()', ['answer-changed api.a [writer reader]']],
  ])('%s', (_, before, after, expected) => expect(told(call(before), call(after))).toEqual(expected));

  const tables = (rows: string, payloads: string): string =>
    `# 1 E\n\n\`\`\`python\nclass E(BaseModel):\n    type: str\n    data: dict[str, Any] = {}\nclass P(BaseModel):\n    x: int\nclass Q(BaseModel):\n    y: int\n\`\`\`\n\n| type | note |\n| --- | --- |\n${rows}\n\n| \`E.type\` | \`E.data\` |\n| --- | --- |\n${payloads}\n`;
  const toldTables = (before: [string, string], after: [string, string]): string[] =>
    diffProtocols(compileText(tables(...before)).protocol, compileText(tables(...after)).protocol).map(
      ({ kind, subject, breaks }) => `${kind} ${subject} [${breaks.join(' ')}]`,
    );

  it('a listed value may come, but not go', () => {
    expect(toldTables(['| `a` | x |', '| `a` | `P` |'], ['| `a` | y |\n| `b` | x |', '| `a` | `P` |'])).toEqual([
      'value-added E.type="b" []',
    ]);
    expect(toldTables(['| `a` | x |\n| `b` | x |', '| `a` | `P` |'], ['| `a` | x |', '| `a` | `P` |'])).toEqual([
      'value-removed E.type="b" [writer reader]',
    ]);
  });

  it('another payload for a value', () => {
    expect(toldTables(['| `a` | x |', '| `a` | `P` |'], ['| `a` | x |', '| `a` | `Q` |'])).toEqual([
      'payload-changed E.data of "a" [writer reader]',
    ]);
  });
});

describe('a document in another language', () => {
  const read = (text: string) =>
    compile('courier', '', [{ file: 'courier.md', bytes: new TextEncoder().encode(text) }]).protocol;
  const chinese = readFileSync(new URL('../fixtures/courier.md', import.meta.url), 'utf8');

  it('has the same structure as its translation, wherever the lines stand', () => {
    const english = chinese
      .replace(/^# .*$/mu, '# Courier protocol\n\nA translation.\n\nWith more lines.')
      .replace('## 1 包裹', '## 1 Parcels')
      .replace('## 2 运单(Waybill)', '## 2 Waybills')
      .replace('### 2.1 事件', '### 2.1 Events')
      .replace('### 付款方式', '### 2.2 Payment')
      .replace('"""收件地址"""', '"""An address."""')
      .replaceAll('说明', 'meaning')
      .replace('已取件', 'picked up')
      .replace('  # 默认城市', '');
    expect(english).not.toBe(chinese);
    expect(diffProtocols(read(chinese), read(english))).toEqual([]);
  });
});

describe('comparing types', () => {
  const { protocol } = compilePython(
    'class A(BaseModel):\n    x: int\nclass B(BaseModel):\n    x: int\n    y: str = ""\nclass C(BaseModel, extra="forbid"):\n    x: int\nL = Literal["a", 1, True, None]\nJ = int | list["J"]',
  );
  const models = new Map(protocol.models.map((one) => [one.name, one]));
  const place = { file: 'x', line: 1, column: 1, section: '' };
  const leaf: fc.Arbitrary<TypeExpr> = fc.constantFrom<TypeExpr>(
    { kind: 'any' },
    { kind: 'null' },
    { kind: 'boolean' },
    { kind: 'string' },
    { kind: 'string', bounds: { minLength: 1 } },
    { kind: 'integer' },
    { kind: 'integer', bounds: { minimum: 0 } },
    { kind: 'integer', bounds: { exclusiveMinimum: 0, maximum: 3 } },
    { kind: 'number' },
    { kind: 'number', bounds: { exclusiveMaximum: 2 } },
    { kind: 'literal', values: ['a', 'b'] },
    { kind: 'literal', values: [0, 1] },
    { kind: 'literal', values: [true, false] },
    { kind: 'literal', values: [null] },
    ...['A', 'B', 'C', 'L', 'J'].map((name): TypeExpr => ({ kind: 'ref', name, place })),
  );
  const type: fc.Arbitrary<TypeExpr> = fc.letrec<{ type: TypeExpr }>((tie) => ({
    type: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      tie('type').map((items): TypeExpr => ({ kind: 'list', items })),
      tie('type').map((values): TypeExpr => ({ kind: 'map', values })),
      fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map((members): TypeExpr => ({ kind: 'union', members })),
    ),
  })).type;
  const values = [
    null,
    true,
    false,
    0,
    1,
    3,
    1.5,
    -1,
    1e21,
    '',
    'a',
    'b',
    'zz',
    [],
    [0],
    ['a'],
    [[]],
    [null],
    {},
    { x: 1 },
    { x: 'a' },
    { x: 1, y: '' },
    { x: 1, z: 1 },
    { x: 1, y: 5 },
  ];

  it('a type that is within another has no value that the other refuses', () => {
    let held = 0;
    fc.assert(
      fc.property(type, type, (x, y) => {
        if (!isWithin(x, models, y, models)) return;
        held += 1;
        for (const value of values)
          if (misfits(models, x, value).length === 0)
            expect({ value, misfits: misfits(models, y, value) }).toEqual({ value, misfits: [] });
      }),
      { numRuns: 4000, seed: 1 },
    );
    expect(held).toBeGreaterThan(200);
  });

  it('is reflexive, and sees through order, nesting and aliases', () => {
    fc.assert(
      fc.property(type, (x) => relationOf(x, models, x, models) === 'equal'),
      { numRuns: 500, seed: 2 },
    );
    const ref = (name: string): TypeExpr => ({ kind: 'ref', name, place });
    expect(relationOf(ref('L'), models, { kind: 'literal', values: [null, true, 1, 'a'] }, models)).toBe('equal');
    expect(relationOf({ kind: 'boolean' }, models, { kind: 'literal', values: [true, false] }, models)).toBe('equal');
    expect(relationOf({ kind: 'any' }, models, { kind: 'map', values: { kind: 'any' } }, models)).toBe('narrower');
    expect(relationOf(ref('C'), models, { kind: 'map', values: { kind: 'integer' } }, models)).toBe('wider');
  });
});

describe('excuses and words', () => {
  const before = compilePython(model('x: int', 'y: str')).protocol;
  const after = compilePython(model('x: int', 'z: str = ""')).protocol;
  const side = (label: string) => ({ protocol: before, diagnostics: [], label, folder: process.cwd() });

  it('an excuse lowers the count, a stale one is told', () => {
    const excuses = [
      { change: 'field-removed A.y', reason: 'never sent' },
      { change: 'field-removed A.q', reason: 'long gone' },
      { change: 'optional-field-added A.z', reason: 'needs none' },
    ];
    const comparison = compare(before, after, excuses);
    expect([comparison.breaking, comparison.unexcused, comparison.stale.map(({ change }) => change)]).toEqual([
      1,
      0,
      ['field-removed A.q', 'optional-field-added A.z'],
    ]);
    expect(comparisonText(comparison, side('a'), side('b'))).toContain('excused: never sent');
    expect(comparisonGithub(comparison, side('b'))).toMatch(
      /^::warning file=doc.md,line=4,col=1,title=field-removed A.y::/u,
    );
  });

  it('each side is told what to do, once', () => {
    expect(migrationText(compare(before, after, []))).toBe(
      'Migration\n\nIf you read these messages or answer these calls:\n- Do without A.y. A.z is new and of the same type: it may have taken its place.\n',
    );
    expect(comparisonMarkdown(compare(before, after, []), side('old'), side('new'))).toContain(
      '| `A.y` | field-removed | breaks the reader |',
    );
  });

  it('nothing changed is said in one line', () => {
    expect(comparisonText(compare(before, before, []), side('a'), side('b'))).toBe('no difference in structure\n');
    expect(comparisonGithub(compare(before, before, []), side('b'))).toBe('');
  });
});
