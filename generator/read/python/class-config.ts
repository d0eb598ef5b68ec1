// `model_config = ConfigDict(extra="forbid")`: what a class says about fields that it does not name.
import type { SyntaxNode } from '@lezer/common';
import type { Extra } from '../../model.ts';
import { stringValue } from './literals.ts';
import { readArguments } from './statements.ts';
import { childrenOf, commaSeparated, type Python, refuse, textOf } from './syntax.ts';

/** The setting that a statement makes; undefined where it is no model_config. */
export function configOf(python: Python, statement: SyntaxNode): { extra?: Extra } | undefined {
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

export function extraValue(python: Python, node: SyntaxNode): Extra {
  const value = stringValue(python, node);
  if (value !== 'forbid' && value !== 'allow' && value !== 'ignore')
    return refuse(python, node, `extra="${value}" is not a setting.`, 'Use "forbid", "allow" or "ignore".');
  return value;
}
