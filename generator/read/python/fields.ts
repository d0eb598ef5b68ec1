// One field of a class: its annotation, its default, its limits and what is said about it.
import type { SyntaxNode } from '@lezer/common';
import type { Bounds, DefaultExpr, FieldExpr, TypeExpr } from '../../model.ts';
import { typeOf } from './annotations.ts';
import { literalValue, stringValue } from './literals.ts';
import { type Argument, firstLine, readArguments } from './statements.ts';
import { childrenOf, nameOf, type Python, placeOf, refuse, textOf } from './syntax.ts';

export function readField(python: Python, statement: SyntaxNode): FieldExpr {
  const [target, annotation, assign, value, ...rest] = childrenOf(statement);
  if (
    statement.name !== 'AssignStatement' ||
    target?.name !== 'VariableName' ||
    annotation?.name !== 'TypeDef' ||
    rest.length > 0 ||
    (assign !== undefined && (assign.name !== 'AssignOp' || value === undefined))
  ) {
    return refuse(python, statement, `"${firstLine(textOf(python, statement))}" is not a field.`, insteadOf(statement));
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

interface FieldSettings {
  readonly default?: DefaultExpr;
  readonly bounds?: Bounds;
  readonly doc?: string;
}

function readDefault(python: Python, node: SyntaxNode): FieldSettings {
  if (node.name !== 'CallExpression') {
    if (node.name === 'Ellipsis') return {};
    const member = enumMember(python, node);
    if (member !== undefined) return { default: member };
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

/** `Speed.SLOW` */
function enumMember(python: Python, node: SyntaxNode): DefaultExpr | undefined {
  const [owner, dot, property, ...rest] = node.name === 'MemberExpression' ? childrenOf(node) : [];
  if (owner?.name !== 'VariableName' || dot?.name !== '.' || property?.name !== 'PropertyName' || rest.length > 0)
    return undefined;
  return {
    kind: 'member',
    name: nameOf(python, owner),
    member: nameOf(python, property),
    place: placeOf(python, node),
  };
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

/** What to do about a statement in a class that is no field. */
function insteadOf(statement: SyntaxNode): string {
  switch (statement.name) {
    case 'FunctionDefinition':
    case 'DecoratedStatement':
      return 'Leave it out: methods and validators are not on the wire. State a bound with Field(ge=…, max_length=…, pattern=…).';
    case 'ClassDefinition':
      return 'Put the class outside of this one; instead of `class Config` write `model_config = ConfigDict(extra="forbid")`.';
    default:
      return 'Write `name: type` or `name: type = default`.';
  }
}
