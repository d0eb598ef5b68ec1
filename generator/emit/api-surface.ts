// api.ts: the calls that a document shows, as data and as an interface; and its tables, to look things up in.
import type { ApiCall, Protocol } from '../model.ts';
import { docComment, generatedText, propertyName, sourceJson, sourceText } from './source.ts';
import { type TypeContext, typeContext, typeText } from './types.ts';

interface Family {
  readonly calls: Map<string, ApiCall>;
  readonly families: Map<string, Family>;
}

export function emitApiSurface(protocol: Protocol): string {
  const plain = typeContext(protocol);
  const context = typeContext(protocol, 'Types.');
  const root: Family = { calls: new Map(), families: new Map() };
  for (const call of protocol.api) {
    let family = root;
    for (const word of call.path.slice(0, -1)) {
      const next = family.families.get(word) ?? { calls: new Map(), families: new Map() };
      family.families.set(word, next);
      family = next;
    }
    family.calls.set(call.path.at(-1) as string, call);
  }
  const calls = protocol.api.map((call) => ({
    name: call.path.join('.'),
    parameters: call.parameters.map(({ name, default: fallback }) => ({
      name,
      required: fallback === undefined,
      ...(fallback === undefined ? {} : { default: fallback }),
    })),
    streams: call.streams,
    ...(call.returns === undefined ? {} : { returns: typeText(call.returns, 'sent', plain) }),
    ...(call.request === undefined ? {} : { request: call.request }),
    section: call.place.section,
    source: sourceText(call.place),
  }));
  const tables = protocol.tables.map(({ place, columns, rows }) => ({
    section: place.section,
    source: sourceText(place),
    columns,
    rows,
  }));
  return `// ${generatedText(protocol)}
import type * as Types from './types.ts';

export interface ApiCall {
  /** \`family.name\`, without the proxy's own name. */
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly required: boolean; readonly default?: unknown }[];
  readonly streams: boolean;
  /** What it answers with, and the model that is sent for it, where the documents say so. */
  readonly returns?: string;
  readonly request?: string;
  readonly section: string;
  readonly source: string;
}

/** Every call that the documents show, in their order. */
export const apiCalls: readonly ApiCall[] = [
${calls.map((call) => `  ${sourceJson(call)},\n`).join('')}];

/** The same as an interface: what a proxy offers. */
export interface Api {
${familyText(root, '  ', context)}}

export interface Table {
  readonly section: string;
  readonly source: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Every table of the documents whose first column is code: one row a code. */
export const tables: readonly Table[] = [
${tables.map((table) => `  ${sourceJson(table)},\n`).join('')}];
${protocol.models.length === 0 ? '' : '\nexport type { Types };\n'}`;
}

function familyText(family: Family, indent: string, context: TypeContext): string {
  const calls = [...family.calls].map(([name, call]) => {
    const parameters = call.parameters.map(
      ({ name: parameter, default: fallback, type }) =>
        `${propertyName(parameter)}${fallback === undefined ? '' : '?'}: ${type === undefined ? 'unknown' : typeText(type, 'sent', context)}`,
    );
    const returns = call.returns === undefined ? 'unknown' : typeText(call.returns, 'sent', context);
    const doc = docComment([call.group ?? '', `@see ${sourceText(call.place)}`], indent);
    return `${doc}${indent}${propertyName(name)}(${parameters.join(', ')}): ${call.streams ? `AsyncIterable<${returns}>` : `Promise<${returns}>`};\n`;
  });
  const families = [...family.families].map(
    ([name, inner]) => `${indent}${propertyName(name)}: {\n${familyText(inner, `${indent}  `, context)}${indent}};\n`,
  );
  return [...calls, ...families].join('');
}
