import { describe, expect, it } from 'vitest';
import { compilePython, compileText } from '../testing/compile-text.ts';
import { committed } from '../testing/engines.ts';
import { emitJsonSchema, KEYWORD_PROFILE } from './json-schema.ts';

type Schema = Record<string, unknown>;
const defsOf = (python: string): Record<string, Schema> =>
  (JSON.parse(emitJsonSchema(compilePython(python).protocol)) as { $defs: Record<string, Schema> }).$defs;

/** Without what only tells where a thing comes from. */
const bare = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(bare)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key]) => key !== '$comment')
            .map(([key, member]) => [key, bare(member)]),
        )
      : value;

describe('definitions', () => {
  it('state what the document states, and no more', () => {
    expect(
      bare(
        defsOf(
          'class A(BaseModel):\n    a: str\n    b: int | None = None\n    c: dict[str, Any] = {}\n    d: list[Literal["x", "y"]] = []\n    e: Literal["z"] = "z"\n    f: Any\n    g: B\n    h: float = 1.5',
        )['A'],
      ),
    ).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
        c: { type: 'object', additionalProperties: true, default: {} },
        d: { type: 'array', items: { type: 'string', enum: ['x', 'y'] }, default: [] },
        e: { type: 'string', const: 'z', default: 'z' },
        f: {},
        g: { $ref: '#/$defs/B' },
        h: { type: 'number', default: 1.5 },
      },
      required: ['a', 'f', 'g'],
    });
  });

  it('are closed only where the document forbids extras', () => {
    const defs = defsOf(
      'class A(BaseModel, extra="forbid"):\n    x: int\nclass B(BaseModel, extra="allow"):\n    x: int\nclass C(BaseModel):\n    x: int = 0',
    );
    expect([
      defs['A']?.['additionalProperties'],
      defs['B']?.['additionalProperties'],
      defs['C']?.['additionalProperties'],
    ]).toEqual([false, undefined, undefined]);
    expect(defs['C']).not.toHaveProperty('required');
  });

  it('keep unions, aliases, enums and open names under their own names', () => {
    expect(
      bare(
        defsOf(
          'class A(BaseModel):\n    k: Literal["a"]\nclass B(BaseModel):\n    k: Literal["b"]\nU = A | B\nclass E(str, Enum):\n    X = "x"\nJ = None | list["J"]\nclass H(BaseModel):\n    o: Open',
        ),
      ),
    ).toMatchObject({
      U: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] },
      E: { type: 'string', const: 'x' },
      J: { anyOf: [{ type: 'null' }, { type: 'array', items: { $ref: '#/$defs/J' } }] },
      Open: {},
    });
  });

  it('say where they and their fields come from', () => {
    const { protocol } = compileText(
      '# 3.1 Things\n\n```python\nclass A(BaseModel):\n    """Doc."""\n    x: int  # note\n```\n',
      'THINGS.md',
    );
    const defs = (JSON.parse(emitJsonSchema(protocol)) as { $defs: Record<string, Schema> }).$defs;
    expect(defs['A']).toMatchObject({
      description: 'Doc.',
      $comment: '§3.1 THINGS.md:4',
      properties: { x: { description: 'note', $comment: '§3.1 THINGS.md:6' } },
    });
  });
});

describe.each(['agent-runner/2026-06-03', 'agent-runtime/0.3.9'])('the committed schema of %s', (path) => {
  it('stays within its keyword profile, and every part of it says where it comes from', async () => {
    const { schema } = await committed(path);
    const used = new Set<string>();
    const walk = (node: Schema): void => {
      for (const [keyword, value] of Object.entries(node)) {
        used.add(keyword);
        if (keyword === 'properties' || keyword === '$defs')
          for (const part of Object.values(value as Record<string, Schema>)) walk(part);
        else if (keyword === 'anyOf' || keyword === 'allOf') for (const part of value as Schema[]) walk(part);
        else if (
          ['items', 'if', 'then'].includes(keyword) ||
          (keyword === 'additionalProperties' && typeof value === 'object')
        )
          walk(value as Schema);
      }
    };
    walk(schema as unknown as Schema);
    expect([...used].filter((keyword) => !(KEYWORD_PROFILE.keywords as readonly string[]).includes(keyword))).toEqual(
      [],
    );
    for (const definition of Object.values(schema.$defs) as Schema[]) {
      expect(definition['$comment']).toMatch(/§\S+ \w+\.md:\d+/u);
      for (const property of Object.values((definition['properties'] ?? {}) as Record<string, Schema>))
        expect(property['$comment']).toMatch(/§\S+ \w+\.md:\d+/u);
    }
  });
});
