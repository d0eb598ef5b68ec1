// The summary on the terminal: verdict first, then what to do about it. Complete on a pipe, one screen on a terminal.
import { createColors } from 'picocolors';
import { comparisonSentence } from '../conformance/judging/compare.ts';
import { WIRE_FAULT } from '../conformance/judging/notes.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { nextSteps } from './next.ts';
import { fitted, type Pen, problemsOf } from './problems.ts';
import { clip, oneLine, wrap } from './text.ts';
import {
  comparisonOf,
  countsByLevel,
  drivenWords,
  elapsedMs,
  failuresOf,
  inFolder,
  isLog,
  plural,
  remediesOf,
  replayCommand,
  STANDING_WORDS,
  STANDINGS,
  type Standing,
  targetName,
  VERDICT_WORDS,
} from './view.ts';

/** The longest value that is shown where there is no width to keep to. */
const WIDE = 400;
/** Notes that are told here when there is no report to tell them. */
const MOST_NOTES = 5;

type Colors = ReturnType<typeof createColors>;
type Paint = (text: string) => string;

export const terminal: Reporter = (outcome, extras) => {
  const { color = false, columns = 0, rows = 0 } = extras.terminal ?? {};
  const colors = createColors(color);
  const pen: Pen = {
    ink: (standing, text) => inkOf(standing, colors)(text),
    bold: colors.bold,
    dim: colors.dim,
    within: (text, indent) => clip(oneLine(text), columns > 0 ? Math.max(20, columns - indent) : WIDE),
    columns,
  };
  const top = head(outcome, extras, colors, pen);
  const bottom = tail(outcome, extras, colors, pen);
  const stale = outcome.stale.map(
    ({ clause, why }) => ` ${colors.red('✘')} ${pen.within(`baseline: ${clause}: ${why}`, 3)}`,
  );
  // Beside head, tail and stale entries: a blank line, the line on what is left, and the prompt.
  const room = rows > 0 ? Math.max(3, rows - heightOf([...top, ...bottom, ...stale], columns) - 3) : undefined;
  const { lines, left } = fitted(problemsOf(outcome, pen), room);
  const where = extras.folder === undefined ? '' : ` in ${pen.within(reportOf(extras), 20)}`;
  const middle = [...lines, ...stale, ...(left > 0 ? [colors.dim(` … and ${left} more${where}`)] : [])];
  return `${[...top, ...(middle.length === 0 ? [] : ['', ...middle]), ...bottom].join('\n')}\n`;
};

function head(outcome: Outcome, extras: Extras, colors: Colors, pen: Pen): string[] {
  const paint: Paint = { conformant: colors.green, 'not-conformant': colors.red, inconclusive: colors.yellow }[
    outcome.verdict
  ];
  const run = [
    `${outcome.protocol} ${outcome.revision}`,
    ...drivenWords(outcome).split(', '),
    ...(isLog(outcome) ? [] : [`seed ${outcome.seed}`]),
    ...(elapsedMs(outcome) === 0 ? [] : [`${(elapsedMs(outcome) / 1000).toFixed(1)} s`]),
  ].join(' · ');
  const comparison = comparisonOf(outcome, extras);
  return [
    '',
    ...verdict(outcome, pen).map((line) => ` ${paint(colors.bold(line))}`),
    ` ${pen.within(`${outcome.party} ${targetName(outcome)}`, 1)}`,
    ` ${colors.dim(pen.within(run, 1))}`,
    ...(comparison === undefined ? [] : [` ${pen.within(comparisonSentence(comparison), 1)}`]),
    ...remediesOf(outcome).flatMap((text) => wrapped(`→ ${oneLine(text)}`, pen).map((line) => ` ${line}`)),
    '',
    ...countsByLevel(outcome).map(({ level, all, counts }) => {
      const parts = STANDINGS.filter((standing) => counts[standing] > 0).map((standing) =>
        pen.ink(standing, `${counts[standing]} ${STANDING_WORDS[standing]}`),
      );
      return ` ${colors.bold(level.padEnd(6))} ${String(all).padStart(3)}  ${parts.join(', ')}`;
    }),
    ...(outcome.unjudged.length === 0
      ? []
      : [colors.dim(` ${outcome.unjudged.length} more cannot be judged from outside`)]),
  ];
}

/** Why stands behind the verdict; it is what a reader needs most, so it is broken rather than cut. */
const verdict = (outcome: Outcome, pen: Pen): string[] =>
  wrapped(
    `${VERDICT_WORDS[outcome.verdict]}${outcome.reason === undefined ? '' : `: ${oneLine(outcome.reason)}`}`,
    pen,
  );

const MOST_LINES = 5;

/** Whole on a pipe, in a few lines on a terminal. */
function wrapped(text: string, pen: Pen): string[] {
  if (pen.columns === 0) return [clip(text, WIDE)];
  const lines = wrap(text, Math.max(20, pen.columns - 2));
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1]} …`];
}

function tail(outcome: Outcome, extras: Extras, colors: Colors, pen: Pen): string[] {
  const saved = failuresOf(outcome).filter((result) => result.case !== undefined);
  const [first] = saved;
  const replay = first === undefined ? undefined : replayCommand(outcome, first, extras);
  const others = saved.length > 1 ? ` (and ${saved.length - 1} more beside it)` : '';
  const lines = [
    ...(first?.case === undefined ? [] : [` case    ${pen.within(`${inFolder(first.case, extras)}${others}`, 9)}`]),
    ...(extras.folder === undefined ? [] : [` report  ${pen.within(reportOf(extras), 9)}`]),
    ...(replay === undefined ? [] : [` replay  ${colors.cyan(oneLine(replay))}`]),
    ...nextSteps(outcome, extras).map(({ command, why }) => {
      const line = oneLine(command);
      const fits = pen.columns === 0 || line.length + why.length + 11 <= pen.columns;
      return ` next    ${colors.cyan(line)}${fits ? colors.dim(`  ${why}`) : ''}`;
    }),
    ...notes(outcome, extras, colors, pen),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

/** With a report the rest can be read there; a rule of the wire that the target broke is told here too. */
function notes(outcome: Outcome, { folder }: Extras, colors: Colors, pen: Pen): string[] {
  const all = outcome.notes.filter(({ kind }) => kind !== 'remedy');
  const told = (folder === undefined ? all : all.filter(({ kind }) => kind === WIRE_FAULT)).slice(0, MOST_NOTES);
  const left = all.length - told.length;
  const more = folder === undefined ? `and ${plural(left, 'more note')}` : `${plural(left, 'note')} in the report`;
  return [
    ...told.map(({ kind, text, count }) =>
      colors.dim(
        ` ${pen.within(`note    ${kind}: ${text}${count === undefined || count < 2 ? '' : ` (${count}×)`}`, 1)}`,
      ),
    ),
    ...(left > 0 ? [colors.dim(` ${more}`)] : []),
  ];
}

/** The page to look at, or the folder where no page was written. */
const reportOf = (extras: Extras): string =>
  extras.page === false ? (extras.folder ?? '') : inFolder('report.html', extras);

/** Lines on the screen: a long one is broken by the terminal. */
function heightOf(lines: readonly string[], columns: number): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
  const bare = (line: string): string => line.replace(/\u001b\[\d+m/g, '');
  return lines.reduce((sum, line) => sum + (columns > 0 ? Math.max(1, Math.ceil(bare(line).length / columns)) : 1), 0);
}

const inkOf = (standing: Standing, colors: Colors): Paint =>
  ({
    pass: colors.green,
    fail: colors.red,
    warning: colors.yellow,
    excused: colors.yellow,
    'not-exercised': colors.dim,
    'not-applicable': colors.dim,
    inconclusive: colors.magenta,
    'harness-fault': colors.magenta,
  })[standing];
