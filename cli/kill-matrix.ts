// The kill matrix: every mutant, honest variant and vacuous implementation against every clause, in parallel.
import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { EXIT, RuncertError } from '../common/error.ts';
import { globs } from '../conformance/driving/glob.ts';
import { entriesOf, type Matrix, type MatrixRow, matrixOf, matrixRow } from '../conformance/driving/matrix.ts';
import type { Suite } from '../conformance/driving/suite.ts';
import { PARTIES, suiteFor } from '../conformance/suites.ts';
import type { Party } from './target.ts';
import { VERSION } from './version.ts';

/** Generated stimuli an area and row, beyond its corners: enough to kill, few enough for CI. */
const BEYOND = 8;

export interface MatrixFlags {
  readonly seed: number;
  readonly runs?: number;
  readonly rows?: readonly string[];
  readonly workers: number;
  readonly quick?: boolean;
  readonly json?: boolean;
  readonly html?: string;
  /** Set in a child: play the I-th of N parts and send the rows to the parent. */
  readonly part?: string;
}

export async function playMatrix(party: Party | undefined, flags: MatrixFlags): Promise<void> {
  const suites = await Promise.all((party === undefined ? PARTIES : [party]).map((one) => suiteFor(one)));
  if (flags.part !== undefined) return playPart(suites, flags);
  const total = cellsOf(suites, flags).length;
  if (total === 0) throw noRows(flags);
  const rows = flags.workers > 1 ? await inWorkers(party, flags, total) : await playRows(suites, flags, show);
  const played = matrixOf(suites, inOrder(suites, rows));
  // A choice of rows says nothing of the clauses that other rows are meant for.
  const whole = flags.rows === undefined ? played : { ...played, uncovered: [] };
  if (flags.html !== undefined) {
    const { matrixHtml } = await import('../reports/matrix.ts');
    await writeFile(flags.html, matrixHtml(whole));
  }
  process.stdout.write(flags.json ? `${JSON.stringify(whole, null, 2)}\n` : words(whole));
  const wrong = whole.rows.some((row) => row.wrong.length > 0);
  process.exitCode = wrong ? EXIT.notConformant : EXIT.conformant;
}

const noRows = ({ rows }: MatrixFlags): RuncertError =>
  new RuncertError('RUNCERT_MATRIX_ROWS', `No row is called ${(rows ?? []).join(' or ')}.`, {
    remedy: '`runcert list mutants` has their ids.',
  });

type Cell = readonly [suite: Suite, entry: ReturnType<typeof entriesOf>[number]];

function cellsOf(suites: readonly Suite[], { rows }: MatrixFlags): Cell[] {
  const wanted = rows === undefined ? () => true : globs(rows);
  return suites.flatMap((suite) =>
    entriesOf(suite)
      .filter(({ id }) => wanted(id))
      .map((entry) => [suite, entry] as const),
  );
}

async function playRows(
  suites: readonly Suite[],
  flags: MatrixFlags,
  told: (row: MatrixRow) => void,
  mine: (at: number) => boolean = () => true,
): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = [];
  for (const [suite, entry] of cellsOf(suites, flags).filter((_, at) => mine(at))) {
    const row = await matrixRow(suite, entry, {
      seed: flags.seed,
      version: VERSION,
      quick: flags.quick ?? false,
      ...(flags.runs === undefined ? { beyond: BEYOND } : { runs: flags.runs }),
    });
    told(row);
    rows.push(row);
  }
  return rows;
}

async function playPart(suites: readonly Suite[], flags: MatrixFlags): Promise<void> {
  const [index, of] = flags.part!.split('/').map(Number) as [number, number];
  await playRows(
    suites,
    flags,
    (row) => process.send?.(row),
    (at) => at % of === index - 1,
  );
  process.disconnect?.();
}

/** A process each; rows come back as they are done. */
async function inWorkers(party: Party | undefined, flags: MatrixFlags, total: number): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = [];
  const args = [
    'matrix',
    ...(party === undefined ? [] : [party]),
    '--seed',
    String(flags.seed),
    ...(flags.runs === undefined ? [] : ['--runs', String(flags.runs)]),
    ...(flags.quick ? ['--quick'] : []),
    ...(flags.rows ?? []).flatMap((glob) => ['--rows', glob]),
  ];
  const workers = Math.min(flags.workers, Math.max(1, total));
  await Promise.all(
    Array.from({ length: workers }, (_, at) => {
      const child = fork(process.argv[1]!, [...args, '--part', `${at + 1}/${workers}`], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.on('message', (row) => {
        rows.push(row as MatrixRow);
        show(row as MatrixRow, rows.length, total);
      });
      return new Promise<void>((resolve, reject) => {
        child.on('error', reject);
        child.on('exit', (code, signal) =>
          code === 0
            ? resolve()
            : reject(
                new RuncertError('RUNCERT_MATRIX_WORKER', `A worker of the matrix ended with ${signal ?? code}.`, {
                  exit: EXIT.internal,
                  remedy: 'Run with --workers 1 to see why.',
                }),
              ),
        );
      });
    }),
  );
  return rows;
}

function show(row: MatrixRow, done?: number, total?: number): void {
  const progress = done === undefined ? '' : `${done}/${total} `;
  process.stderr.write(
    `${progress}${row.wrong.length === 0 ? 'ok  ' : 'WRONG'} ${row.kind} ${row.party} ${row.id}${row.wrong.length === 0 ? '' : `: ${row.wrong.join('; ')}`}\n`,
  );
}

/** Rows in the order of the suites, whichever worker was first. */
function inOrder(suites: readonly Suite[], rows: readonly MatrixRow[]): MatrixRow[] {
  const order = new Map(
    suites.flatMap((suite) => entriesOf(suite).map(({ id }) => `${suite.party}/${id}`)).map((key, at) => [key, at]),
  );
  return rows.toSorted((a, b) => (order.get(`${a.party}/${a.id}`) ?? 0) - (order.get(`${b.party}/${b.id}`) ?? 0));
}

function words({ rows, uncovered, counts }: Matrix): string {
  const lines = rows.map((row) => {
    const also = row.failed.filter((clause) => !row.intended.includes(clause));
    const caught =
      row.kind === 'mutant'
        ? `caught by ${row.intended.filter((clause) => row.failed.includes(clause)).join(', ') || 'none'}`
        : row.verdict;
    return `${row.wrong.length === 0 ? '✓' : '✗'} ${row.kind.padEnd(9)} ${row.party.padEnd(7)} ${row.id}\n    ${caught}${also.length === 0 ? '' : `; also ${also.join(', ')}`}${row.wrong.length === 0 ? '' : `\n    ${row.wrong.join('\n    ')}`}`;
  });
  const open = uncovered.length === 0 ? '' : `\nClauses without a mutant of their own: ${uncovered.join(', ')}\n`;
  return `${lines.join('\n')}\n${open}\n${counts.caught} of ${counts.mutants} mutants caught by the clauses meant for them; ${counts.falseAlarms} false alarms in ${counts.honest} honest implementations.\n`;
}
