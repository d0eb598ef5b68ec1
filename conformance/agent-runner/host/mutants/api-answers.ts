// Hosts that answer one call wrongly each.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import { HOST_PARTS, type HostParts } from '../../reference-host/parts.ts';
import { deny } from '../../reference-host/refusal.ts';
import { answering, changing, mutant, named, withActions } from './api-kit.ts';

const listIn = (data: JsonObject, name: string): readonly JsonValue[] => (Array.isArray(data[name]) ? data[name] : []);
const eachItem =
  (change: (item: JsonObject) => JsonObject) =>
  (data: JsonObject): JsonObject => ({
    ...data,
    items: listIn(data, 'items').map((item) => (isObject(item) ? change(item) : item)),
  });

/** The raw event of a run: this host does not move large parts out, and remembers them. */
const withRaw = (): Partial<HostParts> => {
  const raw = new Map<string, JsonObject>();
  return {
    moveOutLarge: (event, most) => {
      raw.set(event.event_id, event.data);
      return HOST_PARTS.moveOutLarge(event, most);
    },
    ...changing('event_get', (data, { event_id }) => ({ ...data, data: raw.get(String(event_id)) ?? {} })),
  };
};
const rawHistory = (): Partial<HostParts> => {
  const raw = new Map<string, JsonObject>();
  return {
    moveOutLarge: (event, most) => {
      raw.set(event.event_id, event.data);
      return HOST_PARTS.moveOutLarge(event, most);
    },
    ...changing(
      'history_page',
      eachItem((item) => ({ ...item, metadata: { raw: raw.get(String(item['event_id'])) ?? null } })),
    ),
  };
};

/** Reads an artifact whatever its time. */
const unexpiring: Partial<HostParts> = {
  artifactOf: (result, run, id, now) => {
    const { expires_at: _, ...data } = result.data;
    return HOST_PARTS.artifactOf({ ...result, data }, run, id, now);
  },
};

export const apiAnswersMutants: readonly Mutant[] = [
  mutant(
    'invoke-without-message',
    'Answers models.invoke with a bare text.',
    ['v1/8/answer-models-invoke'],
    changing('invoke_llm', () => ({ text: 'hello' })),
  ),
  mutant(
    'stream-without-chunks',
    'Streams pieces that hold nothing.',
    ['v1/8/answer-models-stream'],
    answering(['invoke_llm_stream'], ({ stream = [] }) => ({ stream: stream.map(() => ({})) })),
  ),
  mutant(
    'rerank-worst-first',
    'Ranks the worst first.',
    ['v1/8/answer-models-rerank'],
    changing('invoke_rerank', (data) => ({ ...data, results: [...listIn(data, 'results')].reverse() })),
  ),
  mutant(
    'detail-of-another-tool',
    'Describes another tool than was asked for.',
    ['v1/8/answer-tools-detail'],
    changing('get_tool_detail', (data) => ({
      tool: { ...(isObject(data['tool']) ? data['tool'] : {}), name: 'another' },
    })),
  ),
  mutant(
    'tool-without-result',
    'Answers a tool call without a result.',
    ['v1/8/answer-tools-call'],
    changing('call_tool', () => ({})),
  ),
  mutant(
    'knowledge-without-end',
    'Answers every passage, however few are wanted.',
    ['v1/8/answer-knowledge-retrieve'],
    changing('retrieve_knowledge_base', (data) => ({
      ...data,
      results: [...listIn(data, 'results'), ...listIn(data, 'results'), ...listIn(data, 'results')],
    })),
  ),
  mutant(
    'history-items-bare',
    'Answers history items without their ids.',
    ['v1/8/answer-history-page'],
    changing(
      'history_page',
      eachItem(({ transcript_id: _, ...item }) => item),
    ),
  ),
  mutant('history-raw', 'Puts the raw event into history items.', ['v1/8/answer-history-projection'], rawHistory()),
  mutant(
    'history-refs-unasked',
    'Gives artifact references unasked.',
    ['v1/8/answer-history-artifact-refs'],
    withActions(named('history_page'), (action) => ({
      ...action,
      perform: (data, scene) => action.perform({ ...data, include_artifacts: true }, scene),
    })),
  ),
  mutant(
    'history-refs-withheld',
    'Withholds artifact references that were asked for.',
    ['v1/8/answer-history-artifact-refs'],
    withActions(named('history_page'), (action) => ({
      ...action,
      perform: (data, scene) => action.perform({ ...data, include_artifacts: false }, scene),
    })),
  ),
  mutant(
    'search-finds-nothing',
    'Finds nothing, whatever is searched for.',
    ['v1/8/answer-history-search'],
    changing('history_search', (data) => ({ ...data, items: [], total_count: 0 })),
  ),
  mutant(
    'event-of-another-id',
    'Answers another event than was asked for.',
    ['v1/8/answer-event-get'],
    changing('event_get', (data) => ({ ...data, event_id: 'another' })),
  ),
  mutant(
    'event-page-without-cursor',
    'Has more events and gives no cursor to them.',
    ['v1/8/answer-event-page'],
    changing('event_page', (data) => ({ ...data, next_cursor: null, has_more: true })),
  ),
  mutant('event-raw', 'Puts the whole raw event into its record.', ['v1/8/answer-events-small'], withRaw()),
  mutant(
    'metadata-wrong-size',
    'Tells a wrong size of artifacts.',
    ['v1/8/answer-artifact-metadata'],
    changing('artifact_metadata', (data) => ({ ...data, size_bytes: Number(data['size_bytes']) + 1 })),
  ),
  mutant(
    'range-from-the-start',
    'Reads every range from the start.',
    ['v1/8/answer-artifact-range'],
    withActions(named('artifact_read'), (action) => ({
      ...action,
      perform: (data, scene) => action.perform({ ...data, offset: 0 }, scene),
    })),
  ),
  mutant(
    'stream-cut-short',
    'Leaves out the last bytes of a streamed artifact.',
    ['v1/8/answer-artifact-stream'],
    answering(['artifact_open_stream'], ({ stream = [] }) => ({
      stream: stream.map((piece) => ({ ...piece, content_base64: String(piece['content_base64']).slice(0, -4) })),
    })),
  ),
  mutant('artifacts-unsized', 'Stores artifacts of any size.', ['v1/8/artifact-size-limit'], {
    checkSize: () => undefined,
  }),
  mutant('mime-unchecked', 'Stores any MIME type as given.', ['v1/8/artifact-mime-checked'], {
    artifactOf: (result, run, id, now) => {
      const stored = HOST_PARTS.artifactOf(
        { ...result, data: { ...result.data, mime_type: 'text/plain' } },
        run,
        id,
        now,
      );
      return 'artifact_id' in stored ? { ...stored, mime_type: result.data['mime_type'] as string } : stored;
    },
  }),
  mutant('artifacts-without-expiry', 'Hands out artifacts that have expired.', ['v1/8/artifact-expiry'], unexpiring),
  mutant(
    'state-forgets',
    'Answers null for every key.',
    ['v1/8/answer-state'],
    changing('state_get', () => ({ value: null })),
  ),
  mutant(
    'state-success-word',
    'Says success in a word.',
    ['v1/8/answer-state'],
    changing('state_set', () => ({ success: 'yes' })),
  ),
  mutant(
    'storage-other-bytes',
    'Gives other bytes back than were stored.',
    ['v1/8/answer-storage'],
    changing('get_plugin_storage', () => ({ value_base64: 'AAAA' })),
  ),
  mutant(
    'storage-list-all',
    'Lists all keys, whatever the prefix.',
    ['v1/8/answer-storage-list'],
    withActions(named('get_plugin_storage_keys'), (action) => ({
      ...action,
      perform: ({ prefix: _, ...data }, scene) => action.perform(data, scene),
    })),
  ),
  mutant(
    'platform-refused',
    'Refuses platform actions that were granted and approved.',
    ['v1/8/answer-platform'],
    withActions(named('platform_request_action'), (action) => ({ ...action, checkGrant: () => deny('unauthorized') })),
  ),
];
