// validators.js: a fast yes or no for every model (straight-line code), and the violations as data (walking the shapes).
import { recursiveNames } from '../link/recursion.ts';
import type { Model, ObjectModel, Protocol, TypeExpr, Variants } from '../model.ts';
import { contentRequired } from './json-schema.ts';
import { shapesOf } from './shapes.ts';
import { generatedText, sourceJson } from './source.ts';
import { VALIDATORS_RUNTIME } from './validators-runtime.ts';

/** Writes the tests of one file; helper functions for lists and maps are hoisted and shared. */
class Writer {
  readonly helpers: string[] = [];
  readonly #known = new Map<string, string>();
  constructor(
    readonly models: ReadonlyMap<string, Model>,
    readonly recursive: ReadonlySet<string>,
  ) {}

  helper(body: (name: string) => string): string {
    const key = body('$');
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = `t${this.helpers.length}`;
    this.#known.set(key, name);
    this.helpers.push(body(name));
    return name;
  }

  /** True where the model takes every value, so that no test is needed. */
  takesAll(type: TypeExpr, seen: ReadonlySet<string> = new Set()): boolean {
    if (type.kind === 'any') return true;
    if (type.kind === 'union') return type.members.some((member) => this.takesAll(member, seen));
    if (type.kind !== 'ref' || seen.has(type.name)) return false;
    const model = this.models.get(type.name);
    return (
      model === undefined ||
      model.kind === 'open' ||
      (model.kind === 'alias' && this.takesAll(model.type, new Set([...seen, type.name])))
    );
  }

  /** Whether a test needs to know how deep it is: it leads into a recursive model. */
  deep(type: TypeExpr): boolean {
    if (type.kind === 'ref') return this.recursive.has(type.name);
    if (type.kind === 'list') return this.deep(type.items);
    if (type.kind === 'map') return this.deep(type.values);
    return type.kind === 'union' && type.members.some((member) => this.deep(member));
  }
}

/** A boolean expression over `x`, which is evaluated more than once and so must be a name or a plain member. `d` is the depth. */
function test(w: Writer, type: TypeExpr, x: string, d: string): string {
  if (w.takesAll(type)) return 'true';
  switch (type.kind) {
    case 'any':
      return 'true';
    case 'null':
      return `${x} === null`;
    case 'boolean':
      return `typeof ${x} === 'boolean'`;
    case 'string':
      return `typeof ${x} === 'string'${type.bounds === undefined ? '' : ` && textFits(${x}, ${sourceJson(type.bounds)})`}`;
    case 'integer':
      return `Number.isInteger(${x})${type.bounds === undefined ? '' : ` && numberFits(${x}, ${sourceJson(type.bounds)})`}`;
    case 'number':
      return `Number.isFinite(${x})${type.bounds === undefined ? '' : ` && numberFits(${x}, ${sourceJson(type.bounds)})`}`;
    case 'literal':
      if (type.values.length === 0) return 'false';
      if (type.values.length > 12)
        return `${w.helper((name) => `const ${name} = new Set(${sourceJson(type.values)});`)}.has(${x})`;
      return group(type.values.map((value) => `${x} === ${sourceJson(value)}`));
    case 'union':
      return group(type.members.map((member) => `${test(w, member, x, d)}`));
    case 'ref':
      return call(w, type.name, x, d);
    case 'list': {
      const count = type.bounds === undefined ? '' : ` && countFits(${x}.length, ${sourceJson(type.bounds)})`;
      if (w.takesAll(type.items)) return `Array.isArray(${x})${count}`;
      const deep = w.deep(type.items);
      const each = w.helper(
        (name) =>
          `function ${name}(list${deep ? ', d' : ''}) {\n  for (let i = 0; i < list.length; i++) {\n    const x = list[i];\n    if (!(${test(w, type.items, 'x', 'd')})) return false;\n  }\n  return true;\n}`,
      );
      return `Array.isArray(${x})${count} && ${each}(${x}${deep ? `, ${d}` : ''})`;
    }
    case 'map': {
      if (w.takesAll(type.values)) return `typeof ${x} === 'object' && ${x} !== null && !Array.isArray(${x})`;
      const deep = w.deep(type.values);
      const each = w.helper(
        (name) =>
          `function ${name}(value${deep ? ', d' : ''}) {\n  const o = own(value);\n  if (o === undefined) return false;\n  for (const key of Object.keys(o)) {\n    const x = o[key];\n    if (!(${test(w, type.values, 'x', 'd')})) return false;\n  }\n  return true;\n}`,
      );
      return `${each}(${x}${deep ? `, ${d}` : ''})`;
    }
  }
}

const group = (tests: readonly string[]): string =>
  tests.length === 1
    ? (tests[0] as string)
    : `(${tests.map((one) => (one.includes('&&') ? `(${one})` : one)).join(' || ')})`;

const call = (w: Writer, name: string, x: string, d: string): string =>
  w.recursive.has(name) ? `deep${name}(${x}, ${d} + 1)` : `is${name}(${x})`;

function isFunction(w: Writer, model: Model): string {
  const { name } = model;
  const loops = w.recursive.has(name);
  const d = loops ? 'd' : '0';
  const head = loops
    ? `export function is${name}(value) {\n  return deep${name}(value, 1);\n}\nfunction deep${name}(value, d) {\n  if (d > MAX_DEPTH) return false;\n`
    : `export function is${name}(value) {\n`;
  if (model.kind === 'open') return `${head}  return value !== undefined;\n}\n`;
  if (model.kind === 'alias')
    return `${head}  return ${w.takesAll(model.type) ? 'value !== undefined' : test(w, model.type, 'value', d)};\n}\n`;
  const tests = fieldTests(w, model, d);
  const field = tests.some((one) => one.includes(`(${FIELD} = `)) ? `  let ${FIELD};\n` : '';
  return `${head}  const o = own(value);\n${field}  return (\n    o !== undefined${tests
    .map((one) => ` &&\n    ${one}`)
    .join('')}\n  );\n}\n`;
}

/** A field is read once: where objects differ in shape each read is a look-up, and engines do not join them. */
const FIELD = 'f';

function fieldTests(w: Writer, model: ObjectModel, d: string): string[] {
  const tests = model.fields.flatMap((field): string[] => {
    const inherited = field.name in Object.prototype;
    const plain = /^[A-Za-z_$][\w$]*$/u.test(field.name) ? `o.${field.name}` : `o[${JSON.stringify(field.name)}]`;
    const x = inherited ? `ownField(o, ${JSON.stringify(field.name)})` : plain;
    const all = w.takesAll(field.type);
    if (field.required && all) return [`${x} !== undefined`];
    if (field.required) {
      const once = test(w, field.type, x, d);
      return [once.split(x).length <= 2 ? once : `(${FIELD} = ${x}, ${test(w, field.type, FIELD, d)})`];
    }
    return all ? [] : [`((${FIELD} = ${x}) === undefined || ${either(test(w, field.type, FIELD, d))})`];
  });
  if (model.closed) {
    const names = w.helper(
      (name) => `const ${name} = new Set(${sourceJson(model.fields.map((field) => field.name))});`,
    );
    tests.push(
      `${w.helper((name) => `function ${name}(o) {\n  for (const key in o) if (!${names}.has(key)) return false;\n  return true;\n}`)}(o)`,
    );
  }
  return tests;
}

const either = (one: string): string => (one.includes(' && ') ? `(${one})` : one);

function variantFunction(variants: Variants, models: ReadonlyMap<string, Model>): string {
  const content = `ownField(o, ${JSON.stringify(variants.content)})`;
  const cases = variants.rows.map((row) => {
    const required = contentRequired(variants, row.payload, models);
    return `    case ${sourceJson(row.value)}:\n      return ${required ? 'x !== undefined && ' : 'x === undefined || '}is${row.payload}(x);\n`;
  });
  return `export function is${variants.name}(value) {\n  if (!is${variants.model}(value)) return false;\n  const o = own(value);\n  const x = ${content};\n  switch (ownField(o, ${JSON.stringify(variants.tag)})) {\n${cases.join('')}    default:\n      return true;\n  }\n}\n`;
}

export function emitValidators(protocol: Protocol): string {
  const models = new Map(protocol.models.map((model) => [model.name, model]));
  const w = new Writer(models, recursiveNames(models));
  const functions = [
    ...protocol.models.map((model) => isFunction(w, model)),
    ...protocol.variants.map((variants) => variantFunction(variants, models)),
  ];
  const names = [...protocol.models, ...protocol.variants].map(({ name }) => name);
  const shapes = Object.entries(shapesOf(protocol)).map(
    ([name, shape]) => `  ${JSON.stringify(name)}: ${sourceJson(shape)},\n`,
  );
  return [
    `// ${generatedText(protocol)}\n`,
    VALIDATORS_RUNTIME,
    `\n/** The models as data. */\nexport const shapes = {\n${shapes.join('')}};\n\n`,
    w.helpers.map((helper) => `${helper}\n`).join(''),
    '\n',
    functions.join('\n'),
    `\nconst tests = {\n${names.map((name) => `  ${name}: ${w.recursive.has(name) ? 'deep' : 'is'}${name},\n`).join('')}};\n\n`,
    names
      .map(
        (name) =>
          `export const check${name} = (value) => check(${JSON.stringify(name)}, value);\nexport const read${name} = (value) => read(${JSON.stringify(name)}, value);\n`,
      )
      .join(''),
    `\nexport const validators = {\n${names.map((name) => `  ${name}: { is: is${name}, check: check${name}, read: read${name} },\n`).join('')}};\n`,
  ].join('');
}
