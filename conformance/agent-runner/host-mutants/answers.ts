// §8: what the Host APIs answer.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { showBare } from '../reference-host/api/history.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { deny } from '../reference-host/refusal.ts';
import { actions, answers, cameIn, listOf, memberOf, mutant } from './mutant.ts';

const { artifactOf, checkSize } = HOST_PARTS;
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

export const answerMutants = [
  mutant(
    'negative-refused',
    'Refuses to keep numbers below zero.',
    '8/answer-state',
    actions(['state_set'], ({ checkArguments }) => ({
      checkArguments: (data) => (Number(data['value']) < 0 ? deny('invalid_argument', 'value') : checkArguments(data)),
    })),
  ),
  mutant(
    'set-without-success',
    'Says that a value was not set when it was.',
    '8/answer-state',
    answers(['state_set'], () => ({ success: false })),
  ),
  mutant(
    'model-as-user',
    'Gives the words of a model to the user.',
    '8/answer-models-invoke',
    answers(['invoke_llm'], (data) => ({ message: { ...memberOf(data, 'message'), role: 'user' } })),
  ),
  mutant(
    'all-chunks-final',
    'Says of every piece that it is the final one.',
    '8/answer-models-stream',
    actions(['invoke_llm_stream'], ({ perform }) => ({
      perform: (data, scene) => ({
        stream: (perform(data, scene).stream ?? []).map((piece) => ({
          chunk: { ...memberOf(piece, 'chunk'), is_final: true },
        })),
      }),
    })),
  ),
  mutant(
    'passages-empty',
    'Finds passages and does not give their words.',
    '8/answer-knowledge-retrieve',
    answers(['retrieve_knowledge_base'], (data) => ({
      results: listOf(data, 'results').map(({ content: _, ...one }) => one),
    })),
  ),
  mutant(
    'event-of-another-actor',
    'Tells another actor of an event.',
    '8/answer-event-get',
    answers(['event_get'], (data) => ({ ...data, actor_id: 'somebody' })),
  ),
  mutant(
    'event-types-ignored',
    'Answers events of every type, whatever was asked for.',
    '8/answer-event-page',
    actions(['event_page'], ({ perform }) => ({
      perform: ({ event_types: _, ...data }, scene) => perform(data, scene),
    })),
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
  mutant(
    'metadata-in-milliseconds',
    'Tells the times of an artifact in milliseconds.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, created_at: Number(data['created_at']) * 1000 })),
  ),
  mutant(
    'full-read-refused',
    'Refuses reads as long as the cap.',
    '8/answer-artifact-range',
    actions(['artifact_read'], () => ({
      checkSize: ({ length }, { limits }) =>
        Number(length) >= limits.artifact_read_bytes ? deny('payload_too_large') : undefined,
    })),
  ),
  mutant('action-not-carried-out', 'Answers platform actions and carries none out.', '8/answer-platform', {
    ...actions(['platform_request_action'], ({ perform }) => ({
      perform: (data, scene) => ({ ...perform(data, scene), deliveries: [] }),
    })),
  }),
  mutant(
    'invoke-bare-text',
    'Answers a model call with a bare text.',
    '8/answer-models-invoke',
    answers(['invoke_llm'], () => ({ text: 'hello' })),
  ),
  mutant(
    'stream-bare-text',
    'Streams bare texts.',
    '8/answer-models-stream',
    actions(['invoke_llm_stream'], () => ({ perform: () => ({ stream: [{ text: 'hello' }] }) })),
  ),
  mutant(
    'rerank-unsorted',
    'Answers documents in the order in which they came.',
    '8/answer-models-rerank',
    answers(['invoke_rerank'], (data) => ({
      results: listOf(data, 'results').toSorted((a, b) => Number(a['relevance_score']) - Number(b['relevance_score'])),
    })),
  ),
  mutant(
    'rerank-all',
    'Answers more documents than top_k.',
    '8/answer-models-rerank',
    actions(['invoke_rerank'], ({ perform }) => ({
      perform: (data, scene) => perform({ ...data, top_k: null }, scene),
    })),
  ),
  mutant(
    'detail-of-another',
    'Answers the detail of another tool.',
    '8/answer-tools-detail',
    answers(['get_tool_detail'], (data) => ({ tool: { ...memberOf(data, 'tool'), name: 'another' } })),
  ),
  mutant(
    'call-without-result',
    'Answers a tool call without its result.',
    '8/answer-tools-call',
    answers(['call_tool'], () => ({})),
  ),
  mutant(
    'retrieve-elsewhere',
    'Answers from another knowledge base than the one asked for.',
    '8/answer-knowledge-retrieve',
    actions(['retrieve_knowledge_base'], ({ perform }) => ({
      perform: (data, scene) => {
        const other = scene.inventory.knowledge.find(({ id }) => id !== data['kb_id']);
        return perform({ ...data, kb_id: other!.id }, scene);
      },
    })),
  ),
  mutant(
    'retrieve-everywhere',
    'Answers from every knowledge base there is, whichever was asked for.',
    '8/answer-knowledge-retrieve',
    actions(['retrieve_knowledge_base'], ({ perform }) => ({
      perform: (data, scene) => {
        const results = scene.inventory.knowledge.flatMap(({ id }) =>
          listOf(perform({ ...data, kb_id: id, top_k: 2 }, scene).data ?? {}, 'results'),
        );
        return { data: { results: results.slice(0, Number(data['top_k'] ?? 5)) } };
      },
    })),
  ),
  mutant(
    'retrieve-all',
    'Answers more passages than top_k.',
    '8/answer-knowledge-retrieve',
    actions(['retrieve_knowledge_base'], ({ perform }) => ({
      perform: (data, scene) => perform({ ...data, top_k: 1000 }, scene),
    })),
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
    'events-without-cursor',
    'Says that there are more events, and not where.',
    '8/answer-event-page',
    answers(['event_page'], (data) => ({ ...data, next_cursor: null })),
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
  mutant(
    'metadata-wrong-size',
    'Answers a wrong size of an artifact.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, size_bytes: Number(data['size_bytes'] ?? 0) + 1 })),
  ),
  mutant(
    'metadata-no-mime',
    'Forgets the MIME type of an artifact.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, mime_type: null })),
  ),
  mutant(
    'call-overtakes-result',
    'Answers a call before it has taken the results that came just before it.',
    '8/results-before-calls',
    { hearsFirst: () => Promise.resolve() },
  ),
  mutant(
    'range-from-start',
    'Reads every range from the start.',
    '8/answer-artifact-range',
    actions(['artifact_read'], ({ perform }) => ({ perform: (data, scene) => perform({ ...data, offset: 0 }, scene) })),
  ),
  mutant(
    'range-has-more',
    'Always says that there is more of an artifact.',
    '8/answer-artifact-range',
    answers(['artifact_read'], (data) => ({ ...data, has_more: true })),
  ),
  mutant(
    'stream-cut',
    'Leaves the last byte of a streamed artifact out.',
    '8/answer-artifact-stream',
    actions(['artifact_open_stream'], ({ perform }) => ({
      perform: (data, scene) => {
        const stream = perform(data, scene).stream ?? [];
        const last = stream.at(-1)!;
        const bytes = Buffer.from(String(last['content_base64']), 'base64').subarray(0, -1);
        return { stream: [...stream.slice(0, -1), { ...last, content_base64: bytes.toString('base64') }] };
      },
    })),
  ),
  mutant('artifact-any-size', 'Stores artifacts of any size.', '8/artifact-size-limit', {
    checkSize: (value, limits) => (value['type'] === 'artifact.created' ? undefined : checkSize(value, limits)),
  }),
  mutant('artifact-any-mime', 'Stores whatever a runner calls a MIME type.', '8/artifact-mime-checked', {
    artifactOf: (result, run, id, now) => {
      const { mime_type: mime = null, ...data } = result.data;
      const artifact = artifactOf({ ...result, data }, run, id, now);
      return 'artifact_id' in artifact ? { ...artifact, mime_type: mime as string | null } : artifact;
    },
  }),
  mutant(
    'artifact-for-ever',
    'Reads artifacts that have expired.',
    '8/artifact-expiry',
    actions('artifacts.', ({ checkScope }) => ({
      checkScope: (data, scene) => checkScope?.(data, { ...scene, now: 0 }),
    })),
  ),
  mutant(
    'artifact-stream-for-ever',
    'Streams artifacts that have expired.',
    '8/artifact-expiry',
    actions(['artifact_open_stream'], ({ checkScope }) => ({
      checkScope: (data, scene) => checkScope?.(data, { ...scene, now: 0 }),
    })),
  ),
  mutant(
    'state-get-text',
    'Answers every state value as text.',
    '8/answer-state',
    answers(['state_get'], ({ value }) => ({ value: value == null ? null : JSON.stringify(value) })),
  ),
  mutant(
    'state-delete-idle',
    'Answers that a key was deleted, and keeps it.',
    '8/answer-state',
    actions(['state_delete'], () => ({ perform: () => ({ data: { success: true } }) })),
  ),
  mutant(
    'state-set-idle',
    'Answers that a value was set, and does not set it.',
    '8/answer-state',
    actions(['state_set'], () => ({ perform: () => ({ data: { success: true } }) })),
  ),
  mutant(
    'storage-set-once',
    'Keeps the first value of a storage key.',
    '8/answer-storage',
    actions('storage.set', ({ perform }) => ({
      perform: (data, scene) => {
        const answered = perform(data, scene);
        const { owner = '', key = '' } = answered.storage ?? {};
        return scene.memory.storage.get(owner)?.has(key) ? { data: {} } : answered;
      },
    })),
  ),
  mutant(
    'storage-delete-idle',
    'Answers that a storage key was deleted, and keeps it.',
    '8/answer-storage',
    actions('storage.delete', () => ({ perform: () => ({ data: {} }) })),
  ),
  mutant('storage-areas-mixed', 'Keeps plugin and binding storage in one place.', '8/answer-storage-list', {
    ownersOf: (owning) => {
      const owners = HOST_PARTS.ownersOf(owning);
      return { ...owners, storage: { ...owners.storage, binding: owners.storage.plugin } };
    },
  }),
  mutant(
    'storage-list-all',
    'Lists every key, whatever the prefix.',
    '8/answer-storage-list',
    actions('storage.list', ({ perform }) => ({ perform: (data, scene) => perform({ ...data, prefix: null }, scene) })),
  ),
  mutant(
    'platform-refused',
    'Refuses platform actions that everyone has allowed.',
    '8/answer-platform',
    actions('platform.', () => ({ checkGrant: () => deny('unauthorized') })),
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
