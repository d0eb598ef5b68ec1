// §8: hosts that tell of what was said and what happened wrongly: items of history, what a search finds, records of events.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { showBare } from '../reference-host/api/history.ts';
import { actions, answers, listOf, mutant } from './mutant.ts';

export const recordMutants = [
  mutant(
    'event-of-another-actor',
    'Tells another actor of an event.',
    '8/answer-event-get',
    answers(['event_get'], (data) => ({ ...data, actor_id: 'somebody' })),
  ),
  mutant(
    'search-any-role',
    'Takes no notice of the roles that a search asks for.',
    '8/answer-history-search',
    actions(['history_search'], ({ perform }) => ({
      perform: ({ filters: _, ...data }, scene) => perform(data, scene),
    })),
  ),
  mutant(
    'search-any-event-type',
    'Takes no notice of the types of events that a search asks for.',
    '8/answer-history-search',
    actions(['history_search'], ({ perform }) => ({
      perform: ({ filters, ...data }, scene) => {
        const { event_types: _, ...others } = isObject(filters) ? filters : {};
        return perform({ ...data, filters: others }, scene);
      },
    })),
  ),
  mutant(
    'search-trips-over-pictures',
    'Fails to search a history that holds an item without text.',
    '8/answer-history-search',
    actions(['history_search'], ({ perform }) => ({
      perform: (data, scene) => {
        if (scene.memory.transcript.some(({ content }) => content === null)) throw new Error('no text to search');
        return perform(data, scene);
      },
    })),
  ),
  mutant(
    'history-of-texts',
    'Answers history as bare texts.',
    '8/answer-history-page',
    answers(['history_page'], (data) => ({
      ...data,
      items: listOf(data, 'items').map(({ content }) => content ?? null),
    })),
  ),
  mutant(
    'history-raw',
    'Answers history with the raw events.',
    '8/answer-history-projection',
    answers('history.', (data, _asked, { memory }) => ({
      ...data,
      items: listOf(data, 'items').map((item) => ({
        ...item,
        raw: memory.entries.find(
          (entry) => entry.kind === 'submitted' && entry.run.event_id === item['event_id'],
        ) as unknown as JsonObject,
      })),
    })),
  ),
  mutant(
    'history-refs-unasked',
    'Answers artifact references that nobody asked for.',
    '8/answer-history-artifact-refs',
    actions(['history_page'], ({ perform }) => ({
      perform: (data, scene) => perform({ ...data, include_artifacts: true }, scene),
    })),
  ),
  mutant(
    'history-refs-missing',
    'Answers no artifact references, asked or not.',
    '8/answer-history-artifact-refs',
    actions(['history_page'], ({ perform }) => ({
      perform: (data, scene) => perform({ ...data, include_artifacts: false }, scene),
    })),
  ),
  mutant(
    'search-all',
    'Finds more items than top_k.',
    '8/answer-history-search',
    actions(['history_search'], ({ perform }) => ({
      perform: (data, scene) =>
        perform({ ...data, top_k: 1000 }, { ...scene, limits: { ...scene.limits, history_page_items: 1000 } }),
    })),
  ),
  mutant(
    'search-by-expression',
    'Takes what is searched for as a regular expression.',
    '8/answer-history-search',
    actions(['history_search'], ({ perform }) => ({
      perform: (data, scene) => {
        new RegExp(String(data['query']));
        return perform(data, scene);
      },
    })),
  ),
  mutant(
    'search-nothing',
    'Finds nothing.',
    '8/answer-history-search',
    answers(['history_search'], (data) => ({ ...data, items: [] })),
  ),
  mutant(
    'search-everywhere',
    'Finds items of other conversations.',
    '8/answer-history-search',
    answers(['history_search'], (data, { query }, { memory }) => ({
      ...data,
      items: memory.transcript.filter(({ content }) => content?.includes(String(query))).map((item) => showBare(item)),
    })),
  ),
  mutant(
    'event-of-another',
    'Answers another event.',
    '8/answer-event-get',
    answers(['event_get'], (data) => ({ ...data, event_id: `${data['event_id']}-1` })),
  ),
  mutant(
    'events-with-payload',
    'Answers events with all their data.',
    '8/answer-events-small',
    answers('events.', (data, _asked, { memory }) => ({
      ...data,
      raw: [...memory.artifacts.values()].map(({ content }) => Buffer.from(content, 'base64').toString()),
    })),
  ),
];
