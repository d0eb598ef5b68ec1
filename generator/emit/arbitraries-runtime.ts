// The part of arbitraries.ts that is the same for every protocol: shapes → fast-check arbitraries, and near misses of them.

export const ARBITRARIES_RUNTIME = String.raw`
export interface Options {
  /** Fields that the document does not name: none, or some now and then (the default). Closed models never get any. */
  readonly extras?: boolean;
  /** How long lists and maps may be: 4 unless told. */
  readonly maxItems?: number;
  /** How deep recursive models and free JSON may nest: 3 unless told. */
  readonly maxDepth?: number;
}

/** A value with exactly one violation, and where check will find it. */
export interface NearMiss {
  readonly value: unknown;
  /** JSON Pointer of the violation. */
  readonly path: string;
  /** What was done: a required field taken out, a field put in where none may be, a value of another kind, a value not listed. */
  readonly kind: 'missing' | 'extra' | 'type' | 'value';
}

interface Settings {
  readonly extras: boolean;
  readonly maxItems: number;
  readonly maxDepth: number;
}

const settle = (options: Options): Settings => ({ extras: options.extras ?? true, maxItems: options.maxItems ?? 4, maxDepth: options.maxDepth ?? 3 });

const oneOf = <T>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

// Strings as protocols carry them: short words, ids, any Unicode that UTF-8 can hold, and now and then nothing or a lot.
const words = fc.constantFrom('a', 'text', 'hello world', 'message.received', '0', 'null', 'true', ' ', '-', '\u4f60\u597d', '\u{1f600}', 'e\u0301', '\u0000', '"', '\\', '</script>', '\u202e');
const plainText = fc.string({ unit: 'grapheme-ascii', maxLength: 12 });
// Any code point that UTF-8 can hold. fast-check's own unit 'binary' builds a table of all of them first, which takes a second.
const codePoint = fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })).map((point) => String.fromCodePoint(point));
const anyText = oneOf<string>([8, plainText], [4, words], [2, fc.string({ unit: codePoint, maxLength: 8 })], [1, fc.constant('')], [1, fc.string({ unit: 'grapheme-ascii', minLength: 100, maxLength: 200 })]);
const anyInteger = oneOf<number>([4, fc.integer({ min: 0, max: 1000 })], [2, fc.integer()], [1, fc.maxSafeInteger()], [1, fc.constantFrom(0, 1, -1)]);
// No negative zero: JSON has none.
const anyNumber = oneOf<number>([3, anyInteger], [3, fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number))], [1, fc.constantFrom(0.5, -0.5, 1e-7, 1e21)]);
const anyKey = oneOf<string>([4, fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz_.'), minLength: 1, maxLength: 8 })], [1, anyText]).filter((key) => key !== '__proto__');

const objectFrom = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => Object.fromEntries(entries);

const entriesOf = (value: fc.Arbitrary<unknown>, maxLength: number): fc.Arbitrary<Record<string, unknown>> =>
  fc.uniqueArray(fc.tuple(anyKey, value), { maxLength, selector: ([key]) => key }).map(objectFrom);

const leaf: fc.Arbitrary<unknown> = oneOf<unknown>([4, anyText], [2, anyInteger], [1, anyNumber], [2, fc.boolean()], [1, fc.constant(null)]);
const jsonByDepth: fc.Arbitrary<unknown>[] = [leaf];
/** Free JSON, at most so deep. */
function anyJson(depth: number): fc.Arbitrary<unknown> {
  const level = Math.max(0, Math.min(depth, 8));
  let made = jsonByDepth[level];
  if (made === undefined) {
    const inner = anyJson(level - 1);
    made = oneOf<unknown>([6, leaf], [1, fc.array(inner, { maxLength: 3 })], [2, entriesOf(inner, 3)]);
    jsonByDepth[level] = made;
  }
  return made;
}

const definitionOf = (name: ModelName): Definition => shapes[name];

class Maker {
  readonly #made = new Map<string, fc.Arbitrary<unknown>>();
  constructor(readonly settings: Settings) {}

  ofShape(shape: Shape, depth: number): fc.Arbitrary<unknown> {
    if (typeof shape === 'string') return this.#plain(shape, {}, depth);
    if ('ref' in shape) return this.ofModel(shape.ref, depth);
    if ('list' in shape) return this.#list(shape, depth);
    if ('map' in shape) return depth <= 0 ? fc.constant({}) : this.#frequently({}, entriesOf(this.ofShape(shape.map, depth - 1), this.settings.maxItems));
    if ('enum' in shape) return fc.constantFrom(...shape.enum);
    if ('anyOf' in shape) return this.#union(shape.anyOf, depth);
    if ('string' in shape) return this.#plain('string', shape.string, depth);
    return 'integer' in shape ? this.#plain('integer', shape.integer, depth) : this.#plain('number', shape.number, depth);
  }

  /** Empty as often as not: an empty list or map is an edge of its own. */
  #frequently(empty: unknown, full: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
    return oneOf<unknown>([1, fc.constant(empty).map(() => (Array.isArray(empty) ? [] : {}))], [2, full]);
  }

  #plain(kind: string, bounds: { readonly [limit: string]: number | string }, depth: number): fc.Arbitrary<unknown> {
    const limit = (name: string): number | undefined => (typeof bounds[name] === 'number' ? bounds[name] : undefined);
    const bounded = Object.keys(bounds).length > 0;
    switch (kind) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'string': {
        if (!bounded) return anyText;
        const min = limit('minLength') ?? 0;
        const max = limit('maxLength') ?? min + 20;
        if (typeof bounds['pattern'] !== 'string') return fc.string({ unit: 'grapheme-ascii', minLength: min, maxLength: max });
        return fc.stringMatching(new RegExp(bounds['pattern'], 'u')).filter((text) => [...text].length >= min && [...text].length <= (limit('maxLength') ?? Number.POSITIVE_INFINITY));
      }
      case 'integer': {
        if (!bounded) return anyInteger;
        const low = Math.max(Math.ceil(limit('minimum') ?? Number.NEGATIVE_INFINITY), Math.floor(limit('exclusiveMinimum') ?? Number.NEGATIVE_INFINITY) + 1);
        const high = Math.min(Math.floor(limit('maximum') ?? Number.POSITIVE_INFINITY), Math.ceil(limit('exclusiveMaximum') ?? Number.POSITIVE_INFINITY) - 1);
        const min = Number.isFinite(low) ? low : Math.min(-(2 ** 31), high);
        return fc.integer({ min, max: Number.isFinite(high) ? high : Math.max(2 ** 31 - 1, min) });
      }
      case 'number': {
        if (!bounded) return anyNumber;
        const min = limit('minimum') ?? limit('exclusiveMinimum');
        const max = limit('maximum') ?? limit('exclusiveMaximum');
        const span = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
        return fc
          .double({ noNaN: true, noDefaultInfinity: true, minExcluded: limit('exclusiveMinimum') !== undefined, maxExcluded: limit('exclusiveMaximum') !== undefined, ...span })
          .map((number) => (number === 0 ? 0 : number));
      }
      default:
        return anyJson(Math.min(depth, 2));
    }
  }

  #list(shape: Extract<Shape, { list: Shape }>, depth: number): fc.Arbitrary<unknown> {
    const min = shape.minItems ?? 0;
    if (depth <= 0 && min === 0) return fc.constant(null).map(() => []);
    const max = Math.max(min, Math.min(shape.maxItems ?? this.settings.maxItems, this.settings.maxItems));
    const full = fc.array(this.ofShape(shape.list, depth - 1), { minLength: min, maxLength: max });
    return min > 0 || max === 0 ? full : this.#frequently([], full);
  }

  #union(branches: readonly Shape[], depth: number): fc.Arbitrary<unknown> {
    // At the bottom only what does not go deeper is left.
    const flat = branches.filter((branch) => !isDeep(branch));
    const usable = depth <= 0 && flat.length > 0 ? flat : branches;
    return oneOf<unknown>(...usable.map((branch): [number, fc.Arbitrary<unknown>] => [branch === 'null' ? 2 : 5, this.ofShape(branch, depth)]));
  }

  ofModel(name: ModelName, depth: number): fc.Arbitrary<unknown> {
    const definition = definitionOf(name);
    const key = name + ' ' + depth;
    const made = this.#made.get(key);
    if (made !== undefined) return made;
    const level = 'recursive' in definition && definition.recursive ? depth - 1 : depth;
    const arbitrary = 'alias' in definition ? this.ofShape(definition.alias, level) : 'payloads' in definition ? this.#variants(definition, level) : this.#object(name, definition, level);
    this.#made.set(key, arbitrary);
    return arbitrary;
  }

  #object(name: ModelName, definition: Extract<Definition, { fields: object }>, depth: number): fc.Arbitrary<unknown> {
    const fields = Object.entries(definition.fields).map(([field, { type, required }]): FieldPlan => {
      const listed = listedValues[name + '.' + field];
      const plain = this.ofShape(type, depth);
      return { name: field, required: required === true, arbitrary: listed === undefined ? plain : oneOf<unknown>([4, fc.constantFrom(...listed)], [1, plain]) };
    });
    const extras = this.settings.extras && definition.closed !== true ? entriesOf(anyJson(1), 2).map((record) => withoutNames(record, definition.fields)) : undefined;
    return new ObjectArbitrary(fields, extras);
  }

  #variants(definition: Extract<Definition, { payloads: object }>, depth: number): fc.Arbitrary<unknown> {
    const envelope = this.ofModel(definition.model, depth) as fc.Arbitrary<Record<string, unknown>>;
    const listed = Object.entries(definition.payloads).map(([tag, payload]): [number, fc.Arbitrary<unknown>] => {
      const content = this.ofModel(payload, depth);
      const fits = definition.required.includes(tag) ? content : fc.option(content, { nil: undefined, freq: 4 });
      return [
        2,
        fc.tuple(envelope, fits).map(([whole, part]) => {
          const { [definition.content]: _, ...rest } = whole;
          return { ...rest, [definition.tag]: tag, ...(part === undefined ? {} : { [definition.content]: part }) };
        }),
      ];
    });
    const unlisted = envelope.map((whole) => {
      const tag = whole[definition.tag];
      return typeof tag === 'string' && Object.hasOwn(definition.payloads, tag) ? { ...whole, [definition.tag]: 'x.' + tag } : whole;
    });
    return oneOf<unknown>([3, unlisted], ...listed);
  }
}

const isDeep = (shape: Shape): boolean => typeof shape === 'object' && ('list' in shape || 'map' in shape || ('ref' in shape && 'recursive' in definitionOf(shape.ref)));

function withoutNames(record: Record<string, unknown>, names: object): Record<string, unknown> {
  const kept = Object.entries(record).filter(([key]) => !Object.hasOwn(names, key));
  return kept.length === Object.keys(record).length ? record : objectFrom(kept);
}

interface FieldPlan {
  readonly name: string;
  readonly required: boolean;
  readonly arbitrary: fc.Arbitrary<unknown>;
}

type Parts = { readonly fields: readonly (fc.Value<unknown> | undefined)[]; readonly extras: fc.Value<Record<string, unknown>> | undefined };

/**
 * Objects with optional fields, each there as often as not. It does what fc.record does, at a fraction of the cost a field,
 * and shrinks by leaving fields out first.
 */
class ObjectArbitrary extends fc.Arbitrary<unknown> {
  constructor(
    readonly fields: readonly FieldPlan[],
    readonly extras: fc.Arbitrary<Record<string, unknown>> | undefined,
  ) {
    super();
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<unknown> {
    const fields = this.fields.map((field) => (field.required || random.nextInt(0, 1) === 1 ? field.arbitrary.generate(random, bias) : undefined));
    const extras = this.extras !== undefined && random.nextInt(0, 7) === 0 ? this.extras.generate(random, bias) : undefined;
    return this.#value({ fields, extras });
  }

  override canShrinkWithoutContext(_value: unknown): _value is unknown {
    return false;
  }

  override shrink(_value: unknown, context: unknown): fc.Stream<fc.Value<unknown>> {
    return context === undefined ? fc.Stream.nil() : fc.stream(this.#smaller(context as Parts));
  }

  *#smaller(parts: Parts): IterableIterator<fc.Value<unknown>> {
    if (parts.extras !== undefined) yield this.#value({ ...parts, extras: undefined });
    const optional = parts.fields.flatMap((field, index) => (field !== undefined && !this.fields[index]?.required ? [index] : []));
    if (optional.length > 1) yield this.#value({ ...parts, fields: parts.fields.map((field, index) => (optional.includes(index) ? undefined : field)) });
    for (const index of optional) yield this.#value({ ...parts, fields: parts.fields.with(index, undefined) });
    for (const [index, field] of parts.fields.entries()) {
      const plan = this.fields[index];
      if (field === undefined || plan === undefined) continue;
      for (const smaller of plan.arbitrary.shrink(field.value_, field.context)) yield this.#value({ ...parts, fields: parts.fields.with(index, smaller) });
    }
    if (parts.extras !== undefined && this.extras !== undefined) {
      for (const smaller of this.extras.shrink(parts.extras.value_, parts.extras.context)) yield this.#value({ ...parts, extras: smaller });
    }
  }

  #value(parts: Parts): fc.Value<unknown> {
    const object: Record<string, unknown> = {};
    for (const [index, field] of parts.fields.entries()) if (field !== undefined) put(object, (this.fields[index] as FieldPlan).name, field.value);
    if (parts.extras !== undefined) for (const [key, value] of Object.entries(parts.extras.value)) put(object, key, value);
    return new fc.Value(object, parts);
  }
}

/** A field by that name whatever the name is, so that no key can reach the prototype. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}

const makers = new Map<string, Maker>();
function makerFor(options: Options): Maker {
  const settings = settle(options);
  const key = JSON.stringify(settings);
  let maker = makers.get(key);
  if (maker === undefined) makers.set(key, (maker = new Maker(settings)));
  return maker;
}

/** Values that fit a model, all of them and well spread. */
export const valid = <Name extends ModelName>(name: Name, options: Options = {}): fc.Arbitrary<Models[Name]> => {
  const maker = makerFor(options);
  return maker.ofModel(name, maker.settings.maxDepth) as fc.Arbitrary<Models[Name]>;
};

interface Site {
  readonly path: string;
  readonly kind: NearMiss['kind'];
  readonly apply: () => unknown;
}

/** Values of every kind, to put where they do not belong. */
const strangers: readonly unknown[] = [null, true, 0, 1.5, -1, 'not listed', '', [], [null], {}, { strange: true }];

/** The strangers that break a shape in just one way; which they are does not depend on the value they replace. */
const usable = new Map<Shape, readonly unknown[]>();
function strangersTo(shape: Shape): readonly unknown[] {
  let found = usable.get(shape);
  if (found === undefined) {
    found = strangers.filter((stranger) => {
      const errors = violationsOf(shape, stranger);
      return errors.length === 1 && errors[0]?.path === '';
    });
    usable.set(shape, found);
  }
  return found;
}

const kindOfChange = (from: unknown, to: unknown): NearMiss['kind'] => (from !== null && typeof from === typeof to && Array.isArray(from) === Array.isArray(to) ? 'value' : 'type');

/** The violations that one change can make in a value: each with its path, and the value so changed. */
function sitesIn(shape: Shape, value: unknown, path: string, rebuild: (part: unknown) => unknown): Site[] {
  const sites = strangersTo(shape).map((stranger): Site => ({ path, kind: kindOfChange(value, stranger), apply: () => rebuild(stranger) }));
  return [...sites, ...sitesInside(shape, value, path, rebuild)];
}

function sitesInside(shape: Shape, value: unknown, path: string, rebuild: (part: unknown) => unknown): Site[] {
  if (typeof shape === 'string') return [];
  if ('ref' in shape) return sitesInModel(shape.ref, value, path, rebuild);
  if ('anyOf' in shape) {
    // Only where the value leaves no doubt which branch it takes: there check tells of that branch alone.
    const branch = soleBranch(shape, value);
    return branch === undefined ? [] : sitesInside(branch, value, path, rebuild);
  }
  if ('list' in shape && Array.isArray(value)) return value.flatMap((item, index) => sitesIn(shape.list, item, path + '/' + index, (part) => rebuild(value.with(index, part))));
  if ('map' in shape) return Object.entries(value as object).flatMap(([key, item]) => sitesIn(shape.map, item, path + '/' + pointer(key), (part) => rebuild(replaced(value as object, key, part))));
  return [];
}

function sitesInModel(name: ModelName, value: unknown, path: string, rebuild: (part: unknown) => unknown): Site[] {
  const definition = definitionOf(name);
  if ('alias' in definition) return sitesInside(definition.alias, value, path, rebuild);
  const object = value as Record<string, unknown>;
  if ('payloads' in definition) {
    const tag = object[definition.tag];
    const payload = typeof tag === 'string' && Object.hasOwn(definition.payloads, tag) ? definition.payloads[tag] : undefined;
    const at = path + '/' + pointer(definition.content);
    const inside = payload === undefined || !Object.hasOwn(object, definition.content) ? [] : sitesInside({ ref: payload }, object[definition.content], at, (part) => rebuild(replaced(object, definition.content, part)));
    const outside = sitesInModel(definition.model, value, path, rebuild).filter((site) => site.path !== at && !site.path.startsWith(at + '/') && site.path !== path + '/' + pointer(definition.tag));
    return [...outside, ...inside];
  }
  const sites = Object.entries(definition.fields).flatMap(([field, { type, required }]): Site[] => {
    if (!Object.hasOwn(object, field)) return [];
    const at = path + '/' + pointer(field);
    const without = (): unknown => rebuild(Object.fromEntries(Object.entries(object).filter(([key]) => key !== field)));
    const missing: Site[] = required ? [{ path: at, kind: 'missing', apply: without }] : [];
    return [...missing, ...sitesIn(type, object[field], at, (part) => rebuild(replaced(object, field, part)))];
  });
  if (definition.closed) {
    let extra = 'unknown_field';
    while (Object.hasOwn(definition.fields, extra)) extra += '_';
    sites.push({ path: path + '/' + extra, kind: 'extra', apply: () => rebuild({ ...object, [extra]: 'x' }) });
  }
  return sites;
}

const pointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const replaced = (object: object, key: string, part: unknown): object => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, name === key ? part : value]));

function soleBranch(shape: Shape, value: unknown): Shape | undefined {
  const branches = branchesOf(shape).filter((branch) => violationsOf(branch, value).length === 0);
  const kind = Array.isArray(value) ? 'array' : typeof value === 'object' && value !== null ? 'object' : 'plain';
  const rivals = branchesOf(shape).filter((branch) => jsonKindOf(branch) === kind);
  return branches.length === 1 && rivals.length === 1 ? branches[0] : undefined;
}

/** Near misses of a model: values that fit but for one violation, and its path. Throws where nothing can be wrong (an open model). */
export function nearMiss(name: ModelName, options: Options = {}): fc.Arbitrary<NearMiss> {
  if (violationsOf({ ref: name }, null).length === 0 && violationsOf({ ref: name }, 0).length === 0 && violationsOf({ ref: name }, {}).length === 0) {
    throw new RangeError('Every value fits ' + name + ': it has no near misses.');
  }
  return fc
    .tuple(valid(name, options), fc.nat(), fc.nat())
    .map(([value, where, which]): NearMiss | undefined => {
      const sites = sitesIn({ ref: name }, value, '', (part) => part);
      // First the place, then what to do there: otherwise places that can be wrong in many ways would crowd out the others.
      const paths = [...new Set(sites.map(({ path }) => path))];
      const here = sites.filter(({ path }) => path === paths[where % paths.length]);
      const site = here[which % here.length];
      return site === undefined ? undefined : { value: site.apply(), path: site.path, kind: site.kind };
    })
    .filter((miss): miss is NearMiss => miss !== undefined);
}
`;
