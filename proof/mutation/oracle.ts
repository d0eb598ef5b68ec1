// Trials for the oracle, which is the judges' idea of right. A mutant of it is seen when a clause raises a false alarm over the reference
// or has nothing more to say there, when a mutant written by hand goes past the clauses that are meant for it, or when it is blamed
// for what it keeps.
// Recordings are made once, before there is a mutant, and judged again with it: judging is all that most of the oracle is for.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { drive } from '../../conformance/driving/drive.ts';
import type { Area, Mutant, Suite } from '../../conformance/driving/suite.ts';
import { judgeCase, Tally } from '../../conformance/judging/tally.ts';
import type { Fact, RecordingHead } from '../../conformance/recording/fact.ts';
import type { Target } from '../../conformance/targets/target.ts';
import { BEYOND, SEED, type Trial, type Tried } from './trial.ts';

/** In Stryker's sandbox, beside the bundle. */
const FOLDER = 'proof/mutation/bundle/recordings';
const FINE: Tried = { decided: [] };

interface Recording {
  readonly head: RecordingHead;
  readonly cases: readonly (readonly Fact[])[];
  /** For each case of a mutant, the clauses that it breaks there. */
  readonly blamed?: readonly (readonly string[])[];
}

/** Honest variants, in the areas where the oracle must leave them their choice. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'limits-untold': ['result-stream', 'state-limits', 'authorization'],
  'malformed-fails-run': ['result-stream', 'state-limits'],
  'filters-plugins': ['version-negotiation', 'discovery'],
  'not-found-for-refused': ['authorization'],
};

/** Honest implementations are judged area by area; mutants written by hand where they were caught. */
export const oracleTrials = (suite: Suite): Trial[] => {
  const honest = [
    { id: 'reference', target: suite.reference, areas: suite.areas },
    ...suite.variants.map(({ id, target }) => ({
      id,
      target,
      areas: suite.areas.filter((area) => CHOICES[id]?.includes(area.id)),
    })),
  ];
  const areas = honest.flatMap(({ id, target, areas: own }) =>
    own.map((area) => ({ id: `${id}/${area.id}`, area, target })),
  );
  return [
    {
      id: 'record',
      run: async () => {
        if (existsSync(FOLDER)) return FINE;
        mkdirSync(FOLDER, { recursive: true });
        for (const mutant of suite.mutants) save(mutant.id, await recordMutant(suite, mutant));
        for (const { id, area, target } of areas) save(id, await record(suite, area, target()));
        return FINE;
      },
    },
    ...suite.mutants.map((mutant) => ({ id: `caught/${mutant.id}`, run: () => stillCaught(suite, mutant) })),
    ...areas.map(({ id, area }) => ({ id: `judge/${id}`, run: async () => judgeAgain(suite, area, saved(id)) })),
    ...areas.map(({ id, area, target }) => ({
      id: `drive/${id}`,
      run: () => driveAgain(suite, area, target(), saved(id)),
    })),
  ];
};

const fileOf = (id: string): string => `${FOLDER}/${id.replaceAll('/', '-')}.json`;
const save = (id: string, recording: Recording): void => writeFileSync(fileOf(id), JSON.stringify(recording));
/** Read anew for every trial: judges remember what they found for an object. */
const saved = (id: string): Recording => JSON.parse(readFileSync(fileOf(id), 'utf8')) as Recording;

/** Drives one area, judged by nobody. */
async function record(suite: Suite, area: Area, target: Target): Promise<Recording> {
  let head: RecordingHead | undefined;
  const cases: (readonly Fact[])[] = [];
  await drive(
    { ...suite, areas: [area], judges: [], assemble: () => undefined, notes: () => [] },
    target,
    { seed: SEED, beyond: BEYOND, version: 'proof', shrinkPlays: 0 },
    {
      head: (given) => {
        head = given;
      },
      case: (facts) => void cases.push(facts),
    },
  );
  return { head: head!, cases };
}

/** For each clause that must catch a mutant, the first case in which it does. */
async function recordMutant(suite: Suite, mutant: Mutant): Promise<Recording> {
  const missing = new Set(mutant.clauses);
  let head: RecordingHead | undefined;
  const cases: (readonly Fact[])[] = [];
  const blamed: (readonly string[])[] = [];
  await driveUntil(suite, mutant, () => missing.size === 0, {
    head: (given) => {
      head = given;
    },
    case: (facts) => {
      const found = brokenIn(suite, head!, facts, missing);
      if (found.length === 0) return;
      cases.push(facts);
      blamed.push(brokenIn(suite, head!, facts));
      for (const clause of found) missing.delete(clause);
    },
  });
  return { head: head!, cases, blamed };
}

const driveUntil = (
  suite: Suite,
  mutant: Mutant,
  outOfTime: () => boolean,
  sink: Parameters<typeof drive>[3],
): ReturnType<typeof drive> =>
  drive(
    suite,
    mutant.target(),
    { seed: SEED, beyond: BEYOND, only: mutant.clauses, version: 'proof', shrinkPlays: 0, outOfTime },
    sink,
  );

function brokenIn(
  suite: Suite,
  head: RecordingHead,
  facts: readonly Fact[],
  only?: ReadonlySet<string>,
): readonly string[] {
  const findings = [...judgeCase(suite, head, facts, only)];
  return findings.filter(([, list]) => list.some(({ kind }) => kind === 'broken')).map(([clause]) => clause);
}

/** First where it was caught before; only what is missed there is driven again, until it is caught elsewhere or the run is over. */
async function stillCaught(suite: Suite, mutant: Mutant): Promise<Tried> {
  const { head, cases, blamed = [] } = saved(mutant.id);
  const missing = new Set(mutant.clauses);
  for (const [at, facts] of cases.entries())
    for (const clause of brokenIn(suite, head, facts)) {
      if (!blamed[at]?.includes(clause)) return { ...FINE, broken: `${clause} blames ${mutant.id}, which keeps it` };
      missing.delete(clause);
    }
  if (missing.size === 0) return FINE;
  let failing = 0;
  const { outcome } = await driveUntil(suite, mutant, () => failing === mutant.clauses.length, {
    progress: (progress) => {
      failing = progress.failing;
    },
  });
  const missed = outcome.clauses.find(({ id, verdict }) => mutant.clauses.includes(id) && verdict !== 'fail');
  return missed === undefined ? FINE : { ...FINE, broken: `${missed.id} misses ${mutant.id}` };
}

function judgeAgain(suite: Suite, area: Area, { head, cases }: Recording): Tried {
  const tally = new Tally();
  for (const [index, facts] of cases.entries())
    tally.add(judgeCase(suite, head, facts), { case: `${index}`, area: area.id, index, harnessFault: false });
  const own = new Set(suite.clauses.filter((clause) => clause.area === area.id).map(({ id }) => id));
  const wrong = [...tally.clauses].find(([, { violations }]) => violations > 0);
  return {
    ...(wrong === undefined ? {} : { broken: `false alarm of ${wrong[0]}: ${wrong[1].first?.finding.found}` }),
    decided: [...tally.clauses].filter(([id, { occasions }]) => own.has(id) && occasions > 0).map(([id]) => id),
  };
}

/** The oracle has a say in stimuli too. Where they are as before there is nothing to judge that was not judged. */
async function driveAgain(suite: Suite, area: Area, target: Target, before: Recording): Promise<Tried> {
  const now = await record(suite, area, target);
  if (JSON.stringify(now) === JSON.stringify(before)) return FINE;
  const [was, is] = [judgeAgain(suite, area, before), judgeAgain(suite, area, now)];
  const lost = was.decided.find((clause) => !is.decided.includes(clause));
  return lost === undefined ? is : { ...is, broken: is.broken ?? `${lost} is no longer exercised` };
}
