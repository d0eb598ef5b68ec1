// What every report asks of an outcome: who stands where, which clauses decide, what to call things.
import { type Comparison, compareOutcomes } from '../conformance/judging/compare.ts';
import type { ClauseResult, Outcome, Verdict } from '../conformance/judging/outcome.ts';
import { TARGET_KINDS } from '../conformance/targets/kinds.ts';
import type { Extras } from './extras.ts';
import { shellWords } from './text.ts';

/** A verdict as a reader sees it: a failed SHOULD is a warning, a known failure is excused. */
export type Standing = Exclude<Verdict, 'fail'> | 'fail' | 'warning' | 'excused';

export const STANDINGS: readonly Standing[] = [
  'fail',
  'warning',
  'excused',
  'inconclusive',
  'harness-fault',
  'not-exercised',
  'pass',
  'not-applicable',
];

export const STANDING_WORDS: Readonly<Record<Standing, string>> = {
  pass: 'pass',
  fail: 'fail',
  warning: 'warning',
  excused: 'excused',
  'not-exercised': 'not exercised',
  'not-applicable': 'not applicable',
  inconclusive: 'inconclusive',
  'harness-fault': 'harness fault',
};

export const VERDICT_WORDS: Readonly<Record<Outcome['verdict'], string>> = {
  conformant: 'Conformant',
  'not-conformant': 'Not conformant',
  inconclusive: 'Inconclusive',
};

const demanded = (result: ClauseResult): boolean => result.level === 'MUST' && result.required;

export function standingOf(result: ClauseResult): Standing {
  if (result.verdict !== 'fail') return result.verdict;
  if (result.excused !== undefined) return 'excused';
  return demanded(result) ? 'fail' : 'warning';
}

/** Whether this clause keeps the whole from being conformant. */
export function decides(result: ClauseResult): boolean {
  return demanded(result) && ['fail', 'inconclusive', 'harness-fault', 'not-exercised'].includes(standingOf(result));
}

export const withStanding = (outcome: Outcome, ...standings: readonly Standing[]): ClauseResult[] =>
  outcome.clauses.filter((result) => standings.includes(standingOf(result)));

/** What broke, the gravest first: what fails the run, then warnings. */
export const failuresOf = (outcome: Outcome): ClauseResult[] => [
  ...withStanding(outcome, 'fail'),
  ...withStanding(outcome, 'warning'),
];

export interface OpenGroup {
  readonly standing: Standing;
  readonly reason: string;
  readonly clauses: readonly ClauseResult[];
}

/** MUST clauses that stay undecided, those with one and the same reason together. */
export function openGroups(outcome: Outcome): OpenGroup[] {
  const groups = new Map<string, { standing: Standing; reason: string; clauses: ClauseResult[] }>();
  for (const result of outcome.clauses.filter((one) => decides(one) && one.verdict !== 'fail')) {
    const key = `${result.verdict} ${result.reason ?? ''}`;
    const group = groups.get(key);
    if (group !== undefined) group.clauses.push(result);
    else
      groups.set(key, {
        standing: standingOf(result),
        reason: result.reason ?? 'no reason given',
        clauses: [result],
      });
  }
  return [...groups.values()];
}

/** Nothing was driven: the reason of the whole says all that there is to say of its clauses. */
export const isUnreached = (outcome: Outcome): boolean =>
  outcome.verdict === 'inconclusive' && !isLog(outcome) && outcome.counts.stimuli === 0;

/** What to do about a target that could not be reached. */
export const remediesOf = (outcome: Outcome): string[] =>
  outcome.notes
    .filter(({ kind }) => kind === 'remedy')
    .slice(0, 3)
    .map(({ text }) => text);

export interface Section {
  readonly section: string;
  readonly clauses: readonly ClauseResult[];
}

/** Clauses by section, in the order in which the specification has them. */
export function sectionsOf(outcome: Outcome): Section[] {
  const sections = new Map<string, ClauseResult[]>();
  for (const result of outcome.clauses) {
    const list = sections.get(result.section);
    if (list === undefined) sections.set(result.section, [result]);
    else list.push(result);
  }
  return [...sections].map(([section, clauses]) => ({ section, clauses }));
}

/** `§7.1`; what other documents add has names of its own: `context 1`. */
export const sectionMark = (section: string): string =>
  /^\d/.test(section) ? `§${section}` : section.replaceAll('-', ' ');

export interface LevelCounts {
  readonly level: ClauseResult['level'];
  readonly all: number;
  readonly counts: Readonly<Record<Standing, number>>;
}

export function countsByLevel(outcome: Outcome): LevelCounts[] {
  return (['MUST', 'SHOULD', 'MAY'] as const).flatMap((level) => {
    const mine = outcome.clauses.filter((result) => result.level === level);
    if (mine.length === 0) return [];
    const counts = Object.fromEntries(
      STANDINGS.map((standing) => [standing, mine.filter((result) => standingOf(result) === standing).length]),
    );
    return [{ level, all: mine.length, counts: counts as Record<Standing, number> }];
  });
}

export const targetName = ({ target }: Outcome): string =>
  target.version === undefined ? target.name : `${target.name} ${target.version}`;

/** When the run began, where the outcome tells it in a form that can be trusted. */
export function startedAt({ timing }: Outcome): Date | undefined {
  const { started } = timing;
  if (typeof started !== 'string' || !/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(started)) return undefined;
  const date = new Date(started);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export function elapsedMs({ timing }: Outcome): number {
  const { ms } = timing;
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? Math.round(ms) : 0;
}

/** What `--grace` is where nobody says otherwise, in milliseconds. */
const USUAL_GRACE = 1000;

/** The one command that plays a saved case again. */
export function replayCommand(outcome: Outcome, result: ClauseResult, extras: Extras): string | undefined {
  if (result.case === undefined) return undefined;
  const { grace } = outcome.options;
  const late = typeof grace === 'number' && grace !== USUAL_GRACE ? ['--grace', String(grace)] : [];
  return `${shellWords(['npx', 'runcert', 'replay', inFolder(result.case, extras), ...late])}${targetPart(outcome, extras)}`;
}

/** How the target is named on a command line: its words where they are known, else the form they take, to be filled in. */
export function targetPart({ target }: Outcome, { targetWords }: Extras): string {
  if (targetWords !== undefined) return targetWords.length === 0 ? '' : ` ${shellWords(targetWords)}`;
  const flags = TARGET_KINDS.find(({ kind }) => kind === target.kind && kind !== 'reference')?.flags;
  return flags === undefined ? '' : ` ${flags}`;
}

export const inFolder = (path: string, { folder }: Extras): string =>
  folder === undefined || folder === '' ? path : `${folder.replace(/\/+$/, '')}/${path}`;

/** The line (from 1) of the first fact that proves a violation, in its recording. */
export function lineOfProof(result: ClauseResult, extras: Extras): number | undefined {
  const proof = result.facts?.[0];
  const facts = result.recording === undefined ? undefined : ownEntry(extras.recordings, result.recording)?.facts;
  const at = facts?.findIndex((fact) => fact.n === proof) ?? -1;
  return at < 0 ? undefined : at + 2;
}

/** A member that the map holds itself: paths come from outside and may be called `constructor`. */
export const ownEntry = <T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

export function comparisonOf(outcome: Outcome, { previous }: Extras): Comparison | undefined {
  return previous === undefined || previous.protocol !== outcome.protocol || previous.party !== outcome.party
    ? undefined
    : compareOutcomes(previous, outcome);
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`;

/** 484051 as 484,051: the same everywhere, whatever the locale. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** A log was judged as it lay there: nothing was driven, and there is no seed. */
export const isLog = ({ target }: Outcome): boolean => target.kind === 'log';

/** How much evidence there is: stimuli that were driven, or events of a log. */
export const drivenWords = (outcome: Outcome): string =>
  `${isLog(outcome) ? plural(outcome.counts.stimuli, 'event') : plural(outcome.counts.stimuli, 'stimulus', 'stimuli')}, ${plural(outcome.counts.occasions, 'occasion')}`;

/** Where a violation of a log stands; its facts are line numbers. */
export const linesOf = (outcome: Outcome, { facts }: ClauseResult): string | undefined =>
  !isLog(outcome) || facts === undefined || facts.length === 0
    ? undefined
    : `${facts.length === 1 ? 'line' : 'lines'} ${facts.slice(0, 5).map(String).join(', ')}${facts.length > 5 ? ' …' : ''}`;
