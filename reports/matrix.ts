// The kill matrix as a page of its own.
import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { readDocument } from '../common/document.ts';
import { RuncertError } from '../common/error.ts';
import type { Matrix } from '../conformance/driving/matrix.ts';
import { killMatrix } from './html/kills.ts';
import { heroOf, pageOf } from './html/page.ts';
import { escapeWithin, oneLine } from './text.ts';
import { plural } from './view.ts';

export function matrixHtml(matrix: Matrix): string {
  const wrong = matrix.rows.filter((row) => row.wrong.length > 0);
  const kind = matrix.rows.length === 0 ? 'inconclusive' : wrong.length === 0 ? 'conformant' : 'not-conformant';
  const headline = {
    conformant: matrix.counts.mutants === 0 ? 'No false alarm' : 'Every mutant is caught',
    'not-conformant': 'The suite has holes',
    inconclusive: 'Nothing was played',
  }[kind];
  const { mutants, honest } = matrix.counts;
  const sentence =
    wrong.length === 0
      ? [
          ...(mutants === 0 ? [] : [`${plural(mutants, 'mutant')}, each caught by the clause that is meant for it`]),
          ...(honest === 0 ? [] : [`${plural(honest, 'honest implementation')}, none of them blamed`]),
        ].join('; ')
      : `${plural(wrong.length, 'row')} of ${matrix.rows.length} not as it should be.`;
  const uncovered = matrix.uncovered
    .slice(0, 400)
    .map((id) => `<li><code>${escapeWithin(oneLine(id), 200)}</code></li>`);
  return pageOf({
    title: headline,
    top: heroOf(kind, headline, sentence === '' ? '' : `${sentence.replace(/\.$/, '')}.`),
    parts: [
      { id: 'kills', name: 'Kill matrix', body: killMatrix(matrix) },
      ...(uncovered.length === 0
        ? []
        : [
            {
              id: 'uncovered',
              name: 'Clauses without a mutant',
              body: `<ul class="plain">${uncovered.join('\n')}</ul>`,
            },
          ]),
    ],
    footer: 'Made by <code>runcert matrix</code>: implementations down, clauses across.',
  });
}

const MatrixFile = Type.Object({
  rows: Type.Array(
    Type.Object({
      id: Type.String(),
      kind: Type.Enum(['reference', 'mutant', 'variant', 'vacuous']),
      party: Type.Enum(['host', 'runner', 'runtime']),
      what: Type.String(),
      intended: Type.Array(Type.String()),
      failed: Type.Array(Type.String()),
      wrong: Type.Array(Type.String()),
      verdict: Type.Enum(['conformant', 'not-conformant', 'inconclusive']),
      stimuli: Type.Integer(),
    }),
  ),
  uncovered: Type.Array(Type.String()),
  counts: Type.Object({
    mutants: Type.Integer(),
    caught: Type.Integer(),
    honest: Type.Integer(),
    falseAlarms: Type.Integer(),
  }),
});

/** Reads what `runcert matrix --json` printed. */
export async function readMatrixFile(path: string): Promise<Matrix> {
  const words = {
    what: 'kill matrix',
    code: 'RUNCERT_MATRIX',
    place: path,
    remedy: '`runcert matrix --json > matrix.json` makes one.',
  } as const;
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new RuncertError(words.code, `The kill matrix cannot be read: ${cause.message}.`, { ...words, cause });
  });
  return readDocument(MatrixFile, text, words);
}
