// The kill matrix as a page of its own.
import type { Matrix } from '../conformance/driving/matrix.ts';
import { killMatrix } from './html/kills.ts';
import { heroOf, pageOf } from './html/page.ts';
import { escapeWithin, oneLine } from './text.ts';
import { plural } from './view.ts';

export function matrixHtml(matrix: Matrix): string {
  const wrong = matrix.rows.filter((row) => row.wrong.length > 0);
  const kind = matrix.rows.length === 0 ? 'inconclusive' : wrong.length === 0 ? 'conformant' : 'not-conformant';
  const headline = {
    conformant: 'Every mutant is caught',
    'not-conformant': 'The suite has holes',
    inconclusive: 'Nothing was played',
  }[kind];
  const sentence =
    wrong.length === 0
      ? 'And no honest implementation is blamed.'
      : `${plural(wrong.length, 'row')} of ${matrix.rows.length} not as it should be.`;
  const uncovered = matrix.uncovered
    .slice(0, 400)
    .map((id) => `<li><code>${escapeWithin(oneLine(id), 200)}</code></li>`);
  return pageOf({
    title: headline,
    top: heroOf(kind, headline, sentence),
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
    footer:
      'Made by <code>runcert matrix</code>: mutants down, clauses across. Green is caught, red is missed, amber is a false alarm, grey failed beside what was meant.',
  });
}
