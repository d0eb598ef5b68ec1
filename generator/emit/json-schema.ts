// The protocol as JSON Schema 2020-12, inside a small set of keywords that every engine keeps.
import type { JsonValue } from '../../common/json.ts';
import { misfits } from '../check.ts';
import type { Field, Model, Protocol, TypeExpr, Variants } from '../model.ts';
import { generatedText, sourceText } from './source.ts';

/** The keywords that a schema of ours may hold; a test holds every output to it. */
export const KEYWORD_PROFILE = {
  name: 'runcert-core-1',
  keywords: [
    ...['$schema', '$defs', '$ref', '$comment', 'title', 'description', 'default'],
    ...[
      'type',
      'const',
      'enum',
      'properties',
      'required',
      'additionalProperties',
      'items',
      'anyOf',
      'allOf',
      'if',
      'then',
    ],
    ...[
      'minimum',
      'maximum',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'pattern',
    ],
  ],
} as const;

type Schema = { [keyword: string]: JsonValue };

export function emitJsonSchema(protocol: Protocol): string {
  const models = new Map(protocol.models.map((model) => [model.name, model]));
  const schema: Schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${protocol.name} ${protocol.revision}`.trim(),
    $comment: `${generatedText(protocol)} Keyword profile ${KEYWORD_PROFILE.name}.`,
    $defs: Object.fromEntries([
      ...protocol.models.map((model): [string, Schema] => [model.name, modelSchema(model)]),
      ...protocol.variants.map((variants): [string, Schema] => [variants.name, variantsSchema(variants, models)]),
    ]),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function modelSchema(model: Model): Schema {
  const about: Schema = {
    ...(model.kind !== 'open' && model.doc !== undefined ? { description: model.doc } : {}),
    $comment: sourceText(model.place),
  };
  if (model.kind === 'open') return { $comment: `Used at ${sourceText(model.place)} and nowhere defined: any value.` };
  if (model.kind === 'alias') return { ...about, ...typeSchema(model.type) };
  const required = model.fields.filter((field) => field.required).map((field) => field.name);
  return {
    ...about,
    type: 'object',
    properties: Object.fromEntries(model.fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
    // Readers are tolerant: what the document does not forbid may be there.
    ...(model.closed ? { additionalProperties: false } : {}),
  };
}

const fieldSchema = (field: Field): Schema => ({
  ...(field.doc === undefined ? {} : { description: field.doc }),
  $comment: sourceText(field.place),
  ...typeSchema(field.type),
  ...(field.default === undefined ? {} : { default: field.default }),
});

function typeSchema(type: TypeExpr): Schema {
  switch (type.kind) {
    case 'any':
      return {};
    case 'null':
    case 'boolean':
      return { type: type.kind };
    case 'string':
    case 'integer':
    case 'number':
      return { type: type.kind, ...type.bounds };
    case 'list':
      return { type: 'array', ...(type.items.kind === 'any' ? {} : { items: typeSchema(type.items) }), ...type.bounds };
    case 'map':
      return { type: 'object', additionalProperties: type.values.kind === 'any' ? true : typeSchema(type.values) };
    case 'literal': {
      const kinds = [
        ...new Set(
          type.values.map((value) =>
            value === null ? 'null' : typeof value === 'number' ? 'integer' : (typeof value as string),
          ),
        ),
      ];
      return {
        ...(kinds.length === 1 ? { type: kinds[0] as string } : {}),
        ...(type.values.length === 1 ? { const: type.values[0] as JsonValue } : { enum: [...type.values] }),
      };
    }
    case 'union':
      return { anyOf: type.members.map(typeSchema) };
    case 'ref':
      return { $ref: `#/$defs/${type.name}` };
  }
}

/** The model, and for each listed value of the tag what the content then is. A value that is not listed is free. */
function variantsSchema(variants: Variants, models: ReadonlyMap<string, Model>): Schema {
  return {
    $comment: sourceText(variants.place),
    allOf: [
      { $ref: `#/$defs/${variants.model}` },
      ...variants.rows.map(
        (row): Schema => ({
          $comment: sourceText(row.place),
          if: { type: 'object', properties: { [variants.tag]: { const: row.value } }, required: [variants.tag] },
          // biome-ignore lint/suspicious/noThenProperty: `then` is the name of the keyword.
          then: {
            type: 'object',
            properties: { [variants.content]: { $ref: `#/$defs/${row.payload}` } },
            ...(contentRequired(variants, row.payload, models) ? { required: [variants.content] } : {}),
          },
        }),
      ),
    ],
  };
}

/** Content that is left out stands for its default; where the payload does not take that, it must be there. */
export function contentRequired(variants: Variants, payload: string, models: ReadonlyMap<string, Model>): boolean {
  const model = models.get(variants.model);
  const field =
    model?.kind === 'object' ? model.fields.find((candidate) => candidate.name === variants.content) : undefined;
  if (field === undefined || field.default === undefined) return true;
  return misfits(models, { kind: 'ref', name: payload, place: variants.place }, field.default).length > 0;
}
