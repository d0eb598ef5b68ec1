// One fenced Python block → the declarations and API calls in it, or what is wrong with it.
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import { type Diagnostic, Unreadable } from '../../diagnostics.ts';
import type { ApiCall, Declaration } from '../../model.ts';
import type { Block } from '../markdown.ts';
import { typeOf } from './annotations.ts';
import { readApiCall } from './api.ts';
import { readClass } from './classes.ts';
import { checkLayout } from './layout.ts';
import { isIdle, ungroup } from './statements.ts';
import { childrenOf, nameOf, type Python, passOver, placeOf, refuse, textOf } from './syntax.ts';

export interface PythonBlock {
  readonly declarations: readonly Declaration[];
  readonly calls: readonly ApiCall[];
  readonly diagnostics: readonly Diagnostic[];
}

export function readPython(block: Block): PythonBlock {
  const declarations: Declaration[] = [];
  const calls: ApiCall[] = [];
  const diagnostics: Diagnostic[] = [];
  const python: Python = { text: block.text, placeAt: block.placeAt, warn: (warning) => diagnostics.push(warning) };
  const attempt = (read: () => void): boolean => {
    try {
      read();
      return true;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      diagnostics.push(error.diagnostic);
      return false;
    }
  };

  if (!attempt(() => checkLayout(python))) return { declarations, calls, diagnostics };
  const tree = parser.parse(python.text);
  if (!attempt(() => refuseErrors(python, tree.topNode))) return { declarations, calls, diagnostics };
  for (const statement of childrenOf(tree.topNode).flatMap(ungroup)) {
    attempt(() => {
      if (isIdle(statement) || isImport(python, statement)) return;
      if (makesProxy(python, statement)) {
        passOver(python, statement, 'This line makes an object of the SDK: it states nothing about the protocol.');
        return;
      }
      if (statement.name === 'ClassDefinition') {
        declarations.push(readClass(python, statement));
        return;
      }
      const call = readApiCall(python, statement, groupOf(python, statement));
      if (call !== undefined) calls.push(call);
      else declarations.push(readAlias(python, statement));
    });
  }
  return { declarations, calls, diagnostics };
}

function refuseErrors(python: Python, top: SyntaxNode): void {
  const cursor = top.cursor();
  do {
    if (!cursor.type.isError) continue;
    const found = python.text
      .slice(cursor.from, Math.max(cursor.to, cursor.from + 1))
      .split('\n')[0]
      ?.trim();
    throw new Unreadable(
      'python-syntax',
      found
        ? `Python does not read this: "${found}" was not expected here.`
        : 'Python does not read this: something is missing here.',
      python.placeAt(cursor.from),
      'Correct the Python; it must be what `python3 -m py_compile` accepts.',
    );
  } while (cursor.next());
}

/** `X = A | B`, `X: TypeAlias = …`, `type X = …`. */
function readAlias(python: Python, statement: SyntaxNode): Declaration {
  const parts = childrenOf(statement);
  const target = statement.name === 'TypeDefinition' ? parts[1] : parts[0];
  const value = parts.at(-1);
  const shape = parts
    .map((part) => part.name)
    .slice(0, -1)
    .join(' ');
  const annotated =
    shape === 'VariableName TypeDef AssignOp' &&
    /^:\s*(?:typing\.)?TypeAlias$/u.test(textOf(python, parts[1] as SyntaxNode));
  const plain = statement.name === 'AssignStatement' && (shape === 'VariableName AssignOp' || annotated);
  if (
    target?.name !== 'VariableName' ||
    value === undefined ||
    !(plain || (statement.name === 'TypeDefinition' && shape === 'type VariableName'))
  ) {
    return refuse(
      python,
      statement,
      `"${textOf(python, statement).split('\n')[0]}" is not a statement that is understood here.`,
    );
  }
  return {
    kind: 'alias',
    name: nameOf(python, target),
    type: typeOf(python, value),
    place: placeOf(python, statement),
  };
}

/** Imports say where Python finds a name; on the wire they mean nothing. */
function isImport(python: Python, statement: SyntaxNode): boolean {
  if (statement.name !== 'ImportStatement') return false;
  for (const child of childrenOf(statement)) if (child.name === 'VariableName') nameOf(python, child);
  return true;
}

/** `api = self.get_run_api(ctx)`: how a component comes by the object on which calls are then shown. */
function makesProxy(python: Python, statement: SyntaxNode): boolean {
  const [target, assign, call, ...rest] = childrenOf(statement);
  if (target?.name !== 'VariableName' || assign?.name !== 'AssignOp' || call?.name !== 'CallExpression') return false;
  if (rest.length > 0 || !/^self\.\w+\([\w, ]*\)$/u.test(textOf(python, call))) return false;
  nameOf(python, target);
  return true;
}

/** The nearest comment line above a call names its group. */
function groupOf(python: Python, statement: SyntaxNode): string | undefined {
  const lines = python.text.slice(0, statement.from).split('\n').slice(0, -1);
  for (let line = lines.pop(); line !== undefined; line = lines.pop()) {
    const comment = /^\s*#+\s*(.*)$/u.exec(line);
    if (comment !== null) return comment[1]?.trim() || undefined;
  }
  return undefined;
}
