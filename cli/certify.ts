// The run behind `runcert certify`: drive, judge, shrink, report. With no target, both embedded references.
import { join } from 'node:path';
import { RuncertError } from '../common/error.ts';
import { realClock } from '../conformance/driving/clock.ts';
import { drive } from '../conformance/driving/drive.ts';
import { globs } from '../conformance/driving/glob.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { suiteFor } from '../conformance/suites.ts';
import type { Extras } from '../reports/extras.ts';
import { writeReports } from '../reports/folder.ts';
import type { Format } from '../reports/format-names.ts';
import { longRun, progressOn } from '../reports/progress.ts';
import { VERDICT_WORDS } from '../reports/view.ts';
import { targetWords } from './argv.ts';
import { exitOf, worst } from './exit.ts';
import { type Gate, type GateFlags, gateOf } from './gate.ts';
import { ReportFolder, withEvidence } from './report-folder.ts';
import { printJson, showOutcome } from './show.ts';
import { untilInterrupted } from './signals.ts';
import { type SignFlags, signerOf } from './signing.ts';
import { specWords } from './spec-words.ts';
import { type Party, partyOf, type TargetFlags, targetOf } from './target.ts';
import { VERSION } from './version.ts';

export interface CertifyFlags extends TargetFlags, GateFlags, SignFlags {
  readonly out: string;
  readonly format: readonly Format[];
  readonly json?: boolean;
  readonly seed: number;
  readonly runs?: number;
  readonly timeLimit?: number;
  readonly grace: number;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly parallel: number;
  readonly revision?: string;
  readonly shard?: { readonly index: number; readonly of: number };
}

/** Milliseconds spent on shrinking one clause's case. */
const SHRINK_TIME = { virtual: 5_000, real: 20_000 };

/** Certifies the party that is named, or the one that the target is; both where nothing says which. */
export async function certifyAll(named: Party | undefined, flags: CertifyFlags): Promise<void> {
  const sign = await signerOf(flags);
  const gate = await gateOf(flags);
  const party = named ?? (await partyOf(flags));
  const parties: readonly Party[] = party === undefined ? ['runner', 'host'] : [party];
  await checkPatterns(parties, flags);
  const outcomes: Outcome[] = [];
  for (const one of parties) {
    const out = parties.length > 1 ? join(flags.out, one) : flags.out;
    const outcome = await certifyOne(one, flags, gate, out);
    outcomes.push(outcome);
    await sign?.(out, outcome);
  }
  if (parties.length > 1) process.stderr.write(`\n ${together(outcomes)}, reports in ${flags.out}\n`);
  if (flags.json) printJson(parties.length > 1 ? outcomes : outcomes[0]);
  process.exitCode = exitOf(worst(outcomes.map(({ verdict }) => verdict)));
}

/** A pattern that names no clause is a slip of the pen, and not a run without evidence. */
async function checkPatterns(parties: readonly Party[], { only, revision }: CertifyFlags): Promise<void> {
  const suites = await Promise.all(parties.map((party) => suiteFor(party, revision)));
  for (const pattern of only ?? []) {
    const named = globs([pattern]);
    if (suites.some(({ clauses }) => clauses.some(({ id }) => named(id)))) continue;
    throw new RuncertError('RUNCERT_NO_SUCH_CLAUSE', `No clause of a ${parties.join(' or ')} is called that.`, {
      place: `--only ${pattern}`,
      remedy:
        'A * stays within one part of an id: say "v1/7.2/*", or "v1/7**" across parts. `runcert list clauses` has them all.',
    });
  }
}

/** Where several parties were certified, how each of them fared: the first summary may have left the screen. */
const together = (outcomes: readonly Outcome[]): string =>
  outcomes.map(({ party, verdict }) => `${party} ${VERDICT_WORDS[verdict].toLowerCase()}`).join(', ');

/** Certifies one party and writes its report folder. */
async function certifyOne(party: Party, flags: CertifyFlags, gate: Gate, out: string): Promise<Outcome> {
  const suite = await suiteFor(party, flags.revision);
  const target = await targetOf(flags, party);
  const folder = await ReportFolder.prepare(out);
  const begun = realClock.now();
  const until = flags.timeLimit === undefined ? Number.POSITIVE_INFINITY : begun + flags.timeLimit * 1000;
  const progress = progressOn(process.stderr, process.env);
  const told = new Set<string>();
  /** A line of its own, beside the progress; each kind once. */
  const tell = (kind: string, text: string): void => {
    if (told.has(kind)) return;
    told.add(kind);
    progress.done();
    process.stderr.write(`${text}\n`);
  };
  process.stderr.write(`Certifying a ${party} (${target.kind}), seed ${flags.seed}\n`);
  const { signal, done } = untilInterrupted();
  const timeLimit = new AbortController();
  const timer =
    flags.timeLimit === undefined ? undefined : setTimeout(() => timeLimit.abort('time'), flags.timeLimit * 1000);
  try {
    const driven = await drive(
      suite,
      target,
      {
        seed: flags.seed,
        version: VERSION,
        grace: flags.grace,
        parallel: flags.parallel,
        signal,
        outOfTime: () => timeLimit.signal.aborted || realClock.now() > until,
        timeLimit: timeLimit.signal,
        shrinkTime: () => {
          const end = Math.min(until, realClock.now() + SHRINK_TIME[target.time]);
          return () => signal.aborted || realClock.now() > end;
        },
        ...(flags.runs === undefined ? {} : { runs: flags.runs }),
        ...(flags.only === undefined ? {} : { only: flags.only }),
        ...(flags.skip === undefined ? {} : { skip: flags.skip }),
        ...(flags.shard === undefined ? {} : { shard: flags.shard }),
      },
      {
        head: (head) => folder.head(head),
        case: (facts) => folder.case(facts),
        tell: (text) => tell(text, text),
        progress: ({ failing, ...event }) => {
          const now = realClock.now();
          const seen = {
            ...event,
            failures: failing,
            elapsedMs: now - begun,
            ...(Number.isFinite(until) ? { leftMs: until - now } : {}),
          };
          const long = longRun(seen);
          if (long !== undefined) tell('long', long);
          progress.update(seen);
        },
      },
    );
    await folder.close();
    const { outcome: bare, evidence } = withEvidence(driven);
    const timing = { ms: realClock.now() - begun, started: new Date(begun).toISOString() };
    const outcome = await gate.judge({ ...bare, timing });
    const extras: Extras = {
      ...evidence,
      ...specWords(suite),
      clauses: suite.clauses,
      targetWords: targetWords(),
      folder: out,
      page: flags.format.includes('html'),
      ...(gate.previous === undefined ? {} : { previous: gate.previous }),
    };
    await writeReports(out, outcome, flags.format, extras);
    progress.done();
    showOutcome(outcome, { ...extras, json: flags.json ?? false });
    return outcome;
  } finally {
    progress.done();
    clearTimeout(timer);
    done();
    await folder.close();
  }
}
