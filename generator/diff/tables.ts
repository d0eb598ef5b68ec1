// Differences of the tables: listed values, and the models that go with them.
import type { Catalogue, Variants } from '../model.ts';
import type { SpecChange } from './change.ts';
import { typeChange } from './models.ts';
import { type Models, relationOf } from './subtype.ts';

/** Listed values are open: a new one is compatible, because readers pass over what they do not know. */
export function diffCatalogues(x: readonly Catalogue[], y: readonly Catalogue[]): SpecChange[] {
  return x.flatMap((catalogue) => {
    const other = y.find(({ model, field }) => model === catalogue.model && field === catalogue.field);
    if (other === undefined) return [];
    const name = `${catalogue.model}.${catalogue.field}`;
    const gone = catalogue.values.filter(({ value }) => !other.values.some((known) => known.value === value));
    const fresh = other.values.filter(({ value }) => !catalogue.values.some((known) => known.value === value));
    return [
      ...gone.map(
        ({ value, place }): SpecChange => ({
          kind: 'value-removed',
          subject: `${name}="${value}"`,
          breaks: ['writer', 'reader'],
          why: 'It has no meaning any more: who sends it is passed over, and who waits for it waits in vain.',
          before: { text: value, place },
          after: { text: 'not listed', place: other.place },
          todo: { writer: `Stop sending ${name} "${value}".`, reader: `Do not wait for ${name} "${value}".` },
        }),
      ),
      ...fresh.map(
        ({ value, place }): SpecChange => ({
          kind: 'value-added',
          subject: `${name}="${value}"`,
          breaks: [],
          why: 'Readers pass over values that they do not know.',
          before: { text: 'not listed', place: catalogue.place },
          after: { text: value, place },
          todo: {},
        }),
      ),
    ];
  });
}

export function diffVariants(
  x: readonly Variants[],
  y: readonly Variants[],
  before: Models,
  after: Models,
): SpecChange[] {
  return x.flatMap((variants) => {
    const other = y.find(
      ({ model, tag, content }) => model === variants.model && tag === variants.tag && content === variants.content,
    );
    if (other === undefined) return [];
    return variants.rows.flatMap((row): SpecChange[] => {
      const now = other.rows.find(({ value }) => value === row.value);
      const subject = `${variants.model}.${variants.content} of "${row.value}"`;
      if (now === undefined) return [];
      const relation = relationOf(
        { kind: 'ref', name: row.payload, place: row.place },
        before,
        { kind: 'ref', name: now.payload, place: now.place },
        after,
      );
      return relation === 'equal'
        ? []
        : [
            typeChange(
              'payload-changed',
              subject,
              relation,
              { text: row.payload, place: row.place },
              { text: now.payload, place: now.place },
            ),
          ];
    });
  });
}
