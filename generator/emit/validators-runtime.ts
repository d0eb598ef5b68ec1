// The part of validators.js that is the same for every protocol. It is text, because the product must stand alone.

export const VALIDATORS_RUNTIME = `
/** Values of recursive models may be nested this deep; beyond it they are refused rather than walked. */
const MAX_DEPTH = 256;
/** More violations than these say nothing new. */
const MAX_ERRORS = 100;

/** The value as an object with own fields only, or undefined. What JSON.parse makes is taken as it is. */
function own(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? value : Object.assign(Object.create(null), value);
}

/** For names that every object inherits: constructor, toString and their like. */
const ownField = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

const member = (object, name) => (name in Object.prototype ? ownField(object, name) : object[name]);

function codePoints(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const textFits = (text, bounds) =>
  (bounds.minLength === undefined || codePoints(text) >= bounds.minLength) &&
  (bounds.maxLength === undefined || codePoints(text) <= bounds.maxLength) &&
  (bounds.pattern === undefined || pattern(bounds.pattern).test(text));

const patterns = new Map();
function pattern(source) {
  let made = patterns.get(source);
  if (made === undefined) patterns.set(source, (made = new RegExp(source, 'u')));
  return made;
}

const numberFits = (number, bounds) =>
  !(number < bounds.minimum) && !(number > bounds.maximum) && !(number <= bounds.exclusiveMinimum) && !(number >= bounds.exclusiveMaximum);

const countFits = (count, bounds) => !(count < bounds.minItems) && !(count > bounds.maxItems);

const escape = (key) => (/[~/]/u.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key);

/** The plain kind of a shape and its bounds: 'string', 'list', 'enum', … */
function kindOf(shape) {
  if (typeof shape === 'string') return shape;
  for (const kind of ['ref', 'list', 'map', 'enum', 'anyOf', 'string', 'integer', 'number']) if (kind in shape) return kind;
  return 'any';
}

/** What a shape asks for, in words. */
export function shapeText(shape) {
  if (shape === 'any') return 'any value';
  if (typeof shape === 'string') return shape;
  const limits = (bounds) => Object.entries(bounds).map(([name, limit]) => ' ' + name + ' ' + limit).join(',');
  switch (kindOf(shape)) {
    case 'ref':
      return shape.ref;
    case 'list': {
      const { list, ...bounds } = shape;
      return 'list of ' + shapeText(list) + limits(bounds);
    }
    case 'map':
      return 'object of ' + shapeText(shape.map);
    case 'enum':
      return shape.enum.map((value) => JSON.stringify(value)).join(' | ');
    case 'anyOf':
      return shape.anyOf.map(shapeText).join(' | ');
    default:
      return kindOf(shape) + limits(shape[kindOf(shape)]);
  }
}

function foundText(value) {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list of ' + value.length;
  if (typeof value === 'object') return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value.length > 60 ? value.slice(0, 57) + '…' : value) : String(value);
  return typeof value + ' ' + text;
}

function fail(context, path, expected, value) {
  if (context.errors.length < MAX_ERRORS) context.errors.push({ path, expected, found: foundText(value), section: context.section });
}

/** Collects what does not fit. The section in force goes down with the definitions. */
function walk(shape, value, path, context, depth) {
  if (context.errors.length >= MAX_ERRORS) return;
  const wrong = () => fail(context, path, shapeText(shape), value);
  switch (kindOf(shape)) {
    case 'any':
      if (value === undefined) wrong();
      return;
    case 'null':
      if (value !== null) wrong();
      return;
    case 'boolean':
      if (typeof value !== 'boolean') wrong();
      return;
    case 'string':
      if (typeof value !== 'string' || !textFits(value, shape.string ?? {})) wrong();
      return;
    case 'integer':
      if (!Number.isInteger(value) || !numberFits(value, shape.integer ?? {})) wrong();
      return;
    case 'number':
      if (!Number.isFinite(value) || !numberFits(value, shape.number ?? {})) wrong();
      return;
    case 'enum':
      if (!shape.enum.includes(value)) wrong();
      return;
    case 'list':
      if (!Array.isArray(value) || !countFits(value.length, shape)) return wrong();
      for (let i = 0; i < value.length; i++) walk(shape.list, value[i], path + '/' + i, context, depth);
      return;
    case 'map': {
      const object = own(value);
      if (object === undefined) return wrong();
      for (const key of Object.keys(object)) walk(shape.map, object[key], path + '/' + escape(key), context, depth);
      return;
    }
    case 'ref':
      walkDefinition(shape.ref, value, path, context, depth);
      return;
    case 'anyOf': {
      const chosen = chosenBranch(shape, value, depth);
      if (chosen === true) return;
      if (chosen !== undefined && 'tag' in chosen) fail(context, path + '/' + escape(chosen.tag), chosen.expected, chosen.found);
      else if (chosen !== undefined) walk(chosen.shape, value, path, context, depth);
      else wrong();
      return;
    }
  }
}

function walkDefinition(name, value, path, context, depth) {
  const definition = shapes[name];
  const level = definition.recursive ? depth + 1 : 0;
  if (level > MAX_DEPTH) return fail(context, path, 'at most ' + MAX_DEPTH + ' levels', value);
  const { section } = context;
  context.section = definition.section;
  if ('alias' in definition) walk(definition.alias, value, path, context, level);
  else if ('payloads' in definition) walkVariants(definition, value, path, context, level);
  else {
    const object = own(value);
    if (object === undefined) fail(context, path, name, value);
    else {
      for (const key of Object.keys(definition.fields)) {
        const field = definition.fields[key];
        const content = member(object, key);
        if (content === undefined && !field.required) continue;
        context.section = field.section ?? definition.section;
        if (content === undefined) fail(context, path + '/' + escape(key), shapeText(field.type), content);
        else walk(field.type, content, path + '/' + escape(key), context, level);
      }
      context.section = definition.section;
      if (definition.closed) {
        for (const key in object) if (!Object.hasOwn(definition.fields, key)) fail(context, path + '/' + escape(key), 'no such field', object[key]);
      }
    }
  }
  context.section = section;
}

function walkVariants(definition, value, path, context, level) {
  walkDefinition(definition.model, value, path, context, level);
  const object = own(value);
  const tag = object === undefined ? undefined : member(object, definition.tag);
  if (typeof tag !== 'string' || !Object.hasOwn(definition.payloads, tag)) return;
  const content = member(object, definition.content);
  const at = path + '/' + escape(definition.content);
  const type = { ref: definition.payloads[tag] };
  if (content !== undefined) {
    // What the model itself finds wrong with the content is said already.
    if (!context.errors.some((error) => error.path === at || error.path.startsWith(at + '/'))) walk(type, content, at, context, level);
  } else if (definition.required.includes(tag) && !context.errors.some((error) => error.path === at)) fail(context, at, shapeText(type), content);
}

/** Yes or no, without looking at a part twice. */
function fits(shape, value, depth) {
  switch (kindOf(shape)) {
    case 'any':
      return value !== undefined;
    case 'ref':
      return tests[shape.ref](value, depth + 1);
    case 'anyOf':
      return shape.anyOf.some((branch) => fits(branch, value, depth));
    case 'list':
      return Array.isArray(value) && countFits(value.length, shape) && value.every((item) => fits(shape.list, item, depth));
    case 'map': {
      const object = own(value);
      return object !== undefined && Object.keys(object).every((key) => fits(shape.map, object[key], depth));
    }
    default: {
      const context = { errors: [], section: '' };
      walk(shape, value, '', context, depth);
      return context.errors.length === 0;
    }
  }
}

/** A shape with its aliases and unions opened up: the branches that a value can take. */
export function branchesOf(shape) {
  const kind = kindOf(shape);
  if (kind === 'anyOf') return shape.anyOf.flatMap(branchesOf);
  if (kind === 'ref' && 'alias' in shapes[shape.ref]) {
    const { alias } = shapes[shape.ref];
    return ['anyOf', 'ref'].includes(kindOf(alias)) ? branchesOf(alias) : [shape];
  }
  return [shape];
}

/** The kind of JSON value that a branch is about. */
export function jsonKindOf(shape) {
  const kind = kindOf(shape);
  if (kind === 'ref') return 'alias' in shapes[shape.ref] ? jsonKindOf(shapes[shape.ref].alias) : 'object';
  return { list: 'array', map: 'object' }[kind] ?? kind;
}

/**
 * The branch of a union whose violations tell most: the only one for that kind of value, or the one that a fixed field names.
 * True where the value fits; undefined where no branch stands out.
 */
function chosenBranch(shape, value, depth) {
  if (shape.anyOf.some((branch) => fits(branch, value, depth))) return true;
  const wanted = Array.isArray(value) ? 'array' : typeof value === 'object' && value !== null ? 'object' : undefined;
  if (wanted === undefined) return undefined;
  const candidates = branchesOf(shape).filter((branch) => jsonKindOf(branch) === wanted);
  if (candidates.length === 1) return { shape: candidates[0] };
  if (wanted !== 'object' || candidates.length === 0 || !candidates.every((branch) => kindOf(branch) === 'ref' && 'fields' in shapes[branch.ref])) return undefined;
  const object = own(value);
  const tagOf = (branch) => Object.entries(shapes[branch.ref].fields).filter(([, field]) => field.required && kindOf(field.type) === 'enum').map(([name]) => name);
  const tag = tagOf(candidates[0]).find((name) => candidates.every((branch) => tagOf(branch).includes(name)));
  if (tag === undefined) return undefined;
  const matching = candidates.filter((branch) => shapes[branch.ref].fields[tag].type.enum.includes(member(object, tag)));
  if (matching.length === 1) return { shape: matching[0] };
  if (matching.length > 1) return undefined;
  return { tag, found: member(object, tag), expected: candidates.flatMap((branch) => shapes[branch.ref].fields[tag].type.enum).map((literal) => JSON.stringify(literal)).join(' | ') };
}

/** The violations of a value against a model: an empty list means that it fits. */
export function check(name, value) {
  if (!Object.hasOwn(shapes, name)) throw new RangeError('There is no model "' + name + '".');
  if (tests[name](value, 1)) return [];
  const context = { errors: [], section: shapes[name].section };
  walkDefinition(name, value, '', context, 0);
  return context.errors;
}

/** The same for a shape that has no name. */
export function violationsOf(shape, value) {
  const context = { errors: [], section: '' };
  walk(shape, value, '', context, 0);
  return context.errors;
}

/** The value as a reader has it: defaults filled in, unknown fields kept. The value must fit the model. */
export function read(name, value) {
  if (!Object.hasOwn(shapes, name)) throw new RangeError('There is no model "' + name + '".');
  return filled({ ref: name }, value, 0);
}

function filled(shape, value, depth) {
  switch (kindOf(shape)) {
    case 'list':
      return Array.isArray(value) ? value.map((item) => filled(shape.list, item, depth)) : value;
    case 'map': {
      const object = own(value);
      return object === undefined ? value : Object.fromEntries(Object.keys(object).map((key) => [key, filled(shape.map, object[key], depth)]));
    }
    case 'anyOf': {
      const branch = shape.anyOf.find((candidate) => fits(candidate, value, depth));
      return branch === undefined ? value : filled(branch, value, depth);
    }
    case 'ref': {
      const definition = shapes[shape.ref];
      const level = definition.recursive ? depth + 1 : 0;
      if (level > MAX_DEPTH) return value;
      if ('alias' in definition) return filled(definition.alias, value, level);
      if ('payloads' in definition) return filledVariant(definition, value, level);
      const object = own(value);
      if (object === undefined) return value;
      const names = Object.keys(definition.fields);
      const known = names.flatMap((name) => {
        const field = definition.fields[name];
        const content = member(object, name) === undefined ? structuredClone(field.default) : member(object, name);
        return content === undefined ? [] : [[name, filled(field.type, content, level)]];
      });
      const extra = Object.keys(object).filter((key) => !Object.hasOwn(definition.fields, key)).map((key) => [key, object[key]]);
      return Object.fromEntries([...known, ...extra]);
    }
    default:
      return value;
  }
}

function filledVariant(definition, value, level) {
  const whole = filled({ ref: definition.model }, value, level);
  const tag = whole?.[definition.tag];
  if (typeof tag !== 'string' || !Object.hasOwn(definition.payloads, tag)) return whole;
  return { ...whole, [definition.content]: filled({ ref: definition.payloads[tag] }, whole[definition.content], level) };
}
`;
