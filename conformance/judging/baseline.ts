// The baseline: failures that are known, with a reason each, and for how long. It excuses; it never hides.
import { type Static, Type } from 'typebox';
import { readDocument } from '../../common/document.ts';
import { RuncertError } from '../../common/error.ts';
import type { ClauseResult, Outcome } from './outcome.ts';
import { countUp, overall } from './verdict.ts';

export const BASELINE_VERSION = 1;

const DAY = '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';

export const BaselineEntry = Type.Object(
  {
    clause: Type.String({ minLength: 1, description: 'The id of the clause whose failure is excused.' }),
    reason: Type.String({ minLength: 1, description: 'Why it fails today and who will mend it.' }),
    party: Type.Optional(Type.Enum(['host', 'runner', 'runtime'], { description: 'Only for a run of this party.' })),
    expires: Type.Optional(Type.String({ pattern: DAY, description: 'The last day (UTC) on which the excuse holds.' })),
    flaky: Type.Optional(
      Type.Boolean({ description: 'It fails now and then: passing does not make the entry stale.' }),
    ),
  },
  { additionalProperties: false },
);
export type BaselineEntry = Static<typeof BaselineEntry>;

export const Baseline = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    version: Type.Literal(BASELINE_VERSION),
    entries: Type.Array(BaselineEntry),
  },
  { additionalProperties: false },
);
export type Baseline = Static<typeof Baseline>;

export const EMPTY_BASELINE: Baseline = { version: BASELINE_VERSION, entries: [] };

/** Reads a baseline file's text; mistakes are told with their place. */
export function readBaseline(text: string, place: string): Baseline {
  const words = { what: 'baseline', code: 'RUNCERT_BASELINE', place } as const;
  const baseline = readDocument(Baseline, text, words);
  const seen = new Set<string>();
  for (const entry of baseline.entries) {
    const key = `${entry.party ?? '*'} ${entry.clause}`;
    if (seen.has(key))
      throw new RuncertError(words.code, `The clause ${entry.clause} stands in the baseline twice.`, {
        place,
        remedy: 'Keep one entry a clause.',
      });
    seen.add(key);
    if (entry.expires !== undefined && !isDay(entry.expires))
      throw new RuncertError(words.code, `${entry.expires} is no day of the calendar (entry for ${entry.clause}).`, {
        place,
      });
  }
  return baseline;
}

/**
 * Excuses known failures and names the entries that excuse nothing any more.
 * @param today the day as `YYYY-MM-DD` in UTC; it comes in as an argument so that judging reads no clock.
 */
export function applyBaseline(outcome: Outcome, baseline: Baseline, today: string): Outcome {
  const mine = baseline.entries.filter((entry) => concerns(entry, outcome));
  const results = new Map(outcome.clauses.map((result) => [result.id, result]));
  const stale = mine.flatMap((entry) => {
    const why = whyStale(entry, results.get(entry.clause), outcome, today);
    return why === undefined ? [] : [{ clause: entry.clause, why }];
  });
  const clauses = outcome.clauses.map((result): ClauseResult => {
    const { excused: _, ...bare } = result;
    const entry = mine.find((candidate) => candidate.clause === result.id && !expired(candidate, today));
    return entry === undefined || result.verdict !== 'fail' ? bare : { ...bare, excused: excuse(entry) };
  });
  return concluded({ ...outcome, clauses, stale });
}

/** The outcome with verdict, reason and counts drawn anew from its clauses and stale entries. */
export function concluded(outcome: Outcome): Outcome {
  const { reason, ...rest } = outcome;
  const now = overall(outcome.clauses, outcome.stale.length);
  return {
    ...rest,
    ...now,
    // A run that could not be made knows better than its clauses why.
    ...(now.verdict === 'inconclusive' && outcome.verdict === 'inconclusive' && reason !== undefined ? { reason } : {}),
    counts: countUp(outcome.clauses, outcome.unjudged.length, outcome.counts.stimuli),
  };
}

/**
 * The baseline that fits this outcome: new failures come in, entries that excuse nothing go.
 * An expiry date is a promise of a person: an expired entry of a clause that still fails stays as it is, and goes on failing.
 */
export function updateBaseline(outcome: Outcome, old: Baseline, today: string): Baseline {
  const failing = outcome.clauses.filter((result) => result.verdict === 'fail');
  const results = new Map(outcome.clauses.map((result) => [result.id, result]));
  const kept = old.entries.filter((entry) => {
    if (!concerns(entry, outcome)) return true;
    const result = results.get(entry.clause);
    return result?.verdict === 'fail' || whyStale(entry, result, outcome, today) === undefined;
  });
  const known = new Set(kept.filter((entry) => concerns(entry, outcome)).map((entry) => entry.clause));
  const added = failing
    .filter((result) => !known.has(result.id))
    .map(
      (result): BaselineEntry => ({
        clause: result.id,
        party: outcome.party,
        reason: `Known since ${today}; say here why, and who mends it.`,
      }),
    );
  const entries = [...kept, ...added].sort((a, b) => order(a.clause, b.clause) || order(a.party ?? '', b.party ?? ''));
  return { ...(old.$schema === undefined ? {} : { $schema: old.$schema }), version: BASELINE_VERSION, entries };
}

export const writeBaseline = (baseline: Baseline): string => `${JSON.stringify(baseline, null, 2)}\n`;

/** Whether `YYYY-MM-DD` is a day that the calendar has. */
export const isDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

const concerns = (entry: BaselineEntry, outcome: Outcome): boolean =>
  entry.party === undefined || entry.party === outcome.party;

const expired = (entry: BaselineEntry, today: string): boolean => entry.expires !== undefined && entry.expires < today;

const excuse = ({ reason, expires, flaky }: BaselineEntry): NonNullable<ClauseResult['excused']> => ({
  reason,
  ...(expires === undefined ? {} : { expires }),
  ...(flaky === undefined ? {} : { flaky }),
});

/** A run of chosen clauses only: what it does not hold, it was told to leave out. */
const filtered = ({ options }: Outcome): boolean =>
  [options['only'], options['skip']].some((globs) => Array.isArray(globs) && globs.length > 0);

/** Why an entry fails the run, or undefined where it may stay. Missing evidence makes nothing stale: a shard sees only its part. */
function whyStale(
  entry: BaselineEntry,
  result: ClauseResult | undefined,
  outcome: Outcome,
  today: string,
): string | undefined {
  if (expired(entry, today)) return `expired on ${entry.expires}`;
  if (result === undefined) {
    if (outcome.unjudged.some((clause) => clause.id === entry.clause))
      return 'the clause cannot be judged from outside';
    if (filtered(outcome)) return undefined;
    return `revision ${outcome.revision} has no such clause for a ${outcome.party}`;
  }
  if (outcome.shard !== undefined || entry.flaky === true) return undefined;
  if (result.verdict === 'pass') return 'the clause passes now';
  if (result.verdict === 'not-applicable') return 'the clause does not apply to this target';
  return undefined;
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
