// Is every value of one type also a value of another, each type in its own revision? Names do not count, only what is on the wire.
import { misfits } from '../check.ts';
import type { Bounds, Model, ObjectModel, TypeExpr } from '../model.ts';

export type Models = ReadonlyMap<string, Model>;
export type Relation = 'equal' | 'wider' | 'narrower' | 'different';

/** What the second type is, seen from the first. */
export function relationOf(before: TypeExpr, beforeModels: Models, after: TypeExpr, afterModels: Models): Relation {
  const into = isWithin(before, beforeModels, after, afterModels);
  const back = isWithin(after, afterModels, before, beforeModels);
  return into && back ? 'equal' : into ? 'wider' : back ? 'narrower' : 'different';
}

/** Pairs that are being compared already are taken as given: recursive models end there. */
export function isWithin(
  x: TypeExpr,
  xs: Models,
  y: TypeExpr,
  ys: Models,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  // What a name means is compared where it is defined; here the same name is the same.
  if (x.kind === 'ref' && y.kind === 'ref' && x.name === y.name && xs.has(x.name) && ys.has(y.name)) return true;
  const inner = opened(x, xs);
  const outer = opened(y, ys);
  if (outer.kind === 'any') return true;
  // A name that nobody defines is like no other type: nothing is known of it.
  if (isOpaque(outer, ys))
    return inner.kind === 'union' && inner.members.every((member) => isWithin(member, xs, y, ys, seen));
  if (isOpaque(inner, xs))
    return outer.kind === 'union' && outer.members.some((member) => isWithin(x, xs, member, ys, seen));
  if (inner.kind === 'any')
    return outer.kind === 'union' && outer.members.some((member) => isWithin(x, xs, member, ys, seen));
  const key = `${keyOf(x)} ${keyOf(y)}`;
  if (seen.has(key)) return true;
  const next = new Set([...seen, key]);
  const within = (a: TypeExpr, b: TypeExpr): boolean => isWithin(a, xs, b, ys, next);
  if (inner.kind === 'union') return inner.members.every((member) => within(member, y));
  if (inner.kind === 'literal') return inner.values.every((value) => misfits(ys, y, value).length === 0);
  if (inner.kind === 'boolean') return misfits(ys, y, true).length === 0 && misfits(ys, y, false).length === 0;
  if (outer.kind === 'union') return outer.members.some((member) => within(x, member));
  switch (inner.kind) {
    case 'null':
      return outer.kind === 'null' || (outer.kind === 'literal' && outer.values.includes(null));
    case 'string':
      return outer.kind === 'string' && isTighter(inner.bounds, outer.bounds);
    case 'integer':
      return (outer.kind === 'integer' || outer.kind === 'number') && isTighter(inner.bounds, outer.bounds);
    case 'number':
      return outer.kind === 'number' && isTighter(inner.bounds, outer.bounds);
    case 'list':
      return outer.kind === 'list' && isTighter(inner.bounds, outer.bounds) && within(inner.items, outer.items);
    case 'map':
      return outer.kind === 'map' && within(inner.values, outer.values);
    case 'ref': {
      const model = xs.get(inner.name) as ObjectModel;
      if (outer.kind === 'map')
        return (
          opened(outer.values, ys).kind === 'any' ||
          (model.closed && model.fields.every((field) => within(field.type, outer.values)))
        );
      const target = outer.kind === 'ref' ? ys.get(outer.name) : undefined;
      return target?.kind === 'object' && objectWithin(model, target, within);
    }
  }
}

function objectWithin(x: ObjectModel, y: ObjectModel, within: (a: TypeExpr, b: TypeExpr) => boolean): boolean {
  if (y.closed && !(x.closed && x.fields.every((field) => y.fields.some((other) => other.name === field.name))))
    return false;
  return y.fields.every((field) => {
    const own = x.fields.find((candidate) => candidate.name === field.name);
    if (own === undefined) return !field.required && x.closed;
    return (own.required || !field.required) && within(own.type, field.type);
  });
}

const isOpaque = (type: TypeExpr, models: Models): boolean =>
  type.kind === 'ref' && models.get(type.name)?.kind !== 'object';

/** Aliases seen through; an object model, and a name that nobody defines, stays a name. */
function opened(type: TypeExpr, models: Models, depth = 0): TypeExpr {
  if (type.kind !== 'ref' || depth > 100) return type;
  const model = models.get(type.name);
  return model?.kind === 'alias' ? opened(model.type, models, depth + 1) : type;
}

const keyOf = (type: TypeExpr): string => JSON.stringify(type, (name, value) => (name === 'place' ? undefined : value));

function isTighter(x: Bounds = {}, y: Bounds = {}): boolean {
  const least = (bounds: Bounds): number =>
    Math.max(bounds.minimum ?? Number.NEGATIVE_INFINITY, bounds.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const most = (bounds: Bounds): number =>
    Math.min(bounds.maximum ?? Number.POSITIVE_INFINITY, bounds.exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  // At the same number an excluded limit is the tighter one.
  const low =
    least(x) > least(y) ||
    (least(x) === least(y) && (y.exclusiveMinimum !== least(y) || x.exclusiveMinimum === least(x)));
  const high =
    most(x) < most(y) || (most(x) === most(y) && (y.exclusiveMaximum !== most(y) || x.exclusiveMaximum === most(x)));
  return (
    low &&
    high &&
    (x.minLength ?? 0) >= (y.minLength ?? 0) &&
    (x.maxLength ?? Number.POSITIVE_INFINITY) <= (y.maxLength ?? Number.POSITIVE_INFINITY) &&
    (x.minItems ?? 0) >= (y.minItems ?? 0) &&
    (x.maxItems ?? Number.POSITIVE_INFINITY) <= (y.maxItems ?? Number.POSITIVE_INFINITY) &&
    (y.pattern === undefined || x.pattern === y.pattern)
  );
}
