// The kill matrix: which mutant is caught by which clause.
import type { Matrix, MatrixRow } from '../../conformance/driving/matrix.ts';
import { clip, escapeWithin, escapeXml, oneLine } from '../text.ts';
import { plural } from '../view.ts';

const MOST_ROWS = 400;
const CELL = 14;
const LEFT = 236;
/** Room for the names of the clauses, which stand upright above their columns. */
const TOP = 230;

const LEGEND = [
  ['caught', 'caught by the clause that is meant for it'],
  ['missed', 'missed by it'],
  ['also', 'failed beside it'],
  ['alarm', 'a false alarm'],
] as const;

export function killMatrix(matrix: Matrix): string {
  const rows = matrix.rows.slice(0, MOST_ROWS);
  const { mutants, caught, honest, falseAlarms } = matrix.counts;
  const left = matrix.rows.length - rows.length;
  return [
    `<p class="lead">${caught} of ${plural(mutants, 'mutant')} caught · ${plural(falseAlarms, 'false alarm')} on ${plural(honest, 'honest implementation')}${matrix.uncovered.length === 0 ? '' : ` · ${plural(matrix.uncovered.length, 'clause')} without a mutant`}</p>`,
    `<div class="scroll" tabindex="0" role="group" aria-label="Kill matrix, drawn">${grid(rows)}</div>`,
    `<p class="legend">${LEGEND.map(([kind, words]) => `<span class="key"><i class="chip ${kind}" aria-hidden="true"></i>${words}</span>`).join('')}</p>`,
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
  const height = TOP + rows.length * CELL + 8;
  const heads = clauses.map((clause, at) => {
    const x = LEFT + at * CELL + CELL / 2;
    return `<line class="rule" x1="${x - 1}" y1="${TOP - 4}" x2="${x - 1}" y2="${height - 8}"/><text class="head" transform="translate(${x + 2} ${TOP - 8}) rotate(-90)">${escapeXml(clip(oneLine(clause), 36))}</text>`;
  });
  const lines = rows.map((row, at) => {
    const y = TOP + at * CELL;
    const cells = [...new Set([...row.intended, ...row.failed])].map((clause) => {
      const kind = kindOf(row, clause);
      return `<rect class="${kind}" x="${LEFT + (column.get(clause) ?? 0) * CELL}" y="${y}" width="${CELL - 2}" height="${CELL - 2}" rx="2"><title>${escapeWithin(`${oneLine(row.id)} × ${oneLine(clause)}: ${kind}`, 200)}</title></rect>`;
    });
    return `<line class="rule" x1="${LEFT - 4}" y1="${y + 6}" x2="${width - 8}" y2="${y + 6}"/><text class="${row.wrong.length === 0 ? 'row' : 'row wrong'}" x="${LEFT - 8}" y="${y + 10}">${escapeXml(clip(oneLine(row.id), 36))}</text>${cells.join('')}`;
  });
  return `<svg class="kill" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Mutants down, clauses across; the table below says the same in words">${heads.join('')}${lines.join('\n')}</svg>`;
}

function kindOf(row: MatrixRow, clause: string): (typeof LEGEND)[number][0] {
  if (row.intended.includes(clause)) return row.failed.includes(clause) ? 'caught' : 'missed';
  return row.kind === 'mutant' ? 'also' : 'alarm';
}
