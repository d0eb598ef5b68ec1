// The summary on the terminal: verdict first, then what to do about it. Complete on a pipe, one screen on a terminal.
import { createColors } from 'picocolors';
import { comparisonSentence } from '../conformance/judging/compare.ts';
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { clip, oneLine } from './text.ts';
import {
  comparisonOf,
  countsByLevel,
  decides,
  elapsedMs,
  inFolder,
  plural,
  replayCommand,
  STANDING_WORDS,
  STANDINGS,
  type Standing,
  standingOf,
  targetName,
  VERDICT_WORDS,
  withStanding,
} from './view.ts';

/** The longest value that is shown where there is no width to keep to. */
const WIDE = 400;
/** Lines that stand around the list of failures. */
const AROUND = 14;

type Colors = ReturnType<typeof createColors>;
type Paint = (text: string) => string;

const MARKS: Readonly<Record<Standing, string>> = {
  pass: '✔',
  fail: '✘',
  warning: '!',
  excused: '~',
  'not-exercised': '○',
  'not-applicable': '–',
  inconclusive: '?',
  'harness-fault': '⚠',
};

export const terminal: Reporter = (outcome, extras) => {
  const { color = false, columns = 0, rows = 0 } = extras.terminal ?? {};
  const colors = createColors(color);
  const within = (text: string, indent: number): string =>
    clip(oneLine(text), columns > 0 ? Math.max(20, columns - indent) : WIDE);
  const lines = [
    ...head(outcome, extras, colors, within),
    ...problems(outcome, extras, colors, within, rows),
    ...tail(outcome, extras, colors, within),
  ];
  return `${lines.join('\n')}\n`;
};

function head(outcome: Outcome, extras: Extras, colors: Colors, within: Within): string[] {
  const paint: Paint = { conformant: colors.green, 'not-conformant': colors.red, inconclusive: colors.yellow }[
    outcome.verdict
  ];
  const reason = outcome.reason === undefined ? '' : `: ${oneLine(outcome.reason)}`;
  const run = `${outcome.protocol} ${outcome.revision} · ${plural(outcome.counts.stimuli, 'stimulus', 'stimuli')} · ${plural(outcome.counts.occasions, 'occasion')} · seed ${outcome.seed}${seconds(outcome)}`;
  const comparison = comparisonOf(outcome, extras);
  return [
    '',
    ` ${paint(colors.bold(within(`${VERDICT_WORDS[outcome.verdict]}${reason}`, 1)))}`,
    ` ${within(`${outcome.party} ${targetName(outcome)}`, 1)}`,
    ` ${colors.dim(within(run, 1))}`,
    ...(comparison === undefined ? [] : [` ${within(comparisonSentence(comparison), 1)}`]),
    '',
    ...countsByLevel(outcome).map(({ level, all, counts }) => {
      const parts = STANDINGS.filter((standing) => counts[standing] > 0).map((standing) =>
        ink(standing, colors)(`${counts[standing]} ${STANDING_WORDS[standing]}`),
      );
      return ` ${colors.bold(level.padEnd(6))} ${String(all).padStart(3)}  ${parts.join(', ')}`;
    }),
    ...(outcome.unjudged.length === 0
      ? []
      : [colors.dim(` ${outcome.unjudged.length} more cannot be judged from outside`)]),
  ];
}

type Within = (text: string, indent: number) => string;

function problems(outcome: Outcome, extras: Extras, colors: Colors, within: Within, rows: number): string[] {
  const one = (result: ClauseResult): Block => ({ clauses: 1, lines: problem(result, colors, within) });
  const blocks = [
    ...withStanding(outcome, 'fail').map(one),
    ...undecided(outcome, colors, within, rows > 0),
    ...withStanding(outcome, 'warning').map(one),
    ...withStanding(outcome, 'excused').map(one),
  ];
  const room = rows > 0 ? Math.max(3, Math.floor((rows - AROUND) / 3)) : blocks.length;
  const stale = outcome.stale.map(
    ({ clause, why }) => ` ${colors.red('✘')} ${within(`baseline: ${clause}: ${why}`, 3)}`,
  );
  if (blocks.length + stale.length === 0) return [];
  const left = blocks.slice(room).reduce((sum, { clauses }) => sum + clauses, 0);
  const where = extras.folder === undefined ? '' : ` in ${within(inFolder('report.html', extras), 20)}`;
  return [
    '',
    ...blocks.slice(0, room).flatMap(({ lines }) => lines),
    ...stale,
    ...(left > 0 ? [colors.dim(` … and ${left} more${where}`)] : []),
  ];
}

interface Block {
  readonly clauses: number;
  readonly lines: readonly string[];
}

/** Clauses that stay open for one and the same reason are told together. */
function undecided(outcome: Outcome, colors: Colors, within: Within, short: boolean): Block[] {
  const groups = new Map<string, ClauseResult[]>();
  for (const result of outcome.clauses.filter((one) => decides(one) && one.verdict !== 'fail')) {
    const key = `${result.verdict} ${result.reason ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [result]);
    else group.push(result);
  }
  return [...groups.values()].map((group) => {
    const [first, second] = group;
    if (first === undefined || second === undefined)
      return { clauses: 1, lines: first === undefined ? [] : problem(first, colors, within) };
    const standing = standingOf(first);
    const ids = group.map(({ id }) => clip(oneLine(id), 200)).join(', ');
    return {
      clauses: group.length,
      lines: [
        ` ${ink(standing, colors)(MARKS[standing])} ${within(`${plural(group.length, 'MUST clause')} ${STANDING_WORDS[standing]}: ${first.reason ?? 'no reason given'}`, 3)}`,
        `   ${colors.dim(short ? within(ids, 3) : ids)}`,
      ],
    };
  });
}

function problem(result: ClauseResult, colors: Colors, within: Within): string[] {
  const standing = standingOf(result);
  const mark = ink(standing, colors)(MARKS[standing]);
  const name = `${result.id} (${result.level})${result.required ? '' : ' not demanded yet'}`;
  if (result.verdict !== 'fail')
    return [
      ` ${mark} ${within(name, 3)}`,
      `   ${colors.dim(within(`${STANDING_WORDS[standing]}: ${result.reason ?? 'no reason given'}`, 3))}`,
    ];
  const words = [
    `   expected ${within(result.expected ?? result.text, 12)}`,
    `   found    ${within(result.found ?? plural(result.violations, 'violation'), 12)}`,
  ];
  const excuse =
    result.excused === undefined
      ? []
      : [
          `   ${colors.dim(within(`excused: ${result.excused.reason}${result.excused.expires === undefined ? '' : ` (until ${result.excused.expires})`}`, 3))}`,
        ];
  return [` ${mark} ${colors.bold(within(name, 3))}`, ...words, ...excuse];
}

function tail(outcome: Outcome, extras: Extras, colors: Colors, within: Within): string[] {
  const first = [...withStanding(outcome, 'fail'), ...withStanding(outcome, 'warning')].find(
    (result) => result.case !== undefined,
  );
  const replay = first === undefined ? undefined : replayCommand(outcome, first, extras);
  const notes =
    outcome.notes.length === 0 ? [] : [colors.dim(` ${plural(outcome.notes.length, 'note')} in the report`)];
  return [
    '',
    ...(first?.case === undefined ? [] : [` case    ${within(inFolder(first.case, extras), 9)}`]),
    ...(extras.folder === undefined ? [] : [` report  ${within(inFolder('report.html', extras), 9)}`]),
    ...(replay === undefined ? [] : [` replay  ${colors.cyan(oneLine(replay))}`]),
    ...notes,
  ].filter((line, at, lines) => !(line === '' && at === lines.length - 1));
}

const ink = (standing: Standing, colors: Colors): Paint =>
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

const seconds = (outcome: Outcome): string =>
  elapsedMs(outcome) === 0 ? '' : ` · ${(elapsedMs(outcome) / 1000).toFixed(1)} s`;
