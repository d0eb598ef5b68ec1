// The models as compact data: what the error-collecting checker and the arbitraries of the products walk.
import type { JsonValue } from '../../common/json.ts';
import { recursiveNames } from '../link/recursion.ts';
import type { Field, Model, Protocol, TypeExpr } from '../model.ts';
import { contentRequired } from './json-schema.ts';

export type Shape = { [key: string]: JsonValue } | string;

export function shapesOf(protocol: Protocol): Record<string, Shape> {
  const models = new Map(protocol.models.map((model) => [model.name, model]));
  const recursive = recursiveNames(models);
  return Object.fromEntries([
    ...protocol.models.map((model): [string, Shape] => [model.name, definitionShape(model, recursive.has(model.name))]),
    ...protocol.variants.map((variants): [string, Shape] => [
      variants.name,
      {
        section: variants.place.section,
        model: variants.model,
        tag: variants.tag,
        content: variants.content,
        payloads: Object.fromEntries(variants.rows.map((row) => [row.value, row.payload])),
        required: variants.rows.filter((row) => contentRequired(variants, row.payload, models)).map((row) => row.value),
      },
    ]),
  ]);
}

function definitionShape(model: Model, recursive: boolean): Shape {
  const section = model.place.section;
  const loops: { [key: string]: JsonValue } = recursive ? { recursive } : {};
  if (model.kind === 'open') return { section, alias: 'any' };
  if (model.kind === 'alias') return { section, alias: typeShape(model.type), ...loops };
  return {
    section,
    fields: Object.fromEntries(model.fields.map((field) => [field.name, fieldShape(field, section)])),
    ...(model.closed ? { closed: true } : {}),
    ...loops,
  };
}

const fieldShape = (field: Field, section: string): Shape => ({
  type: typeShape(field.type),
  ...(field.required ? { required: true } : {}),
  ...(field.default === undefined ? {} : { default: field.default }),
  ...(field.place.section === section ? {} : { section: field.place.section }),
});

export function typeShape(type: TypeExpr): Shape {
  switch (type.kind) {
    case 'any':
    case 'null':
    case 'boolean':
      return type.kind;
    case 'string':
    case 'integer':
    case 'number':
      return type.bounds === undefined ? type.kind : { [type.kind]: { ...type.bounds } };
    case 'list':
      return { list: typeShape(type.items), ...type.bounds };
    case 'map':
      return { map: typeShape(type.values) };
    case 'literal':
      return { enum: [...type.values] };
    case 'union':
      return { anyOf: type.members.map(typeShape) };
    case 'ref':
      return { ref: type.name };
  }
}
