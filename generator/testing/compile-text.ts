// For tests: a document in a template string, compiled under the name doc.md.
import { type Compiled, compile } from '../compile.ts';
import type { Model, ObjectModel } from '../model.ts';

export const compileText = (text: string, file = 'doc.md'): Compiled =>
  compile('test', '1', [{ file, bytes: new TextEncoder().encode(text) }]);

/** Python in a document of its own; its first line is line 4. */
export const compilePython = (python: string): Compiled => compileText(`# 1 Test\n\n\`\`\`python\n${python}\n\`\`\`\n`);

export function modelOf({ protocol }: Compiled, name: string): Model {
  const model = protocol.models.find((candidate) => candidate.name === name);
  if (model === undefined) throw new Error(`no model ${name}`);
  return model;
}

export function objectOf(compiled: Compiled, name: string): ObjectModel {
  const model = modelOf(compiled, name);
  if (model.kind !== 'object') throw new Error(`${name} is ${model.kind}`);
  return model;
}

/** `code line:column` of each finding, in order. */
export const findings = ({ diagnostics }: Compiled): string[] =>
  diagnostics.map((d) => `${d.code} ${d.place.line}:${d.place.column}`);
