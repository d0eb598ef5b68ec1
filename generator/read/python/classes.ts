// Classes → declarations: bases, annotated fields with defaults, what the class says about extra fields; enums too.
import type { SyntaxNode } from '@lezer/common';
import type { Bounds, Declaration, DefaultExpr, Extra, FieldExpr, LiteralValue, TypeExpr } from '../../model.ts';
import { typeOf } from './annotations.ts';
import { literalValue, stringValue } from './literals.ts';
import { childrenOf, commaSeparated, nameOf, type Python, placeOf, refuse, textOf } from './syntax.ts';

/** Bases that say "this is a model" and add no fields. */
const MODEL_ROOTS = new Set(['BaseModel', 'object']);
const ENUM_ROOTS = new Set(['Enum', 'StrEnum', 'IntEnum']);

interface Argument {
  readonly name?: string;
  readonly value: SyntaxNode;
}

export function readClass(python: Python, node: SyntaxNode): Declaration {
  const parts = childrenOf(node);
  const [keyword, nameNode, ...rest] = parts;
  const args = rest.length === 2 ? rest[0] : undefined;
  const body = rest.at(-1);
  if (
    keyword?.name !== 'class' ||
    nameNode?.name !== 'VariableName' ||
    body?.name !== 'Body' ||
    rest.length > 2 ||
    (args !== undefined && args.name !== 'ArgList')
  ) {
    return refuse(python, node, 'This class has parts that are not understood.');
  }
  const name = nameOf(python, nameNode);
  if (name.startsWith('__')) refuse(python, nameNode, `"${name}" is a name of Python itself.`, 'Choose another name.');
  const place = placeOf(python, node);
  const bases: { name: string; place: ReturnType<typeof placeOf> }[] = [];
  let extra: Extra | undefined;
  for (const argument of args === undefined ? [] : readArguments(python, args)) {
    if (argument.name === 'extra') extra = extraValue(python, argument.value);
    else if (argument.name !== undefined)
      refuse(
        python,
        argument.value,
        `The class option "${argument.name}" is not understood.`,
        'Only extra="forbid", "allow" or "ignore" is.',
      );
    else bases.push({ name: baseName(python, argument.value), place: placeOf(python, argument.value) });
  }
  const statements = bodyStatements(python, body);
  const doc = docOf(python, statements);
  if (bases.some((base) => ENUM_ROOTS.has(base.name)))
    return {
      kind: 'enum',
      name,
      members: enumMembers(python, statements),
      place,
      ...(doc === undefined ? {} : { doc }),
    };

  const fields: FieldExpr[] = [];
  for (const statement of statements) {
    if (isIdle(statement)) continue;
    const config = configOf(python, statement);
    if (config !== undefined) {
      extra = config.extra ?? extra;
      continue;
    }
    const field = readField(python, statement);
    if (fields.some((other) => other.name === field.name))
      refuse(python, statement, `The field "${field.name}" stands twice in ${name}.`, 'Remove one of the two.');
    fields.push(field);
  }
  return {
    kind: 'class',
    name,
    bases: bases.filter((base) => !MODEL_ROOTS.has(base.name)),
    fields,
    place,
    ...(extra === undefined ? {} : { extra }),
    ...(doc === undefined ? {} : { doc }),
  };
}

/** `(a, b, name=value)`; Python wants the named ones last. */
export function readArguments(python: Python, list: SyntaxNode): Argument[] {
  const tokens = childrenOf(list);
  if (tokens[0]?.name !== '(' || tokens.at(-1)?.name !== ')')
    return refuse(python, list, 'These brackets are not whole.');
  const seen = new Set<string>();
  return commaSeparated(python, tokens.slice(1, -1)).map((item) => {
    const [first, operator, value, ...rest] = item;
    if (first === undefined || rest.length > 0)
      return refuse(python, first ?? list, 'This argument is not understood.');
    if (operator === undefined) {
      if (seen.size > 0)
        refuse(python, first, 'An argument without a name stands after one with a name.', 'Put it first.');
      return { value: first };
    }
    if (
      operator.name !== 'AssignOp' ||
      textOf(python, operator) !== '=' ||
      value === undefined ||
      first.name !== 'VariableName'
    )
      return refuse(python, first, 'This argument is not understood.');
    const name = nameOf(python, first);
    if (seen.has(name)) refuse(python, first, `The argument "${name}" is given twice.`, 'Remove one.');
    seen.add(name);
    return { name, value };
  });
}

function baseName(python: Python, node: SyntaxNode): string {
  if (node.name === 'VariableName') return nameOf(python, node);
  const [module, dot, property, ...rest] = node.name === 'MemberExpression' ? childrenOf(node) : [];
  if (
    dot?.name === '.' &&
    property?.name === 'PropertyName' &&
    rest.length === 0 &&
    module !== undefined &&
    ['pydantic', 'enum'].includes(textOf(python, module))
  ) {
    return nameOf(python, property);
  }
  return refuse(
    python,
    node,
    `"${textOf(python, node)}" is not a base class that is understood.`,
    'Name a class of the document, or BaseModel.',
  );
}

/** The statements of a body; `a; b` counts as two. */
export function bodyStatements(python: Python, body: SyntaxNode): SyntaxNode[] {
  const [colon, ...statements] = childrenOf(body);
  if (colon?.name !== ':' || statements.length === 0)
    return refuse(python, body, 'This block is empty.', 'Add its lines, indented; or `pass`.');
  return statements.flatMap(ungroup);
}

export const ungroup = (statement: SyntaxNode): SyntaxNode[] =>
  statement.name === 'StatementGroup' ? childrenOf(statement).filter((child) => child.name !== ';') : [statement];

/** `pass`, `...` and text that stands alone say nothing about the shape. */
export function isIdle(statement: SyntaxNode): boolean {
  if (statement.name === 'PassStatement') return true;
  const inner = statement.name === 'ExpressionStatement' ? childrenOf(statement) : [];
  return inner.length === 1 && ['Ellipsis', 'String', 'ContinuedString'].includes(inner[0]?.name ?? '');
}

function docOf(python: Python, statements: readonly SyntaxNode[]): string | undefined {
  const first = statements[0];
  const inner = first?.name === 'ExpressionStatement' ? childrenOf(first)[0] : undefined;
  if (inner === undefined || !['String', 'ContinuedString'].includes(inner.name)) return undefined;
  return stringValue(python, inner).trim().replace(/\s+/gu, ' ') || undefined;
}

function readField(python: Python, statement: SyntaxNode): FieldExpr {
  const [target, annotation, assign, value, ...rest] = childrenOf(statement);
  if (
    statement.name !== 'AssignStatement' ||
    target?.name !== 'VariableName' ||
    annotation?.name !== 'TypeDef' ||
    rest.length > 0 ||
    (assign !== undefined && (assign.name !== 'AssignOp' || value === undefined))
  ) {
    return refuse(
      python,
      statement,
      `"${firstLine(textOf(python, statement))}" is not a field.`,
      'Write `name: type` or `name: type = default`.',
    );
  }
  const name = nameOf(python, target);
  if (name.startsWith('_'))
    refuse(
      python,
      target,
      `"${name}" begins with an underscore: that is private to Python and never on the wire.`,
      'Rename the field, or leave it out.',
    );
  const [colon, typeNode, ...more] = childrenOf(annotation);
  if (colon?.name !== ':' || typeNode === undefined || more.length > 0)
    return refuse(python, annotation, 'This annotation is not whole.');
  const written = typeOf(python, typeNode);
  const settings = value === undefined ? {} : readDefault(python, value);
  const doc = settings.doc ?? commentsOf(python, statement);
  return {
    name,
    type: settings.bounds === undefined ? written : bounded(python, value ?? statement, written, settings.bounds),
    place: placeOf(python, target),
    ...(settings.default === undefined ? {} : { default: settings.default }),
    ...(doc === undefined ? {} : { doc }),
  };
}

const firstLine = (text: string): string => (text.includes('\n') ? `${text.slice(0, text.indexOf('\n'))} …` : text);

interface FieldSettings {
  readonly default?: DefaultExpr;
  readonly bounds?: Bounds;
  readonly doc?: string;
}

function readDefault(python: Python, node: SyntaxNode): FieldSettings {
  if (node.name !== 'CallExpression') {
    if (node.name === 'Ellipsis') return {};
    return { default: { kind: 'value', value: literalValue(python, node) } };
  }
  const [callee, args] = childrenOf(node);
  if (callee?.name !== 'VariableName' || args?.name !== 'ArgList')
    return refuse(
      python,
      node,
      `"${textOf(python, node)}" is not a default that is understood.`,
      'Give a plain value, or `Class()`.',
    );
  const name = nameOf(python, callee);
  const given = readArguments(python, args);
  if (name === 'Field') return fieldSettings(python, node, given);
  if (given.length > 0)
    refuse(
      python,
      args,
      `The default ${name}(…) has arguments, which are not understood.`,
      `Write ${name}() and give the defaults in that class.`,
    );
  return { default: instance(python, callee, name) };
}

function instance(python: Python, node: SyntaxNode, name: string): DefaultExpr {
  if (name === 'list') return { kind: 'value', value: [] };
  if (name === 'dict') return { kind: 'value', value: {} };
  return { kind: 'instance', name, place: placeOf(python, node) };
}

const BOUNDS: Readonly<Record<string, keyof Bounds>> = {
  ge: 'minimum',
  le: 'maximum',
  gt: 'exclusiveMinimum',
  lt: 'exclusiveMaximum',
  min_length: 'minLength',
  max_length: 'maxLength',
  pattern: 'pattern',
};

function fieldSettings(python: Python, node: SyntaxNode, given: readonly Argument[]): FieldSettings {
  let fallback: DefaultExpr | undefined;
  let doc: string | undefined;
  const bounds: Record<string, number | string> = {};
  for (const { name, value } of given) {
    if (name === undefined || name === 'default') {
      if (value.name !== 'Ellipsis') fallback = readDefault(python, value).default;
    } else if (name === 'default_factory') {
      if (value.name !== 'VariableName')
        refuse(python, value, 'A default_factory must be list, dict or a class.', 'Name it without brackets.');
      fallback = instance(python, value, nameOf(python, value));
    } else if (name === 'description') doc = stringValue(python, value);
    else if (Object.hasOwn(BOUNDS, name)) {
      const limit = literalValue(python, value);
      if (typeof limit !== (name === 'pattern' ? 'string' : 'number'))
        refuse(python, value, `${name} takes a ${name === 'pattern' ? 'string' : 'number'}.`, 'Give a plain value.');
      bounds[BOUNDS[name] as string] = limit as number | string;
    } else
      refuse(
        python,
        value,
        `Field(${name}=…) is not understood.`,
        `Field takes default, default_factory, description, ${Object.keys(BOUNDS).join(', ')}.`,
      );
  }
  if (typeof bounds['pattern'] === 'string') {
    try {
      new RegExp(bounds['pattern'], 'u');
    } catch {
      refuse(
        python,
        node,
        `"${bounds['pattern']}" is no regular expression that JSON Schema takes.`,
        'Use the common subset of ECMA-262.',
      );
    }
  }
  return {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(Object.keys(bounds).length === 0 ? {} : { bounds }),
    ...(doc === undefined ? {} : { doc }),
  };
}

/** Limits bind the members of a union that they fit; one that fits none is a mistake. */
function bounded(python: Python, node: SyntaxNode, type: TypeExpr, bounds: Bounds): TypeExpr {
  const { minLength, maxLength, pattern, ...numeric } = bounds;
  const textual = clean({ minLength, maxLength, pattern });
  const counted = clean({ minItems: minLength, maxItems: maxLength });
  let used = false;
  const apply = (member: TypeExpr): TypeExpr => {
    const own =
      member.kind === 'string'
        ? textual
        : member.kind === 'integer' || member.kind === 'number'
          ? clean(numeric)
          : member.kind === 'list'
            ? counted
            : {};
    if (Object.keys(own).length === 0) return member;
    used = true;
    return { ...member, bounds: own } as TypeExpr;
  };
  const result: TypeExpr = type.kind === 'union' ? { ...type, members: type.members.map(apply) } : apply(type);
  if (!used)
    refuse(
      python,
      node,
      'These limits fit no part of the annotation.',
      'Lengths bind str and list, the others int and float.',
    );
  return result;
}

const clean = (bounds: Record<string, number | string | undefined>): Bounds =>
  Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined));

/** The comment behind a field, or the comment lines right above it. */
function commentsOf(python: Python, statement: SyntaxNode): string | undefined {
  const { text } = python;
  const end = text.indexOf('\n', statement.to);
  const behind = /^\s*#\s?(.*)$/u.exec(text.slice(statement.to, end < 0 ? text.length : end));
  if (behind !== null) return behind[1]?.trim() || undefined;
  const above: string[] = [];
  const before = text.slice(0, statement.from).split('\n').slice(0, -1);
  for (let line = before.pop(); line !== undefined && /^\s*#/u.test(line); line = before.pop())
    above.unshift(line.replace(/^\s*#+\s?/u, '').trim());
  return above.join(' ').trim() || undefined;
}

function configOf(python: Python, statement: SyntaxNode): { extra?: Extra } | undefined {
  const [target, assign, value, ...rest] = childrenOf(statement);
  if (
    statement.name !== 'AssignStatement' ||
    target?.name !== 'VariableName' ||
    textOf(python, target) !== 'model_config'
  )
    return undefined;
  if (assign?.name !== 'AssignOp' || value === undefined || rest.length > 0)
    return refuse(
      python,
      statement,
      'This model_config is not understood.',
      'Write model_config = ConfigDict(extra="forbid").',
    );
  let extra: Extra | undefined;
  const members = value.name === 'DictionaryExpression' ? dictMembers(python, value) : callMembers(python, value);
  for (const [name, node] of members) {
    if (name === 'extra') extra = extraValue(python, node);
    else if (
      ![
        'frozen',
        'title',
        'populate_by_name',
        'validate_assignment',
        'from_attributes',
        'use_enum_values',
        'arbitrary_types_allowed',
      ].includes(name)
    ) {
      refuse(
        python,
        node,
        `model_config "${name}" may change what is on the wire and is not understood.`,
        'Only extra= says something about the shape.',
      );
    }
  }
  return extra === undefined ? {} : { extra };
}

function callMembers(python: Python, value: SyntaxNode): [string, SyntaxNode][] {
  const [callee, args] = value.name === 'CallExpression' ? childrenOf(value) : [];
  if (
    callee === undefined ||
    args?.name !== 'ArgList' ||
    !['ConfigDict', 'pydantic.ConfigDict'].includes(textOf(python, callee))
  ) {
    return refuse(
      python,
      value,
      'This model_config is not understood.',
      'Write model_config = ConfigDict(extra="forbid").',
    );
  }
  return readArguments(python, args).map(({ name, value: node }) => [
    name ?? refuse(python, node, 'ConfigDict takes named arguments only.', 'Write extra="forbid".'),
    node,
  ]);
}

function dictMembers(python: Python, value: SyntaxNode): [string, SyntaxNode][] {
  return commaSeparated(python, childrenOf(value).slice(1, -1)).map(([key, colon, node, ...rest]) => {
    if (key === undefined || colon?.name !== ':' || node === undefined || rest.length > 0)
      return refuse(python, value, 'This model_config is not understood.');
    return [stringValue(python, key), node];
  });
}

function extraValue(python: Python, node: SyntaxNode): Extra {
  const value = stringValue(python, node);
  if (value !== 'forbid' && value !== 'allow' && value !== 'ignore')
    return refuse(python, node, `extra="${value}" is not a setting.`, 'Use "forbid", "allow" or "ignore".');
  return value;
}

function enumMembers(python: Python, statements: readonly SyntaxNode[]): { name: string; value: LiteralValue }[] {
  const members: { name: string; value: LiteralValue }[] = [];
  for (const statement of statements) {
    if (isIdle(statement)) continue;
    const [target, assign, value, ...rest] = childrenOf(statement);
    if (
      statement.name !== 'AssignStatement' ||
      target?.name !== 'VariableName' ||
      assign?.name !== 'AssignOp' ||
      value === undefined ||
      rest.length > 0
    ) {
      return refuse(
        python,
        statement,
        `"${firstLine(textOf(python, statement))}" is not a member of an enum.`,
        'Write `NAME = "value"`.',
      );
    }
    const name = nameOf(python, target);
    const literal = literalValue(python, value);
    if (typeof literal === 'object' && literal !== null)
      return refuse(python, value, 'The value of an enum member must be plain.', 'Give a string or a number.');
    if (members.some((member) => member.name === name))
      return refuse(python, target, `"${name}" stands twice.`, 'Remove one.');
    members.push({ name, value: literal as LiteralValue });
  }
  return members;
}
