// For tests: the generated products of a folder, and two engines that others made, on the same schema.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type * as fc from 'fast-check';
import { Compile } from 'typebox/schema';

export interface Validators {
  readonly shapes: Record<string, { readonly alias?: unknown }>;
  readonly validators: Record<
    string,
    {
      is(value: unknown): boolean;
      check(value: unknown): { path: string; expected: string; found: string; section: string }[];
      read(value: unknown): unknown;
    }
  >;
  violationsOf(shape: { ref: string }, value: unknown): unknown[];
  check(name: string, value: unknown): { path: string; expected: string; found: string; section: string }[];
}

export interface Arbitraries {
  valid(name: string, options?: object): fc.Arbitrary<unknown>;
  nearMiss(name: string, options?: object): fc.Arbitrary<{ value: unknown; path: string; kind: string }>;
  readonly arbitraries: Record<string, (options?: object) => fc.Arbitrary<unknown>>;
}

export interface Products {
  readonly schema: { $defs: Record<string, unknown> };
  readonly validators: Validators;
  readonly arbitraries: Arbitraries;
  readonly names: readonly string[];
}

/** The committed products of a protocol. */
export const committed = (path: string): Promise<Products> =>
  productsIn(fileURLToPath(new URL(`../../schemas/${path}/`, import.meta.url)));

export async function productsIn(folder: string): Promise<Products> {
  const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(folder, file)).href)) as T;
  const schema = JSON.parse(readFileSync(join(folder, 'protocol.schema.json'), 'utf8')) as Products['schema'];
  return {
    schema,
    validators: await load<Validators>('validators.js'),
    arbitraries: await load<Arbitraries>('arbitraries.ts'),
    names: Object.keys(schema.$defs),
  };
}

type Test = (value: unknown) => boolean;

/** Ajv and TypeBox for one definition: neither knows our code. */
export function engines(schema: Products['schema']): (name: string) => { ajv: Test; typebox: Test } {
  const ajv = new Ajv2020({ strict: true, ownProperties: true, unicodeRegExp: true });
  ajv.addSchema(schema, 'protocol');
  return (name) => {
    const compiled = ajv.getSchema(`protocol#/$defs/${name}`);
    if (compiled === undefined) throw new Error(`Ajv has no ${name}`);
    const typebox = Compile({ ...schema, $ref: `#/$defs/${name}` } as never) as unknown as {
      Check(value: unknown): boolean;
    };
    return { ajv: (value) => compiled(value) as boolean, typebox: (value) => typebox.Check(value) };
  };
}
