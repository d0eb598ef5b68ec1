// What every reader of statements needs: bodies, arguments, and statements that say nothing.
import type { SyntaxNode } from '@lezer/common';
import { childrenOf, commaSeparated, nameOf, type Python, refuse, textOf } from './syntax.ts';

export interface Argument {
  readonly name?: string;
  readonly value: SyntaxNode;
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

/** The first line of a longer text, for messages. */
export const firstLine = (text: string): string =>
  text.includes('\n') ? `${text.slice(0, text.indexOf('\n'))} …` : text;
