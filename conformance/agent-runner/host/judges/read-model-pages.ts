// AGENT_CONTEXT §4: paging by cursor gives every item once, in order, while the log grows; state is carried from run to run.
import { isObject, type JsonObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { type Finding, hold, judge, kept } from '../../../judging/judge.ts';
import { part } from '../../oracle/context.ts';
import { brief } from '../effects.ts';
import { foldAll } from '../folded.ts';
import { newestBefore, transcriptBefore } from '../history.ts';
import { stateDue } from '../stored.ts';
import { access, availableApis, isText, turnsOf } from '../turns.ts';
import type { ApiCall, HostCase } from '../view.ts';
import { itemsIn, type Walk, walksOf } from '../walks.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');

type Paged = 'history_page' | 'event_page';
const ID: Readonly<Record<Paged, string>> = { history_page: 'transcript_id', event_page: 'event_id' };
const idsOf = (walk: Walk, action: Paged): readonly string[] => walk.items.map((item) => String(item[ID[action]]));

/** Did something happen in the run's own stream while it walked, or another event come into its conversation? */
const wroteDuring = (view: HostCase, { run, from, until }: Walk): boolean => {
  const within = ({ n }: { readonly n: number }): boolean => n > from.n && n < until.n;
  const here = run.submission?.event['conversation_id'];
  return (
    run.pushed.some(within) ||
    (isText(here) && turnsOf(view).some((turn) => within(turn.run) && turn.event['conversation_id'] === here))
  );
};

/** What is wrong with a walk taken by itself. */
function flawOf(walk: Walk, action: Paged): string | undefined {
  const ids = idsOf(walk, action);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return `${twice} came twice`;
  const numbers = walk.items.map((item) => item['seq']);
  const disordered = numbers.some((seq, index) => {
    const before = numbers[index - 1];
    return (
      typeof seq === 'number' &&
      typeof before === 'number' &&
      (walk.direction === 'forward' ? seq <= before : seq >= before)
    );
  });
  if (disordered) return `out of order: ${numbers.join(', ')}`;
  const pages = walk.calls.length;
  if (!walk.whole && pages > ids.length + 2) return `${pages} pages for ${ids.length} items, and no end`;
  const empty = walk.calls.slice(0, -1).some(({ reply }) => itemsIn(reply!.data).length === 0);
  return empty ? 'an empty page that says there is more' : undefined;
}

function* once(view: HostCase, action: Paged): Iterable<Finding> {
  const walks = walksOf(view, action);
  for (const walk of walks) {
    const flaw = flawOf(walk, action);
    const proof = walk.calls.flatMap(({ n, reply }) => [n, reply!.n]).slice(0, 20);
    if (flaw !== undefined) {
      yield hold(false, proof, { expected: 'every item once, in order', found: flaw });
      continue;
    }
    if (!walk.whole) continue;
    // What an earlier walk of the run has seen, a later one must see too: the log only grows.
    const earlier = walks.find((other) => other.run === walk.run && other.whole && other.until.n < walk.from.n);
    const missing =
      earlier === undefined ? undefined : idsOf(earlier, action).find((id) => !idsOf(walk, action).includes(id));
    if (walk.items.length > 1 || earlier !== undefined)
      yield hold(missing === undefined, proof, () => ({
        expected: 'the same items at any page size',
        found: `${missing} is missing from a walk by ${show(walk.calls[0]!.data['limit'])}`,
      }));
    const known = action === 'history_page' ? transcribedBefore(view, walk) : loggedBefore(view, walk);
    const lost = known.find((id) => !idsOf(walk, action).includes(id));
    if (known.length > 0)
      yield hold(lost === undefined, proof, {
        expected: 'every item of the conversation',
        found: `${lost} is missing`,
      });
  }
}

function* underWrites(view: HostCase, action: Paged): Iterable<Finding> {
  for (const walk of walksOf(view, action)) {
    if (walk.calls.length < 2 || !walk.whole || !wroteDuring(view, walk)) continue;
    const known = action === 'history_page' ? transcribedBefore(view, walk) : loggedBefore(view, walk);
    const ids = idsOf(walk, action);
    const wrong = known.find((id) => ids.filter((one) => one === id).length !== 1);
    if (known.length > 0)
      yield hold(wrong === undefined, walk.calls.flatMap(({ n, reply }) => [n, reply!.n]).slice(0, 20), () => ({
        expected: 'every item that was there, once, while others are written',
        found: `${wrong} came ${ids.filter((one) => one === wrong).length} times`,
      }));
  }
}

/** Ids of transcript items of this conversation that were there before the walk began. */
const transcribedBefore = (view: HostCase, { run, from }: Walk): readonly string[] =>
  transcriptBefore(view, run, from.n)?.items.map((item) => String(item['transcript_id'])) ?? [];

/** Ids of events of this conversation that were submitted, and begun, before the walk. */
const loggedBefore = (view: HostCase, { run, from }: Walk): readonly string[] =>
  turnsOf(view)
    .filter(
      (turn) =>
        turn.run.n < from.n &&
        // Outside of any conversation a run has its own events alone.
        (turn.run === run || isText(turn.event['conversation_id'])) &&
        ['conversation_id', 'thread_id'].every(
          (key) => (turn.event[key] ?? null) === (run.submission?.event[key] ?? null),
        ),
    )
    .map(({ event }) => String(event['event_id']));

/** An answer of state_get in this run, before anything in it touched that key. */
function firstGet(
  calls: readonly ApiCall[],
  identity: string,
  scope: string,
  key: string,
): { readonly n: number; readonly value: JsonValue | undefined } | undefined {
  for (const call of calls) {
    if (call.data['scope'] !== scope || call.data['key'] !== key || call.identity !== identity) continue;
    if (call.action !== 'state_get') return undefined;
    if (call.reply?.code === 0) return { n: call.reply.n, value: call.reply.data['value'] };
  }
  return undefined;
}

const snapshot = (context: JsonObject, scope: string): JsonObject => part(context, 'state', scope);

export const readModelPageJudges = [
  judge<HostCase>('v1/context-1/history-pages-once', (view) => once(view, 'history_page')),
  judge<HostCase>('v1/context-1/event-pages-once', (view) => once(view, 'event_page')),
  judge<HostCase>('v1/context-1/history-pages-under-writes', (view) => underWrites(view, 'history_page')),
  judge<HostCase>('v1/context-1/event-pages-under-writes', (view) => underWrites(view, 'event_page')),

  judge<HostCase>('v1/5.8/latest-cursor-works', function* (view) {
    for (const { run, context } of turnsOf(view)) {
      const cursor = access(context)['latest_cursor'];
      if (!isText(cursor) || availableApis(context)['history_page'] !== true) continue;
      const newest = newestBefore(view, run);
      if (newest === undefined) continue;
      for (const call of run.calls) {
        if (
          call.action !== 'history_page' ||
          call.data['before_cursor'] !== cursor ||
          call.reply === undefined ||
          call.identity !== run.identity
        )
          continue;
        if (call.data['direction'] === 'forward') continue;
        const found = itemsIn(call.reply.data).some(newest.is);
        yield hold(call.reply.code === 0 && found, [run.n, call.n, call.reply.n], {
          expected: `the newest earlier item, ${show(newest.words)}, on the first page`,
          found: call.reply.code === 0 ? 'it is missing' : call.reply.message,
        });
      }
    }
  }),

  judge<HostCase>('v1/5.10/snapshot-agrees', function* (view) {
    const all = foldAll(view);
    for (const { run, scopes } of all) {
      if (availableApis(run.context)['state'] !== true) continue;
      const due = stateDue(view, all, run, run.n);
      for (const scope of scopes)
        for (const [key, value] of Object.entries(snapshot(run.context, scope))) {
          const got = firstGet(run.calls, run.identity, scope, key);
          if (got !== undefined)
            yield hold(sameJson(got.value, value), [run.n, got.n], () => ({
              expected: `state_get answers ${show(value)}, as the snapshot has it`,
              found: show(got.value),
            }));
          const write = due.find((one) => one.scope === scope && one.key === key);
          if (write !== undefined)
            yield hold(sameJson(write.value, value), [write.n, run.n], () => ({
              expected: `${scope}/${key} ${show(write.value)}`,
              found: show(value),
            }));
        }
    }
  }),

  judge<HostCase>('v1/5.10/state-carried-over', function* (view) {
    const all = foldAll(view);
    for (const { run, scopes } of all) {
      for (const write of stateDue(view, all, run, run.n)) {
        if (!scopes.has(write.scope as never) || write.n > (run.submission?.n ?? 0)) continue;
        // A run that was still under way may not have stored it yet.
        if (
          all.some(
            (other) =>
              other.run !== run &&
              (other.settled?.n ?? Number.POSITIVE_INFINITY) > (run.submission?.n ?? 0) &&
              other.run.n < run.n,
          )
        )
          continue;
        const held = snapshot(run.context, write.scope)[write.key];
        const got = firstGet(run.calls, run.identity, write.scope, write.key);
        if (sameJson(held, write.value)) yield kept([write.n, run.n]);
        else if (got !== undefined)
          yield hold(sameJson(got.value, write.value), [write.n, run.n, got.n], () => ({
            expected: `${write.scope}/${brief(write.key, 40)} ${show(write.value)}`,
            found: show(got.value),
          }));
        else if (isObject(run.context['state']) && held !== undefined)
          yield hold(false, [write.n, run.n], () => ({ expected: show(write.value), found: show(held) }));
      }
    }
  }),
];
