// Differences of models and their fields, with whom they break. The rules are those of a tolerant reader: what is added as optional
// is compatible; what is removed, demanded or given another meaning is not.
import { sameJson } from '../../common/json.ts';
import { pythonText, typeText } from '../check.ts';
import type { Field, Model, ObjectModel, TypeExpr } from '../model.ts';
import type { Broken, Side, SpecChange } from './change.ts';
import { type Models, type Relation, relationOf } from './subtype.ts';

export function diffModels(before: Models, after: Models): SpecChange[] {
  const renamed = renames(before, after);
  const changes: SpecChange[] = [];
  for (const [name, model] of before) {
    const successor = after.get(renamed.get(name) ?? name);
    if (successor === undefined) changes.push(removed(model, before));
    else if (renamed.has(name)) changes.push(renaming(model, successor));
    else changes.push(...diffModel(model, successor, before, after));
  }
  const taken = new Set(renamed.values());
  for (const [name, model] of after) {
    if (before.has(name) || taken.has(name)) continue;
    changes.push({
      kind: 'model-added',
      subject: name,
      breaks: [],
      why: 'Nobody depends on a model that is new.',
      after: side(model.kind === 'open' ? `${name} (not defined)` : name, model.place),
      todo: {},
    });
  }
  return changes;
}

/** A model that went away and one that came, with the same fields: on the wire nothing changed. */
function renames(before: Models, after: Models): Map<string, string> {
  const found = new Map<string, string>();
  const shape = (model: ObjectModel): unknown => [
    model.closed,
    model.fields.map((field) => [field.name, typeText(field.type), field.required, field.default ?? null]),
  ];
  for (const gone of before.values()) {
    if (gone.kind !== 'object' || gone.fields.length === 0 || after.has(gone.name)) continue;
    const same = [...after.values()].filter(
      (fresh): fresh is ObjectModel =>
        fresh.kind === 'object' && !before.has(fresh.name) && sameJson(shape(fresh), shape(gone)),
    );
    if (same.length === 1 && ![...found.values()].includes((same[0] as ObjectModel).name))
      found.set(gone.name, (same[0] as ObjectModel).name);
  }
  return found;
}

const side = (text: string, place: Model['place']): Side => ({ text, place });

const renaming = (gone: Model, fresh: Model): SpecChange => ({
  kind: 'model-renamed',
  subject: gone.name,
  breaks: [],
  why: `It is ${fresh.name} now; names of models are not on the wire. Code that uses the generated types has to follow.`,
  before: side(gone.name, gone.place),
  after: side(fresh.name, fresh.place),
  todo: {},
});

function removed(model: Model, before: Models): SpecChange {
  const used = [...before.values()].some((other) => other.name !== model.name && mentions(other, model.name));
  return {
    kind: 'model-removed',
    subject: model.name,
    breaks: used || model.kind === 'open' ? [] : ['writer', 'reader'],
    why: used
      ? 'It was a part of other models; what that changes on the wire is told there.'
      : 'Nothing else used it: it was a message of its own, and there is none such any more.',
    before: side(model.name, model.place),
    todo: used ? {} : { writer: `Stop sending ${model.name}.`, reader: `Do not wait for ${model.name} any more.` },
  };
}

function mentions(model: Model, name: string): boolean {
  const within = (type: TypeExpr): boolean =>
    type.kind === 'ref'
      ? type.name === name
      : type.kind === 'list'
        ? within(type.items)
        : type.kind === 'map'
          ? within(type.values)
          : type.kind === 'union' && type.members.some(within);
  if (model.kind === 'open') return false;
  return model.kind === 'alias'
    ? within(model.type)
    : model.bases.includes(name) || model.fields.some((field) => within(field.type));
}

function diffModel(x: Model, y: Model, before: Models, after: Models): SpecChange[] {
  if (x.kind === 'open' || y.kind === 'open') {
    if (x.kind === y.kind) return [];
    return x.kind === 'open'
      ? [
          {
            kind: 'model-defined',
            subject: x.name,
            breaks: [],
            why: 'It was used and nowhere defined; now it is defined.',
            before: side('not defined', x.place),
            after: side(describe(y), y.place),
            todo: { writer: `Check that what you send as ${x.name} fits its definition.` },
          },
        ]
      : [
          {
            kind: 'model-undefined',
            subject: x.name,
            breaks: ['reader'],
            why: 'It is still used and nowhere defined any more: anything may come.',
            before: side(describe(x), x.place),
            after: side('not defined', y.place),
            todo: { reader: `Take any value where ${x.name} stands.` },
          },
        ];
  }
  if (x.kind === 'object' && y.kind === 'object') return diffObject(x, y, before, after);
  const relation = relationOf(bare(x), before, bare(y), after);
  if (x.kind === 'alias' && y.kind === 'alias' && relation === 'equal') return [];
  return [
    typeChange(
      x.kind === y.kind ? 'alias-changed' : 'model-kind-changed',
      x.name,
      relation,
      side(describe(x), x.place),
      side(describe(y), y.place),
    ),
  ];
}

/** The model without its own name, so that a model that became an alias is compared by what it holds. */
const bare = (model: Exclude<Model, { kind: 'open' }>): TypeExpr =>
  model.kind === 'alias' ? model.type : { kind: 'ref', name: model.name, place: model.place };

const describe = (model: Model): string =>
  model.kind === 'alias'
    ? typeText(model.type)
    : model.kind === 'open'
      ? 'not defined'
      : `a class with ${model.fields.length} ${model.fields.length === 1 ? 'field' : 'fields'}`;

function diffObject(x: ObjectModel, y: ObjectModel, before: Models, after: Models): SpecChange[] {
  const changes: SpecChange[] = [];
  if (x.closed !== y.closed) {
    changes.push({
      kind: y.closed ? 'model-closed' : 'model-opened',
      subject: x.name,
      breaks: [y.closed ? 'writer' : 'reader'],
      why: y.closed
        ? 'Fields that it does not name are refused now.'
        : 'Fields that it does not name may come now, and an old reader refuses them.',
      before: side(x.closed ? 'closed' : 'open', x.place),
      after: side(y.closed ? 'closed' : 'open', y.place),
      todo: y.closed
        ? { writer: `Send no field in ${x.name} that it does not name.` }
        : { reader: `Ignore fields of ${x.name} that you do not know.` },
    });
  }
  for (const field of x.fields) {
    const other = y.fields.find((candidate) => candidate.name === field.name);
    if (other === undefined) {
      if (!inherited(x, field, before)) changes.push(fieldRemoved(x, y, field));
    } else if (!(inherited(x, field, before) && inherited(y, other, after)))
      changes.push(...diffField(x, field, other, before, after));
  }
  for (const field of y.fields) {
    if (!x.fields.some((candidate) => candidate.name === field.name) && !inherited(y, field, after))
      changes.push(fieldAdded(x, field));
  }
  return changes;
}

/** Told once, at the base that states it. */
const inherited = (model: ObjectModel, field: Field, models: Models): boolean =>
  model.bases.some((name) => {
    const base = models.get(name);
    return (
      base?.kind === 'object' && base.fields.some((other) => other.name === field.name && other.place === field.place)
    );
  });

const fieldText = (field: Field): string =>
  `${field.name}: ${typeText(field.type)}${field.default === undefined ? '' : ` = ${pythonText(field.default)}`}`;

function fieldRemoved(model: ObjectModel, now: ObjectModel, field: Field): SpecChange {
  const breaks: Broken[] = now.closed ? ['writer', 'reader'] : ['reader'];
  const heir = heirOf(model, now, field);
  const instead =
    heir === undefined ? '' : ` ${model.name}.${heir} is new and of the same type: it may have taken its place.`;
  return {
    kind: 'field-removed',
    subject: `${model.name}.${field.name}`,
    breaks,
    why: `${field.required ? 'Readers count on it and it stops coming' : 'Readers that use it get nothing any more'}; ${now.closed ? 'who still sends it is refused' : 'who still sends it is ignored'}. A removal needs a new major.`,
    before: side(fieldText(field), field.place),
    after: side(`${model.name} without it`, now.place),
    todo: {
      writer: `Stop sending ${model.name}.${field.name}.${instead}`,
      reader: `Do without ${model.name}.${field.name}.${instead}`,
    },
  };
}

/** A rename is a removal and an addition to both sides; a person wants to hear of the one new field that looks like the old. */
function heirOf(model: ObjectModel, now: ObjectModel, field: Field): string | undefined {
  const type = typeText(field.type);
  const alike = now.fields.filter(
    (other) => typeText(other.type) === type && !model.fields.some(({ name }) => name === other.name),
  );
  return alike.length === 1 ? alike[0]?.name : undefined;
}

function fieldAdded(model: ObjectModel, field: Field): SpecChange {
  const breaks: Broken[] = [
    ...(field.required ? (['writer'] as const) : []),
    ...(model.closed ? (['reader'] as const) : []),
  ];
  const refused = model.closed ? ' Old readers refuse it, because the model was closed.' : '';
  return {
    kind: field.required ? 'required-field-added' : 'optional-field-added',
    subject: `${model.name}.${field.name}`,
    breaks,
    why: `${field.required ? 'Who writes by the old revision leaves it out and is refused.' : 'An optional field may be added within a major.'}${refused}`,
    before: side(`${model.name} without it`, model.place),
    after: side(fieldText(field), field.place),
    todo: {
      ...(field.required ? { writer: `Always send ${model.name}.${field.name} (${typeText(field.type)}).` } : {}),
      ...(model.closed ? { reader: `Accept ${model.name}.${field.name}.` } : {}),
    },
  };
}

function diffField(model: ObjectModel, x: Field, y: Field, before: Models, after: Models): SpecChange[] {
  const subject = `${model.name}.${x.name}`;
  const sides = { before: side(fieldText(x), x.place), after: side(fieldText(y), y.place) };
  const changes: SpecChange[] = [];
  const relation = relationOf(x.type, before, y.type, after);
  if (relation !== 'equal')
    changes.push(typeChange('field-type-changed', subject, relation, sides.before, sides.after, typeText(y.type)));
  if (x.required && !y.required) {
    changes.push({
      kind: 'field-made-optional',
      subject,
      breaks: ['reader'],
      why: 'It may be absent now; an old reader demands it.',
      ...sides,
      todo: { reader: `Take ${pythonText(y.default ?? null)} where ${subject} is absent.` },
    });
  } else if (!x.required && y.required) {
    changes.push({
      kind: 'field-made-required',
      subject,
      breaks: ['writer'],
      why: 'An old writer may leave it out and is refused.',
      ...sides,
      todo: { writer: `Always send ${subject}.` },
    });
  } else if (x.default !== undefined && y.default !== undefined && !sameDefault(x, y)) {
    changes.push({
      kind: 'default-changed',
      subject,
      breaks: ['writer', 'reader'],
      why: 'What its absence means has changed, so the two sides understand each other wrongly without a word. A changed meaning needs a new major.',
      ...sides,
      todo: {
        writer: `Send ${subject} where you counted on ${pythonText(x.default)}.`,
        reader: `Take ${pythonText(y.default)} where ${subject} is absent.`,
      },
    });
  }
  return changes;
}

/** `Class()` on both sides is the same default: what changed in the class is told there. */
const sameDefault = (x: Field, y: Field): boolean =>
  (x.instance !== undefined && x.instance === y.instance) || sameJson(x.default, y.default);

/** Whom a changed type breaks follows from which values came and which went. */
export function typeChange(
  kind: string,
  subject: string,
  relation: Relation,
  before: Side,
  after: Side,
  now: string = after.text,
): SpecChange {
  const breaks: Broken[] =
    relation === 'equal'
      ? []
      : relation === 'wider'
        ? ['reader']
        : relation === 'narrower'
          ? ['writer']
          : ['writer', 'reader'];
  const why = {
    equal: 'On the wire it is the same; only how it is written has changed.',
    wider: 'Values may come that an old reader does not know; what was valid still is.',
    narrower: 'Some of what an old writer sends is refused now; nothing new comes.',
    different: 'Some of what was valid is refused now, and values come that an old reader does not know.',
  }[relation];
  return {
    kind,
    subject,
    breaks,
    why,
    before,
    after,
    todo: {
      ...(breaks.includes('writer') ? { writer: `Send ${subject} as ${now}.` } : {}),
      ...(breaks.includes('reader') ? { reader: `Accept ${subject} as ${now}.` } : {}),
    },
  };
}
