// Circles among the models: which are recursive (and fine), which mean nothing, which no value can satisfy.
import type { Model, TypeExpr } from '../model.ts';

type Models = ReadonlyMap<string, Model>;

/** Aliases that reach themselves through aliases and unions alone. */
export function unguardedAliases(models: Models): Model[] {
  const bare = (type: TypeExpr): string[] =>
    type.kind === 'ref' ? [type.name] : type.kind === 'union' ? type.members.flatMap(bare) : [];
  return [...models.values()].filter((model) => {
    if (model.kind !== 'alias') return false;
    const seen = new Set<string>();
    const queue = bare(model.type);
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (name === model.name) return true;
      const next = models.get(name);
      if (seen.has(name) || next?.kind !== 'alias') continue;
      seen.add(name);
      queue.push(...bare(next.type));
    }
    return false;
  });
}

/** Models that need a value of themselves to be built: found as what is left when the buildable ones are taken out. */
export function uninhabited(models: Models): Model[] {
  const buildable = new Set<string>();
  const can = (type: TypeExpr): boolean => {
    switch (type.kind) {
      case 'ref':
        return buildable.has(type.name) || !models.has(type.name);
      case 'union':
        return type.members.some(can);
      case 'list':
        return (type.bounds?.minItems ?? 0) === 0 || can(type.items);
      case 'literal':
        return type.values.length > 0;
      default:
        return true;
    }
  };
  for (let before = -1; before !== buildable.size; ) {
    before = buildable.size;
    for (const model of models.values()) {
      if (
        model.kind === 'open' ||
        (model.kind === 'alias' ? can(model.type) : model.fields.every((field) => !field.required || can(field.type)))
      )
        buildable.add(model.name);
    }
  }
  return [...models.values()].filter((model) => !buildable.has(model.name));
}

/** The names that can be reached from themselves: values of these may be nested without end. */
export function recursiveNames(models: Models): Set<string> {
  const next = new Map([...models.values()].map((model) => [model.name, neighbours(model)]));
  const recursive = new Set<string>();
  for (const name of models.keys()) {
    const seen = new Set<string>();
    const queue = [...(next.get(name) ?? [])];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (at === name) {
        recursive.add(name);
        break;
      }
      if (seen.has(at)) continue;
      seen.add(at);
      queue.push(...(next.get(at) ?? []));
    }
  }
  return recursive;
}

function neighbours(model: Model): string[] {
  const names = (type: TypeExpr): string[] => {
    if (type.kind === 'ref') return [type.name];
    if (type.kind === 'list') return names(type.items);
    if (type.kind === 'map') return names(type.values);
    return type.kind === 'union' ? type.members.flatMap(names) : [];
  };
  return model.kind === 'open'
    ? []
    : model.kind === 'alias'
      ? names(model.type)
      : model.fields.flatMap((field) => names(field.type));
}
