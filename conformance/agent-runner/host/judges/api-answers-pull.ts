// What history, events, models, tools and knowledge answer (§8, MODELS §5).
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import {
  AgentEventRecord,
  CallToolAnswer,
  EventPage,
  HistoryPage,
  HistorySearchResult,
  KnowledgeResults,
  Message,
  MessageChunk,
  type Model,
  RerankResults,
  ToolDetail,
  Usage,
} from '../../oracle/answers.ts';
import { conversationOf, type Family } from '../../oracle/calls.ts';
import { marksIn } from '../effects.ts';
import type { HostCase, Submission } from '../view.ts';
import { type Assessed, assess, FOR_THE_CALL, isGranted } from './authorization-assess.ts';
import { brief, itemsOf, proofOf, told } from './authorization-refusals.ts';
import { inventoryOf } from './authorization-world.ts';

/** Every answer of this action that is no refusal, to a call that nothing is wrong with. */
export const answersOf = (view: HostCase, action: string): readonly Assessed[] =>
  assess(view).filter((one) => one.action === action && one.ok && one.wrongs.length === 0);

/** One finding for one answer: what is wrong with it, if anything. */
export const verdict = (one: Assessed, expected: string, wrong: string | undefined): Finding =>
  wrong === undefined ? kept(proofOf(one)) : broken(proofOf(one), { expected, found: wrong });

export const answer = (
  clause: string,
  action: string,
  expected: string,
  wrongIn: (data: JsonObject, one: Assessed, view: HostCase) => string | undefined,
): Judge<HostCase> =>
  judge<HostCase>(clause, function* (view) {
    for (const one of answersOf(view, action)) yield verdict(one, expected, wrongIn(one.reply!.data, one, view));
    yield* unanswered(view, expected, (one) => one.action === action);
  });

/** Calls that nothing is wrong with, and that were refused all the same for what they ask, or failed at what the host itself keeps. */
export function* unanswered(view: HostCase, expected: string, concerns: (one: Assessed) => boolean): Iterable<Finding> {
  for (const one of assess(view))
    if (concerns(one) && isGranted(one) && !one.busy && one.refusal !== undefined && isOwnFault(one))
      yield broken(proofOf(one), {
        expected: `${expected}: nothing is wrong with this ${one.action}`,
        found: brief(one.refusal.data),
      });
}

/** A model, a tool or a platform behind the host may fail; what it wrote down itself it can tell. */
const KEPT: ReadonlySet<Family> = new Set(['history', 'events', 'artifacts', 'state', 'storage']);
const isOwnFault = ({ code, api }: Assessed): boolean =>
  FOR_THE_CALL.has(code) || (code === 'runtime_error' && KEPT.has(api.family));

const misfit = (model: Model, data: JsonValue | undefined, path = ''): string | undefined => model(data, path);
const topOf = (one: Assessed): number | undefined => {
  const top = one.call.data['top_k'];
  return typeof top === 'number' && Number.isInteger(top) && top >= 0 ? top : undefined;
};
const aboveLimit = (one: Assessed): string | undefined => {
  const { limit } = one.call.data;
  const items = itemsOf(one).length;
  return typeof limit === 'number' && Number.isInteger(limit) && limit > 0 && items > limit
    ? `${items} items for limit ${limit}`
    : undefined;
};

const tooMany = (items: number, one: Assessed): string | undefined => {
  const top = topOf(one);
  return top !== undefined && items > top ? `${items} of them for top_k ${top}` : undefined;
};

/** Pieces with a chunk or a usage, then the end. */
function* stream(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    if (one.action !== 'invoke_llm_stream' || one.wrongs.length > 0 || one.reply?.code !== 0) continue;
    if (one.refusal !== undefined && one.reply !== one.refusal) continue;
    const pieces = one.call.replies.filter(({ end }) => !end);
    if (pieces.length === 0) continue;
    const lastChunk = pieces.findLastIndex(({ data }) => isObject(data['chunk']));
    const wrong = pieces
      .map(({ data }, index) => {
        const { chunk, usage } = data;
        if (isObject(chunk) && chunk['is_final'] === true && index < lastChunk)
          return `piece ${index} says that it is the final one`;
        if ((chunk === undefined || chunk === null) && (usage === undefined || usage === null))
          return `piece ${index} has neither chunk nor usage`;
        return (
          (chunk === undefined || chunk === null
            ? undefined
            : (misfit(MessageChunk, chunk, 'chunk') ?? bySomebodyElse(chunk))) ??
          (usage === undefined || usage === null ? undefined : misfit(Usage, usage, 'usage'))
        );
      })
      .find((one) => one !== undefined);
    const ended = one.call.replies.some(({ end }) => end);
    if (!ended && view.end?.how !== 'done') continue;
    yield verdict(one, 'pieces of a message, then the end', wrong ?? (ended ? undefined : 'no end came'));
  }
}

/** What a model says, the assistant says. */
const bySomebodyElse = (message: JsonValue | undefined): string | undefined =>
  isObject(message) && message['role'] !== 'assistant' ? `role ${brief(message['role'])}` : undefined;

const rerank = answer(
  'v1/8/answer-models-rerank',
  'invoke_rerank',
  'positions with scores, best first, each once, at most top_k',
  ({ results }, one) => {
    const unfit = misfit(RerankResults, results, 'results');
    if (unfit !== undefined || !Array.isArray(results)) return unfit;
    const { documents } = one.call.data;
    const size = Array.isArray(documents) ? documents.length : 0;
    const entries = results as unknown as readonly { index: number; relevance_score: number }[];
    const out = entries.find(({ index }) => index < 0 || index >= size);
    if (out !== undefined) return `index ${out.index} for ${size} documents`;
    if (new Set(entries.map(({ index }) => index)).size < entries.length) return 'an index comes twice';
    const rises = entries.find(
      ({ relevance_score }, at) => at > 0 && relevance_score > entries[at - 1]!.relevance_score,
    );
    return rises === undefined ? tooMany(entries.length, one) : `scores rise at index ${rises.index}`;
  },
);

const pageFits = (model: Model, data: JsonObject): string | undefined =>
  misfit(model, data) ??
  (data['has_more'] === true && typeof data['next_cursor'] !== 'string'
    ? 'has_more is true and there is no next_cursor'
    : undefined);

/** Earlier turns of the conversation that this call asks about. */
const turnsBefore = (view: HostCase, one: Assessed): readonly Submission[] => {
  const asked = conversationOf(one.action, one.call.data) ?? one.standing?.event['conversation_id'];
  return view.submissions.filter(
    ({ n, event }) => n < one.call.n && typeof asked === 'string' && event['conversation_id'] === asked,
  );
};

/** Texts of the raw side of an event that its input does not hold. */
function rawTexts(event: JsonObject): readonly string[] {
  const input: JsonObject = isObject(event['input']) ? event['input'] : {};
  const shown = JSON.stringify([input['text'], input['contents'], input['attachments']]);
  return textsIn([event['data'], event['raw_ref'], input['message_chain']]).filter(
    (text) => text.length >= 8 && !shown.includes(inJson(text)),
  );
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(textsIn)
      : isObject(value)
        ? Object.values(value).flatMap(textsIn)
        : [];
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function* projection(view: HostCase): Iterable<Finding> {
  for (const one of [...answersOf(view, 'history_page'), ...answersOf(view, 'history_search')]) {
    const raw = turnsBefore(view, one).flatMap(({ event }) => rawTexts(event));
    if (raw.length === 0 || itemsOf(one).length === 0) continue;
    const said = JSON.stringify(one.reply!.data);
    const stray = raw.find((text) => said.includes(inJson(text)));
    yield verdict(
      one,
      'transcript items without raw platform payloads',
      stray === undefined ? undefined : `the raw text ${brief(stray)} in the answer`,
    );
  }
}

interface Attachment {
  readonly event: JsonValue | undefined;
  readonly id: string;
  readonly content: string | undefined;
}

const attachmentsOf = ({ event }: Submission): readonly Attachment[] => {
  const input = isObject(event['input']) ? event['input'] : {};
  const refs = Array.isArray(input['attachments']) ? input['attachments'].filter(isObject) : [];
  return refs.flatMap(({ artifact_id: id, content }) =>
    typeof id === 'string'
      ? [
          {
            event: event['event_id'],
            id,
            content: typeof content === 'string' && content.length >= 16 ? content : undefined,
          },
        ]
      : [],
  );
};

function* artifactRefs(view: HostCase): Iterable<Finding> {
  for (const one of answersOf(view, 'history_page')) {
    const attachments = turnsBefore(view, one).flatMap(attachmentsOf);
    const items = itemsOf(one).filter(isObject);
    const told = attachments.filter(({ event }) =>
      items.some((item) => item['event_id'] === event && item['role'] === 'user'),
    );
    if (told.length === 0) continue;
    const said = JSON.stringify(one.reply!.data);
    const bytes = attachments.find(({ content }) => content !== undefined && said.includes(inJson(content)));
    const refs = new Set(
      items
        .flatMap((item) => (Array.isArray(item['artifact_refs']) ? item['artifact_refs'] : []))
        .map((ref) => (isObject(ref) ? (ref['artifact_id'] ?? ref['id']) : ref)),
    );
    const wanted = one.call.data['include_artifacts'] === true;
    const missing = told.find(({ id }) => !refs.has(id));
    yield verdict(
      one,
      wanted
        ? 'references to the attachments of its items, and no bytes'
        : 'no artifact references, for none were asked for, and no bytes',
      bytes !== undefined
        ? `the bytes of ${bytes.id}`
        : wanted
          ? missing && `no reference to ${missing.id}`
          : refs.size > 0
            ? `references to ${[...refs].join(', ')}`
            : undefined,
    );
  }
}

/** What each filter of a search goes by. The event of an answer is its own, or the one that it answers: either will do. */
const FILTERED: Readonly<Record<string, (item: JsonObject, view: HostCase) => readonly unknown[]>> = {
  roles: ({ role = null }) => [role],
  item_types: ({ item_type = null }) => [item_type],
  event_types: ({ role, event_id }, { submissions }) => [
    ...(role === 'assistant' ? ['message.completed'] : []),
    ...submissions.filter(({ event }) => event['event_id'] === event_id).map(({ event }) => event['event_type']),
  ],
};

const filtersOf = ({ call }: Assessed): JsonObject => (isObject(call.data['filters']) ? call.data['filters'] : {});

/** An item that the filters of a search leave out. */
function unfiltered(view: HostCase, one: Assessed): string | undefined {
  for (const [filter, of] of Object.entries(FILTERED)) {
    const wanted = filtersOf(one)[filter];
    const stray = itemsOf(one).find((item) => {
      const is = isObject(item) && Array.isArray(wanted) ? of(item, view) : [];
      return is.length > 0 && !is.some((each) => (wanted as readonly unknown[]).includes(each));
    });
    if (stray !== undefined) return `${brief(stray)} for ${filter} ${brief(wanted)}`;
  }
  return undefined;
}

/** What somebody said passes these filters for sure; what a host calls the type of such an item is its own affair. */
const PASSES: Readonly<Record<string, string>> = { roles: 'user', event_types: 'message.received' };
const passes = ([filter, wanted]: readonly [string, JsonValue | undefined]): boolean =>
  filter === 'conversation_id' || (filter in PASSES && Array.isArray(wanted) && wanted.includes(PASSES[filter]!));

/** Marks, top_k and the conversation of what a search finds. */
const search = judge<HostCase>('v1/8/answer-history-search', function* (view) {
  for (const one of answersOf(view, 'history_search')) {
    const { query } = one.call.data;
    const unfit = misfit(HistorySearchResult, one.reply!.data) ?? tooMany(itemsOf(one).length, one);
    const current = one.standing?.event['conversation_id'];
    const foreign = itemsOf(one).find(
      (item) =>
        isObject(item) &&
        typeof item['conversation_id'] === 'string' &&
        item['conversation_id'] !== (conversationOf(one.action, one.call.data) ?? current),
    );
    const mine = one.standing?.event['thread_id'] ?? null;
    const due = turnsBefore(view, one).find(
      ({ event, run }) =>
        run !== undefined &&
        run !== one.run &&
        event['event_type'] === 'message.received' &&
        (event['thread_id'] ?? null) === mine &&
        isObject(event['input']) &&
        typeof query === 'string' &&
        query.length >= 4 &&
        typeof event['input']['text'] === 'string' &&
        event['input']['text'].includes(query),
    );
    const room = topOf(one) ?? 10;
    const missing =
      due !== undefined &&
      Object.entries(filtersOf(one)).every(passes) &&
      itemsOf(one).length < room &&
      !itemsOf(one).some((item) => isObject(item) && item['event_id'] === due.event['event_id']);
    yield verdict(
      one,
      'items that match, at most top_k, of the current conversation',
      unfit ??
        unfiltered(view, one) ??
        itemsOf(one)
          .map((item) => unsaid(view, item))
          .find((wrong) => wrong !== undefined) ??
        (foreign !== undefined
          ? `an item of another conversation: ${brief(foreign)}`
          : missing
            ? `the item of ${brief(due.event['event_id'])}, which holds ${brief(query)}, is missing`
            : undefined),
    );
  }
  yield* unanswered(view, 'items that match', ({ action }) => action === 'history_search');
});

const isEmpty = (content: JsonValue | undefined): boolean =>
  content === undefined || content === '' || (Array.isArray(content) && content.length === 0);

/** What the record of an event tells beside its id, and where the event has it. */
const TOLD: readonly (readonly [field: string, ...path: readonly string[]])[] = [
  ['event_type', 'event_type'],
  ['event_time', 'event_time'],
  ['source', 'source'],
  ['bot_id', 'bot_id'],
  ['workspace_id', 'workspace_id'],
  ['conversation_id', 'conversation_id'],
  ['thread_id', 'thread_id'],
  ['actor_type', 'actor', 'actor_type'],
  ['actor_id', 'actor', 'actor_id'],
  ['actor_name', 'actor', 'actor_name'],
  ['subject_type', 'subject', 'subject_type'],
  ['subject_id', 'subject', 'subject_id'],
];

/** A record that tells something else than the event that was submitted under its id. What it leaves out, it does not tell. */
function untrue(view: HostCase, record: JsonValue | undefined): string | undefined {
  if (!isObject(record)) return undefined;
  const same = view.submissions.filter(({ event }) => event['event_id'] === record['event_id']);
  if (same.length !== 1) return undefined;
  for (const [field, ...path] of TOLD) {
    const told = record[field] ?? null;
    let due: JsonValue | undefined = same[0]!.event;
    for (const step of path) due = isObject(due) ? due[step] : undefined;
    // A source is required of an event; where one has none, the host must make it up.
    if (field === 'source' && due === undefined) continue;
    if (told !== null && told !== (due ?? null)) return `${field} ${brief(told)} of an event with ${brief(due)}`;
  }
  return undefined;
}

/** What came in with events, and what runners said: the texts of each, and the marks by which they are known. */
const speechOf = memo((view: HostCase) => {
  const users = view.submissions.map(({ event }) => event);
  const runners = view.runs.flatMap(({ pushed }) => pushed.map(({ value }) => value));
  const of = (all: readonly unknown[]) => ({
    marks: new Set(all.flatMap(marksIn)),
    texts: textsIn(all).map(plain),
  });
  return { user: of(users), assistant: of(runners) };
});
/** As a store may keep it: without control characters, its blanks and accents written its own way. */
const plain = (text: string): string =>
  text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .normalize('NFC');

/** An item of the transcript that tells something else than what was said, or of somebody else. It may be cut short. */
function unsaid(view: HostCase, item: JsonValue | undefined): string | undefined {
  if (!isObject(item) || typeof item['content'] !== 'string') return undefined;
  const { content, role } = item;
  const { user, assistant } = speechOf(view);
  const [byUser, byRunner] = [user, assistant].map(({ marks }) => marksIn(content).some((mark) => marks.has(mark)));
  // What both said, or nobody that is known, could be either's.
  if (byUser === byRunner) return undefined;
  if (role === (byUser ? 'assistant' : 'user')) return `role ${brief(role)} for ${brief(content)}`;
  const { texts } = byUser ? user : assistant;
  const whole = plain(content);
  const start = whole.replace(/(…|\.\.\.)$/u, '').trim();
  const known = texts.some((text) => text === whole || text.startsWith(start)) || isJoined(whole, texts);
  return known ? undefined : `${brief(content)}, which nobody said`;
}

/** Texts one behind the other, with what stands for a picture or a file between them. */
function isJoined(whole: string, texts: readonly string[]): boolean {
  const parts = texts.filter((text) => text !== '' && whole.includes(text)).sort((a, b) => b.length - a.length);
  const rest = parts.reduce((left, text) => left.replace(text, ' '), whole);
  return parts.length > 0 && rest.replace(/\[[^\]]*\]|<[^>]*>/g, '').trim() === '';
}

/** More than 64 KiB of an event has no place in its record. */
const LARGE = 64 * 1024;
function* small(view: HostCase): Iterable<Finding> {
  for (const one of [...answersOf(view, 'event_get'), ...answersOf(view, 'event_page')]) {
    const turns =
      one.action === 'event_get'
        ? view.submissions.filter(({ event }) => event['event_id'] === one.call.data['event_id'])
        : turnsBefore(view, one);
    const large = turns.flatMap(({ event }) =>
      textsIn([event['data'], event['raw_ref'], event['input']]).filter((text) => text.length > LARGE),
    );
    if (large.length === 0 || (itemsOf(one).length === 0 && one.reply!.data['event_id'] === undefined)) continue;
    const said = JSON.stringify(one.reply!.data);
    const whole = large.find((text) => said.length >= text.length && said.includes(inJson(text)));
    yield verdict(
      one,
      'records or references without large payloads',
      whole === undefined ? undefined : `a text of ${whole.length} characters in the answer`,
    );
  }
}

/** What the host itself says that only another knowledge base holds, or that this one answers to this question. */
function ofAnotherBase({ results }: JsonObject, { call }: Assessed, view: HostCase): string | undefined {
  const { kb_id: base, query_text: query, filters } = call.data;
  const said = JSON.stringify(results ?? null);
  for (const [id, { query: question, content }] of inventoryOf(view).examples) {
    const there = said.includes(inJson(content));
    if (id !== base && there) return `a passage of ${brief(id)}`;
    const asked = id === base && query === question && filters == null && call.data['top_k'] === EXAMPLES;
    if (asked && !there) return `no passage with ${brief(content)}`;
  }
  return undefined;
}
/** The words of an example stand in one of so many passages. */
const EXAMPLES = 5;

export const pullJudges: readonly Judge<HostCase>[] = [
  answer(
    'v1/8/answer-models-invoke',
    'invoke_llm',
    'a message',
    ({ message }) => misfit(Message, message, 'message') ?? bySomebodyElse(message),
  ),
  judge<HostCase>('v1/8/answer-models-stream', stream),
  rerank,
  answer(
    'v1/8/answer-tools-detail',
    'get_tool_detail',
    'name, description and parameters of that tool',
    ({ tool }, one) => {
      const unfit = misfit(ToolDetail, tool, 'tool');
      return (
        unfit ??
        (isObject(tool) && tool['name'] !== one.call.data['tool_name']
          ? `another tool: ${brief(tool['name'])}`
          : undefined)
      );
    },
  ),
  answer('v1/8/answer-tools-call', 'call_tool', 'a result', (data) => misfit(CallToolAnswer, data)),
  answer(
    'v1/8/answer-knowledge-retrieve',
    'retrieve_knowledge_base',
    'its passages, at most top_k',
    (data, one, view) => {
      const { results } = data;
      const unfit = misfit(KnowledgeResults, results, 'results');
      const top = topOf(one) ?? 5;
      return (
        unfit ??
        ofAnotherBase(data, one, view) ??
        (Array.isArray(results) && results.length > top ? `${results.length} passages for top_k ${top}` : undefined) ??
        (Array.isArray(results) && results.some((one) => isObject(one) && isEmpty(one['content']))
          ? 'a passage that says nothing'
          : undefined)
      );
    },
  ),
  answer('v1/8/answer-history-page', 'history_page', 'a HistoryPage', (data, one, view) => {
    return (
      pageFits(HistoryPage, data) ??
      aboveLimit(one) ??
      itemsOf(one)
        .map((item) => unsaid(view, item))
        .find((wrong) => wrong !== undefined)
    );
  }),
  judge<HostCase>('v1/8/answer-history-projection', projection),
  judge<HostCase>('v1/8/answer-history-artifact-refs', artifactRefs),
  search,
  judge<HostCase>('v1/8/answer-event-get', function* (view) {
    for (const one of answersOf(view, 'event_get')) {
      const { data } = one.reply!;
      yield verdict(
        one,
        'the record of that event',
        misfit(AgentEventRecord, data) ??
          (data['event_id'] === one.call.data['event_id'] ? undefined : `event ${brief(data['event_id'])}`) ??
          untrue(view, data),
      );
    }
    for (const one of assess(view))
      if (one.action === 'event_get' && isGranted(one) && one.refusal !== undefined && !one.busy)
        yield hold(false, proofOf(one), {
          expected: 'the record of the current event',
          found: told(one.refusal),
        });
  }),
  answer('v1/8/answer-event-page', 'event_page', 'a page of event records', (data, one, view) => {
    const { event_types: types } = one.call.data;
    const other = itemsOf(one).find(
      (item) => isObject(item) && Array.isArray(types) && !types.includes(item['event_type'] ?? null),
    );
    return (
      pageFits(EventPage, data) ??
      aboveLimit(one) ??
      itemsOf(one)
        .map((item) => untrue(view, item))
        .find((wrong) => wrong !== undefined) ??
      (other === undefined ? undefined : `${brief(other)} for event_types ${brief(types)}`)
    );
  }),
  judge<HostCase>('v1/8/answer-events-small', small),
];
