// arbitraries.ts: for every model values that fit it, and near misses.
import type { Protocol } from '../model.ts';
import { ARBITRARIES_RUNTIME } from './arbitraries-runtime.ts';
import { namesFor } from './names.ts';
import { camelCase, docComment, generatedText, sourceJson, sourceText } from './source.ts';

export function emitArbitraries(protocol: Protocol): string {
  const entries = [
    ...protocol.models.map(({ name, place }) => ({ name, place })),
    ...protocol.variants.map(({ name, place }) => ({ name, place })),
  ];
  const names = arbitraryNames(entries.map(({ name }) => name));
  const made = namesFor(protocol);
  const alias = (name: string, local: string): string => (name === local ? name : `${name} as ${local}`);
  const listed = Object.fromEntries(
    protocol.catalogues.map(({ model, field, values }) => [`${model}.${field}`, values.map(({ value }) => value)]),
  );
  const functions = entries.map(
    ({ name, place }) =>
      `${docComment([`Values that fit ${name}.`, `@see ${sourceText(place)}`])}export const ${names.get(name)} = (options: Options = {}): fc.Arbitrary<Models[${JSON.stringify(name)}]> => valid(${JSON.stringify(name)}, options);\n`,
  );
  return [
    `// ${generatedText(protocol)}
import * as fc from 'fast-check';
import type { ${alias(made.modelName, 'ModelName')}, ${alias(made.models, 'Models')} } from './types.ts';
import { branchesOf, type Definition, jsonKindOf, type Shape, shapes, violationsOf } from './validators.js';

/** The values that tables of the document list for a field: drawn often, but not always. */
const listedValues: { readonly [field: string]: readonly string[] | undefined } = ${sourceJson(listed)};
`,
    ARBITRARIES_RUNTIME,
    '\n',
    functions.join(''),
    `\n/** Every arbitrary by the name of its model. */\nexport const arbitraries = {\n${entries.map(({ name }) => `  ${name}: ${names.get(name)},\n`).join('')}} as const;\n`,
  ].join('');
}

/** Names that are free in the module; `valid` and its like are taken. */
function arbitraryNames(models: readonly string[]): Map<string, string> {
  const taken = new Set([
    'valid',
    'nearMiss',
    'arbitraries',
    'shapes',
    'fc',
    'default',
    'delete',
    'function',
    'class',
    'new',
    'in',
    'import',
    'export',
    'package',
  ]);
  const names = new Map<string, string>();
  for (const model of models) {
    let name = camelCase(model);
    while (taken.has(name)) name += 'Value';
    taken.add(name);
    names.set(model, name);
  }
  return names;
}
