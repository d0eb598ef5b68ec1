// §5.2 to §5.6: events of less usual shapes, and hosts that are right about the usual ones alone.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Envelope } from '../reference-host/gateway.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { type Change, context, inContext, mutant } from './mutant.ts';

const { moveOutLarge } = HOST_PARTS;

const inText = (change: (text: string) => string): Change =>
  inContext('input', ({ text = null }) => ({ text: typeof text === 'string' ? change(text) : text }));
const inList = (
  list: string,
  change: (all: readonly JsonObject[], input: JsonObject) => readonly JsonObject[],
): Change =>
  inContext('input', (input) => ({ [list]: [...change(input[list] as unknown as readonly JsonObject[], input)] }));

/** Leaves some of what is large where it is. */
const leaving = (leave: (event: Envelope, light: Envelope) => Partial<Envelope>): Change => ({
  moveOutLarge: (event, most) => {
    const light = moveOutLarge(event, most);
    return { ...light, event: { ...light.event, ...leave(event, light.event) } };
  },
});

/** Where an event names nobody, it fills in who was named last in the conversation. */
const remembering = (part: 'actor' | 'subject') => (): Change => {
  const last = new Map<string | null, JsonValue>();
  return context((whole, { run }) => {
    const own = whole[part] ?? last.get(run.scope.conversation_id) ?? null;
    last.set(run.scope.conversation_id, own);
    return { ...whole, [part]: own };
  });
};

export const eventShapeMutants = [
  mutant('run-id-of-the-event', 'Makes the id of a run of the id of its event.', '5.2/run-id-unique', {
    runIdOf: (_count, event) => `run-${event.event_id}`,
  }),
  mutant(
    'zero-is-no-time',
    'Takes the time 0 of an event for none.',
    '5.4/event-time-and-source',
    inContext('event', ({ event_time: time }) => ({ event_time: time || null })),
  ),
  mutant(
    'nested-raw-inline',
    'Looks for large texts in the members of an event’s data, and no deeper.',
    '5.4/large-raw-by-reference',
    leaving(({ data }, light) => ({
      data: Object.fromEntries(
        Object.entries(data).map(([name, value = null]) => [name, isObject(value) ? value : light.data[name]]),
      ),
    })),
  ),
  mutant(
    'raw-lists-inline',
    'Sends a long list of small things as it is.',
    '5.4/large-raw-by-reference',
    leaving(({ data }, light) => ({
      data: Object.fromEntries(
        Object.entries(data).map(([name, value = null]) => [name, Array.isArray(value) ? value : light.data[name]]),
      ),
    })),
  ),
  mutant(
    'raw-in-characters',
    'Measures event data in characters instead of bytes.',
    '5.4/large-raw-by-reference',
    leaving(({ data }, light) => (JSON.stringify(data).length <= 65_536 ? { data } : { data: light.data })),
  ),
  mutant(
    'thread-made-up',
    'Puts an event that stands in no thread into one.',
    '5.5/conversation-inlined',
    inContext('conversation', ({ thread_id: thread = null }) => ({ thread_id: thread ?? 'main' })),
  ),
  mutant(
    'actor-remembered',
    'Takes whoever acted last for the actor of an event of nobody.',
    '5.5/actor-inlined',
    remembering('actor'),
  ),
  mutant(
    'subject-remembered',
    'Takes the subject of the event before for that of an event about nothing.',
    '5.5/subject-inlined',
    remembering('subject'),
  ),
  mutant(
    'text-cut',
    'Cuts the text of the input at four thousand characters.',
    '5.6/text-inlined',
    inText((text) => text.slice(0, 4000)),
  ),
  mutant(
    'text-composed',
    'Composes letters and their accents in the text of the input.',
    '5.6/text-inlined',
    inText((text) => text.normalize('NFC')),
  ),
  mutant(
    'line-ends-changed',
    'Changes the ends of lines in the text of the input.',
    '5.6/text-inlined',
    inText((text) => text.replaceAll('\r\n', '\n')),
  ),
  mutant(
    'contents-once',
    'Leaves out elements that say what the text of the input says.',
    '5.6/contents-inlined',
    inList('contents', (all, { text }) => all.filter((one) => one['text'] !== text || text === null)),
  ),
  mutant(
    'contents-ten',
    'Sends the first ten elements of the input.',
    '5.6/contents-inlined',
    inList('contents', (all) => all.slice(0, 10)),
  ),
  mutant(
    'attachments-bare',
    'Sends the ids of attachments and no more.',
    '5.6/attachments-inlined',
    inList('attachments', (all) => all.map(({ artifact_id: id = null }) => ({ artifact_id: id }))),
  ),
  mutant(
    'attachment-bytes-lost',
    'Keeps attachments without the bytes that they brought along, and without a size.',
    '5.6/moved-input-reachable',
    { givenArtifact: (moved, run, now) => HOST_PARTS.givenArtifact({ ...moved, content: null }, run, now) },
  ),
  mutant(
    'data-urls-inline',
    'Sends pictures as they are where a URL holds them.',
    '5.6/large-input-by-reference',
    leaving(({ input }, light) => ({
      input: {
        ...light.input,
        contents: input.contents.map((one, index) =>
          one['type'] === 'image_url' ? one : light.input.contents[index]!,
        ),
      },
    })),
  ),
  mutant(
    'reply-target-thin',
    'Keeps the message id of the reply target, and nothing else of it.',
    '5.7/delivery-inlined',
    inContext('delivery', ({ reply_target: target = null }) => ({
      reply_target: isObject(target) ? { message_id: target['message_id'] ?? null } : target,
    })),
  ),
];
