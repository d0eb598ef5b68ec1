// history.page, history.search (§8; AGENT_CONTEXT §4.1, §4.2): the transcript of the current conversation, never raw payloads.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { deny } from '../refusal.ts';
import type { TranscriptItem } from '../stores/transcript.ts';
import { type ApiAction, argumentsOf, type CallScene, type Checked } from './action.ts';
import { pageAnswer, pageOf, placeOf } from './paging.ts';

const history =
  (operation: string) =>
  (_data: JsonObject, { session }: CallScene): Checked =>
    session.grants.history.includes(operation) ? undefined : deny('unauthorized');

/** The current conversation, and those that the binding's policy names on top. */
const mayReadHistory = (conversation: JsonValue | undefined, { session }: CallScene): boolean =>
  conversation === undefined ||
  conversation === null ||
  conversation === session.run.scope.conversation_id ||
  session.grants.conversations.includes(conversation as string);

/** The items of a conversation; of the current one only those of the current thread. */
function itemsOf(conversation: JsonValue | undefined, { session, memory }: CallScene): readonly TranscriptItem[] {
  const { conversation_id, thread_id } = session.run.scope;
  const wanted = (conversation as string | null | undefined) ?? conversation_id;
  return memory.transcript.filter(
    (item) => item.conversation_id === wanted && (wanted !== conversation_id || item.thread_id === thread_id),
  );
}

/** References only: an attachment that brought its bytes along is stripped of them. */
export const showItem = ({ run_id: _run, artifact_refs, ...item }: TranscriptItem): JsonObject => ({
  ...item,
  artifact_refs: artifact_refs.map(({ content: _bytes, ...ref }) => ref),
});

export const showBare = (item: TranscriptItem): JsonObject => ({ ...showItem(item), artifact_refs: [] });

const page: ApiAction = {
  api: 'history.page',
  scope: ({ conversation_id }) => conversation_id,
  checkArguments: argumentsOf('HistoryPageRequest'),
  checkGrant: history('page'),
  checkScope: ({ conversation_id }, scene) =>
    mayReadHistory(conversation_id, scene) ? undefined : deny('unauthorized'),
  perform: (data, scene) => {
    const found = pageOf(itemsOf(data['conversation_id'], scene), {
      before: placeOf('history', data['before_cursor']),
      after: placeOf('history', data['after_cursor']),
      limit: Math.min((data['limit'] as number | null | undefined) ?? 50, scene.limits.history_page_items),
      forward: data['direction'] === 'forward',
    });
    return { data: pageAnswer('history', found, data['include_artifacts'] === true ? showItem : showBare) };
  },
};

const filtersOf = ({ filters }: JsonObject): JsonObject => (isObject(filters) ? filters : {});

const search: ApiAction = {
  api: 'history.search',
  scope: (data) => filtersOf(data)['conversation_id'],
  checkArguments: argumentsOf('HistorySearchRequest'),
  checkGrant: history('search'),
  checkScope: (data, scene) =>
    mayReadHistory(filtersOf(data)['conversation_id'], scene) ? undefined : deny('unauthorized'),
  perform: (data, scene) => {
    const { conversation_id, roles, item_types, event_types } = filtersOf(data);
    const query = data['query'] as string;
    const among = (words: JsonValue | undefined, word: string): boolean =>
      !Array.isArray(words) || words.includes(word);
    const typeOf = (item: TranscriptItem): string => (item.role === 'user' ? 'message.received' : 'message.completed');
    const found = itemsOf(conversation_id, scene).filter(
      (item) =>
        item.content?.toLowerCase().includes(query.toLowerCase()) &&
        among(roles, item.role) &&
        among(item_types, item.item_type) &&
        among(event_types, typeOf(item)),
    );
    const most = Math.min((data['top_k'] as number | null | undefined) ?? 10, scene.limits.history_page_items);
    const newest = found.toReversed().slice(0, most);
    return { data: { items: newest.map(showBare), total_count: found.length, query } };
  },
};

export const historyActions: Readonly<Record<string, ApiAction>> = { history_page: page, history_search: search };
