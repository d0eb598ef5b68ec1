// types.ts as a compiler sees it: the same as what json-schema-to-typescript makes of the schema, and better where that falls short.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile as compileSchema } from 'json-schema-to-typescript';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { compilePython } from '../testing/compile-text.ts';
import { emitTypes } from './types.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(here, '.types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const published = '../../../schemas/agent-runner/2026-06-03/types.ts';

/** The compiler's complaints about a set of files. */
function complaints(files: Record<string, string>): string[] {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const program = ts.createProgram(
    Object.keys(files).map((name) => join(folder, name)),
    {
      strict: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: [],
    },
  );
  return ts.getPreEmitDiagnostics(program).map((d) => {
    const line = d.file === undefined ? 0 : d.file.getLineAndCharacterOfPosition(d.start ?? 0).line + 1;
    return `${line}: ${ts.flattenDiagnosticMessageText(d.messageText, ' ')}`;
  });
}

type Schema = {
  [key: string]: unknown;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  anyOf?: unknown;
};

describe('beside json-schema-to-typescript', () => {
  it('every model that it gets right is assignable both ways', { timeout: 120_000 }, async () => {
    const schema = JSON.parse(
      readFileSync(join(here, '../../schemas/agent-runner/2026-06-03/protocol.schema.json'), 'utf8'),
    ) as Schema;
    // That tool drops if/then, and makes of a model without fields a type that takes numbers too.
    const names = Object.entries(schema.$defs ?? {})
      .filter(([, { allOf, properties }]) => allOf === undefined && Object.keys(properties ?? { x: 1 }).length > 0)
      .map(([name]) => name);
    const root = {
      type: 'object',
      title: 'Root',
      additionalProperties: false,
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
      required: names,
      $defs: withoutComments(schema.$defs ?? {}),
    };
    const theirs = await compileSchema(root as never, 'Root', {
      bannerComment: '',
      additionalProperties: false,
      format: false,
      strictIndexSignatures: false,
      $refOptions: { resolve: { http: false, file: false } },
    });
    const lines = names.flatMap((name) => [
      `export const to_${name} = (ours: Models[${JSON.stringify(name)}]): Root[${JSON.stringify(name)}] => ours;`,
      `export const from_${name} = (theirs: Root[${JSON.stringify(name)}]): Models[${JSON.stringify(name)}] => theirs;`,
    ]);
    const found = complaints({
      'theirs.ts': theirs,
      'both.ts': `import type { Models } from '${published}';\nimport type { Root } from './theirs.ts';\n${lines.join('\n')}\n`,
    });
    expect(found).toEqual([]);
    expect(names.length).toBeGreaterThan(100);
  });
});

/** That tool takes a definition without constraints for an object; "unknown" is what it means. */
function withoutComments(defs: Record<string, Schema>): Record<string, Schema> {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value)
      .filter(([key]) => key !== '$comment')
      .map(([key, member]): [string, unknown] => [
        key,
        key === 'properties' || key === '$defs'
          ? Object.fromEntries(Object.entries(member as object).map(([name, part]) => [name, strip(part)]))
          : strip(member),
      ]);
    const constraints = kept.filter(([key]) => key !== 'description' && key !== 'default');
    return constraints.length === 0 ? { tsType: 'unknown' } : Object.fromEntries(kept);
  };
  return Object.fromEntries(Object.entries(defs).map(([name, definition]) => [name, strip(definition) as Schema]));
}

describe('what a user of the types meets', () => {
  const user = `import type { AgentRunContext, AgentRunContextRead, AgentRunResult, AgentTrigger, TypedAgentRunResult, Unlisted } from '${published}';
import { isTypedAgentRunResult, isAgentRunContext, readAgentRunContext } from '../../../schemas/agent-runner/2026-06-03/validators.js';

export function narrow(result: TypedAgentRunResult): string {
  switch (result.type) {
    case 'message.delta':
      return String(result.data.chunk.role);
    case 'state.updated':
      return result.data.key;
    case 'run.completed':
      // Its data may be left out.
      return result.data?.finish_reason ?? 'stop';
    default:
      return result.run_id;
  }
}
export function exact(result: TypedAgentRunResult): void {
  if (result.type === 'state.updated') {
    // @ts-expect-error state.updated has no chunk
    result.data.chunk;
  }
}
export function unlisted(result: TypedAgentRunResult): unknown {
  if (result.type === 'message.delta' || result.type === 'run.failed') return undefined;
  return result.type;
}
export const future: TypedAgentRunResult = { run_id: 'r', type: 'x.future' as Unlisted, data: { anything: 1 } };
export const anyType: AgentRunResult = { run_id: 'r', type: 'x.future', data: { anything: 1 } };
export const wrongPayload: TypedAgentRunResult =
  // @ts-expect-error the payload of message.delta is a chunk
  { run_id: 'r', type: 'message.delta', data: { text: 'no' } };

// As sent, what has a default may be left out; as read, it is there.
export const trigger: AgentTrigger = { type: 'message.received', source: 'api' };
// @ts-expect-error source is a closed list
export const badTrigger: AgentTrigger = { type: 'message.received', source: 'nowhere' };
export const sent = (context: AgentRunContext): number => Object.keys(context.config ?? {}).length;
// @ts-expect-error config may be absent as sent
export const careless = (context: AgentRunContext): number => Object.keys(context.config).length;
export const read = (context: AgentRunContextRead): number => Object.keys(context.config).length + context.input.contents.length + context.resources.models.length;
// @ts-expect-error as sent is not as read
export const unread: AgentRunContextRead = {} as AgentRunContext;

export function fromWire(value: unknown): boolean {
  if (isTypedAgentRunResult(value) && value.type === 'message.delta') return value.data.chunk !== undefined;
  if (!isAgentRunContext(value)) return false;
  return readAgentRunContext(value).config !== undefined;
}
`;

  it('results narrow by type and still take others; the two views differ where a default is', {
    timeout: 60_000,
  }, () => {
    expect(complaints({ 'user.ts': user })).toEqual([]);
  });
});

describe('names', () => {
  it('of the document win over names that the output adds', { timeout: 60_000 }, () => {
    const { protocol, diagnostics } = compilePython(
      ['Models', 'ModelsRead', 'ModelName', 'Record', 'Omit', 'Unlisted', 'A', 'ARead', 'Empty']
        .map((name) => `class ${name}(BaseModel):\n    ${name === 'Empty' ? 'pass' : 'x: int = 0'}`)
        .join('\n'),
    );
    expect(diagnostics).toEqual([]);
    expect(complaints({ 'names.ts': emitTypes(protocol) })).toEqual([]);
    expect(emitTypes(protocol)).toContain('export interface ARead_ {');
  });

  it('that are not identifiers are quoted, and text cannot leave its comment', { timeout: 60_000 }, () => {
    const { protocol } = compilePython(
      'class A(BaseModel):\n    """ends */ here"""\n    x: Literal["a\\"b", "*/"] = "*/"  # also */ here',
    );
    expect(complaints({ 'quotes.ts': emitTypes(protocol) })).toEqual([]);
  });
});
