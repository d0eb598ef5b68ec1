// The event gateway (HOST_SDK §4.1): one stable envelope for whatever came in, with large payloads moved out of it (§5.4, §5.6, §11).
import { createHash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import {
  checkAgentEventEnvelope,
  isAgentEventEnvelope,
  readAgentEventEnvelope,
} from '../../../schemas/agent-runner/2026-06-03/validators.js';
import { jsonBytes } from './limits.ts';
import type { Scope } from './shapes.ts';

export interface Envelope {
  readonly event_id: string;
  readonly event_type: string;
  readonly event_time: number | null;
  readonly source: string;
  readonly source_event_type: string | null;
  readonly bot_id: string | null;
  readonly workspace_id: string | null;
  readonly conversation_id: string | null;
  readonly thread_id: string | null;
  readonly actor: JsonObject | null;
  readonly subject: JsonObject | null;
  readonly input: Input;
  readonly delivery: JsonObject;
  readonly raw_ref: JsonObject | null;
  readonly data: JsonObject;
}

export interface Input {
  readonly text: string | null;
  readonly contents: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
  readonly message_chain: JsonValue;
}

/** Reads an event, or says where it does not fit. What it leaves out is there as its default. */
export function readEnvelope(value: JsonValue | undefined): Envelope | { readonly problem: string } {
  if (!isAgentEventEnvelope(value)) return { problem: `event${checkAgentEventEnvelope(value)[0]?.path}` };
  return { source_event_type: null, ...readAgentEventEnvelope(value) } as unknown as Envelope;
}

export const scopeOf = (event: Envelope): Scope => ({
  conversation_id: event.conversation_id,
  thread_id: event.thread_id,
  bot_id: event.bot_id,
  workspace_id: event.workspace_id,
  actor: identityOf(event.actor, 'actor'),
  subject: identityOf(event.subject, 'subject'),
});

/** An actor or subject without an id has no state of its own. */
function identityOf(who: JsonObject | null, kind: string): string | null {
  const [type, id] = [who?.[`${kind}_type`], who?.[`${kind}_id`]];
  return typeof type === 'string' && typeof id === 'string' ? JSON.stringify([type, id]) : null;
}

/** Bytes that were moved out of an event, to become an artifact. */
export interface Moved {
  readonly artifact_id: string;
  readonly artifact_type: string;
  readonly mime_type: string | null;
  readonly name: string | null;
  readonly content: Buffer | null;
}

const PREVIEW_CHARS = 1000;

/** The event with everything above `most` bytes replaced by a reference, and what was moved out, attachments included. */
export function moveOutLarge(
  event: Envelope,
  most: number,
): { readonly event: Envelope; readonly moved: readonly Moved[] } {
  const moved: Moved[] = [];
  const move = (kind: string, mime: string, bytes: Buffer, title: string | null = null): JsonObject => {
    const artifact_id = `art-${createHash('sha256').update(`${event.event_id}\0${moved.length}\0`).update(bytes).digest('hex').slice(0, 24)}`;
    moved.push({ artifact_id, artifact_type: kind, mime_type: mime, name: title, content: bytes });
    return { artifact_id, artifact_type: kind, mime_type: mime, size: bytes.length };
  };
  const moveJson = (value: JsonValue): JsonObject =>
    move('payload', 'application/json', Buffer.from(JSON.stringify(value)));

  const attachments = event.input.attachments.map((ref) => {
    const { content, ...rest } = ref;
    moved.push(given(ref));
    return typeof content === 'string' && content.length > most ? rest : ref;
  });
  const contents = event.input.contents.map((element) => {
    if (jsonBytes(element) <= most) return element;
    const { type = 'text', file_name } = element;
    const bytes = Buffer.from(
      String(element['image_base64'] ?? element['file_base64'] ?? element['text'] ?? JSON.stringify(element)),
    );
    const ref = move('content', 'application/octet-stream', bytes, typeof file_name === 'string' ? file_name : null);
    attachments.push(ref);
    return { type, artifact_id: ref['artifact_id']!, ...(typeof file_name === 'string' && { file_name }) };
  });
  let words = event.input.text;
  if (words !== null && Buffer.byteLength(words) > most) {
    attachments.push(move('text', 'text/plain', Buffer.from(words)));
    words = `${[...words.slice(0, 2 * PREVIEW_CHARS)].slice(0, PREVIEW_CHARS).join('')}…`;
  }
  const lighten = (members: JsonObject): JsonObject => {
    if (jsonBytes(members) <= most) return members;
    const light = Object.entries(members).map(([key, value = null]): [string, JsonValue] =>
      jsonBytes(value) > most ? [key, { artifact_ref: moveJson(value) }] : [key, value],
    );
    const rest = Object.fromEntries(light);
    return jsonBytes(rest) > 4 * most ? { artifact_ref: moveJson(members) } : rest;
  };
  const { message_chain } = event.input;
  const subjectData = event.subject?.['data'];
  return {
    event: {
      ...event,
      data: lighten(event.data),
      subject: isObject(subjectData) ? { ...event.subject, data: lighten(subjectData) } : event.subject,
      input: {
        text: words,
        contents,
        attachments,
        message_chain:
          message_chain !== null && jsonBytes(message_chain) > most
            ? { artifact_ref: moveJson(message_chain) }
            : message_chain,
      },
    },
    moved,
  };
}

/** An attachment that came with the event: its bytes, where it brought them along. */
function given(ref: JsonObject): Moved {
  const textOr = (value: JsonValue | undefined): string | null => (typeof value === 'string' ? value : null);
  const content = textOr(ref['content']);
  return {
    artifact_id: ref['artifact_id'] as string,
    artifact_type: textOr(ref['artifact_type']) ?? 'file',
    mime_type: textOr(ref['mime_type']),
    name: textOr(ref['name']),
    content: content === null ? null : (fromBase64(content) ?? Buffer.from(content)),
  };
}

/** The bytes of well-formed base64; undefined for anything else. */
export function fromBase64(value: string): Buffer | undefined {
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return undefined;
  return Buffer.from(value, 'base64');
}
