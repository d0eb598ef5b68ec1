// Does a value fit a type of the document? Used while reading, for examples and defaults; the products have their own validators.
import { isObject, type JsonValue } from '../common/json.ts';
import type { Bounds, Model, TypeExpr } from './model.ts';

export interface Misfit {
  /** JSON Pointer. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

const MAX_DEPTH = 200;

export function misfits(
  models: ReadonlyMap<string, Model>,
  type: TypeExpr,
  value: JsonValue,
  path = '',
  depth = 0,
): Misfit[] {
  const wrong = (): Misfit[] => [{ path, expected: typeText(type), found: foundText(value) }];
  if (depth > MAX_DEPTH) return wrong();
  switch (type.kind) {
    case 'any':
      return [];
    case 'null':
      return value === null ? [] : wrong();
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong();
    case 'string':
      return typeof value === 'string' && textFits(value, type.bounds) ? [] : wrong();
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && numberFits(value, type.bounds) ? [] : wrong();
    case 'number':
      return typeof value === 'number' && numberFits(value, type.bounds) ? [] : wrong();
    case 'literal':
      return type.values.some((literal) => literal === value) ? [] : wrong();
    case 'list':
      if (
        !Array.isArray(value) ||
        value.length < (type.bounds?.minItems ?? 0) ||
        value.length > (type.bounds?.maxItems ?? Number.POSITIVE_INFINITY)
      )
        return wrong();
      return value.flatMap((item: JsonValue, index) =>
        misfits(models, type.items, item, `${path}/${index}`, depth + 1),
      );
    case 'map':
      if (!isObject(value)) return wrong();
      return Object.entries(value).flatMap(([key, member]) =>
        misfits(models, type.values, member as JsonValue, `${path}/${pointer(key)}`, depth + 1),
      );
    case 'union': {
      const tries = type.members.map((member) => misfits(models, member, value, path, depth + 1));
      if (tries.some((found) => found.length === 0)) return [];
      // The member that got furthest tells most.
      return tries.find((found) => found.every((misfit) => misfit.path !== path)) ?? wrong();
    }
    case 'ref': {
      const model = models.get(type.name);
      if (model === undefined || model.kind === 'open') return [];
      if (model.kind === 'alias') return misfits(models, model.type, value, path, depth + 1);
      if (!isObject(value)) return wrong();
      const fields = model.fields.flatMap((field) => {
        const at = `${path}/${pointer(field.name)}`;
        const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
        if (member !== undefined) return misfits(models, field.type, member, at, depth + 1);
        return field.required ? [{ path: at, expected: typeText(field.type), found: 'nothing' }] : [];
      });
      const extras = model.closed
        ? Object.keys(value).filter((key) => !model.fields.some((field) => field.name === key))
        : [];
      return [
        ...fields,
        ...extras.map((key) => ({
          path: `${path}/${pointer(key)}`,
          expected: 'no such field',
          found: foundText(value[key] ?? null),
        })),
      ];
    }
  }
}

export const pointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function textFits(value: string, bounds: Bounds = {}): boolean {
  const length = [...value].length;
  return (
    length >= (bounds.minLength ?? 0) &&
    length <= (bounds.maxLength ?? Number.POSITIVE_INFINITY) &&
    (bounds.pattern === undefined || new RegExp(bounds.pattern, 'u').test(value))
  );
}

function numberFits(value: number, bounds: Bounds = {}): boolean {
  return (
    value >= (bounds.minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= (bounds.maximum ?? Number.POSITIVE_INFINITY) &&
    value > (bounds.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
    value < (bounds.exclusiveMaximum ?? Number.POSITIVE_INFINITY)
  );
}

/** A type as the document would write it. */
export function typeText(type: TypeExpr): string {
  switch (type.kind) {
    case 'any':
      return 'Any';
    case 'null':
      return 'None';
    case 'boolean':
      return 'bool';
    case 'string':
      return `str${boundsText(type.bounds)}`;
    case 'integer':
      return `int${boundsText(type.bounds)}`;
    case 'number':
      return `float${boundsText(type.bounds)}`;
    case 'literal':
      return `Literal[${type.values.map(pythonText).join(', ')}]`;
    case 'list':
      return `list[${typeText(type.items)}]${boundsText(type.bounds)}`;
    case 'map':
      return `dict[str, ${typeText(type.values)}]`;
    case 'union':
      return type.members.map(typeText).join(' | ');
    case 'ref':
      return type.name;
  }
}

export const boundsText = (bounds: Bounds | undefined): string =>
  bounds === undefined
    ? ''
    : ` (${Object.entries(bounds)
        .map(([name, limit]) => `${name} ${limit}`)
        .join(', ')})`;

/** A value as Python writes it. */
export function pythonText(value: JsonValue): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}: ${pythonText(member as JsonValue)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

function foundText(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return `${typeof value} ${text.length > 60 ? `${text.slice(0, 57)}…` : text}`;
}
