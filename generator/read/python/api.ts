// `await api.history.page(limit=50)` → one call of the API surface.
import type { SyntaxNode } from '@lezer/common';
import type { ApiCall, ApiParameter } from '../../model.ts';
import { typeOf } from './annotations.ts';
import { literalValue } from './literals.ts';
import { bodyStatements, isIdle, readArguments } from './statements.ts';
import { childrenOf, nameOf, type Python, placeOf, refuse, textOf } from './syntax.ts';

/** The call that a statement shows, or undefined where it shows none. */
export function readApiCall(python: Python, statement: SyntaxNode, group: string | undefined): ApiCall | undefined {
  const parts = childrenOf(statement);
  if (statement.name === 'ForStatement') return streamCall(python, statement, parts, group);
  if (statement.name === 'ExpressionStatement') {
    const [expression, ...rest] = parts;
    return expression === undefined || rest.length > 0 ? undefined : awaited(python, expression, group);
  }
  // `page: HistoryPage = await api.history.page(…)` also says what the call answers.
  const value = statement.name === 'AssignStatement' ? parts.at(-1) : undefined;
  if (value?.name !== 'AwaitExpression') return undefined;
  const [target, annotation, assign, , ...rest] = parts;
  const type = annotation?.name === 'TypeDef' ? childrenOf(annotation)[1] : undefined;
  if (target?.name !== 'VariableName' || type === undefined || assign?.name !== 'AssignOp' || rest.length > 0) {
    return refuse(
      python,
      statement,
      'This call is not understood.',
      'Write `await api.name(…)` or `answer: Type = await api.name(…)`.',
    );
  }
  const call = awaited(python, value, group);
  return call === undefined ? undefined : { ...call, returns: typeOf(python, type) };
}

function awaited(python: Python, expression: SyntaxNode, group: string | undefined): ApiCall | undefined {
  if (expression.name === 'CallExpression') return callOf(python, expression, false, group);
  if (expression.name !== 'AwaitExpression') return undefined;
  const [, call, ...rest] = childrenOf(expression);
  if (call?.name !== 'CallExpression' || rest.length > 0)
    return refuse(python, expression, 'Only a call can be awaited here.', 'Write `await api.name(…)`.');
  return callOf(python, call, false, group);
}

/** `async for chunk in api.models.stream(…): ...` */
function streamCall(
  python: Python,
  statement: SyntaxNode,
  parts: readonly SyntaxNode[],
  group: string | undefined,
): ApiCall {
  const [async, loop, item, within, call, body, ...rest] = parts;
  const shape =
    async?.name === 'async' &&
    loop?.name === 'for' &&
    item?.name === 'VariableName' &&
    within?.name === 'in' &&
    call?.name === 'CallExpression' &&
    body?.name === 'Body' &&
    rest.length === 0;
  if (!shape || !bodyStatements(python, body).every(isIdle)) {
    return refuse(
      python,
      statement,
      'This loop is not understood.',
      'Write `async for item in api.name(…):` with `...` as its body.',
    );
  }
  nameOf(python, item);
  return callOf(python, call, true, group);
}

function callOf(python: Python, node: SyntaxNode, streams: boolean, group: string | undefined): ApiCall {
  const [callee, list, ...rest] = childrenOf(node);
  if (callee?.name !== 'MemberExpression' || list?.name !== 'ArgList' || rest.length > 0) {
    return refuse(python, node, `"${textOf(python, node)}" is not a call of the API.`, 'Write `api.family.name(…)`.');
  }
  const parameters = readArguments(python, list).map(({ name, value }): ApiParameter => {
    if (name !== undefined) return { name, default: literalValue(python, value) };
    if (value.name !== 'VariableName')
      return refuse(
        python,
        value,
        `"${textOf(python, value)}" is not the name of a parameter.`,
        'Write `name` or `name=default`.',
      );
    return { name: nameOf(python, value) };
  });
  for (const [index, { name }] of parameters.entries()) {
    if (parameters.findIndex((other) => other.name === name) < index)
      refuse(python, list, `The parameter "${name}" stands twice.`, 'Remove one.');
  }
  return {
    path: dotted(python, callee).slice(1),
    parameters,
    streams,
    place: placeOf(python, node),
    ...(group === undefined ? {} : { group }),
  };
}

function dotted(python: Python, node: SyntaxNode): string[] {
  const names: string[] = [];
  let left: SyntaxNode = node;
  while (left.name === 'MemberExpression') {
    const [object, dot, property, ...rest] = childrenOf(left);
    if (object === undefined || dot?.name !== '.' || property?.name !== 'PropertyName' || rest.length > 0)
      return refuse(python, left, 'This is not a dotted name.', 'Write `api.family.name(…)`.');
    names.unshift(nameOf(python, property));
    left = object;
  }
  if (left.name !== 'VariableName')
    return refuse(python, left, 'This is not a dotted name.', 'Write `api.family.name(…)`.');
  return [nameOf(python, left), ...names];
}
