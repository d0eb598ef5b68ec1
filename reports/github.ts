// GitHub annotations: one workflow command a failure, so that a pull request shows them beside the checks.
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { cut, oneLine } from './text.ts';
import {
  decides,
  inFolder,
  lineOfProof,
  plural,
  STANDING_WORDS,
  standingOf,
  VERDICT_WORDS,
  withStanding,
} from './view.ts';

/** GitHub shows ten errors and ten warnings a step. */
const MOST = 10;
const LONG = 500;

export const github: Reporter = (outcome, extras) => {
  const failed = [
    ...withStanding(outcome, 'fail'),
    ...outcome.clauses.filter((result) => decides(result) && result.verdict !== 'fail'),
  ];
  const warned = withStanding(outcome, 'warning');
  const errors = [
    ...outcome.stale.map(({ clause, why }) => command('error', { title: `Stale baseline: ${clause}` }, why)),
    ...failed.map((result) => annotate('error', result, extras)),
  ];
  const warnings = warned.map((result) => annotate('warning', result, extras));
  const summary = command(
    outcome.verdict === 'conformant' ? 'notice' : 'error',
    { title: `Runcert: ${VERDICT_WORDS[outcome.verdict]}` },
    summaryOf(outcome),
  );
  return `${[summary, ...errors.slice(0, MOST - 1), ...warnings.slice(0, MOST)].join('\n')}\n`;
};

const summaryOf = (outcome: Outcome): string =>
  `${outcome.party} ${outcome.target.name}: ${plural(outcome.counts.pass, 'clause')} passed, ${outcome.counts.fail} failed, ${outcome.counts.excused} excused${outcome.reason === undefined ? '' : `; ${outcome.reason}`}`;

function annotate(kind: 'error' | 'warning', result: ClauseResult, extras: Extras): string {
  const line = lineOfProof(result, extras);
  const place = result.recording ?? result.case;
  const message =
    result.verdict === 'fail'
      ? `${result.text} Expected ${result.expected ?? '(see the clause)'}, found ${result.found ?? plural(result.violations, 'violation')}.`
      : `${STANDING_WORDS[standingOf(result)]}: ${result.reason ?? 'no reason given'}`;
  return command(
    kind,
    {
      ...(place === undefined ? {} : { file: inFolder(place, extras) }),
      ...(place === undefined || line === undefined ? {} : { line: String(line) }),
      title: `${result.id} (${result.level})`,
    },
    message,
  );
}

function command(kind: string, properties: Readonly<Record<string, string>>, message: string): string {
  const named = Object.entries(properties).map(([name, value]) => `${name}=${property(value)}`);
  return `::${kind} ${named.join(',')}::${data(message)}`;
}

/** The escapes that the workflow command syntax has; the rest was made visible before. */
const data = (text: string): string =>
  cut(oneLine(text), LONG).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
