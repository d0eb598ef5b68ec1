// The protocol as TypeScript types: as sent (what has a default may be left out) and as read (it is there).
import { pythonText } from '../check.ts';
import type { Field, Model, Protocol, TypeExpr, Variants } from '../model.ts';
import { contentRequired } from './json-schema.ts';
import { docComment, generatedText, pascalCase, propertyName, sourceText } from './source.ts';

/** `sent` is what is on the wire; `read` is what a reader has once defaults are filled in. */
export type View = 'sent' | 'read';

export function emitTypes(protocol: Protocol): string {
  const models = new Map(protocol.models.map((model) => [model.name, model]));
  const differs = namesThatDiffer(protocol.models);
  const known = knownValues(protocol);
  const parts = [
    `// ${generatedText(protocol)}\n// Two views: \`X\` as sent, where a field with a default may be left out; \`XRead\` as read, where it is there.\n`,
    ...protocol.catalogues.flatMap((catalogue) => {
      const name = known.get(`${catalogue.model}.${catalogue.field}`);
      if (name === undefined) return [];
      const values = catalogue.values.map(({ value }) => `\n  | ${JSON.stringify(value)}`).join('');
      return [
        `${docComment([`The values of ${catalogue.model}.${catalogue.field} that the document lists; others are allowed.`, `@see ${sourceText(catalogue.place)}`])}export type ${name} =${values};\n`,
      ];
    }),
    ...protocol.models.map((model) => modelTypes(model, differs, known)),
    ...(protocol.variants.length === 0 ? [] : [UNLISTED]),
    ...protocol.variants.map((variants) => variantTypes(variants, models, differs)),
    modelMap(protocol),
  ];
  return parts.join('\n');
}

/** Models whose two views are not the same: they, or something in them, has a default. */
export function namesThatDiffer(models: readonly Model[]): Set<string> {
  const differs = new Set(
    models
      .filter((model) => model.kind === 'object' && model.fields.some((field) => !field.required))
      .map((model) => model.name),
  );
  const reaches = (type: TypeExpr): boolean =>
    type.kind === 'ref'
      ? differs.has(type.name)
      : type.kind === 'list'
        ? reaches(type.items)
        : type.kind === 'map'
          ? reaches(type.values)
          : type.kind === 'union' && type.members.some(reaches);
  for (let before = -1; before !== differs.size; ) {
    before = differs.size;
    for (const model of models) {
      if (
        model.kind === 'alias'
          ? reaches(model.type)
          : model.kind === 'object' && model.fields.some((field) => reaches(field.type))
      )
        differs.add(model.name);
    }
  }
  return differs;
}

/** `AgentRunResult.type` → `AgentRunResultType`, unless a document uses that name itself. */
function knownValues(protocol: Protocol): Map<string, string> {
  const taken = new Set(protocol.models.map((model) => model.name));
  return new Map(
    protocol.catalogues.flatMap(({ model, field }): [string, string][] => {
      const name = `${model}${pascalCase(field)}`;
      return taken.has(name) ? [] : [[`${model}.${field}`, name]];
    }),
  );
}

function modelTypes(model: Model, differs: ReadonlySet<string>, known: ReadonlyMap<string, string>): string {
  if (model.kind === 'open') {
    return `${docComment([`Used and nowhere defined: any value.`, `@see ${sourceText(model.place)}`])}export type ${model.name} = unknown;\nexport type ${model.name}Read = unknown;\n`;
  }
  const doc = docComment([model.doc ?? '', `@see ${sourceText(model.place)}`]);
  const view = (which: View): string => {
    const name = which === 'sent' ? model.name : `${model.name}Read`;
    if (model.kind === 'alias') return `export type ${name} = ${typeText(model.type, which, differs)};\n`;
    const fields = model.fields.map((field) => fieldText(model.name, field, which, differs, known)).join('');
    return fields === '' ? `export type ${name} = Record<never, never>;\n` : `export interface ${name} {\n${fields}}\n`;
  };
  const read = differs.has(model.name)
    ? `${docComment([`${model.name} once read: defaults are filled in.`])}${view('read')}`
    : `export type ${model.name}Read = ${model.name};\n`;
  return `${doc}${view('sent')}${read}`;
}

function fieldText(
  model: string,
  field: Field,
  view: View,
  differs: ReadonlySet<string>,
  known: ReadonlyMap<string, string>,
): string {
  const doc = docComment(
    [
      field.doc ?? '',
      field.default === undefined ? '' : `@default ${pythonText(field.default)}`,
      `@see ${sourceText(field.place)}`,
    ],
    '  ',
  );
  const optional = view === 'sent' && !field.required ? '?' : '';
  const listed = known.get(`${model}.${field.name}`);
  const type =
    listed === undefined ? typeText(field.type, view, differs) : withListed(field.type, listed, view, differs);
  return `${view === 'sent' ? doc : ''}  ${propertyName(field.name)}${optional}: ${type};\n`;
}

/** The listed values are offered by editors, and every other string still fits. */
function withListed(type: TypeExpr, listed: string, view: View, differs: ReadonlySet<string>): string {
  const members = type.kind === 'union' ? type.members : [type];
  return members
    .map((member) => (member.kind === 'string' ? `${listed} | (string & {})` : typeText(member, view, differs)))
    .join(' | ');
}

export function typeText(type: TypeExpr, view: View, differs: ReadonlySet<string>): string {
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
      const items = typeText(type.items, view, differs);
      return /[|&]/u.test(items) && !items.startsWith('{') ? `(${items})[]` : `${items}[]`;
    }
    case 'map':
      return `{ [key: string]: ${typeText(type.values, view, differs)} }`;
    case 'union':
      return type.members.map((member) => typeText(member, view, differs)).join(' | ');
    case 'ref':
      return view === 'read' && differs.has(type.name) ? `${type.name}Read` : type.name;
  }
}

const UNLISTED = `declare const unlisted: unique symbol;
/**
 * A tag that no table of the document lists. It is a string of its own kind, so that comparing the tag with a listed value
 * narrows the union; where you make such a value yourself, write \`'x.future' as Unlisted\`.
 */
export type Unlisted = string & { readonly [unlisted]: true };
`;

function variantTypes(variants: Variants, models: ReadonlyMap<string, Model>, differs: ReadonlySet<string>): string {
  const { model, tag, content } = variants;
  const payloads = (view: View): string =>
    variants.rows
      .map((row) => {
        const type = view === 'read' && differs.has(row.payload) ? `${row.payload}Read` : row.payload;
        const optional = view === 'sent' && !contentRequired(variants, row.payload, models) ? '?' : '';
        return `${docComment([row.note, `@see ${sourceText(row.place)}`], '  ')}  ${JSON.stringify(row.value)}: { ${propertyName(tag)}: ${JSON.stringify(row.value)}; ${propertyName(content)}${optional}: ${type} };\n`;
      })
      .join('');
  const view = (which: View): string => {
    const suffix = which === 'read' ? 'Read' : '';
    const base = which === 'read' && differs.has(model) ? `${model}Read` : model;
    return (
      `${docComment([`What ${model}.${content} holds, by ${model}.${tag}.`, `@see ${sourceText(variants.place)}`])}export interface ${model}Variants${suffix} {\n${payloads(which)}}\n` +
      `${docComment([`${model} with its ${content} known by its ${tag}; a ${tag} that is not listed is accepted too.`])}export type ${variants.name}${suffix} =\n` +
      `  | { [Tag in keyof ${model}Variants${suffix}]: Omit<${base}, ${JSON.stringify(tag)} | ${JSON.stringify(content)}> & ${model}Variants${suffix}[Tag] }[keyof ${model}Variants${suffix}]\n` +
      `  | (Omit<${base}, ${JSON.stringify(tag)}> & { ${propertyName(tag)}: Unlisted });\n`
    );
  };
  return `${view('sent')}${view('read')}`;
}

function modelMap(protocol: Protocol): string {
  const names = [...protocol.models, ...protocol.variants].map(({ name }) => name);
  const members = (suffix: string): string => names.map((name) => `  ${name}: ${name}${suffix};\n`).join('');
  return `/** Every model by its name, as sent. */\nexport interface Models {\n${members('')}}\n/** Every model by its name, as read. */\nexport interface ModelsRead {\n${members('Read')}}\nexport type ModelName = keyof Models;\n`;
}
