// Classes → declarations: bases, annotated fields with defaults, what the class says about extra fields; enums too.
import type { SyntaxNode } from '@lezer/common';
import type { Declaration, Extra, FieldExpr, LiteralValue } from '../../model.ts';
import { typeOf } from './annotations.ts';
import { configOf, extraValue } from './class-config.ts';
import { readField } from './fields.ts';
import { literalValue, stringValue } from './literals.ts';
import { bodyStatements, firstLine, isIdle, readArguments } from './statements.ts';
import { childrenOf, nameOf, type Python, passOver, placeOf, refuse, textOf } from './syntax.ts';

/** Bases that say "this is a model" and add no fields. */
const MODEL_ROOTS = new Set(['BaseModel', 'object']);
const ENUM_ROOTS = new Set(['Enum', 'StrEnum', 'IntEnum']);

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
    if (isStub(python, statement)) {
      passOver(python, statement, `"${firstLine(textOf(python, statement))}" is a method: it is not on the wire.`);
      continue;
    }
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

/** `def to_text(self) -> str: ...`: a method without a body. One with a body, or a decorated one, may change what is valid. */
function isStub(python: Python, statement: SyntaxNode): boolean {
  if (statement.name !== 'FunctionDefinition') return false;
  const parts = childrenOf(statement);
  const body = parts.at(-1);
  const [keyword, name, parameters, returns, ...rest] = parts.slice(0, -1);
  if (keyword?.name !== 'def' || name?.name !== 'VariableName' || body?.name !== 'Body' || rest.length > 0)
    return false;
  if (parameters === undefined || textOf(python, parameters) !== '(self)') return false;
  nameOf(python, name);
  const type = returns?.name === 'TypeDef' ? childrenOf(returns).at(-1) : undefined;
  if (type !== undefined) typeOf(python, type);
  return (returns === undefined || type !== undefined) && bodyStatements(python, body).every(isIdle);
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

function docOf(python: Python, statements: readonly SyntaxNode[]): string | undefined {
  const first = statements[0];
  const inner = first?.name === 'ExpressionStatement' ? childrenOf(first)[0] : undefined;
  if (inner === undefined || !['String', 'ContinuedString'].includes(inner.name)) return undefined;
  return stringValue(python, inner).trim().replace(/\s+/gu, ' ') || undefined;
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
