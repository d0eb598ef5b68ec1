// The Python tree with texts and places, and the one way to refuse a shape: with its place and what to do.
import type { SyntaxNode } from '@lezer/common';
import { type Diagnostic, Unreadable } from '../../diagnostics.ts';
import type { Place } from '../../model.ts';

/** A piece of Python with its tree; `node` names follow @lezer/python's grammar. */
export interface Python {
  readonly text: string;
  readonly placeAt: (offset: number) => Place;
  readonly warn: (warning: Diagnostic) => void;
}

export const textOf = (python: Python, node: SyntaxNode): string => python.text.slice(node.from, node.to);

export const placeOf = (python: Python, node: SyntaxNode): Place => python.placeAt(node.from);

/** The children that mean something: all but comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'Comment') children.push(child);
  }
  return children;
}

const REMEDY =
  'Write it as a class with annotated fields, an alias, an enum or an API call; or mark the block ```text if it is no statement of the protocol.';

export function refuse(python: Python, node: SyntaxNode, what: string, remedy: string = REMEDY): never {
  throw new Unreadable('python-shape', what, placeOf(python, node), remedy);
}

/** For what is understood to say nothing about the wire: it is passed over, but never without a word. */
export function passOver(python: Python, node: SyntaxNode, what: string): void {
  python.warn({
    severity: 'warning',
    code: 'passed-over',
    message: what,
    place: placeOf(python, node),
    remedy: 'Nothing is lost; mark the block ```python ignore, or leave the line out, to read no warning.',
  });
}

/** The items of `( a, b, )` or `[ a, b ]`: what stands between the brackets and commas, strictly in that order. */
export function commaSeparated(python: Python, tokens: readonly SyntaxNode[]): SyntaxNode[][] {
  const items: SyntaxNode[][] = [[]];
  for (const token of tokens) {
    if (token.name === ',') {
      if (items.at(-1)?.length === 0) refuse(python, token, 'There is nothing before this comma.', 'Remove the comma.');
      items.push([]);
    } else items.at(-1)?.push(token);
  }
  if (items.at(-1)?.length === 0) items.pop();
  return items;
}

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** The text of a name, which must be one that Python takes. */
export function nameOf(python: Python, node: SyntaxNode): string {
  const name = textOf(python, node);
  if (KEYWORDS.has(name))
    refuse(python, node, `"${name}" is a word of Python itself and cannot be a name.`, 'Choose another name.');
  if (!/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name))
    refuse(python, node, `"${name}" is not a name.`, 'Use letters, digits and underscores.');
  return name.normalize('NFKC');
}
