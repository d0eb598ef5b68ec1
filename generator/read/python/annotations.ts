// Annotations → types. An allow-list: a shape that is not in it is an error, never a guess.
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import { Unreadable } from '../../diagnostics.ts';
import type { LiteralValue, Place, TypeExpr } from '../../model.ts';
import { inParentheses, literalValue, stringValue } from './literals.ts';
import { childrenOf, commaSeparated, nameOf, type Python, placeOf, refuse, textOf } from './syntax.ts';

const REMEDY =
  'Use str, int, float, bool, Any, None, list[…], dict[str, …], Literal[…], Optional[…], Union[…], X | Y, or the name of a class or alias.';

const PLAIN: Readonly<Record<string, TypeExpr>> = {
  str: { kind: 'string' },
  int: { kind: 'integer' },
  float: { kind: 'number' },
  bool: { kind: 'boolean' },
  Any: { kind: 'any' },
  object: { kind: 'any' },
  None: { kind: 'null' },
  list: { kind: 'list', items: { kind: 'any' } },
  List: { kind: 'list', items: { kind: 'any' } },
  dict: { kind: 'map', values: { kind: 'any' } },
  Dict: { kind: 'map', values: { kind: 'any' } },
};

/** Deep enough for any annotation that a person reads. */
const MAX_DEPTH = 64;

export function typeOf(python: Python, node: SyntaxNode, depth = 0): TypeExpr {
  if (depth > MAX_DEPTH)
    return refuse(
      python,
      node,
      `This annotation is nested more than ${MAX_DEPTH} deep.`,
      'Name its parts with aliases.',
    );
  switch (node.name) {
    case 'VariableName':
      return named(python, node, nameOf(python, node));
    case 'None':
      return { kind: 'null' };
    case 'String':
    case 'ContinuedString':
      return quoted(python, node, depth);
    case 'ParenthesizedExpression':
      return typeOf(python, inParentheses(python, node), depth + 1);
    case 'BinaryExpression':
      return union(unionParts(python, node).map((part) => typeOf(python, part, depth + 1)));
    case 'MemberExpression':
      return member(python, node, depth);
    default:
      return refuse(python, node, `"${textOf(python, node)}" is not an annotation that is understood.`, REMEDY);
  }
}

function named(python: Python, node: SyntaxNode, name: string): TypeExpr {
  if (Object.hasOwn(PLAIN, name)) return PLAIN[name] as TypeExpr;
  if (['Literal', 'Optional', 'Union'].includes(name))
    return refuse(python, node, `"${name}" needs its members in brackets.`, REMEDY);
  if (['tuple', 'Tuple', 'set', 'Set', 'frozenset', 'bytes'].includes(name))
    return refuse(python, node, `"${name}" has no JSON form of its own.`, REMEDY);
  return { kind: 'ref', name, place: placeOf(python, node) };
}

/** `A | B | C` without recursion: the parser nests it to the left. */
function unionParts(python: Python, node: SyntaxNode): SyntaxNode[] {
  const parts: SyntaxNode[] = [];
  let left: SyntaxNode = node;
  while (left.name === 'BinaryExpression') {
    const [first, operator, second, ...rest] = childrenOf(left);
    if (
      first === undefined ||
      second === undefined ||
      rest.length > 0 ||
      operator?.name !== 'BitOp' ||
      textOf(python, operator) !== '|'
    ) {
      return refuse(
        python,
        operator ?? left,
        `"${operator === undefined ? textOf(python, left) : textOf(python, operator)}" cannot stand in an annotation.`,
        REMEDY,
      );
    }
    parts.push(second);
    left = first;
  }
  parts.push(left);
  return parts.reverse();
}

/** A union without repetition and without unions inside; one member stands alone. */
export function union(members: readonly TypeExpr[]): TypeExpr {
  const flat = members.flatMap((member) => (member.kind === 'union' ? member.members : [member]));
  const seen = new Set<string>();
  const kept = flat.filter((member) => {
    const key = JSON.stringify(member, (name, value) => (name === 'place' ? undefined : value));
    return seen.has(key) ? false : seen.add(key);
  });
  return kept.length === 1 ? (kept[0] as TypeExpr) : { kind: 'union', members: kept };
}

/** `"Forward"`: the text inside the quotes is an annotation of its own. */
function quoted(python: Python, node: SyntaxNode, depth: number): TypeExpr {
  const text = stringValue(python, node);
  const expression = soleExpression(text);
  if (expression === undefined) return refuse(python, node, `"${text}" in quotes is not an annotation.`, REMEDY);
  return typeOf(
    { ...python, text, placeAt: (offset) => python.placeAt(node.from + 1 + offset) },
    expression,
    depth + 1,
  );
}

/** An annotation that stands alone, as in a table cell. */
export function readAnnotation(text: string, place: Place): TypeExpr {
  const expression = soleExpression(text);
  if (expression === undefined) throw new Unreadable('python-shape', `"${text}" is not an annotation.`, place, REMEDY);
  const placeAt = (offset: number): Place => ({ ...place, column: place.column + offset });
  return typeOf({ text, placeAt, warn: () => {} }, expression);
}

function soleExpression(text: string): SyntaxNode | undefined {
  const tree = parser.parse(text);
  const [statement, more] = childrenOf(tree.topNode);
  const [expression, rest] = statement?.name === 'ExpressionStatement' ? childrenOf(statement) : [];
  let broken = false;
  tree.iterate({
    enter: (node) => {
      broken ||= node.type.isError;
    },
  });
  return broken || more !== undefined || rest !== undefined || /^\s|\n/u.test(text) ? undefined : expression;
}

function member(python: Python, node: SyntaxNode, depth: number): TypeExpr {
  const [base, bracket, ...rest] = childrenOf(node);
  if (base === undefined || bracket === undefined) return refuse(python, node, 'This annotation is not whole.', REMEDY);
  if (bracket.name === '.') {
    const property = rest[0];
    if (
      base.name === 'VariableName' &&
      textOf(python, base) === 'typing' &&
      property !== undefined &&
      rest.length === 1
    ) {
      return named(python, node, nameOf(python, property));
    }
    return refuse(python, node, `"${textOf(python, node)}" is a name with a dot, which no document defines.`, REMEDY);
  }
  const close = rest.at(-1);
  if (bracket.name !== '[' || close?.name !== ']') return refuse(python, node, 'These brackets are not whole.', REMEDY);
  const items = commaSeparated(python, rest.slice(0, -1));
  const args = items.map((item) => {
    const [only, more] = item;
    if (only === undefined || more !== undefined)
      return refuse(python, more ?? node, 'One annotation was expected here.', REMEDY);
    return only;
  });
  if (args.length === 0) return refuse(python, node, 'There is nothing in these brackets.', REMEDY);
  return subscript(python, node, genericName(python, base), args, depth + 1);
}

function genericName(python: Python, base: SyntaxNode): string {
  const [root, dot, property] = base.name === 'MemberExpression' ? childrenOf(base) : [];
  if (
    root?.name === 'VariableName' &&
    textOf(python, root) === 'typing' &&
    dot?.name === '.' &&
    property?.name === 'PropertyName'
  )
    return textOf(python, property);
  if (base.name !== 'VariableName') return refuse(python, base, `"${textOf(python, base)}" takes no brackets.`, REMEDY);
  return nameOf(python, base);
}

function subscript(
  python: Python,
  node: SyntaxNode,
  name: string,
  args: readonly SyntaxNode[],
  depth: number,
): TypeExpr {
  const [first, second] = args as [SyntaxNode, SyntaxNode | undefined];
  const exactly = (count: number): void => {
    if (args.length !== count)
      refuse(
        python,
        node,
        `${name}[…] takes ${count} ${count === 1 ? 'member' : 'members'}, not ${args.length}.`,
        REMEDY,
      );
  };
  switch (name) {
    case 'list':
    case 'List':
      exactly(1);
      return { kind: 'list', items: typeOf(python, first, depth) };
    case 'dict':
    case 'Dict': {
      exactly(2);
      const key = typeOf(python, first, depth);
      if (key.kind !== 'string' && key.kind !== 'any')
        return refuse(python, first, 'The keys of a JSON object are strings.', 'Write dict[str, …].');
      return { kind: 'map', values: typeOf(python, second as SyntaxNode, depth) };
    }
    case 'Optional':
      exactly(1);
      return union([typeOf(python, first, depth), { kind: 'null' }]);
    case 'Union':
      return union(args.map((arg) => typeOf(python, arg, depth)));
    case 'Literal':
      return { kind: 'literal', values: [...new Set(args.flatMap((arg) => literalMember(python, arg, depth)))] };
    default:
      return refuse(python, node, `"${name}[…]" is not an annotation that is understood.`, REMEDY);
  }
}

function literalMember(python: Python, node: SyntaxNode, depth: number): LiteralValue[] {
  if (node.name === 'MemberExpression') {
    const nested = typeOf(python, node, depth);
    return nested.kind === 'literal'
      ? [...nested.values]
      : refuse(python, node, 'Literal[…] holds plain values.', 'Write the value itself.');
  }
  const value = literalValue(python, node);
  if (typeof value === 'object' && value !== null)
    return refuse(python, node, 'Literal[…] holds strings, numbers, True, False and None.', 'Write plain values.');
  if (typeof value === 'number' && !Number.isInteger(value))
    return refuse(python, node, 'Python takes no float in Literal[…].', 'Use an integer or a string.');
  return [value as LiteralValue];
}
