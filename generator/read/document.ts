// One document → all that it states, not yet linked: declarations, API calls, tables, examples, notes on fields.
import { type Diagnostic, Unreadable } from '../diagnostics.ts';
import type { ApiCall, Declaration, Place, Section } from '../model.ts';
import type { DocumentText } from './document-text.ts';
import { type PlacedValue, readJsonValues } from './json-values.ts';
import { type Block, type FieldNote, readMarkdown, type TablePart } from './markdown.ts';
import { readPython } from './python/block.ts';

export interface JsonExamples {
  readonly values: readonly PlacedValue[];
  /** The model that the fence line names, if it does. */
  readonly model?: string;
  readonly wrong: boolean;
  readonly place: Place;
}

/** In document order, so that "the model before this table" has a meaning. */
export type Statement =
  | { readonly kind: 'declaration'; readonly declaration: Declaration }
  | { readonly kind: 'call'; readonly call: ApiCall }
  | { readonly kind: 'table'; readonly table: TablePart }
  | { readonly kind: 'examples'; readonly examples: JsonExamples }
  | { readonly kind: 'note'; readonly note: FieldNote };

export interface SpecDocument {
  readonly file: string;
  readonly sections: readonly Section[];
  readonly statements: readonly Statement[];
  readonly blocks: number;
  readonly diagnostics: readonly Diagnostic[];
}

const PYTHON = new Set(['python', 'py', 'python3', 'pycon']);

export function readDocument(doc: DocumentText): SpecDocument {
  const statements: Statement[] = [];
  const diagnostics: Diagnostic[] = [];
  let blocks = 0;
  const markdown = attempt(diagnostics, () => readMarkdown(doc));
  if (markdown === undefined) return { file: doc.file, sections: [], statements, blocks, diagnostics };
  diagnostics.push(...markdown.diagnostics);

  for (const part of markdown.parts) {
    if (part.kind === 'table') statements.push({ kind: 'table', table: part.table });
    else if (part.kind === 'note') statements.push({ kind: 'note', note: part.note });
    else if (part.block.words.includes('ignore')) continue;
    else if (PYTHON.has(part.block.language)) {
      blocks += 1;
      const python = readPython(part.block);
      diagnostics.push(...python.diagnostics);
      statements.push(...python.declarations.map((declaration): Statement => ({ kind: 'declaration', declaration })));
      statements.push(...python.calls.map((call): Statement => ({ kind: 'call', call })));
    } else if (part.block.language === 'json' || part.block.language === 'ndjson' || part.block.language === 'jsonl') {
      const examples = attempt(diagnostics, () => readExamples(part.block));
      if (examples !== undefined) statements.push({ kind: 'examples', examples });
    } else warnOfHiddenModel(part.block, diagnostics);
  }
  return { file: doc.file, sections: markdown.sections, statements, blocks, diagnostics };
}

function attempt<T>(diagnostics: Diagnostic[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    diagnostics.push(error.diagnostic);
    return undefined;
  }
}

/** ```json AgentTrigger, or ```json AgentTrigger wrong for one that must be refused. */
function readExamples(block: Block): JsonExamples {
  const model = block.words.find((word) => /^[A-Z]\w*$/u.test(word));
  return {
    values: readJsonValues(block),
    wrong: block.words.includes('wrong'),
    place: block.place,
    ...(model === undefined ? {} : { model }),
  };
}

/** A model in a block that is not marked as Python would be lost without a word. */
function warnOfHiddenModel(block: Block, diagnostics: Diagnostic[]): void {
  const found = /^class\s+\w+.*:\s*$/mu.exec(block.text);
  if (found === null || !['', 'text', 'txt', 'plain'].includes(block.language)) return;
  diagnostics.push({
    severity: 'warning',
    code: 'unmarked-python',
    message: `"${found[0].trim()}" stands in a block that is not marked as Python, so it is not read.`,
    remedy: 'Begin the block with ```python; or with ```text ignore to say that this is meant.',
    place: block.placeAt(found.index),
  });
}
