// Judging a recording made earlier: a stream of cases in, an outcome out, memory flat.
import { RuncertError } from '../../common/error.ts';
import type { Suite } from '../driving/suite.ts';
import type { RecordingHead } from '../recording/fact.ts';
import { readRecording } from '../recording/file.ts';
import { Notes, wireNotes } from './notes.ts';
import type { Outcome } from './outcome.ts';
import { hasHarnessFault, judgeCase, Tally } from './tally.ts';
import { countUp, overall, verdicts } from './verdict.ts';

export interface JudgeOptions {
  readonly version: string;
  /** Which clauses to judge. */
  readonly wanted?: (clause: string) => boolean;
}

export async function judgeRecording(
  path: string,
  suiteFor: (party: Suite['party'], revision: string) => Promise<Suite>,
  options: JudgeOptions,
): Promise<Outcome> {
  const tally = new Tally();
  let suite: Suite | undefined;
  let head: RecordingHead | undefined;
  let judged: ReadonlySet<string> | undefined;
  const notes = new Notes();
  for await (const recorded of readRecording(path)) {
    head ??= recorded.head;
    suite ??= await suiteOf(head, suiteFor, path);
    judged ??= new Set(suite.clauses.map(({ id }) => id).filter(options.wanted ?? (() => true)));
    const first = recorded.facts[0];
    const from =
      first?.fact === 'case' ? { case: first.id, area: first.area } : { case: `case-${tally.cases}`, area: 'recorded' };
    notes.add(wireNotes(recorded.facts));
    tally.add(judgeCase(suite, head, recorded.facts, judged), {
      ...from,
      index: tally.cases,
      harnessFault: hasHarnessFault(recorded.facts),
    });
  }
  if (suite === undefined || head === undefined) {
    throw new RuncertError('RUNCERT_RECORDING_NO_CASE', 'The recording has a head and no facts.', {
      place: path,
      remedy: 'Record at least one exchange.',
    });
  }
  const clauses = suite.clauses.filter(({ id }) => judged?.has(id));
  const results = verdicts({
    clauses,
    traits: head.target.traits,
    tally,
    ...(suite.requirements === undefined ? {} : { requirements: suite.requirements }),
  });
  const unjudged = clauses.flatMap(({ id, unjudged: reason }) => (reason === undefined ? [] : [{ id, reason }]));
  return {
    version: 1,
    runcert: options.version,
    protocol: head.protocol,
    revision: head.revision,
    party: head.party,
    target: head.target,
    seed: head.seed ?? 0,
    options: { judged: 'recording' },
    ...overall(results, 0),
    clauses: results,
    unjudged,
    notes: notes.all,
    stale: [],
    counts: countUp(results, unjudged.length, tally.cases),
    timing: {},
  };
}

async function suiteOf(
  head: RecordingHead,
  suiteFor: (party: Suite['party'], revision: string) => Promise<Suite>,
  path: string,
): Promise<Suite> {
  const suite = await suiteFor(head.party, head.revision);
  if (suite.protocol === head.protocol) return suite;
  throw new RuncertError(
    'RUNCERT_UNKNOWN_PROTOCOL',
    `The recording speaks ${head.protocol} for a ${head.party}; Runcert judges ${suite.protocol} there.`,
    { place: `${path}:1` },
  );
}
