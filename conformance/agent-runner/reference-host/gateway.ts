// The event gateway (HOST_SDK §4.1): one stable envelope for whatever came in, with large payloads moved out of it (§5.4, §5.6, §11).
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../common/json.ts';
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
  const id = who?.[`${kind}_id`];
  return typeof id === 'string' ? JSON.stringify([who?.[`${kind}_type`], id]) : null;
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
  const moved = event.input.attachments.map(given);
  const move = (mime_type: string, content: Buffer): JsonObject => {
    const place = `${event.event_id}\0${moved.length}\0`;
    const artifact_id = `art-${createHash('sha256').update(place).update(content).digest('hex')}`;
    const ref = { artifact_id, artifact_type: 'payload', mime_type };
    moved.push({ ...ref, name: null, content });
    return { ...ref, size: content.length };
  };
  const moveJson = (value: JsonValue): JsonObject => move('application/json', Buffer.from(JSON.stringify(value)));
  const lighten = <Value extends JsonValue>(value: Value): Value | JsonObject =>
    jsonBytes(value) > most ? { artifact_ref: moveJson(value) } : value;
  // What is small stays beside a reference to what is not, unless there is too much of it.
  const lightenMembers = (members: JsonObject): JsonObject =>
    lighten(Object.fromEntries(Object.entries(members).map(([name, value = null]) => [name, lighten(value)])));

  const attachments = event.input.attachments.map(({ content, ...ref }) =>
    jsonBytes(content) > most ? ref : { ...ref, content },
  );
  const contents = event.input.contents.map((element) => {
    if (jsonBytes(element) <= most) return element;
    const ref = moveJson(element);
    attachments.push(ref);
    return { type: element['type'], file_name: element['file_name'], artifact_id: ref['artifact_id'] };
  });
  let { text } = event.input;
  if (jsonBytes(text) > most) {
    const whole = text ?? '';
    attachments.push(move('text/plain', Buffer.from(whole)));
    text = `${[...whole].slice(0, PREVIEW_CHARS).join('')}…`;
  }
  return {
    event: {
      ...event,
      data: lightenMembers(event.data),
      subject: event.subject && { ...event.subject, data: lightenMembers(event.subject['data'] as JsonObject) },
      input: { text, contents, attachments, message_chain: lighten(event.input.message_chain) },
    },
    moved,
  };
}

/** An attachment that came with the event: its bytes, where it brought them along. */
function given(ref: JsonObject): Moved {
  const content = ref['content'];
  return {
    artifact_id: ref['artifact_id'] as string,
    artifact_type: (ref['artifact_type'] as string | null) ?? 'file',
    mime_type: ref['mime_type'] as string | null,
    name: ref['name'] as string | null,
    content: typeof content === 'string' ? (fromBase64(content) ?? Buffer.from(content)) : null,
  };
}

/** The bytes of well-formed base64; undefined for anything else. */
export function fromBase64(value: string): Buffer | undefined {
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return undefined;
  return Buffer.from(value, 'base64');
}
