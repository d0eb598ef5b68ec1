// §8, §11: hosts whose pages of history and events are the wrong ones, too long, or lose and repeat items from one to the next.
import type { JsonObject } from '../../../common/json.ts';
import { actions, answers, cameIn, listOf, mutant } from './mutant.ts';

/** A page that loses the first item wherever it goes on from a cursor. */
const leaky = (data: JsonObject, { before_cursor: before, after_cursor: after }: JsonObject): JsonObject =>
  before == null && after == null ? data : { ...data, items: listOf(data, 'items').slice(1) };
/** Pages by position from the newest: every new item moves all the others. */
const byPosition = (data: JsonObject, asked: JsonObject, all: readonly JsonObject[], cap: number): JsonObject => {
  const newestFirst = asked['direction'] !== 'forward';
  const ordered = newestFirst ? all.toReversed() : all;
  const from = Number(asked['before_cursor'] ?? asked['after_cursor'] ?? 0) || 0;
  const limit = Math.min(typeof asked['limit'] === 'number' ? asked['limit'] : 50, cap);
  const items = ordered.slice(from, from + limit);
  const more = from + limit < ordered.length;
  return { ...data, items, next_cursor: more ? String(from + limit) : null, has_more: more };
};

export const pageMutants = [
  mutant(
    'event-types-ignored',
    'Answers events of every type, whatever was asked for.',
    '8/answer-event-page',
    actions(['event_page'], ({ perform }) => ({
      perform: ({ event_types: _, ...data }, scene) => perform(data, scene),
    })),
  ),
  mutant(
    'page-trips-over-nobody',
    'Fails to page through events that nobody did.',
    '8/answer-event-page',
    actions(['event_page'], ({ perform }) => ({
      perform: (data, scene) => {
        if (scene.memory.events.some(({ event_type, actor }) => event_type === 'message.received' && actor === null))
          throw new Error('whose event?');
        return perform(data, scene);
      },
    })),
  ),
  mutant(
    'other-conversation-empty',
    'Answers the history of another conversation, though granted, with an empty page.',
    '11/cross-conversation-granted',
    answers(['history_page'], (data, { conversation_id: asked }, { session }) =>
      asked == null || asked === session.run.scope.conversation_id
        ? data
        : { ...data, items: [], has_more: false, next_cursor: null },
    ),
  ),
  mutant(
    'other-conversation-mistaken',
    'Answers the history of the current conversation where that of another, granted, is asked for.',
    '11/cross-conversation-granted',
    actions(['history_page'], ({ perform }) => ({
      perform: ({ conversation_id: _, ...data }, scene) => perform(data, scene),
    })),
  ),
  mutant(
    'thread-forgotten',
    'Answers no history where the event stands in a thread.',
    'context-1/history-pages-once',
    answers(['history_page'], (data, _asked, { session }) =>
      session.run.scope.thread_id === null ? data : { ...data, items: [], has_more: false, next_cursor: null },
    ),
  ),
  ...(['history', 'event'] as const).map((kind) =>
    mutant(
      `${kind}-limit-ignored`,
      `Answers full pages by ${kind}_page, whatever limit is asked for.`,
      `8/answer-${kind}-page`,
      actions([`${kind}_page`], ({ perform }) => ({
        perform: (data, scene) => perform({ ...data, limit: 50 }, scene),
      })),
    ),
  ),
  mutant(
    'history-without-cursor',
    'Says that there is more history, and not where.',
    '8/answer-history-page',
    answers(['history_page'], (data) => ({ ...data, next_cursor: null })),
  ),
  mutant(
    'events-without-cursor',
    'Says that there are more events, and not where.',
    '8/answer-event-page',
    answers(['event_page'], (data) => ({ ...data, next_cursor: null })),
  ),
  mutant(
    'history-leaks-at-cursor',
    'Loses an item of history at every page.',
    'context-1/history-pages-once',
    answers(['history_page'], leaky),
  ),
  mutant(
    'events-leak-at-cursor',
    'Loses an event at every page.',
    'context-1/event-pages-once',
    answers(['event_page'], leaky),
  ),
  mutant(
    'history-by-position',
    'Pages through history by position, which moves with every new item.',
    'context-1/history-pages-under-writes',
    actions(['history_page'], ({ checkArguments, perform }) => ({
      checkArguments: ({ before_cursor: _before, after_cursor: _after, ...data }) => checkArguments(data),
      perform: (asked, scene) => {
        const all = perform(
          { ...asked, before_cursor: null, after_cursor: null, direction: 'forward', limit: 1e6 },
          { ...scene, limits: { ...scene.limits, history_page_items: 1e6 } },
        );
        return { data: byPosition(all.data!, asked, listOf(all.data!, 'items'), scene.limits.history_page_items) };
      },
    })),
  ),
  mutant(
    'events-by-position',
    'Pages through events by position, which moves with every new event.',
    'context-1/event-pages-under-writes',
    actions(['event_page'], ({ checkArguments, perform }) => ({
      checkArguments: ({ before_cursor: _before, ...data }) => checkArguments(data),
      perform: (asked, scene) => {
        const all = perform(
          { ...asked, before_cursor: null, limit: 1e6 },
          { ...scene, limits: { ...scene.limits, event_page_items: 1e6 } },
        );
        return {
          data: byPosition(all.data!, asked, listOf(all.data!, 'items').toReversed(), scene.limits.event_page_items),
        };
      },
    })),
  ),
  mutant(
    'came-in-by-position',
    'Pages by position through the events that came in, so that only another event moves them.',
    'context-1/event-pages-under-writes',
    actions(['event_page'], ({ checkArguments, perform }) => ({
      checkArguments: ({ before_cursor: _before, ...data }) => checkArguments(data),
      perform: (asked, scene) => {
        const all = perform(
          { ...asked, before_cursor: null, limit: 1e6 },
          cameIn({ ...scene, limits: { ...scene.limits, event_page_items: 1e6 } }),
        );
        return {
          data: byPosition(all.data!, asked, listOf(all.data!, 'items').toReversed(), scene.limits.event_page_items),
        };
      },
    })),
  ),
];
