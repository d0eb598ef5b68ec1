// Judging a recording made earlier: a stream of cases in, an outcome out, memory flat.
import { RuncertError } from '../../common/error.ts';
import type { Suite } from '../driving/suite.ts';
import { type Block, blocksOf } from '../recording/blocks.ts';
import type { RecordingHead } from '../recording/fact.ts';
import { type JudgedBlock, judgeBlock } from './block.ts';
import { inOrder } from './in-order.ts';
import { Notes } from './notes.ts';
import type { Outcome } from './outcome.ts';
import { Tally } from './tally.ts';
import { countUp, overall, verdicts } from './verdict.ts';

/** Those who judge blocks elsewhere, several at a time. */
export interface Crew {
  /** How many blocks they may have under way. */
  readonly room: number;
  judge(block: Block, clauses: readonly string[]): Promise<JudgedBlock>;
}

export interface JudgeOptions {
  readonly version: string;
  /** Which clauses to judge. */
  readonly wanted?: (clause: string) => boolean;
  /** Without one, blocks are judged here, one after another. The outcome is the same. */
  readonly crew?: Crew;
}

export async function judgeRecording(
  path: string,
  suiteFor: (party: Suite['party'], revision: string) => Promise<Suite>,
  options: JudgeOptions,
): Promise<Outcome> {
  const { crew } = options;
  const tally = new Tally();
  const notes = new Notes();
  const begin = async (head: RecordingHead) => {
    const suite = await suiteOf(head, suiteFor, path);
    const clauses = suite.clauses.filter(({ id }) => options.wanted?.(id) ?? true);
    return { head, suite, clauses, ids: clauses.map(({ id }) => id) };
  };
  let begun: ReturnType<typeof begin> | undefined;
  const judge = async (block: Block): Promise<JudgedBlock> => {
    begun ??= begin(block.head);
    const { suite, ids } = await begun;
    return crew === undefined ? judgeBlock(suite, block, ids) : crew.judge(block, ids);
  };
  for await (const block of inOrder(blocksOf(path), crew?.room ?? 1, judge)) {
    tally.join(block.counted);
    notes.add(block.notes);
  }
  if (begun === undefined) {
    throw new RuncertError('RUNCERT_RECORDING_NO_CASE', 'The recording has a head and no facts.', {
      place: path,
      remedy: 'Record at least one exchange.',
    });
  }
  const { head, suite, clauses } = await begun;
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
