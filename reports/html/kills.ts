// The kill matrix: which mutant is caught by which clause.
import type { Matrix, MatrixRow } from '../../conformance/driving/matrix.ts';
import { clip, escapeWithin, escapeXml, oneLine } from '../text.ts';
import { plural } from '../view.ts';

const MOST_ROWS = 400;
const CELL = 12;
const LEFT = 230;

export function killMatrix(matrix: Matrix): string {
  const rows = matrix.rows.slice(0, MOST_ROWS);
  const { mutants, caught, honest, falseAlarms } = matrix.counts;
  const left = matrix.rows.length - rows.length;
  return [
    `<p class="lead">${caught} of ${plural(mutants, 'mutant')} caught · ${plural(falseAlarms, 'false alarm')} on ${plural(honest, 'honest implementation')}${matrix.uncovered.length === 0 ? '' : ` · ${plural(matrix.uncovered.length, 'clause')} without a mutant`}</p>`,
    `<div class="scroll" tabindex="0" role="group" aria-label="Kill matrix, drawn">${grid(rows)}</div>`,
    `<details class="frames"${rows.length <= 20 ? ' open' : ''}><summary>Every row in words</summary><div class="scroll" tabindex="0" role="group" aria-label="Kill matrix, as a table">`,
    '<table class="kills"><thead><tr><th scope="col">Implementation</th><th scope="col">What it does</th><th scope="col">Meant for</th><th scope="col">As it should be</th></tr></thead><tbody>',
    ...rows.map(tableRow),
    `</tbody></table></div></details>${left > 0 ? `<p>${left} more rows are left out.</p>` : ''}`,
  ].join('\n');
}

function tableRow(row: MatrixRow): string {
  const meant = row.intended
    .slice(0, 6)
    .map(
      (clause) =>
        `<span class="tag ${row.failed.includes(clause) ? 'pass' : 'fail'}">${escapeWithin(oneLine(clause), 100)}</span>`,
    );
  const wrong =
    row.wrong.length === 0
      ? '<span class="tag pass">yes</span>'
      : `<span class="tag fail">${escapeWithin(oneLine(row.wrong.slice(0, 3).join('; ')), 240)}</span>`;
  return `<tr><th scope="row">${escapeWithin(oneLine(row.id), 100)} <small>${row.kind}</small></th><td>${escapeWithin(oneLine(row.what), 200)}</td><td>${meant.join(' ')}</td><td>${wrong}</td></tr>`;
}

/** Only cells that say something are drawn: most mutants break one clause of hundreds. */
function grid(rows: readonly MatrixRow[]): string {
  const clauses = [...new Set(rows.flatMap(({ intended, failed }) => [...intended, ...failed]))];
  const column = new Map(clauses.map((clause, at) => [clause, at]));
  const width = LEFT + clauses.length * CELL + 8;
  const height = rows.length * CELL + 8;
  const lines = rows.map((row, at) => {
    const y = 4 + at * CELL;
    const cells = [...new Set([...row.intended, ...row.failed])].map((clause) => {
      const kind = row.intended.includes(clause)
        ? row.failed.includes(clause)
          ? 'caught'
          : 'missed'
        : row.kind === 'mutant'
          ? 'also'
          : 'alarm';
      return `<rect class="${kind}" x="${LEFT + (column.get(clause) ?? 0) * CELL}" y="${y}" width="${CELL - 2}" height="${CELL - 2}" rx="2"><title>${escapeWithin(`${oneLine(row.id)} × ${oneLine(clause)}: ${kind}`, 200)}</title></rect>`;
    });
    return `<text class="${row.wrong.length === 0 ? 'row' : 'row wrong'}" x="${LEFT - 8}" y="${y + 9}">${escapeXml(clip(oneLine(row.id), 36))}</text>${cells.join('')}`;
  });
  return `<svg class="kill" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Mutants down, clauses across; the table below says the same in words">${lines.join('\n')}</svg>`;
}
