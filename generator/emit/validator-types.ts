// validators.d.ts: what validators.js exports, for the compiler.
import type { Protocol } from '../model.ts';
import { namesFor } from './names.ts';
import { docComment, generatedText, sourceText } from './source.ts';

export function emitValidatorTypes(protocol: Protocol): string {
  const names = namesFor(protocol);
  const entries = [
    ...protocol.models.map(({ name, place }) => ({ name, place })),
    ...protocol.variants.map(({ name, place }) => ({ name, place })),
  ];
  const one = ({ name, place }: (typeof entries)[number]): string =>
    `${docComment([`@see ${sourceText(place)}`])}export declare function is${name}(value: unknown): value is Types.${name};\nexport declare const check${name}: (value: unknown) => ValidationError[];\nexport declare const read${name}: (value: Types.${name}) => Types.${names.read(name)};\n`;
  return `// ${generatedText(protocol)}
import type * as Types from './types.ts';

/** One violation: where (JSON Pointer), what was expected, what was found, and the section that asks for it. */
export interface ValidationError {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly section: string;
}

type Bounds = { readonly [limit: string]: number | string };
/** What a value must look like, as data. */
export type Shape =
  | 'any' | 'null' | 'boolean' | 'string' | 'integer' | 'number'
  | { readonly ref: Types.${names.modelName} }
  | { readonly list: Shape; readonly minItems?: number; readonly maxItems?: number }
  | { readonly map: Shape }
  | { readonly enum: readonly (string | number | boolean | null)[] }
  | { readonly anyOf: readonly Shape[] }
  | { readonly string: Bounds }
  | { readonly integer: Bounds }
  | { readonly number: Bounds };
export interface FieldShape {
  readonly type: Shape;
  readonly required?: true;
  readonly default?: unknown;
  readonly section?: string;
}
export type Definition =
  | { readonly section: string; readonly alias: Shape; readonly recursive?: true }
  | { readonly section: string; readonly fields: { readonly [name: string]: FieldShape }; readonly closed?: true; readonly recursive?: true }
  | { readonly section: string; readonly model: Types.${names.modelName}; readonly tag: string; readonly content: string; readonly payloads: { readonly [value: string]: Types.${names.modelName} }; readonly required: readonly string[] };

/** The models as data. */
export declare const shapes: { readonly [Name in Types.${names.modelName}]: Definition };
/** What a shape asks for, in words. */
export declare function shapeText(shape: Shape): string;
/** The violations of a value against a model: an empty list means that it fits. At most 100 are told. */
export declare function check(name: Types.${names.modelName}, value: unknown): ValidationError[];
/** The same for a shape that has no name. */
export declare function violationsOf(shape: Shape, value: unknown): ValidationError[];
/** A shape with its aliases and unions opened up: the branches that a value can take. */
export declare function branchesOf(shape: Shape): Shape[];
/** The kind of JSON value that a branch is about: object, array, string, … */
export declare function jsonKindOf(shape: Shape): string;
/** The value as a reader has it: defaults filled in, unknown fields kept. The value must fit the model. */
export declare function read<Name extends Types.${names.modelName}>(name: Name, value: Types.${names.models}[Name]): Types.${names.modelsRead}[Name];

${entries.map(one).join('')}
export interface Validator<Sent, Read> {
  readonly is: (value: unknown) => value is Sent;
  readonly check: (value: unknown) => ValidationError[];
  readonly read: (value: Sent) => Read;
}
export declare const validators: { readonly [Name in Types.${names.modelName}]: Validator<Types.${names.models}[Name], Types.${names.modelsRead}[Name]> };
`;
}
