// Python literals → JSON values: strings with their escapes, numbers, True, False, None, lists and dictionaries of them.
import type { SyntaxNode } from '@lezer/common';
import type { JsonValue } from '../../../common/json.ts';
import { childrenOf, commaSeparated, type Python, refuse, textOf } from './syntax.ts';

export function literalValue(python: Python, node: SyntaxNode): JsonValue {
  switch (node.name) {
    case 'String':
    case 'ContinuedString':
      return stringValue(python, node);
    case 'Number':
      return numberValue(python, node);
    case 'Boolean':
      return textOf(python, node) === 'True';
    case 'None':
      return null;
    case 'ParenthesizedExpression':
      return literalValue(python, inParentheses(python, node));
    case 'UnaryExpression': {
      const [sign, operand, ...rest] = childrenOf(node);
      if (sign?.name === 'ArithOp' && operand?.name === 'Number' && rest.length === 0) {
        const value = numberValue(python, operand);
        return textOf(python, sign) === '-' ? -value : value;
      }
      return refuse(python, node, `"${textOf(python, node)}" is not a plain value.`);
    }
    case 'ArrayExpression':
      return commaSeparated(python, childrenOf(node).slice(1, -1)).map((item) =>
        literalValue(python, only(python, item, node)),
      );
    case 'DictionaryExpression': {
      const members = commaSeparated(python, childrenOf(node).slice(1, -1)).map((item): [string, JsonValue] => {
        const [key, colon, value, ...rest] = item;
        if (key === undefined || colon?.name !== ':' || value === undefined || rest.length > 0)
          return refuse(python, item[0] ?? node, 'This is not `key: value`.');
        return [stringValue(python, key), literalValue(python, value)];
      });
      return Object.fromEntries(members);
    }
    default:
      return refuse(
        python,
        node,
        `"${textOf(python, node)}" is not a plain value.`,
        'Give a string, a number, True, False, None, a list or a dict of those.',
      );
  }
}

export function inParentheses(python: Python, node: SyntaxNode): SyntaxNode {
  const [open, inner, close, ...rest] = childrenOf(node);
  if (open?.name !== '(' || inner === undefined || close?.name !== ')' || rest.length > 0)
    return refuse(python, node, 'These parentheses hold more than one expression.');
  return inner;
}

function only(python: Python, item: readonly SyntaxNode[], within: SyntaxNode): SyntaxNode {
  const [first, second] = item;
  if (first === undefined || second !== undefined)
    return refuse(python, second ?? within, 'One value was expected here.');
  return first;
}

export function stringValue(python: Python, node: SyntaxNode): string {
  if (node.name === 'ContinuedString')
    return childrenOf(node)
      .map((part) => stringValue(python, part))
      .join('');
  if (node.name !== 'String')
    return refuse(python, node, `"${textOf(python, node)}" is not a string.`, 'Write it in quotes.');
  const text = textOf(python, node);
  const start = /^([rRuUbB]*)("""|'''|"|')/u.exec(text);
  const [, prefix = '', quote = ''] = start ?? [];
  const body = text.slice(prefix.length + quote.length, -quote.length);
  if (
    start === null ||
    !/^(?:[rRuU])?$/u.test(prefix) ||
    !text.endsWith(quote) ||
    text.length < prefix.length + 2 * quote.length
  ) {
    return refuse(python, node, 'This is not a text string.', 'Use plain quotes, without a prefix.');
  }
  if (quote.length === 1 && body.includes('\n') && !/\\\n/u.test(body))
    refuse(python, node, 'This string is not closed on its line.', `Add ${quote} at its end.`);
  return prefix.toLowerCase() === 'r' ? body : unescaped(python, node, body);
}

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unescaped(python: Python, node: SyntaxNode, body: string): string {
  return body.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/gu,
    (whole, octal, x, u, long, other) => {
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      const hex = x ?? u ?? long;
      if (hex !== undefined) {
        const code = Number.parseInt(hex, 16);
        if (code > 0x10ffff) refuse(python, node, `"${whole}" is beyond Unicode.`, 'Use a character that exists.');
        return String.fromCodePoint(code);
      }
      if (Object.hasOwn(SIMPLE, other)) return SIMPLE[other] as string;
      if ('xuUN'.includes(other))
        return refuse(
          python,
          node,
          `The escape "${whole}" in this string is not whole.`,
          'Complete it, or double the backslash.',
        );
      return whole;
    },
  );
}

const INTEGER = /^(?:0+(?:_?0)*|[1-9](?:_?[0-9])*|0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)$/u;
const DIGITS = '[0-9](?:_?[0-9])*';
const FLOAT = new RegExp(`^(?:${DIGITS})?\\.?(?:${DIGITS})?(?:[eE][+-]?${DIGITS})?$`, 'u');

export function numberValue(python: Python, node: SyntaxNode): number {
  const text = textOf(python, node);
  const whole = INTEGER.test(text);
  const value = Number(text.replaceAll('_', ''));
  if (!whole && (!FLOAT.test(text) || !/[.eE]/u.test(text)))
    return refuse(
      python,
      node,
      `"${text}" is not a number that Python takes.`,
      'Write a plain integer or decimal number.',
    );
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) {
    return refuse(python, node, `${text} is too large to be kept exactly.`, 'Use a number within ±(2^53 - 1).');
  }
  return value;
}
