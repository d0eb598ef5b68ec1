// §5: what of a context comes from the event: identity, time, place, people, input and surface.
import { isObject, type JsonObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { broken, type Finding, hold, judge, kept } from '../../../judging/judge.ts';
import { isMimeType } from '../../oracle/answers.ts';
import {
  deliveryChoices,
  elementsKept,
  holdsText,
  isCoarser,
  part,
  sameButNulls,
  TRIGGER_SOURCES,
} from '../../oracle/context.ts';
import { jsonBytes, jsonText, utf8Bytes } from '../../oracle/measure.ts';
import { brief } from '../effects.ts';
import { lastOf } from '../shown.ts';
import { access, availableApis, entries, isText, type Turn, turnsOf } from '../turns.ts';
import type { HostCase } from '../view.ts';

const LARGE = 64 * 1024;
const TEXT_INLINE = 16 * 1024;
const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');

/** Where a field stands, what it must be, and what it is. */
type Fields = Iterable<readonly [where: string, due: JsonValue | undefined, got: JsonValue | undefined]>;

/** For each turn: the fields that the envelope gives, and where the context must have them. */
function* carried(view: HostCase, pairs: (turn: Turn) => Fields): Iterable<Finding> {
  for (const turn of turnsOf(view)) {
    const all = [...pairs(turn)].filter(([, due]) => due !== undefined && due !== null);
    if (all.length === 0) continue;
    const wrong = all.find(([, due, got]) => !sameButNulls(due, got));
    const proof = [turn.submission.n, turn.run.n];
    if (wrong === undefined) yield kept(proof);
    else yield broken(proof, { expected: `${wrong[0]} ${show(wrong[1])}`, found: show(wrong[2]) });
  }
}

/** What an event does not name is not filled in from another: no id in its place that only another event has. */
function* alone(view: HostCase, fields: (turn: Turn) => Fields): Iterable<Finding> {
  const turns = turnsOf(view);
  for (const turn of turns) {
    const others = turns.filter(({ event }) => event !== turn.event).map((other) => [...fields(other)]);
    const own = [...fields(turn)].map(([where, due, got], index) => ({ where, due, got, index }));
    const open = own.filter(({ where, due, index }) => {
      const named = others.some((other) => isText(other[index]?.[1]));
      return where.endsWith('_id') && (due === undefined || due === null) && named;
    });
    if (open.length === 0) continue;
    const taken = open.find(({ got, index }) => isText(got) && others.some((other) => other[index]?.[1] === got));
    yield hold(taken === undefined, [turn.submission.n, turn.run.n], () => ({
      expected: `no ${taken?.where}, for the event names none`,
      found: `${show(taken?.got)}, which another event names`,
    }));
  }
}

/** Elements of the input that carry their bytes with them. */
const inlineBytes = (event: JsonObject): readonly string[] =>
  [
    ...entries(part(event, 'input')['contents']).flatMap((element) => [
      element['image_base64'],
      element['file_base64'],
      // A URL may carry the bytes themselves (data:).
      part(element, 'image_url')['url'],
      element['file_url'],
      element['text'],
    ]),
    ...entries(part(event, 'input')['attachments']).map(({ content }) => content),
  ].filter((value): value is string => isText(value) && utf8Bytes(value) > LARGE);

const textsIn = (value: JsonValue | undefined): readonly string[] =>
  isText(value)
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(textsIn)
      : isObject(value)
        ? Object.values(value).flatMap(textsIn)
        : [];

/** Members of the event's data, and of its subject's. */
const rawMembers = (event: JsonObject): readonly JsonValue[] =>
  [part(event, 'data'), part(event, 'subject', 'data')].flatMap((data) => Object.values(data) as JsonValue[]);

/** All that an event brings and that is too large to travel with its context. */
const largeIn = (event: JsonObject): readonly string[] => [
  ...inlineBytes(event),
  ...[part(event, 'input')['text'], ...rawMembers(event)].filter(
    (value): value is string => isText(value) && utf8Bytes(value) > LARGE,
  ),
];

/** Ids of artifacts, wherever they stand. */
const artifactIds = (value: unknown): readonly string[] =>
  [...jsonText(value).matchAll(/"artifact_id":("(?:[^"\\]|\\.)*")/g)].map(([, id]) => JSON.parse(id!) as string);

/** What an attachment's content is the bytes of: what it encodes, or itself. */
const bytesOf = (content: string): readonly Buffer[] => [Buffer.from(content, 'base64'), Buffer.from(content)];

/** Attachments whose content did not travel, read by the run: their bytes are there. */
function* readInstead(view: HostCase): Iterable<Finding> {
  for (const { event, context, run } of turnsOf(view))
    for (const { artifact_id: id, content } of entries(part(event, 'input')['attachments'])) {
      if (!isText(content) || content === '' || holdsText(context['input'], content)) continue;
      for (const { n, action, data, identity, reply } of run.calls) {
        if (action !== 'artifact_read' || data['artifact_id'] !== id || identity !== run.identity) continue;
        const from = typeof data['offset'] === 'number' ? data['offset'] : 0;
        const lost = reply?.code === 1 && part(reply.data, 'error')['code'] === 'not_found';
        if (availableApis(context)['artifact_read'] !== true || from >= bytesOf(content)[0]!.length) continue;
        if (reply === undefined || (reply.code !== 0 && !lost) || isText(reply.data['file_key'])) continue;
        const { content_base64: answered } = reply.data;
        const got = Buffer.from(isText(answered) ? answered : '', 'base64');
        const right = bytesOf(content).some((all) => all.subarray(from, from + got.length).equals(got));
        yield hold(!lost && got.length > 0 && right, [run.n, n, reply.n], () => ({
          expected: `the bytes of attachment ${show(id)}`,
          found: lost ? reply.message : `${got.length} bytes, or others`,
        }));
      }
    }
}

export const contextEventJudges = [
  judge<HostCase>('v1/5.2/event-present', (view) =>
    carried(view, ({ event, context }) => {
      const got = part(context, 'event');
      return [
        ['event.event_id', event['event_id'], got['event_id']],
        ['event.event_type', event['event_type'], got['event_type']],
      ];
    }),
  ),

  judge<HostCase>('v1/5.4/event-time-and-source', (view) =>
    carried(view, ({ event, context }) => {
      const got = part(context, 'event');
      return [
        ['event.event_time', event['event_time'], got['event_time']],
        ['event.source', event['source'], got['source']],
      ];
    }),
  ),

  judge<HostCase>('v1/5.4/raw-ref-passed', (view) =>
    carried(view, ({ event, context }) => {
      const ref = part(event, 'raw_ref');
      const got = part(context, 'event', 'raw_ref');
      return [
        ['event.raw_ref.artifact_id', ref['artifact_id'], got['artifact_id']],
        ['event.raw_ref.storage_key', ref['storage_key'], got['storage_key']],
      ];
    }),
  ),

  judge<HostCase>('v1/5.4/large-raw-by-reference', function* (view) {
    for (const { event, context, submission, run } of turnsOf(view)) {
      const places: JsonValue[] = [part(context, 'event', 'data'), part(context, 'subject', 'data')];
      for (const value of rawMembers(event)) {
        const size = isText(value) ? utf8Bytes(value) : jsonBytes(value);
        if (size <= LARGE) continue;
        // Of many small things a few may stay, as a preview; all of them take as much room as they did.
        const texts = textsIn(value).filter((text) => utf8Bytes(text) > LARGE);
        const inline = texts.length > 0 ? texts.some((text) => holdsText(places, text)) : jsonBytes(places) >= size;
        yield hold(!inline, [submission.n, run.n], {
          expected: `${size} bytes of raw data by reference`,
          found: 'they stand in the context',
        });
      }
    }
  }),

  judge<HostCase>('v1/5.3/source-known', function* (view) {
    for (const { n, context } of view.runs) {
      const { source } = part(context, 'trigger');
      yield hold(TRIGGER_SOURCES.has(source), n, () => ({ expected: 'a trigger.source of §5.3', found: show(source) }));
    }
  }),

  judge<HostCase>('v1/5.3/trigger-agrees-with-event', function* (view) {
    for (const { n, context } of view.runs) {
      const type = part(context, 'trigger')['type'];
      const eventType = part(context, 'event')['event_type'];
      yield hold(isCoarser(type, eventType), n, () => ({
        expected: `trigger.type ${show(eventType)} or coarser`,
        found: show(type),
      }));
    }
  }),

  judge<HostCase>('v1/5.5/conversation-inlined', function* (view) {
    const where = (turn: Turn) => placed(turn, 'conversation_id', 'thread_id');
    yield* carried(view, where);
    yield* alone(view, where);
    for (const { event, context, submission, run } of turnsOf(view)) {
      if (!isText(event['conversation_id']) || (event['thread_id'] ?? null) !== null) continue;
      const thread = part(context, 'conversation')['thread_id'] ?? null;
      yield hold(thread === null, [submission.n, run.n], () => ({
        expected: 'no thread, for the event stands in none',
        found: show(thread),
      }));
    }
  }),
  judge<HostCase>('v1/5.5/bot-workspace-inlined', function* (view) {
    yield* carried(view, housed);
    yield* alone(view, housed);
  }),
  ...(['actor', 'subject'] as const).map((who) =>
    judge<HostCase>(`v1/5.5/${who}-inlined`, function* (view) {
      yield* carried(view, (turn) => somebody(turn, who));
      yield* alone(view, (turn) => somebody(turn, who));
    }),
  ),

  judge<HostCase>('v1/5.6/text-inlined', function* (view) {
    for (const { event, context, submission, run } of turnsOf(view)) {
      const { text } = part(event, 'input');
      if (!isText(text) || utf8Bytes(text) > TEXT_INLINE) continue;
      const got = part(context, 'input')['text'];
      yield hold(got === text, [submission.n, run.n], () => ({
        expected: `input.text ${show(text)}`,
        found: show(got),
      }));
    }
  }),

  judge<HostCase>('v1/5.6/contents-inlined', function* (view) {
    for (const { event, context, submission, run } of turnsOf(view)) {
      const { contents } = part(event, 'input');
      if (!Array.isArray(contents) || contents.length === 0 || jsonBytes(contents) > TEXT_INLINE) continue;
      const got = part(context, 'input')['contents'];
      yield hold(elementsKept(contents, got), [submission.n, run.n], () => ({
        expected: `input.contents ${show(contents)}`,
        found: show(got),
      }));
    }
  }),

  judge<HostCase>('v1/5.6/attachments-inlined', function* (view) {
    for (const { event, context, submission, run } of turnsOf(view)) {
      const said = entries(part(event, 'input')['attachments']);
      if (said.length === 0) continue;
      const got = entries(part(context, 'input')['attachments']);
      const faults = said.flatMap((one) => {
        const same = got.filter((other) => other['artifact_id'] === one['artifact_id']);
        if (same.length === 0) return [`no ${show(one['artifact_id'])}`];
        // Of what brings its bytes along a host may know the type better.
        const told = ['name', ...(isText(one['content']) ? [] : ['mime_type', 'artifact_type'])];
        const lost = told.find((field) => isText(one[field]) && !same.some((other) => other[field] === one[field]));
        return lost === undefined ? [] : [`${show(one['artifact_id'])} without its ${lost}`];
      });
      yield hold(faults.length === 0, [submission.n, run.n], () => ({
        expected: `attachments ${brief(JSON.stringify(said))}`,
        found: faults.join(', '),
      }));
    }
  }),

  judge<HostCase>('v1/5.6/large-input-by-reference', function* (view) {
    for (const { event, context, submission, run } of turnsOf(view))
      for (const bytes of inlineBytes(event))
        yield hold(!holdsText(context, bytes), [submission.n, run.n], {
          expected: `${utf8Bytes(bytes)} bytes of input by reference`,
          found: 'they stand in the context',
        });
  }),

  judge<HostCase>('v1/5.6/moved-input-reachable', function* (view) {
    yield* readInstead(view);
    for (const { event, context, submission, run } of turnsOf(view)) {
      const shown = lastOf(view, run);
      const places = [context['input'], context['event'], context['subject']];
      const moved = largeIn(event).filter((one) => !holdsText(places, one));
      // A reference into the host's own storage (raw_ref) is its own affair.
      const raw = sameButNulls(part(event, 'raw_ref'), part(context, 'event', 'raw_ref'));
      if (moved.length === 0 || !raw || shown?.artifacts === undefined) continue;
      // An attachment keeps the id that it came with; what else it names was there before.
      const kept = entries(part(event, 'input')['attachments'])
        .filter(({ content }) => isText(content) && moved.includes(content))
        .map((one) => one['artifact_id']);
      const brought = artifactIds(event).filter((id) => !kept.includes(id));
      const named = artifactIds(places).filter((id) => !brought.includes(id));
      const stored = named.map((id) => shown.artifacts!.find((artifact) => artifact['artifact_id'] === id));
      const lost = named.find((id, index) => id === '' || (stored[index] === undefined && !kept.includes(id)));
      const odd = stored.find((one) => isText(one?.['mime_type']) && !isMimeType(one['mime_type']));
      // What is encoded takes less room than its text.
      const room = (one: JsonObject | undefined): number =>
        typeof one?.['size_bytes'] === 'number' ? one['size_bytes'] : Number.POSITIVE_INFINITY;
      const cut = moved.find((text) => !stored.some((one) => room(one) >= Math.floor(utf8Bytes(text) / 4) * 3));
      yield hold(
        named.length > 0 && lost === undefined && odd === undefined && cut === undefined,
        [submission.n, run.n, shown.n],
        () => ({
          expected: 'an artifact in place of what was taken out of the event',
          found:
            lost !== undefined
              ? `the host has no artifact ${show(lost)}`
              : odd !== undefined
                ? `one with the MIME type ${show(odd['mime_type'])}`
                : cut !== undefined && named.length > 0
                  ? `none that could hold ${utf8Bytes(cut)} bytes`
                  : 'the context names none',
        }),
      );
    }
  }),

  judge<HostCase>('v1/5.7/delivery-inlined', function* (view) {
    const fields = [
      'surface',
      'reply_target',
      'supports_streaming',
      'supports_edit',
      'supports_reaction',
      'max_message_size',
      'platform_capabilities',
    ];
    for (const { event, binding, context, submission, run } of turnsOf(view)) {
      const got = part(context, 'delivery');
      const wrong = fields.find((field) => {
        const value =
          got[field] ?? (field.startsWith('supports_') ? false : field === 'platform_capabilities' ? {} : null);
        return !deliveryChoices(event, binding, field).some((choice) => sameButNulls(choice, value));
      });
      yield hold(wrong === undefined, [submission.n, run.n], () => ({
        expected: `delivery.${wrong} ${show(deliveryChoices(event, binding, wrong ?? '')[0])}`,
        found: show(got[wrong ?? '']),
      }));
    }
  }),

  judge<HostCase>('v1/5.8/conversation-handle', function* (view) {
    for (const { event, context, submission, run } of turnsOf(view)) {
      const conversation = event['conversation_id'];
      if (!isText(conversation)) continue;
      const handle = access(context);
      const inner = part(context, 'conversation')['conversation_id'] ?? null;
      const id = handle['conversation_id'] ?? null;
      const thread = handle['thread_id'] ?? null;
      const right =
        (id === null || id === conversation) &&
        (thread === null || thread === (event['thread_id'] ?? null)) &&
        !(id === null && inner === null);
      yield hold(right, [submission.n, run.n], () => ({
        expected: `a handle on ${conversation}`,
        found: show([id, thread]),
      }));
    }
  }),

  judge<HostCase>('v1/2/binding-shapes-four-parts', function* (view) {
    const turns = turnsOf(view);
    for (const [index, one] of turns.entries())
      for (const other of turns.slice(index + 1)) {
        if (
          sameJson(one.binding, other.binding) ||
          !sameJson(envelope(one.event), envelope(other.event)) ||
          jsonBytes(one.event) > TEXT_INLINE
        )
          continue;
        const [a, b] = [fromEvent(one.context), fromEvent(other.context)];
        const wrong = Object.keys(a).find((key) => !sameJson(a[key], b[key]));
        yield hold(wrong === undefined, [one.run.n, other.run.n], () => ({
          expected: `the same ${wrong} under either binding`,
          found: show(b[wrong ?? '']),
        }));
      }
  }),
];

const envelope = ({ event_id: _, ...rest }: JsonObject): JsonObject => rest;

/** The parts that come from the event alone. */
function fromEvent(context: JsonObject): JsonObject {
  const { event_id: _, ...event } = part(context, 'event');
  const { timestamp: __, ...trigger } = part(context, 'trigger');
  const { input, conversation, actor, subject } = context;
  return { event, trigger, input, conversation, actor, subject };
}

const placed = ({ event, context }: Turn, ...fields: readonly string[]) =>
  fields.map((field) => [`conversation.${field}`, event[field], part(context, 'conversation')[field]] as const);

/** An event of no conversation may come without that part; bot and workspace then reach the runner beside it. */
const housed = (turn: Turn) => {
  const alone = !isText(turn.event['conversation_id']) && !isObject(turn.context['conversation']);
  const beside = alone ? part(turn.context, 'runtime', 'metadata') : {};
  return placed(turn, 'bot_id', 'workspace_id').map(
    ([where, due, got], index) => [where, due, got ?? beside[index === 0 ? 'bot_id' : 'workspace_id']] as const,
  );
};

const somebody = ({ event, context }: Turn, who: 'actor' | 'subject') =>
  [`${who}_type`, `${who}_id`].map(
    (field) => [`${who}.${field}`, part(event, who)[field], part(context, who)[field]] as const,
  );
