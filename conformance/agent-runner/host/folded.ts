// A run as the oracle reads it: its stream taken item by item, with the cuts that deadline, cancel and restart make.
import { memo } from '../../../common/memo.ts';
import { type Offered, offeredIn } from '../oracle/manifest.ts';
import { openScopes, type StateScope } from '../oracle/state.ts';
import { type Item, readStream, type Stream } from '../oracle/stream.ts';
import { type Shown, settledOf } from './shown.ts';
import type { Asked, HostCase, HostRun } from './view.ts';

export interface Folded {
  readonly run: HostRun;
  readonly stream: Stream;
  readonly items: readonly Item[];
  readonly terminal: Item | undefined;
  readonly scopes: ReadonlySet<StateScope>;
  /** The first observation that shows the run as over. */
  readonly settled: Shown | undefined;
  /** The status that the stream asks for; undefined where the documents leave it open. */
  readonly due: 'completed' | 'failed' | undefined;
  /** Does this item surely count? A shaky one does where the host shows that it went on to the end. */
  counts(item: Item): boolean;
}

const folds = new WeakMap<HostRun, Folded>();

export function fold(view: HostCase, run: HostRun): Folded {
  const known = folds.get(run);
  if (known !== undefined) return known;
  const scopes = openScopes(run.submission?.binding ?? {}, run.submission?.event ?? {});
  const cut = cutOf(view, run);
  const stream = readStream({ runId: run.runId, pushed: run.pushed, limits: view.limits, openScopes: scopes, cut });
  const settled = settledOf(view, run);
  const { terminal } = stream;
  const due = dueStatus(run, stream, cut);
  const wentOn = terminal?.kind === 'completed' && settled?.status === 'completed';
  const folded: Folded = {
    run,
    stream,
    items: stream.items,
    terminal,
    scopes,
    settled,
    due,
    counts: (item) => item.phase === 'live' || (item.phase === 'shaky' && wentOn),
  };
  folds.set(run, folded);
  return folded;
}

export type Settled = Folded & { readonly settled: Shown };

/** Runs that came to their end and were looked at then. */
export const settledRuns = memo((view: HostCase): readonly Settled[] =>
  foldAll(view).filter((folded): folded is Settled => folded.settled !== undefined),
);

export const foldAll = memo((view: HostCase): readonly Folded[] => view.runs.map((run) => fold(view, run)));

function dueStatus(run: HostRun, stream: Stream, cut: Cut | undefined): Folded['due'] {
  if (stream.shaky) return undefined;
  if (stream.terminal !== undefined) return stream.terminal.kind === 'completed' ? 'completed' : 'failed';
  return run.end !== undefined && (cut === undefined || run.end.at < cut.from) ? 'failed' : undefined;
}

interface Cut {
  readonly from: number;
  readonly until: number;
}

/** A host that cannot cancel, and says so, has cancelled nothing. */
export const isDeclined = (view: HostCase, { reply }: Asked): boolean =>
  !view.features.has('cancel') && reply !== undefined && reply.code !== 0;

/** From when on results may, and must, go unheeded: the earliest of deadline, cancel and restart. */
export function cutOf(view: HostCase, run: HostRun): Cut | undefined {
  const { grace } = view.head;
  const cuts: Cut[] = [];
  // What was shown to be over is not cut by what comes later, however soon.
  const settled = settledOf(view, run);
  const over = settled?.status === undefined ? Number.POSITIVE_INFINITY : settled.n;
  if (run.deadline !== undefined) cuts.push({ from: run.deadline - grace, until: run.deadline + grace });
  for (const cancel of view.cancels) {
    if (cancel.runId !== run.runId || cancel.n < run.n || cancel.n > over || isDeclined(view, cancel)) continue;
    const until = cancel.reply === undefined ? Number.POSITIVE_INFINITY : cancel.reply.at + grace;
    cuts.push({ from: cancel.at - grace, until });
  }
  for (const restart of view.restarts)
    if (restart.n > run.n && restart.n < over) cuts.push({ from: restart.at - grace, until: Number.POSITIVE_INFINITY });
  if (cuts.length === 0) return undefined;
  return { from: Math.min(...cuts.map(({ from }) => from)), until: Math.min(...cuts.map(({ until }) => until)) };
}

/** The manifest by which the host came to know this runner: the last one offered before. */
export function offeredFor(view: HostCase, runnerId: string, before: number): Offered | undefined {
  for (const listing of view.listings.toReversed()) {
    if (listing.answer === undefined || listing.answer.n > before || listing.answer.code !== 0) continue;
    return offeredIn(listing.answer.data)?.find((offered) => offered.id === runnerId);
  }
  return undefined;
}

/** Does every wait of this case lie within what it shows? A case that was cut short proves nothing by absence. */
export const playedOut = (view: HostCase): boolean => view.end === undefined || view.end.how === 'done';

/** Were two runs under way at the same time? */
export const together = (one: HostRun, other: HostRun): boolean =>
  one.n < (other.end?.n ?? Number.POSITIVE_INFINITY) && other.n < (one.end?.n ?? Number.POSITIVE_INFINITY);
