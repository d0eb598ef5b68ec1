// The run: every area's stimuli against the target, judged as they come; then the smallest case for each clause that broke.
import type { RuncertError } from '../../common/error.ts';
import type { Clause } from '../judging/clause.ts';
import { Notes, wireNotes } from '../judging/notes.ts';
import type { Outcome } from '../judging/outcome.ts';
import { hasHarnessFault, judgeCase, judgeView, Tally } from '../judging/tally.ts';
import { countUp, overall, verdicts } from '../judging/verdict.ts';
import type { Fact, RecordingHead } from '../recording/fact.ts';
import type { Target, TargetInfo } from '../targets/target.ts';
import { globs } from './glob.ts';
import { type Minimised, minimise } from './minimise.ts';
import { couldNotReach, Pilot } from './pilot.ts';
import { type Stimuli, stimuliOf } from './stimuli.ts';
import type { Area, Suite } from './suite.ts';

export interface DriveOptions {
  readonly seed: number;
  /** Stimuli an area; each area's own default where absent. */
  readonly runs?: number;
  /** Instead of `runs`: the area's corners, and this many generated stimuli beyond them. */
  readonly beyond?: number;
  /** Instead of `runs`: this many generated stimuli, and none of the corners. */
  readonly generated?: number;
  readonly grace?: number;
  /** Clause globs: judge only these, or all but these. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly shard?: { readonly index: number; readonly of: number };
  /** Cases played at once, each on a session of its own. */
  readonly parallel?: number;
  /** The most plays spent on shrinking one clause's case; 0 leaves shrinking out. */
  readonly shrinkPlays?: number;
  /** True once the whole time is over. */
  readonly outOfTime?: () => boolean;
  /** Stop once each of these clauses was broken: nothing else is wanted. */
  readonly until?: readonly string[];
  /** Aborts then: the case under way is cut as if the user had, for what it was not given the time to do proves nothing. */
  readonly timeLimit?: AbortSignal;
  /** True once the time for shrinking one clause is over; called with the clause's start mark. */
  readonly shrinkTime?: () => () => boolean;
  readonly signal?: AbortSignal;
  readonly version: string;
  /** More that the outcome's `options` shall tell. */
  readonly told?: Readonly<Record<string, unknown>>;
}

export interface Progress {
  readonly phase: 'drive' | 'shrink';
  /** The area of the last case; the clause whose smallest case is looked for. */
  readonly area: string;
  readonly done: number;
  readonly total: number;
  readonly failing: number;
}

/** Where the run puts what it sees; all of it optional. */
export interface Sink {
  head?(head: RecordingHead): void;
  case?(facts: readonly Fact[]): void | Promise<void>;
  progress?(progress: Progress): void;
  /** Something to tell while the run goes on. */
  tell?(text: string): void;
}

/** The smallest case that breaks a clause. */
export interface Counterexample {
  readonly clause: string;
  readonly area: string;
  readonly index: number;
  readonly stimulus: unknown;
  readonly minimal: boolean;
  readonly plays: number;
  readonly facts: readonly Fact[];
  /** The facts that prove the violation, and its words, in the smallest case. */
  readonly proof: readonly number[];
  readonly expected: string;
  readonly found: string;
}

export interface Driven {
  /** Without baseline and timing: those come from the caller. */
  readonly outcome: Outcome;
  readonly head: RecordingHead | undefined;
  readonly counterexamples: readonly Counterexample[];
}

interface Job {
  readonly area: Area;
  readonly stimuli: Stimuli;
  readonly index: number;
}

const DEFAULT_GRACE = 1000;
const TRIES_TO_REACH = 3;
/** Cases in a row that hang before waiting makes no sense any more; on virtual time waiting costs nothing. */
const HANGS = 3;

export async function drive<View>(
  suite: Suite<View>,
  target: Target,
  options: DriveOptions,
  sink: Sink = {},
): Promise<Driven> {
  const chosen = chooseClauses(suite.clauses, options);
  const pilotOptions = {
    suite,
    target,
    grace: options.grace ?? DEFAULT_GRACE,
    seed: options.seed,
    signal: AbortSignal.any([options.signal, options.timeLimit].filter((signal) => signal !== undefined)),
  };
  const pilot = new Pilot(pilotOptions);
  const tally = new Tally();
  const notes = new Notes();
  let info: TargetInfo;
  try {
    info = await pilot.meet();
  } catch (error) {
    await pilot.close();
    if (!couldNotReach(error)) throw error;
    return { outcome: unreachable(suite, target, options, chosen, error), head: undefined, counterexamples: [] };
  }
  const head = pilot.head();
  sink.head?.(head);

  const judged = new Set(chosen.map((clause) => clause.id));
  const areas = suite.areas.filter((area) =>
    chosen.some((clause) => clause.area === area.id && clause.unjudged === undefined),
  );
  const jobs = jobsOf(areas, info, options);
  let cutShort: string | undefined;

  // Cases may end in any order; they are counted in the order of their jobs, so that the outcome does not depend on it.
  const waiting = new Map<number, readonly Fact[]>();
  let counted = 0;
  let hung = 0;
  const count = async (order: number, facts: readonly Fact[]): Promise<void> => {
    waiting.set(order, facts);
    for (let next = waiting.get(counted); next !== undefined; next = waiting.get(counted)) {
      const { area, index } = jobs[counted]!;
      waiting.delete(counted++);
      const view = suite.assemble(head, next);
      const findings = judgeView(suite.judges, view, judged);
      tally.add(findings, { case: caseId(area, index), area: area.id, index, harnessFault: hasHarnessFault(next) });
      if (suite.notes !== undefined) notes.add(suite.notes(view));
      notes.add(wireNotes(next));
      hung = outOfTime(next) ? hung + 1 : 0;
      if (hung >= HANGS && target.time === 'real') cutShort ??= `${HANGS} cases in a row did not end in time`;
      await sink.case?.(next);
      sink.progress?.({ phase: 'drive', area: area.id, done: counted, total: jobs.length, failing: failing(tally) });
    }
  };

  let taken = 0;
  const worker = async (own: Pilot): Promise<void> => {
    let misses = 0;
    while (taken < jobs.length && cutShort === undefined) {
      if (options.signal?.aborted) cutShort ??= 'the run was interrupted';
      else if (options.outOfTime?.()) cutShort ??= 'the time limit of the run was reached';
      else if (options.until?.every((clause) => tally.of(clause).first !== undefined))
        cutShort ??= 'what the run looked for was found';
      if (cutShort !== undefined) return;
      const order = taken++;
      const { area, stimuli, index } = jobs[order]!;
      try {
        await count(order, await own.play(area, stimuli.at(index).value_, caseId(area, index)));
        misses = 0;
      } catch (error) {
        if (!couldNotReach(error)) throw error;
        await count(order, []);
        if (++misses >= TRIES_TO_REACH) cutShort ??= `the target could not be reached any more: ${error.message}`;
      }
    }
  };
  const more = Array.from({ length: Math.max(0, (options.parallel ?? 1) - 1) }, () => new Pilot(pilotOptions));
  try {
    await Promise.all([worker(pilot), ...more.map(help)]);
    const counterexamples = options.signal?.aborted || options.shrinkPlays === 0 ? [] : await shrinkAll();
    return { outcome: outcomeOf(counterexamples), head, counterexamples };
  } finally {
    await Promise.all([pilot, ...more].map((own) => own.close()));
  }

  /** A target that takes one connection at a time has one case played at a time. */
  async function help(own: Pilot): Promise<void> {
    try {
      await own.meet();
    } catch (error) {
      if (!couldNotReach(error)) throw error;
      sink.tell?.(`One case fewer is played at once than asked for: ${error.message}`);
      return;
    }
    await worker(own);
  }

  async function shrinkAll(): Promise<Counterexample[]> {
    const examples: Counterexample[] = [];
    const broken = [...tally.clauses].filter(([, { first }]) => first !== undefined);
    for (const [clause, { first }] of broken) {
      sink.progress?.({
        phase: 'shrink',
        area: clause,
        done: examples.length,
        total: broken.length,
        failing: broken.length,
      });
      const job = jobs.find(({ area, index }) => area.id === first!.area && index === first!.index)!;
      examples.push(await shrinkOne(clause, job));
    }
    return examples;
  }

  /** No time is left to play it again: the stimulus is saved as it was. */
  function unshrunk(clause: string, area: Area, index: number, stimulus: unknown): Counterexample {
    const { expected, found, facts: proof } = tally.of(clause).first!.finding;
    return { clause, area: area.id, index, stimulus, minimal: false, plays: 0, facts: [], proof, expected, found };
  }

  async function shrinkOne(clause: string, { area, stimuli, index }: Job): Promise<Counterexample> {
    const only = new Set([clause]);
    const look = async (stimulus: unknown): Promise<Looked> => {
      const facts = await pilot.play(area, stimulus, caseId(area, index)).catch((error: unknown) => {
        if (couldNotReach(error)) return [];
        throw error;
      });
      const finding = hasHarnessFault(facts) ? undefined : firstBroken(judgeCase(suite, head, facts, only).get(clause));
      return { stimulus, facts, finding };
    };
    const lookAfresh = async (stimulus: unknown): Promise<Looked> => {
      await pilot.close();
      await target.renew?.();
      return look(stimulus);
    };
    const original = stimuli.at(index);
    if (options.outOfTime?.()) return unshrunk(clause, area, index, original.value_);
    const budget = {
      plays: options.shrinkPlays ?? 2000,
      outOfTime: options.shrinkTime?.() ?? (() => options.signal?.aborted ?? false),
    };
    const smallestBy = async (first: Looked, again: typeof look): Promise<Looked & Minimised> => {
      let smallest = first;
      const found = await minimise(
        stimuli,
        original,
        async (candidate) => {
          const seen = await again(candidate);
          if (seen.finding !== undefined) smallest = seen;
          return seen.finding !== undefined;
        },
        budget,
        (candidate) => area.valid(candidate),
      );
      return { ...found, ...smallest };
    };

    let smallest = await smallestBy(await look(original.value_), look);
    // A target that goes on from case to case may have broken the clause for what came before: the saved case must break it by itself.
    if (
      (target.startable === true || target.renew !== undefined) &&
      !budget.outOfTime() &&
      (await lookAfresh(smallest.stimulus)).finding === undefined
    ) {
      const first = await lookAfresh(original.value_);
      if (first.finding !== undefined) smallest = await smallestBy(first, lookAfresh);
      else
        notes.add([
          {
            kind: REMEMBERED,
            text: `${clause} was not broken again by its saved case in a target just started: ${WHY}`,
          },
        ]);
    }
    const { stimulus, minimal, plays, facts, finding } = smallest;
    const { expected, found, facts: proof } = finding ?? tally.of(clause).first!.finding;
    return { clause, area: area.id, index, stimulus, minimal, plays, facts, proof, expected, found };
  }

  function outcomeOf(examples: readonly Counterexample[]): Outcome {
    const { requirements } = suite;
    const results = verdicts({
      clauses: chosen,
      traits: info.traits,
      tally,
      ...(cutShort === undefined ? {} : { cutShort }),
      ...(requirements === undefined ? {} : { requirements }),
    }).map((result) => {
      const example = result.verdict === 'fail' ? examples.find(({ clause }) => clause === result.id) : undefined;
      return example === undefined
        ? result
        : { ...result, expected: example.expected, found: example.found, facts: [...example.proof] };
    });
    return assemble(suite, options, info, results, chosen, tally.cases, notes.all);
  }
}

const REMEMBERED = 'remembered';
const WHY = 'it keeps something from one case to the next, or does not do the same twice';

/** A stimulus that was played again for one clause. */
interface Looked {
  readonly stimulus: unknown;
  readonly facts: readonly Fact[];
  readonly finding: ReturnType<typeof firstBroken>;
}

const outOfTime = (facts: readonly Fact[]): boolean => {
  const last = facts.at(-1);
  return last?.fact === 'end' && last.how === 'time';
};
const caseId = (area: Area, index: number): string => `${area.id}-${index}`;
const failing = (tally: Tally): number => [...tally.clauses.values()].filter(({ violations }) => violations > 0).length;
const firstBroken = (findings: readonly { kind: string }[] | undefined) =>
  findings?.find((finding) => finding.kind === 'broken') as
    | { readonly facts: readonly number[]; readonly expected: string; readonly found: string }
    | undefined;

function chooseClauses(clauses: readonly Clause[], { only, skip }: DriveOptions): Clause[] {
  const wanted = only === undefined || only.length === 0 ? () => true : globs(only);
  const unwanted = skip === undefined || skip.length === 0 ? () => false : globs(skip);
  return clauses.filter(({ id }) => wanted(id) && !unwanted(id));
}

/**
 * All areas go forward side by side, their corners first: the pace of the first minute is that of the whole run,
 * and a run that is cut short has seen something of everything.
 */
function jobsOf(areas: readonly Area[], info: TargetInfo, options: DriveOptions): Job[] {
  const { seed, shard } = options;
  const planned = areas.flatMap((area) => {
    const stimuli = stimuliOf(area, info, seed);
    const { from, to } = indices(area, stimuli.corners, options);
    return Array.from({ length: to - from }, (_, at) => ({ area, stimuli, index: from + at, part: at / (to - from) }));
  });
  const jobs = planned.sort((one, other) => one.part - other.part);
  return shard === undefined ? jobs : jobs.filter((_, order) => order % shard.of === shard.index - 1);
}

/** Which stimuli of an area are played. */
function indices(
  area: Area,
  corners: number,
  { runs, beyond, generated }: DriveOptions,
): { readonly from: number; readonly to: number } {
  if (runs !== undefined) return { from: 0, to: runs };
  if (beyond !== undefined) return { from: 0, to: corners + beyond };
  if (generated !== undefined) return { from: corners, to: corners + generated };
  return { from: 0, to: area.runs };
}

function assemble(
  suite: Pick<Suite, 'protocol' | 'revision' | 'party'>,
  options: DriveOptions,
  info: TargetInfo,
  results: Outcome['clauses'],
  chosen: readonly Clause[],
  stimuli: number,
  notes: Outcome['notes'],
): Outcome {
  const unjudged = chosen.flatMap(({ id, unjudged: reason }) => (reason === undefined ? [] : [{ id, reason }]));
  const { kind, name, version, declared, traits } = info;
  return {
    version: 1,
    runcert: options.version,
    protocol: suite.protocol,
    revision: suite.revision,
    party: suite.party,
    target: {
      kind,
      name,
      ...(version === undefined ? {} : { version }),
      declared: { ...declared },
      traits: [...traits],
    },
    seed: options.seed,
    options: {
      ...(options.runs === undefined ? {} : { runs: options.runs }),
      grace: options.grace ?? DEFAULT_GRACE,
      ...(options.only === undefined ? {} : { only: options.only }),
      ...(options.skip === undefined ? {} : { skip: options.skip }),
      ...options.told,
    },
    ...overall(results, 0),
    clauses: results,
    unjudged,
    notes,
    stale: [],
    counts: countUp(results, unjudged.length, stimuli),
    ...(options.shard === undefined ? {} : { shard: { ...options.shard } }),
    timing: {},
  };
}

/** The outcome of a target that never shook hands: nothing is known, and that is said. */
function unreachable(
  suite: Suite<never> | Pick<Suite, 'protocol' | 'revision' | 'party'>,
  target: Target,
  options: DriveOptions,
  chosen: readonly Clause[],
  error: RuncertError,
): Outcome {
  const info: TargetInfo = {
    kind: target.kind,
    seat: target.party === 'host' ? 'host' : 'module',
    name: target.kind,
    declared: {},
    traits: [],
  };
  const results = verdicts({
    clauses: chosen,
    traits: [...new Set(chosen.flatMap((clause) => clause.requires ?? []))].flatMap((trait) => trait.split('|')),
    tally: new Tally(),
    cutShort: error.message,
  });
  // The reason says what happened; the note what to do about it.
  const notes = error.remedy === undefined ? [] : [{ kind: 'remedy', text: error.remedy }];
  const outcome = assemble(suite, options, info, results, chosen, 0, notes);
  return { ...outcome, verdict: 'inconclusive', reason: `the target could not be reached: ${error.message}` };
}
