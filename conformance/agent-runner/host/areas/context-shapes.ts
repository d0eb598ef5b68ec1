// Events of every shape: every field that one may have and may lack, and what is small, large, or just so large as it may be.
import type { JsonObject, JsonValue } from '../../../../common/json.ts';
import { repeat } from '../stimulus.ts';
import { delivery, marked } from './kit.ts';

/** Above 64 KiB, which is large. */
const LONG = 70_000;
/** Up to this many bytes a text comes inline. */
const TEXT_INLINE = 16 * 1024;
const element = (value: JsonObject): JsonObject => ({
  input: { text: marked('in1', 'with more'), contents: [value], attachments: [] },
});

const said = (text: unknown): JsonObject => ({ input: { text: text as string, contents: [], attachments: [] } });

/** Events that are no message: of the documents, and one that nobody knows yet. */
export const OTHER_TYPES = [
  'message.edited',
  'message.recalled',
  'group.member_joined',
  'friend.request_received',
  'schedule.triggered',
  'vendor.some_future_event',
] as const;

/** Every field that an event may have, and may lack. */
export const shapes: readonly JsonObject[] = [
  {},
  { conversation_id: null, thread_id: null },
  { thread_id: 'thread-1' },
  { bot_id: null, workspace_id: null },
  { actor: null, subject: null },
  { actor: { actor_type: 'system' }, subject: { subject_type: 'schedule', subject_id: null } },
  { event_time: null, raw_ref: null },
  // Nothing to a careless reader, and a time all the same.
  { event_time: 0 },
  { raw_ref: { artifact_id: null, storage_key: 'raw/1' } },
  { raw_ref: { artifact_id: 'raw-artifact', storage_key: null } },
  { event_type: 'group.member_joined', input: { text: null, contents: [], attachments: [] } },
  { event_type: 'schedule.triggered', source: 'scheduler', conversation_id: null, actor: null },
  ...OTHER_TYPES.map((event_type) => ({ event_type })),
  ...['platform', 'webui', 'api', 'scheduler', 'system', 'host_adapter', 'telegram', 'lark.bot'].map((source) => ({
    source,
  })),
  {
    input: {
      text: '你好 🤖 "quoted" \\ \u0000',
      contents: [
        { type: 'text', text: 'one' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        { type: 'file_url', file_url: 'https://example.org/b', file_name: 'b' },
      ],
      attachments: [{ artifact_id: 'attached-1', mime_type: 'image/png', size: 3 }],
    },
  },
  { input: { text: '', contents: [], attachments: [] } },
  // Blanks around it, ends of lines of another system, an accent that stands by itself.
  said(`  \r\n${marked('in1')}\te\u0301 \r\n\u00a0`),
  // As long as a text may be that must come inline.
  said(repeat('t', TEXT_INLINE)),
  said(repeat('你', Math.floor(TEXT_INLINE / 3))),
  { input: { text: null, contents: [{ type: 'image_base64', image_base64: 'AAAA' }], attachments: [] } },
  {
    input: {
      text: marked('in1', 'twice'),
      contents: [
        { type: 'text', text: marked('in1', 'twice') },
        ...Array.from({ length: 12 }, (_, index) => ({ type: 'text', text: marked(`part${index}`) })),
      ],
      attachments: [
        { artifact_id: 'attached-2', artifact_type: 'image', mime_type: 'image/png', name: 'photo.png', size: 3 },
        { artifact_id: 'attached-3', artifact_type: 'file', name: 'notes.txt' },
      ],
    },
  },
  { input: { text: marked('in1'), message_chain: { chain: [{ type: 'Plain', text: 'x' }] } } },
  { data: { small: 1, note: 'kept' }, x_added: { unknown: true } },
  { data: { raw: repeat('r', LONG) } as unknown as JsonObject },
  { data: { raw: repeat('你', LONG), small: 1 } as unknown as JsonObject },
  // Large in bytes and not in characters; within a member; as many that are small.
  { data: { raw: repeat('你', LONG / 2) } as unknown as JsonObject },
  { data: { nested: { body: [repeat('n', LONG)] }, small: 1 } as unknown as JsonObject },
  { data: { many: Array.from({ length: 40 }, () => repeat('m', 2000)), small: 1 } as unknown as JsonObject },
  element({ type: 'image_base64', image_base64: repeat('QUJD', LONG / 2) as unknown as JsonValue }),
  element({ type: 'file_base64', file_base64: repeat('QUJD', LONG) as unknown as JsonValue, file_name: 'large.bin' }),
  element({ type: 'image_url', image_url: { url: repeat('data:,%41', LONG / 5) as unknown as string } }),
  element({ type: 'file_url', file_url: repeat('data:,%41', LONG / 5) as unknown as string, file_name: 'a' }),
  said(repeat('t', LONG)),
  { input: { text: marked('in1'), message_chain: { chain: repeat('m', LONG) as unknown as string } } },
  { subject: { subject_type: 'message', subject_id: 's', data: { raw: repeat('s', LONG) } as unknown as JsonObject } },
  // Two that are large and alike, each of which must be found again.
  { data: { one: repeat('r', LONG), other: repeat('q', 2 * LONG) } as unknown as JsonObject },
  {
    input: {
      text: marked('in1'),
      contents: [],
      attachments: [
        { artifact_id: 'attached-large', name: 'a.bin', content: repeat('QUJD', LONG / 2) as unknown as string },
        { artifact_id: 'attached-small', name: 'b.txt', content: 'no base64: it is a text' },
      ],
    },
  },
  {
    delivery: delivery({
      supports_streaming: false,
      supports_edit: false,
      supports_reaction: true,
      reply_target: null,
    }),
  },
  { delivery: delivery({ surface: 'webui', max_message_size: 4096, platform_capabilities: { markdown: true } }) },
  { delivery: { surface: 'bare' } },
  { delivery: delivery({ reply_target: { chat: { id: 7, topic: 'a' }, message_ids: ['m-1', 'm-2'] } }) },
];
