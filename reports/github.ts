// GitHub annotations: one workflow command a failure, so that a pull request shows them beside the checks.
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { cut, oneLine } from './text.ts';
import {
  inFolder,
  isUnreached,
  lineOfProof,
  type OpenGroup,
  openGroups,
  plural,
  remediesOf,
  STANDING_WORDS,
  VERDICT_WORDS,
  withStanding,
} from './view.ts';

/** GitHub shows ten errors and ten warnings a step. */
const MOST = 10;
const LONG = 500;

export const github: Reporter = (outcome, extras) => {
  const errors = [
    ...outcome.stale.map(({ clause, why }) => command('error', { title: `Stale baseline: ${clause}` }, why)),
    ...withStanding(outcome, 'fail').map((result) => annotate('error', result, extras)),
    ...(isUnreached(outcome) ? [] : openGroups(outcome)).map(undecided),
  ];
  const warnings = withStanding(outcome, 'warning').map((result) => annotate('warning', result, extras));
  const summary = command(
    outcome.verdict === 'conformant' ? 'notice' : 'error',
    { title: `Runcert: ${VERDICT_WORDS[outcome.verdict]}` },
    summaryOf(outcome),
  );
  return `${[summary, ...errors.slice(0, MOST - 1), ...warnings.slice(0, MOST)].join('\n')}\n`;
};

function summaryOf(outcome: Outcome): string {
  const counts = [
    `${plural(outcome.counts.pass, 'clause')} passed`,
    `${withStanding(outcome, 'fail').length} failed`,
    plural(withStanding(outcome, 'warning').length, 'warning'),
    `${withStanding(outcome, 'excused').length} excused`,
  ].join(', ');
  const why = [outcome.reason, ...remediesOf(outcome)].filter((part) => part !== undefined);
  return `${outcome.party} ${outcome.target.name}: ${[counts, ...why].join('; ')}`;
}

/** Clauses that stay open for one reason share one of the few annotations that GitHub shows. */
function undecided({ standing, reason, clauses }: OpenGroup): string {
  const [first] = clauses;
  const title = clauses.length === 1 ? first!.id : plural(clauses.length, 'MUST clause');
  const ids = clauses.length === 1 ? '' : `: ${clauses.map(({ id }) => id).join(', ')}`;
  return command('error', { title: `${title} ${STANDING_WORDS[standing]}` }, `${reason}${ids}`);
}

function annotate(kind: 'error' | 'warning', result: ClauseResult, extras: Extras): string {
  const line = lineOfProof(result, extras);
  const place = result.recording ?? result.case;
  const message = `${result.text} Expected ${result.expected ?? '(see the clause)'}, found ${result.found ?? plural(result.violations, 'violation')}.`;
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
