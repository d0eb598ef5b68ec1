// HOST_SDK §4.7, AGENT_CONTEXT §1.3: the event log holds what happened, the other read models follow from it, and a restart loses nothing.
import { type JsonObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { broken, type Finding, hold, judge, open } from '../../../judging/judge.ts';
import { part } from '../../oracle/context.ts';
import { utf8Bytes } from '../../oracle/measure.ts';
import { textOf } from '../../oracle/payload.ts';
import { type ReadModels, replay, replayFromSnapshot, stateKey } from '../../oracle/replay.ts';
import { brief, messagesOf, timesDelivered } from '../effects.ts';
import { settledRuns } from '../folded.ts';
import { transcriptAfter } from '../history.ts';
import { lastOf, observationsOf, overviews, type Shown } from '../shown.ts';
import { isText, turnsOf } from '../turns.ts';
import type { HostCase } from '../view.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');

const logged = (shown: Shown, type: string, fits: (data: JsonObject) => boolean): boolean =>
  (shown.events ?? []).some((entry) => entry['event_type'] === type && fits(part(entry, 'data')));

/** What the log says when folded, beside what the host shows. */
function* replayed(
  view: HostCase,
  part: (models: ReadModels, shown: Shown) => readonly [JsonValue, JsonValue] | undefined,
): Iterable<Finding> {
  if (view.restarts.some((restart) => restart.data['torn'] === true)) return;
  for (const shown of overviews(view)) {
    if (shown.events === undefined || !shown.events.some((entry) => entry['event_type'] === 'run.started')) continue;
    for (const models of foldsOf(shown.events)) {
      const pair = part(models, shown);
      if (pair !== undefined)
        yield hold(sameJson(pair[0], pair[1]), shown.n, () => ({
          expected: `as the log folds: ${show(pair[0])}`,
          found: show(pair[1]),
        }));
    }
  }
}

/** The log folded in one go, and from a snapshot plus tail. */
const foldsOf = memo((log: readonly JsonObject[]): readonly ReadModels[] => [replay(log), replayFromSnapshot(log)]);

const bySorting = (list: readonly JsonValue[]): JsonValue[] =>
  list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The items of each conversation, in order. One without text (a picture, say) has nothing to be compared. */
function byConversation(
  items: readonly { readonly conversation: JsonValue; readonly role: string; readonly text: string }[],
): JsonObject {
  const all: Record<string, JsonValue[]> = {};
  for (const { conversation, role, text } of items) {
    if (text === '') continue;
    const place = String(conversation);
    all[place] = [...(all[place] ?? []), [role, text]];
  }
  return all;
}

/** A text that is not large stands in the item, whatever a store does to blanks and what cannot be seen. */
const INLINE = 16 * 1024;
const seenIn = (text: string): string => text.replaceAll(/[\s\p{C}]/gu, '');
const tellsOf = (content: string, text: string): boolean =>
  utf8Bytes(text) > INLINE || seenIn(content).includes(seenIn(text));

/** What artifacts were made of before a restart, by id; one that came twice tells nothing. */
function madeBefore(view: HostCase, n: number): ReadonlyMap<JsonValue, Buffer> {
  const made = view.runs
    .flatMap(({ pushed }) => pushed)
    .flatMap(({ n: at, value }) => (at < n && part(value)['type'] === 'artifact.created' ? [part(value, 'data')] : []));
  const ids = made.map(({ artifact_id: id }) => id);
  return new Map(
    made.flatMap(({ artifact_id: id, content_base64: content }) =>
      isText(id) && isText(content) && ids.filter((one) => one === id).length === 1
        ? [[id, Buffer.from(content, 'base64')] as const]
        : [],
    ),
  );
}

/** Bytes of artifacts that are read after a restart. */
function* readAgain(view: HostCase, restart: number): Iterable<Finding> {
  const made = madeBefore(view, restart);
  for (const { n, action, data, reply } of view.calls) {
    const whole = made.get(data['artifact_id'] ?? null);
    if (n < restart || action !== 'artifact_read' || reply?.code !== 0 || whole === undefined) continue;
    const { content_base64: content } = reply.data;
    const from = typeof data['offset'] === 'number' ? data['offset'] : 0;
    if (!isText(content) || from >= whole.length || data['length'] === 0) continue;
    const got = Buffer.from(content, 'base64');
    yield hold(got.length > 0 && whole.subarray(from, from + got.length).equals(got), [restart, n, reply.n], () => ({
      expected: `the bytes of ${show(data['artifact_id'])} as before the restart`,
      found: `${got.length} bytes, or others`,
    }));
  }
}

export const readModelLogJudges = [
  judge<HostCase>('v1/host-4/event-logged', function* (view) {
    for (const { run, event, submission } of turnsOf(view)) {
      const shown = lastOf(view, run);
      if (shown?.events === undefined) continue;
      const found = shown.events.some(
        (entry) => entry['event_id'] === event['event_id'] && entry['event_type'] === event['event_type'],
      );
      yield hold(found, [submission.n, shown.n], () => ({
        expected: `${show(event['event_id'])} in the event log`,
        found: 'no such entry',
      }));
    }
  }),

  judge<HostCase>('v1/host-4/tool-calls-logged', function* (view) {
    for (const folded of settledRuns(view)) {
      const { settled, run } = folded;
      if (settled.events === undefined) continue;
      for (const item of folded.items)
        if (item.kind === 'tool' && folded.counts(item))
          yield hold(
            logged(settled, item.type, (data) => data['tool_call_id'] === item.data['tool_call_id']),
            [item.n, settled.n],
            { expected: `${item.type} in the event log`, found: 'no such entry' },
          );
      const calls = run.calls.filter(
        ({ action, reply, identity }) => action === 'call_tool' && reply?.code === 0 && identity === run.identity,
      );
      if (calls.length === 0) continue;
      const entries = settled.events.filter(
        (entry) => entry['event_type'] === 'api.called' && part(entry, 'data')['action'] === 'call_tool',
      );
      yield hold(entries.length >= calls.length, [...calls.map(({ n }) => n).slice(0, 10), settled.n], {
        expected: `${calls.length} call_tool in the event log`,
        found: `${entries.length} such entries`,
      });
    }
  }),

  judge<HostCase>('v1/host-4/deliveries-logged', function* (view) {
    for (const folded of settledRuns(view)) {
      const { settled, run } = folded;
      if (settled.events === undefined) continue;
      for (const { raw, content, runId } of settled.deliveries ?? [])
        if (runId === run.runId)
          yield hold(
            logged(
              settled,
              'delivery.sent',
              (data) => data['kind'] === raw['kind'] && sameJson(data['content'], content),
            ),
            settled.n,
            () => ({ expected: `delivery.sent for ${show(content)}`, found: 'no such entry' }),
          );
    }
  }),

  judge<HostCase>('v1/host-4/errors-logged', function* (view) {
    for (const { settled } of settledRuns(view))
      if (settled.status === 'failed' && settled.events !== undefined)
        yield hold(
          logged(settled, 'run.failed', () => true),
          settled.n,
          { expected: 'run.failed in the event log', found: 'no such entry' },
        );
  }),

  judge<HostCase>('v1/context-1/user-turn-transcribed', function* (view) {
    for (const { run, event, submission } of turnsOf(view)) {
      const { text } = part(event, 'input');
      if (
        event['event_type'] !== 'message.received' ||
        !isText(text) ||
        text === '' ||
        !isText(event['conversation_id'])
      )
        continue;
      const seen = transcriptAfter(view, run);
      if (seen === undefined) continue;
      const found = seen.items.some(
        (item) =>
          item['role'] === 'user' &&
          (item['content'] === text ||
            (item['event_id'] === event['event_id'] && (!isText(item['content']) || tellsOf(item['content'], text)))),
      );
      yield hold(found, [submission.n, seen.n], () => ({
        expected: `${show(text)} in the transcript`,
        found: 'no such user item',
      }));
    }
  }),

  judge<HostCase>('v1/context-1/answer-transcribed', function* (view) {
    for (const folded of settledRuns(view)) {
      const { settled, run } = folded;
      const seen = isText(run.submission?.event['conversation_id']) ? transcriptAfter(view, run) : undefined;
      if (seen === undefined) continue;
      for (const item of folded.items) {
        const text = textOf(item.content);
        if (item.kind !== 'message' || !folded.counts(item) || text === '') continue;
        const delivered = messagesOf(settled, folded);
        if (delivered !== undefined && timesDelivered(delivered, item.content) === 0) continue;
        const found = seen.items.some(
          (one) =>
            one['role'] === 'assistant' &&
            (one['content'] === text || textOf(part(one, 'content_json')['content']) === text),
        );
        yield hold(found, [item.n, seen.n], () => ({
          expected: `${show(text)} in the transcript`,
          found: 'no such assistant item',
        }));
      }
    }
  }),

  judge<HostCase>('v1/context-1/replay-transcript', (view) =>
    replayed(view, ({ transcript }, shown) => {
      if (shown.transcript === undefined) return undefined;
      // What was said outside of any conversation is an item of none: a host may show it or not.
      const within = shown.transcript.filter((item) => (item['conversation_id'] ?? null) !== null);
      const items = within.map((item) => ({
        conversation: item['conversation_id'] ?? null,
        role: String(item['role']),
        text: String(item['content'] ?? ''),
      }));
      return [byConversation(transcript), byConversation(items)];
    }),
  ),
  judge<HostCase>('v1/context-1/replay-state', (view) =>
    replayed(view, ({ state }, shown) => {
      if (shown.state === undefined) return undefined;
      return [
        bySorting(Object.entries(state)),
        bySorting(shown.state.map(({ raw }) => [stateKey(raw), raw['value'] ?? null])),
      ];
    }),
  ),
  judge<HostCase>('v1/context-1/replay-status', function* (view) {
    yield* replayed(view, ({ statuses }, shown) =>
      shown.statuses === undefined ? undefined : [statuses, shown.statuses],
    );
    if (view.restarts.length > 0) return;
    for (const run of view.runs) {
      // The last look alone: how often a run is looked at until it settles is the clock's.
      const last = observationsOf(view, run).at(-1);
      const due = last?.events && replay(last.events).statuses[run.runId];
      if (due !== undefined && last?.status !== undefined)
        yield hold(last.status === due, last.n, { expected: `as the log folds: ${due}`, found: show(last.status) });
    }
  }),
  judge<HostCase>('v1/context-1/replay-deliveries', (view) =>
    replayed(view, ({ deliveries }, shown) => {
      if (shown.deliveries === undefined) return undefined;
      const got = shown.deliveries.map(({ raw }) => ({
        run: raw['run_id'] ?? null,
        kind: raw['kind'] ?? null,
        content: raw['content'] ?? null,
      }));
      return [deliveries as unknown as JsonValue, got];
    }),
  ),

  judge<HostCase>('v1/context-1/history-append-only', function* (view) {
    const all = overviews(view);
    for (const [index, shown] of all.entries()) {
      const next = all[index + 1];
      if (
        next === undefined ||
        view.restarts.some((restart) => restart.data['torn'] === true && restart.n > shown.n && restart.n < next.n)
      )
        continue;
      for (const model of ['transcript', 'events'] as const) {
        const [before, after] = [shown[model], next[model]];
        if (before === undefined || after === undefined || before.length === 0) continue;
        const lost = before.find((item, at) => !sameJson(item, after[at]));
        yield hold(lost === undefined, [shown.n, next.n], () => ({
          expected: `${model} only grows`,
          found: `${show(lost)} changed or vanished`,
        }));
      }
    }
  }),

  judge<HostCase>('v1/host-4/restart-keeps-facts', function* (view) {
    for (const restart of view.restarts) {
      if (restart.data['torn'] === true) continue;
      const before = overviews(view).findLast(({ n }) => n < restart.n);
      const after = overviews(view).find(({ n }) => n > restart.n);
      if (before === undefined || restart.reply === undefined) continue;
      if (restart.reply.code !== 0 || after === undefined) {
        yield restart.reply.code === 0
          ? open(restart.n, 'the host was not looked at after the restart')
          : broken([restart.n, restart.reply.n], { expected: 'a restart', found: restart.reply.message });
        continue;
      }
      yield* readAgain(view, restart.n);
      // Only what came between the look and the restart may be new.
      for (const model of ['events', 'transcript', 'artifacts'] as const) {
        const [was, is] = [before[model], after[model]];
        if (was === undefined || is === undefined) continue;
        const lost = was.find((item, at) => !sameJson(item, is[at]));
        yield hold(lost === undefined, [before.n, restart.n, after.n], () => ({
          expected: `${model} as before the restart`,
          found: `${show(lost)} changed or vanished`,
        }));
      }
      for (const [run, status] of Object.entries(before.statuses ?? {}))
        if (status !== 'running' && after.statuses !== undefined)
          yield hold(after.statuses[run] === status, [before.n, restart.n, after.n], {
            expected: `${run} still ${show(status)}`,
            found: show(after.statuses[run]),
          });
    }
  }),

  judge<HostCase>('v1/host-4/torn-write-repaired', function* (view) {
    for (const restart of view.restarts) {
      if (restart.data['torn'] !== true || restart.reply === undefined) continue;
      const before = overviews(view).findLast(({ n }) => n < restart.n);
      const after = overviews(view).find(({ n }) => n > restart.n);
      if (before?.events === undefined) continue;
      const proof = [before.n, restart.n, ...(after ? [after.n] : [])];
      if (restart.reply.code !== 0 || after?.events === undefined) {
        yield broken(proof, {
          expected: 'a host that comes back after a torn write',
          found: restart.reply.code === 0 ? 'no event log' : restart.reply.message,
        });
        continue;
      }
      const is = after.events;
      const lost = before.events.slice(0, -1).find((item, at) => !sameJson(item, is[at]));
      yield hold(lost === undefined, proof, () => ({
        expected: 'all but the last entry',
        found: `${show(lost)} changed or vanished`,
      }));
    }
  }),
];
