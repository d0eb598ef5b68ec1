// Markdown for a job summary: the verdict, what failed, what is known, and how to play it again.
import { comparisonSentence } from '../conformance/judging/compare.ts';
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { codeSpan, cut, escapeMarkdown } from './text.ts';
import {
  comparisonOf,
  countsByLevel,
  drivenWords,
  isLog,
  isUnreached,
  type OpenGroup,
  openGroups,
  replayCommand,
  STANDING_WORDS,
  STANDINGS,
  targetName,
  VERDICT_WORDS,
  withStanding,
} from './view.ts';

/** A job summary may hold 1 MiB; a reader bears far less. */
const MOST_ROWS = 50;
const LONG = 300;

const SIGNS: Readonly<Record<Outcome['verdict'], string>> = {
  conformant: '✅',
  'not-conformant': '❌',
  inconclusive: '⚠️',
};

export const markdown: Reporter = (outcome, extras) => {
  const comparison = comparisonOf(outcome, extras);
  return `${[
    `## ${SIGNS[outcome.verdict]} ${VERDICT_WORDS[outcome.verdict]}: ${outcome.party} ${code(targetName(outcome))}`,
    ...(outcome.reason === undefined ? [] : [`${prose(outcome.reason)}.`.replace(/\.\.$/, '.')]),
    `${prose(outcome.protocol)} ${prose(outcome.revision)} · ${drivenWords(outcome).replace(', ', ' · ')}${isLog(outcome) ? '' : ` · seed ${code(String(outcome.seed))}`} · runcert ${prose(outcome.runcert)}`,
    ...(comparison === undefined ? [] : [`**${comparisonSentence(comparison)}**`]),
    countsTable(outcome),
    ...failures(outcome, extras),
    ...list('Stale baseline', outcome.stale, ({ clause, why }) => `${code(clause)}: ${prose(why)}`),
    ...list('Not decided', isUnreached(outcome) ? [] : openGroups(outcome), undecided),
    ...list(
      'Warnings',
      withStanding(outcome, 'warning'),
      (result) =>
        `${code(result.id)}: expected ${code(result.expected ?? result.text)}, found ${code(result.found ?? '')}`,
    ),
    ...list(
      'Excused by the baseline',
      withStanding(outcome, 'excused'),
      (result) => `${code(result.id)}: ${prose(result.excused?.reason ?? '')}${until(result)}`,
    ),
    ...list(
      'Notes',
      outcome.notes,
      ({ kind, text, count }) =>
        `${prose(kind)}: ${prose(text)}${count === undefined || count === 1 ? '' : ` (${count}×)`}`,
    ),
  ].join('\n\n')}\n`;
};

function countsTable(outcome: Outcome): string {
  const levels = countsByLevel(outcome);
  const seen = STANDINGS.filter((standing) => levels.some(({ counts }) => counts[standing] > 0));
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(['level', 'clauses', ...seen.map((standing) => STANDING_WORDS[standing])]),
    row(['---', ...['', ...seen].map(() => '---:')]),
    ...levels.map(({ level, all, counts }) => row([level, all, ...seen.map((standing) => counts[standing])])),
  ].join('\n');
}

function failures(outcome: Outcome, extras: Extras): string[] {
  const failed = withStanding(outcome, 'fail');
  if (failed.length === 0) return [];
  const replay = failed
    .map((result) => replayCommand(outcome, result, extras))
    .find((command) => command !== undefined);
  return [
    '### Failed',
    [
      '| clause | asks | expected | found | violations |',
      '| --- | --- | --- | --- | ---: |',
      ...failed
        .slice(0, MOST_ROWS)
        .map(
          (result) =>
            `| ${[code(result.id), prose(result.text), code(result.expected ?? ''), code(result.found ?? ''), `${result.violations} of ${result.occasions}`].join(' | ')} |`,
        ),
    ].join('\n'),
    ...(failed.length > MOST_ROWS ? [`… and ${failed.length - MOST_ROWS} more in the report.`] : []),
    ...(replay === undefined ? [] : [`Play the first one again: ${codeSpan(replay)}`]),
  ];
}

function list<T>(title: string, items: readonly T[], line: (item: T) => string): string[] {
  if (items.length === 0) return [];
  const more = items.length > MOST_ROWS ? [`- … and ${items.length - MOST_ROWS} more`] : [];
  return [`### ${title}`, [...items.slice(0, MOST_ROWS).map((item) => `- ${line(item)}`), ...more].join('\n')];
}

function undecided({ standing, reason, clauses }: OpenGroup): string {
  const ids = clauses.slice(0, MOST_ROWS).map(({ id }) => code(id));
  const more = clauses.length - ids.length;
  return `${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${STANDING_WORDS[standing]}, ${prose(reason)}`;
}
const until = ({ excused }: ClauseResult): string =>
  excused?.expires === undefined ? '' : ` (until ${prose(excused.expires)})`;
const code = (text: string): string => codeSpan(cut(text, LONG));
/** Spaces at the edges go: four at the beginning of a line would make it code. */
const prose = (text: string): string => escapeMarkdown(cut(text, LONG)).trim();
