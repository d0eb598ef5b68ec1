// The protocol as TypeScript types: as sent (what has a default may be left out) and as read (it is there).
import type { Field, Model, Protocol, TypeExpr, Variants } from '../model.ts';
import { contentRequired } from './json-schema.ts';
import { type Names, namesFor } from './names.ts';
import { docComment, generatedText, pascalCase, propertyName, sourceText } from './source.ts';

/** `sent` is what is on the wire; `read` is what a reader has once defaults are filled in. */
export type View = 'sent' | 'read';

/** What writing a type needs to know: which models differ between the views, and what things are called. */
export interface TypeContext {
  readonly names: Names;
  readonly differs: ReadonlySet<string>;
  /** `Model.field` → the name of the type of its listed values. */
  readonly listed: ReadonlyMap<string, string>;
  /** What stands before the name of a model where it comes from another module: `Types.`. */
  readonly prefix: string;
}

export function typeContext(protocol: Protocol, prefix = ''): TypeContext {
  return {
    names: namesFor(protocol),
    differs: namesThatDiffer(protocol.models),
    listed: listedTypes(protocol),
    prefix,
  };
}

export function emitTypes(protocol: Protocol): string {
  const models = new Map(protocol.models.map((model) => [model.name, model]));
  const context = typeContext(protocol);
  const parts = [
    `// ${generatedText(protocol)}\n// Two views: \`X\` as sent, where a field with a default may be left out; \`XRead\` as read, where it is there.\n`,
    ...protocol.catalogues.flatMap((catalogue) => {
      const name = context.listed.get(`${catalogue.model}.${catalogue.field}`);
      if (name === undefined) return [];
      const values = catalogue.values.map(({ value }) => `\n  | ${JSON.stringify(value)}`).join('');
      return [
        `${docComment([`The values of ${catalogue.model}.${catalogue.field} that the document lists; others are allowed.`, `@see ${sourceText(catalogue.place)}`])}export type ${name} =${values};\n`,
      ];
    }),
    ...protocol.models.map((model) => modelTypes(model, context)),
    ...(protocol.variants.length === 0 ? [] : [unlistedType(context.names)]),
    ...protocol.variants.map((variants) => variantTypes(variants, models, context)),
    modelMap(protocol, context),
  ];
  return parts.join('\n');
}

/** Models whose two views are not the same: they, or something in them, has a default. */
function namesThatDiffer(models: readonly Model[]): Set<string> {
  const differs = new Set(
    models
      .filter((model) => model.kind === 'object' && model.fields.some((field) => !field.required))
      .map((model) => model.name),
  );
  const reaches = (type: TypeExpr): boolean => {
    if (type.kind === 'ref') return differs.has(type.name);
    if (type.kind === 'list') return reaches(type.items);
    if (type.kind === 'map') return reaches(type.values);
    return type.kind === 'union' && type.members.some(reaches);
  };
  for (let before = -1; before !== differs.size; ) {
    before = differs.size;
    for (const model of models) {
      const found =
        model.kind === 'alias'
          ? reaches(model.type)
          : model.kind === 'object' && model.fields.some((field) => reaches(field.type));
      if (found) differs.add(model.name);
    }
  }
  return differs;
}

/** `AgentRunResult.type` → `AgentRunResultType`, unless a document uses that name itself. */
function listedTypes(protocol: Protocol): Map<string, string> {
  const taken = new Set(protocol.models.map((model) => model.name));
  return new Map(
    protocol.catalogues.flatMap(({ model, field }): [string, string][] => {
      const name = `${model}${pascalCase(field)}`;
      return taken.has(name) ? [] : [[`${model}.${field}`, name]];
    }),
  );
}

function modelTypes(model: Model, context: TypeContext): string {
  const read = context.names.read(model.name);
  if (model.kind === 'open') {
    return `${docComment(['Used and nowhere defined: any value.', `@see ${sourceText(model.place)}`])}export type ${model.name} = unknown;\nexport type ${read} = unknown;\n`;
  }
  const doc = docComment([model.doc ?? '', `@see ${sourceText(model.place)}`]);
  const view = (which: View): string => {
    const name = which === 'sent' ? model.name : read;
    if (model.kind === 'alias') return `export type ${name} = ${typeText(model.type, which, context)};\n`;
    const fields = model.fields.map((field) => fieldText(model.name, field, which, context)).join('');
    if (fields === '') return `export type ${name} = { [key: string]: ${model.closed ? 'never' : 'unknown'} };\n`;
    return `export interface ${name} {\n${fields}}\n`;
  };
  const other = context.differs.has(model.name)
    ? `${docComment([`${model.name} once read: defaults are filled in.`])}${view('read')}`
    : `export type ${read} = ${model.name};\n`;
  return `${doc}${view('sent')}${other}`;
}

function fieldText(model: string, field: Field, view: View, context: TypeContext): string {
  const fallback = field.default === undefined ? '' : `@default ${JSON.stringify(field.default)}`;
  const doc = view === 'sent' ? docComment([field.doc ?? '', fallback, `@see ${sourceText(field.place)}`], '  ') : '';
  const optional = view === 'sent' && !field.required ? '?' : '';
  const listed = context.listed.get(`${model}.${field.name}`);
  return `${doc}  ${propertyName(field.name)}${optional}: ${listed === undefined ? typeText(field.type, view, context) : withListed(field.type, listed, view, context)};\n`;
}

/** The listed values are offered by editors, and every other string still fits. */
function withListed(type: TypeExpr, listed: string, view: View, context: TypeContext): string {
  const members = type.kind === 'union' ? type.members : [type];
  return either(
    members.map((member) => (member.kind === 'string' ? `${listed} | (string & {})` : typeText(member, view, context))),
  );
}

/** `a | b` without repetition: int and float are one type here. */
const either = (texts: readonly string[]): string => [...new Set(texts)].join(' | ');

export function typeText(type: TypeExpr, view: View, context: TypeContext): string {
  switch (type.kind) {
    case 'any':
      return 'unknown';
    case 'null':
    case 'boolean':
    case 'string':
    case 'number':
      return type.kind;
    case 'integer':
      return 'number';
    case 'literal':
      return type.values.map((value) => JSON.stringify(value)).join(' | ') || 'never';
    case 'list': {
      const items = typeText(type.items, view, context);
      return type.items.kind === 'union' || type.items.kind === 'literal' ? `(${items})[]` : `${items}[]`;
    }
    case 'map':
      return `{ [key: string]: ${typeText(type.values, view, context)} }`;
    case 'union':
      return either(type.members.map((member) => typeText(member, view, context)));
    case 'ref':
      return `${context.prefix}${view === 'read' && context.differs.has(type.name) ? context.names.read(type.name) : type.name}`;
  }
}

// An enum, because the compiler narrows a union by a tag only where every tag is a type of its own; a branded string is none to it.
const unlistedType = (names: Names): string => `/**
 * A tag that no table of the document lists. It is a string; as a type of its own it lets a comparison of the tag with a listed
 * value narrow the union. Where you make such a value yourself, write \`'x.future' as ${names.unlisted}\`.
 */
export declare enum ${names.unlisted} {
  any = 'any string that is not listed',
}
type ${names.except}<T, K> = { [P in keyof T as P extends K ? never : P]: T[P] };
`;

function variantTypes(variants: Variants, models: ReadonlyMap<string, Model>, { names, differs }: TypeContext): string {
  const { model, tag, content } = variants;
  const viewed = (name: string, view: View): string => (view === 'read' && differs.has(name) ? names.read(name) : name);
  const rows = (view: View): string =>
    variants.rows
      .map((row) => {
        const optional = view === 'sent' && !contentRequired(variants, row.payload, models) ? '?' : '';
        const value = JSON.stringify(row.value);
        return `${docComment([row.note, `@see ${sourceText(row.place)}`], '  ')}  ${value}: { ${propertyName(tag)}: ${value}; ${propertyName(content)}${optional}: ${viewed(row.payload, view)} };\n`;
      })
      .join('');
  const view = (which: View): string => {
    const table = which === 'sent' ? names.variants(model) : names.variantsRead(model);
    const base = viewed(model, which);
    const members = [JSON.stringify(tag), JSON.stringify(content)];
    return (
      `${docComment([`What ${model}.${content} holds, by ${model}.${tag}.`, `@see ${sourceText(variants.place)}`])}export interface ${table} {\n${rows(which)}}\n` +
      `${docComment([`${model} with its ${content} known by its ${tag}; a ${tag} that is not listed is accepted too.`])}export type ${which === 'sent' ? variants.name : names.read(variants.name)} =\n` +
      `  | { [Tag in keyof ${table}]: ${names.except}<${base}, ${members.join(' | ')}> & ${table}[Tag] }[keyof ${table}]\n` +
      `  | (${names.except}<${base}, ${members[0]}> & { ${propertyName(tag)}: ${names.unlisted} });\n`
    );
  };
  return `${view('sent')}${view('read')}`;
}

function modelMap(protocol: Protocol, { names }: TypeContext): string {
  const all = [...protocol.models, ...protocol.variants].map(({ name }) => name);
  const members = (view: (name: string) => string): string => all.map((name) => `  ${name}: ${view(name)};\n`).join('');
  return `/** Every model by its name, as sent. */
export interface ${names.models} {
${members((name) => name)}}
/** Every model by its name, as read. */
export interface ${names.modelsRead} {
${members(names.read)}}
export type ${names.modelName} = keyof ${names.models};
`;
}
