// Shards of one run, put together again. What the whole run would have said, not a vote.
import { EXIT, RuncertError } from '../../common/error.ts';
import { canonical } from '../../common/json.ts';
import { concluded } from './baseline.ts';
import type { ClauseResult, Outcome, Verdict } from './outcome.ts';

export interface MergeOptions {
  /** Where the evidence of a shard lies in the merged folder; the path as it is unless told otherwise. */
  readonly relocate?: (path: string, shard: number) => string;
}

/**
 * Joins the outcomes of all shards of one run. The order they come in does not matter.
 * A baseline is not looked at: apply it to the merged outcome, since a shard cannot tell what is stale.
 */
export function mergeOutcomes(outcomes: readonly Outcome[], options: MergeOptions = {}): Outcome {
  const shards = inOrder(outcomes);
  const [first] = shards;
  if (first === undefined)
    throw new RuncertError('RUNCERT_MERGE', 'There is nothing to merge.', {
      remedy: 'Give the outcome.json of every shard.',
    });
  for (const other of shards.slice(1)) refuseStranger(first, other);
  const relocate = options.relocate ?? ((path) => path);
  const clauses = first.clauses.map(({ id }) =>
    mergeClause(
      shards.map((shard) => placed(clauseOf(shard, id, first), (path) => relocate(path, shard.shard?.index ?? 1))),
    ),
  );
  const { shard: _shard, reason: _reason, ...rest } = first;
  return concluded({
    ...rest,
    verdict: 'conformant',
    // A shard may see the target use what another did not.
    target: { ...first.target, traits: [...new Set(shards.flatMap(({ target }) => target.traits))] },
    options: withoutShard(first.options),
    clauses,
    notes: mergeNotes(shards),
    stale: [],
    counts: { ...first.counts, stimuli: shards.reduce((sum, shard) => sum + shard.counts.stimuli, 0) },
    timing: mergeTiming(shards),
  });
}

function inOrder(outcomes: readonly Outcome[]): readonly Outcome[] {
  if (outcomes.length === 1 && outcomes[0]?.shard === undefined) return outcomes;
  const of = outcomes[0]?.shard?.of ?? 0;
  const seen = new Map<number, Outcome>();
  for (const outcome of outcomes) {
    if (outcome.shard === undefined)
      throw new RuncertError('RUNCERT_MERGE', 'One of the outcomes is a whole run, not a shard.', {
        remedy: 'Merge only outcomes made with --shard I/N.',
      });
    if (outcome.shard.of !== of)
      throw new RuncertError('RUNCERT_MERGE', `Shards of ${of} and of ${outcome.shard.of} do not belong to one run.`);
    if (seen.has(outcome.shard.index))
      throw new RuncertError('RUNCERT_MERGE', `Shard ${outcome.shard.index}/${of} was given twice.`);
    seen.set(outcome.shard.index, outcome);
  }
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter((index) => !seen.has(index));
  if (missing.length > 0) {
    throw new RuncertError(
      'RUNCERT_MERGE_INCOMPLETE',
      `Shard ${missing.map((index) => `${index}/${of}`).join(', ')} is missing; without it nothing can be said of the whole.`,
      {
        remedy: 'Look at the job of that shard: it did not leave an outcome.json.',
        exit: EXIT.inconclusive,
      },
    );
  }
  return [...seen.values()].sort((a, b) => (a.shard?.index ?? 0) - (b.shard?.index ?? 0));
}

function refuseStranger(first: Outcome, other: Outcome): void {
  const parts: readonly (readonly [string, unknown, unknown])[] = [
    ['protocol', first.protocol, other.protocol],
    ['revision', first.revision, other.revision],
    ['party', first.party, other.party],
    ['version of Runcert', first.runcert, other.runcert],
    ['seed', first.seed, other.seed],
    ['target', { ...first.target, traits: [] }, { ...other.target, traits: [] }],
    ['options', withoutShard(first.options), withoutShard(other.options)],
    ['clauses', first.clauses.map(({ id }) => id), other.clauses.map(({ id }) => id)],
  ];
  for (const [what, a, b] of parts) {
    if (canonical(a) !== canonical(b)) {
      throw new RuncertError(
        'RUNCERT_MERGE',
        `The shards do not belong to one run: their ${what} differs${brief(a, b)}.`,
        {
          remedy: 'Give every shard the same target, --seed and options.',
        },
      );
    }
  }
}

const brief = (a: unknown, b: unknown): string => (typeof a === 'object' ? '' : ` (${String(a)} and ${String(b)})`);

/** `out` and `shard` tell the shards apart by design. */
function withoutShard(options: Outcome['options']): Outcome['options'] {
  const { shard: _shard, out: _out, baseline: _baseline, ...rest } = options;
  return rest;
}

function clauseOf(outcome: Outcome, id: string, first: Outcome): ClauseResult {
  const found = outcome.clauses.find((result) => result.id === id) ?? first.clauses.find((result) => result.id === id);
  if (found === undefined) throw new RuncertError('RUNCERT_MERGE', `Clause ${id} is missing in a shard.`);
  return found;
}

const placed = (result: ClauseResult, relocate: (path: string) => string): ClauseResult => ({
  ...result,
  ...(result.case === undefined ? {} : { case: relocate(result.case) }),
  ...(result.recording === undefined ? {} : { recording: relocate(result.recording) }),
});

/** As one run would: a violation decides, then a violation that rests on another, then a pass; then why nothing is known. */
const RANK: readonly Verdict[] = ['fail', 'pass', 'harness-fault', 'inconclusive', 'not-exercised', 'not-applicable'];
const rank = (result: ClauseResult): number =>
  result.verdict === 'inconclusive' && result.violations > 0 ? 0.5 : RANK.indexOf(result.verdict);

function mergeClause(results: readonly ClauseResult[]): ClauseResult {
  const [leading] = [...results].sort((a, b) => rank(a) - rank(b));
  if (leading === undefined) throw new RuncertError('RUNCERT_MERGE', 'A clause without results.');
  const { excused: _, ...rest } = leading;
  return {
    ...rest,
    occasions: results.reduce((sum, result) => sum + result.occasions, 0),
    violations: results.reduce((sum, result) => sum + result.violations, 0),
  };
}

function mergeNotes(shards: readonly Outcome[]): Outcome['notes'] {
  const notes = new Map<string, Outcome['notes'][number]>();
  for (const note of shards.flatMap((shard) => shard.notes)) {
    const key = canonical([note.kind, note.text]);
    const known = notes.get(key);
    const count = known === undefined ? note.count : (known.count ?? 1) + (note.count ?? 1);
    notes.set(key, { kind: note.kind, text: note.text, ...(count === undefined ? {} : { count }) });
  }
  return [...notes.values()];
}

function mergeTiming(shards: readonly Outcome[]): Outcome['timing'] {
  const started = shards
    .map((shard) => shard.timing['started'])
    .filter((at): at is string => typeof at === 'string')
    .sort();
  const spent = shards.map((shard) => shard.timing['ms']).filter((ms): ms is number => typeof ms === 'number');
  return {
    ...(started[0] === undefined ? {} : { started: started[0] }),
    ...(spent.length === 0 ? {} : { ms: spent.reduce((sum, ms) => sum + ms, 0) }),
    shards: shards.map((shard) => shard.timing),
  };
}
