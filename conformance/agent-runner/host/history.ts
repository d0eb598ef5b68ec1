// What was seen of a conversation's transcript: in observations, and, where a host shows none, in whole walks through its history.
import type { JsonObject } from '../../../common/json.ts';
import { part } from '../oracle/context.ts';
import { textOf } from '../oracle/payload.ts';
import { fold } from './folded.ts';
import { lastOf, overviews } from './shown.ts';
import { isText } from './turns.ts';
import type { HostCase, HostRun } from './view.ts';
import { walksOf } from './walks.ts';

export interface Glimpse {
  readonly n: number;
  readonly items: readonly JsonObject[];
}

const ofConversation = (items: readonly JsonObject[], run: HostRun): readonly JsonObject[] => {
  const { conversation_id, thread_id } = run.submission?.event ?? {};
  return items.filter(
    (item) => item['conversation_id'] === conversation_id && (item['thread_id'] ?? null) === (thread_id ?? null),
  );
};

/** Are two runs of one conversation and thread? */
const sameThread = (one: HostRun, other: HostRun): boolean =>
  ['conversation_id', 'thread_id', 'bot_id', 'workspace_id'].every(
    (key) => (one.submission?.event[key] ?? null) === (other.submission?.event[key] ?? null),
  );

/** The transcript as it was seen after this run. */
export function transcriptAfter(view: HostCase, run: HostRun): Glimpse | undefined {
  const shown = lastOf(view, run);
  if (shown?.transcript !== undefined) return { n: shown.n, items: shown.transcript };
  const walk = walksOf(view, 'history_page').find(
    (one) => one.whole && one.from.n > (run.end?.n ?? run.n) && sameThread(one.run, run),
  );
  return walk && { n: walk.until.n, items: walk.items };
}

/** Items that were surely there before a place in the recording. */
export function transcriptBefore(view: HostCase, run: HostRun, before: number): Glimpse | undefined {
  const shown = overviews(view).findLast(({ n, transcript }) => n < before && transcript !== undefined);
  if (shown?.transcript !== undefined) return { n: shown.n, items: ofConversation(shown.transcript, run) };
  const walk = walksOf(view, 'history_page').findLast(
    (one) => one.whole && one.until.n < before && sameThread(one.run, run),
  );
  return walk && { n: walk.until.n, items: walk.items };
}

/** The newest item of the conversation before a run: by its id where the host shows it, else by what was said last. */
export function newestBefore(
  view: HostCase,
  run: HostRun,
): { readonly is: (item: JsonObject) => boolean; readonly words: string } | undefined {
  const before = run.submission?.n ?? run.n;
  const shown = overviews(view).findLast(({ n, transcript }) => n < before && transcript !== undefined);
  if (shown?.transcript !== undefined) {
    const newest = ofConversation(shown.transcript, run).at(-1);
    return (
      newest && { is: (item) => item['transcript_id'] === newest['transcript_id'], words: String(newest['content']) }
    );
  }
  const last = view.runs.findLast((other) => other.n < run.n && sameThread(other, run));
  const folded = last && fold(view, last);
  if (last === undefined || folded?.settled?.status !== 'completed' || folded.settled.n > before) return undefined;
  const said = folded.items.findLast((item) => item.kind === 'message' && folded.counts(item));
  const words = said === undefined ? part(last.submission?.event, 'input')['text'] : textOf(said.content);
  return isText(words) && words !== '' ? { is: (item) => item['content'] === words, words } : undefined;
}
