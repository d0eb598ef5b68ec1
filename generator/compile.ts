// Documents → one protocol. The same code reads our edition, an upstream document and a document of another protocol.
import type { Diagnostic } from './diagnostics.ts';
import { sortDiagnostics, Unreadable } from './diagnostics.ts';
import { linkCalls } from './link/calls.ts';
import { linkExamples } from './link/examples.ts';
import { linkModels } from './link/models.ts';
import { readTables, withAnswers } from './link/tables.ts';
import type { Declaration, Field, Model, Protocol, TypeExpr } from './model.ts';
import { readDocument, type SpecDocument } from './read/document.ts';
import { decodeDocument } from './read/document-text.ts';

export interface SourceFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface Compiled {
  readonly protocol: Protocol;
  readonly diagnostics: readonly Diagnostic[];
}

export function compile(name: string, revision: string, files: readonly SourceFile[]): Compiled {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const documents = files.flatMap((file): SpecDocument[] => {
    try {
      return [readDocument(decodeDocument(file.file, file.bytes))];
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      report(error.diagnostic);
      return [];
    }
  });
  for (const document of documents) document.diagnostics.forEach(report);

  const statements = documents.flatMap((document) => document.statements);
  const declarations = statements.flatMap((statement): Declaration[] =>
    statement.kind === 'declaration' ? [statement.declaration] : [],
  );
  const calls = linkCalls(
    statements.flatMap((statement) => (statement.kind === 'call' ? [statement.call] : [])),
    report,
  );
  const { catalogues, variants, answers, tables } = readTables(documents, report);
  const payloads = variants.flatMap(({ rows }) =>
    rows.map(({ payload, place }): TypeExpr => ({ kind: 'ref', name: payload, place })),
  );
  const returned = [
    ...answers.flatMap(({ request, answer }) => [request, answer].filter((type) => type !== undefined)),
    ...calls.flatMap(({ returns }) => (returns === undefined ? [] : [returns])),
  ];
  const models = withNotes(linkModels(declarations, [...payloads, ...returned], report), documents);
  const byName = new Map(models.map((model) => [model.name, model]));
  for (const { name: made, place } of variants) {
    if (byName.has(made))
      report({
        severity: 'error',
        code: 'stated-twice',
        message: `This table makes a definition ${made}, which a document defines already.`,
        place,
        remedy: `Rename the class ${made}.`,
      });
  }
  if (declarations.length === 0 && diagnostics.every((d) => d.severity !== 'error')) {
    report({
      severity: 'error',
      code: 'no-models',
      message: 'There is no model in it: no Python block states a class or an alias.',
      place: { file: files[0]?.file ?? name, line: 1, column: 1, section: '' },
      remedy: 'State the models in blocks that begin with ```python.',
    });
  }
  const classes = declarations.filter((declaration) => declaration.kind === 'class');
  return {
    protocol: {
      name,
      revision,
      files: files.map(({ file }) => file),
      sections: documents.flatMap((document) => document.sections),
      models,
      api: withAnswers(calls, answers, byName, report),
      catalogues,
      variants,
      examples: linkExamples(documents, byName, catalogues, report),
      tables,
      counts: {
        blocks: documents.reduce((sum, document) => sum + document.blocks, 0),
        classes: classes.length,
        fields: classes.reduce((sum, declaration) => sum + declaration.fields.length, 0),
      },
    },
    diagnostics: sortDiagnostics(diagnostics),
  };
}

/** What a list item or a table row in the same section says about a field becomes the field's description, where it has none of its own. */
function withNotes(models: readonly Model[], documents: readonly SpecDocument[]): Model[] {
  const notes = documents.flatMap((document) =>
    document.statements.flatMap((statement) => {
      if (statement.kind === 'note') return [statement.note];
      if (statement.kind !== 'table') return [];
      return statement.table.rows.flatMap(([first, ...rest]) =>
        (first?.codes ?? []).map((name) => ({
          name,
          text: rest
            .map((cell) => cell.text)
            .filter((text) => text !== '')
            .join('; '),
          place: first?.place ?? statement.table.place,
        })),
      );
    }),
  );
  return models.map((model): Model => {
    if (model.kind !== 'object') return model;
    const near = notes.filter(({ place }) => place.file === model.place.file && place.section === model.place.section);
    const describe = (field: Field): Field => {
      const text = field.doc === undefined ? near.find((note) => note.name === field.name)?.text : undefined;
      return text ? { ...field, doc: text } : field;
    };
    return { ...model, fields: model.fields.map(describe) };
  });
}
