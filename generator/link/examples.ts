// JSON examples are statements too: each is held against its model, and one that does not fit is a bug of the document.
import { isObject } from '../../common/json.ts';
import { misfits } from '../check.ts';
import type { Diagnostic } from '../diagnostics.ts';
import type { Catalogue, Example, Model } from '../model.ts';
import type { SpecDocument } from '../read/document.ts';

export function linkExamples(
  documents: readonly SpecDocument[],
  models: ReadonlyMap<string, Model>,
  catalogues: readonly Catalogue[],
  report: (d: Diagnostic) => void,
): Example[] {
  const examples: Example[] = [];
  for (const document of documents) {
    let before: { name: string; section: string }[] = [];
    for (const statement of document.statements) {
      if (statement.kind === 'declaration')
        before = [...before, { name: statement.declaration.name, section: statement.declaration.place.section }];
      if (statement.kind !== 'examples') continue;
      const { model: named, wrong, values } = statement.examples;
      if (named !== undefined && !models.has(named)) {
        report({
          severity: 'error',
          code: 'unknown-model',
          message: `This example names ${named}, which is not defined.`,
          place: statement.examples.place,
          remedy: 'Name a class or an alias of the documents.',
        });
        continue;
      }
      for (const { value, place } of values) {
        const near = likeliest(
          value,
          before.filter(({ section }) => section === place.section).map(({ name }) => name),
          models,
        );
        const model = named ?? byTag(value, catalogues) ?? near;
        examples.push({ value, place, wrong, ...(model === undefined ? {} : { model }) });
        if (model === undefined) continue;
        const found = misfits(models, { kind: 'ref', name: model, place }, value);
        if (wrong && found.length === 0) {
          report({
            severity: 'error',
            code: 'example-fits',
            message: `This example is marked wrong, but it fits ${model}.`,
            place,
            remedy: 'Make it wrong, or drop the mark.',
          });
        }
        for (const misfit of wrong ? [] : found) {
          report({
            severity: 'warning',
            code: 'example-misfit',
            message: `This example does not fit ${model}: at ${misfit.path || '/'} ${misfit.expected} was expected, ${misfit.found} was found.`,
            place,
            remedy: 'Correct the example or the model; or name the model that is meant after ```json.',
          });
        }
      }
    }
  }
  return examples;
}

/** `{ "type": "message.delta", … }` shows the model whose table lists that value. */
function byTag(value: unknown, catalogues: readonly Catalogue[]): string | undefined {
  if (!isObject(value)) return undefined;
  return catalogues.find(
    ({ field, values }) => Object.hasOwn(value, field) && values.some((known) => known.value === value[field]),
  )?.model;
}

/** Of the models of a section the one whose fields the example shows most of; of several the last. */
function likeliest(value: unknown, names: readonly string[], models: ReadonlyMap<string, Model>): string | undefined {
  const shown = (name: string): number => {
    const model = models.get(name);
    return isObject(value) && model?.kind === 'object'
      ? model.fields.filter((field) => Object.hasOwn(value, field.name)).length
      : 0;
  };
  const most = Math.max(0, ...names.map(shown));
  return names.findLast((name) => shown(name) === most);
}
