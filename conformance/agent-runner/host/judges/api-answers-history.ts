// What the history of a conversation answers: its pages, what they project and refer to, and what a search finds (§8, MODELS §5).
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { type Finding, type Judge, judge } from '../../../judging/judge.ts';
import { HistoryPage, HistorySearchResult } from '../../oracle/answers.ts';
import { conversationOf } from '../../oracle/calls.ts';
import { marksIn } from '../effects.ts';
import type { HostCase, Submission } from '../view.ts';
import {
  aboveLimit,
  answer,
  answersOf,
  inJson,
  misfit,
  pageFits,
  textsIn,
  tooMany,
  topOf,
  turnsBefore,
  unanswered,
  verdict,
} from './api-answers-base.ts';
import type { Assessed } from './authorization-assess.ts';
import { brief, itemsOf } from './authorization-refusals.ts';

/** Texts of the raw side of an event that its input does not hold. */
function rawTexts(event: JsonObject): readonly string[] {
  const input: JsonObject = isObject(event['input']) ? event['input'] : {};
  const shown = JSON.stringify([input['text'], input['contents'], input['attachments']]);
  return textsIn([event['data'], event['raw_ref'], input['message_chain']]).filter(
    (text) => text.length >= 8 && !shown.includes(inJson(text)),
  );
}

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

export const historyJudges: readonly Judge<HostCase>[] = [
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
];
