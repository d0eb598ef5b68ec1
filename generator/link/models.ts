// Declarations → models: bases folded in, names looked up, defaults worked out. What is used and nowhere defined stays open.
import { type JsonValue, sameJson } from '../../common/json.ts';
import { misfits, typeText } from '../check.ts';
import type { Diagnostic } from '../diagnostics.ts';
import type { Declaration, DefaultExpr, Field, FieldExpr, Model, ObjectModel, Place, TypeExpr } from '../model.ts';
import { foldBases } from './bases.ts';
import { unguardedAliases, uninhabited } from './recursion.ts';
import { isReservedType, meant } from './reserved.ts';

export function linkModels(
  declared: readonly Declaration[],
  used: readonly TypeExpr[],
  report: (d: Diagnostic) => void,
): Model[] {
  const declarations = withoutRepetition(declared, report);
  const openNames = new Map<string, { place: Place; uses: number }>();
  const use = (name: string, place: Place): void => {
    const known = openNames.get(name);
    openNames.set(name, { place: known?.place ?? place, uses: (known?.uses ?? 0) + 1 });
  };

  const fold = foldBases(declarations, use, report);
  for (const declaration of declarations.values()) if (declaration.kind === 'class') fold(declaration);
  const stated = [...declarations.values()].flatMap((d): TypeExpr[] =>
    d.kind === 'class' ? d.fields.map((field) => field.type) : d.kind === 'alias' ? [d.type] : [],
  );
  for (const ref of [...stated, ...used].flatMap(refsIn)) if (!declarations.has(ref.name)) use(ref.name, ref.place);
  for (const d of declarations.values()) {
    if (d.kind !== 'class') continue;
    for (const field of d.fields)
      if (field.default?.kind === 'instance' && !declarations.has(field.default.name))
        use(field.default.name, field.default.place);
  }

  const instances = new Map<string, JsonValue | 'busy'>();
  /** What `Class()` is: the class's defaults. Where the class is not defined nothing is known of it. */
  function instance(name: string, place: Place): JsonValue {
    const known = instances.get(name);
    const declaration = declarations.get(name);
    if (known === 'busy') {
      report(error('default-cycle', `The default ${name}() contains itself.`, place, 'Break the circle of defaults.'));
      return {};
    }
    if (known !== undefined) return known;
    if (declaration === undefined) return {};
    if (declaration.kind !== 'class') {
      report(error('default-kind', `${name}() is not a class, so it makes no default.`, place, 'Give a plain value.'));
      return {};
    }
    instances.set(name, 'busy');
    const members: Record<string, JsonValue> = {};
    for (const field of fold(declaration).fields) {
      if (field.default === undefined)
        report(
          error(
            'default-incomplete',
            `${name}() cannot be a default: its field "${field.name}" is required.`,
            place,
            `Give "${field.name}" a default in ${name}, or drop this one.`,
          ),
        );
      else members[field.name] = defaultOf(field.default);
    }
    instances.set(name, members);
    return members;
  }

  function defaultOf(written: DefaultExpr): JsonValue {
    if (written.kind === 'value') return written.value;
    if (written.kind === 'instance') return instance(written.name, written.place);
    const owner = declarations.get(written.name);
    const member = owner?.kind === 'enum' ? owner.members.find(({ name }) => name === written.member) : undefined;
    if (member === undefined) {
      report(
        error(
          'default-member',
          `There is no ${written.name}.${written.member}.`,
          written.place,
          'Name a member of an enum, or give the value.',
        ),
      );
    }
    return member?.value ?? null;
  }

  const linkField = (field: FieldExpr): Field => ({
    name: field.name,
    type: field.type,
    required: field.default === undefined,
    ...(field.default === undefined
      ? {}
      : {
          default: defaultOf(field.default),
          ...(field.default.kind === 'instance' ? { instance: field.default.name } : {}),
        }),
    place: field.place,
    ...(field.doc === undefined ? {} : { doc: field.doc }),
  });

  const models: Model[] = [...declarations.values()].map((d): Model => {
    const doc = d.doc === undefined ? {} : { doc: d.doc };
    if (d.kind === 'alias') return { kind: 'alias', name: d.name, type: d.type, place: d.place, ...doc };
    if (d.kind === 'enum')
      return {
        kind: 'alias',
        name: d.name,
        type: { kind: 'literal', values: [...new Set(d.members.map((member) => member.value))] },
        place: d.place,
        ...doc,
      };
    const { fields, extra, open } = fold(d);
    const model: ObjectModel = {
      kind: 'object',
      name: d.name,
      bases: d.bases.map((base) => base.name),
      fields: fields.map(linkField),
      closed: extra === 'forbid' && !open,
      place: d.place,
      ...doc,
    };
    return model;
  });
  for (const { name, place } of models) {
    if (isReservedType(name))
      report(
        error('reserved-name', `${name} is a word of TypeScript, so no type can have that name.`, place, 'Rename it.'),
      );
  }
  for (const [name, { place, uses }] of openNames) {
    if (isReservedType(name)) {
      const type = meant(name);
      report(
        error(
          'reserved-name',
          `${name} is no type of Python, and no name that a type can have.`,
          place,
          type === undefined ? 'Use another name.' : `Write ${type}.`,
        ),
      );
      continue;
    }
    models.push({ kind: 'open', name, place });
    report({
      severity: 'warning',
      code: 'undefined-name',
      message: `${name} is used ${uses === 1 ? 'here' : `${uses} times`} and nowhere defined: it stays open.`,
      place,
      remedy: `Define ${name} in this document or in another of the same revision.`,
    });
  }
  checkLinked(models, report);
  return models;
}

function checkLinked(models: readonly Model[], report: (d: Diagnostic) => void): void {
  const byName = new Map(models.map((model) => [model.name, model]));
  for (const model of unguardedAliases(byName)) {
    report(
      error(
        'alias-cycle',
        `The alias ${model.name} leads back to itself with nothing in between, so it means nothing.`,
        model.place,
        'Put a list, a dict or a class between.',
      ),
    );
  }
  for (const model of uninhabited(byName)) {
    report(
      error(
        'no-value',
        `No value can fit ${model.name}: it requires itself without end.`,
        model.place,
        'Make one of the fields on the circle optional.',
      ),
    );
  }
  for (const model of models) {
    if (model.kind !== 'object') continue;
    for (const field of model.fields) {
      if (field.default === undefined || misfits(byName, field.type, field.default).length === 0) continue;
      report({
        severity: 'warning',
        code: 'default-type',
        message: `The default of ${model.name}.${field.name} does not fit its own type, ${typeText(field.type)}.`,
        place: field.place,
        remedy: field.default === null ? 'Add `| None` to the type.' : 'Change the default or the type.',
      });
    }
  }
}

/** The same statement may be repeated; two that differ are a contradiction. */
function withoutRepetition(
  declared: readonly Declaration[],
  report: (d: Diagnostic) => void,
): Map<string, Declaration> {
  const kept = new Map<string, Declaration>();
  for (const declaration of declared) {
    const earlier = kept.get(declaration.name);
    if (earlier === undefined) kept.set(declaration.name, declaration);
    else if (!sameJson(structureOf(earlier), structureOf(declaration))) {
      report(
        error(
          'stated-twice',
          `${declaration.name} is stated differently at ${earlier.place.file}:${earlier.place.line}.`,
          declaration.place,
          'Keep one of the two.',
        ),
      );
    }
  }
  return kept;
}

const structureOf = (declaration: Declaration): unknown =>
  JSON.parse(JSON.stringify(declaration, (key, value) => (key === 'place' || key === 'doc' ? undefined : value)));

export function refsIn(type: TypeExpr): { readonly name: string; readonly place: Place }[] {
  switch (type.kind) {
    case 'ref':
      return [type];
    case 'list':
      return refsIn(type.items);
    case 'map':
      return refsIn(type.values);
    case 'union':
      return type.members.flatMap(refsIn);
    default:
      return [];
  }
}

const error = (code: string, message: string, place: Place, remedy: string): Diagnostic => ({
  severity: 'error',
  code,
  message,
  place,
  remedy,
});
