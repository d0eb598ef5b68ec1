// The event gateway (HOST_SDK §4.1): one stable envelope for whatever came in, with large payloads moved out of it (§5.4, §5.6, §11).
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../common/json.ts';
import type { AgentEventEnvelope } from '../../../schemas/agent-runner/2026-06-03/types.ts';
import {
  checkAgentEventEnvelope,
  readAgentEventEnvelope,
} from '../../../schemas/agent-runner/2026-06-03/validators.js';
import { jsonBytes } from './limits.ts';
import type { Scope, Surface } from './shapes.ts';

export interface Envelope {
  readonly event_id: string;
  readonly event_type: string;
  readonly event_time: number | null;
  readonly source: string;
  readonly source_event_type?: string | null;
  readonly bot_id: string | null;
  readonly workspace_id: string | null;
  readonly conversation_id: string | null;
  readonly thread_id: string | null;
  readonly actor: JsonObject | null;
  readonly subject: JsonObject | null;
  readonly input: Input;
  readonly delivery: Surface;
  readonly raw_ref: JsonObject | null;
  readonly data: JsonObject;
}

export interface Input {
  readonly text: string | null;
  readonly contents: readonly JsonObject[];
  readonly attachments: readonly JsonObject[];
  readonly message_chain: JsonValue;
}

/** A reference to an artifact, which may bring its bytes along. */
interface Attachment {
  readonly artifact_id: string;
  readonly artifact_type: string | null;
  readonly mime_type: string | null;
  readonly name: string | null;
  readonly content: string | null;
}

/** Reads an event, or says where it does not fit. What it leaves out is there as its default. */
export function readEnvelope(value: JsonValue | undefined): Envelope | { readonly problem: string } {
  const [wrong] = checkAgentEventEnvelope(value);
  if (wrong !== undefined) return { problem: `event${wrong.path}` };
  return readAgentEventEnvelope(value as unknown as AgentEventEnvelope) as unknown as Envelope;
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
  return typeof id === 'string' ? JSON.stringify([who![`${kind}_type`], id]) : null;
}

/** Bytes that were moved out of an event, to become an artifact. */
export interface Moved {
  readonly artifact_id: string;
  readonly artifact_type: string;
  readonly mime_type: string | null;
  readonly name: string | null;
  readonly content: Buffer | null;
}

/** The event with everything above `most` bytes replaced by a reference, and what was moved out, attachments included. */
export function moveOutLarge(
  event: Envelope,
  most: number,
): { readonly event: Envelope; readonly moved: readonly Moved[] } {
  const moved = (event.input.attachments as unknown as readonly Attachment[]).map(given);
  const move = (mime_type: string, content: Buffer): JsonObject => {
    const artifact_id = `art-${createHash('sha256').update(event.event_id).update(content).digest('hex')}`;
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
    return { ...ref, type: element['type'] };
  });
  return {
    event: {
      ...event,
      data: lightenMembers(event.data),
      subject: event.subject && { ...event.subject, data: lightenMembers(event.subject['data'] as JsonObject) },
      input: { ...event.input, contents, attachments, message_chain: lighten(event.input.message_chain) },
    },
    moved,
  };
}

/** An attachment that came with the event: its bytes, where it brought them along. */
const given = ({ artifact_id, artifact_type, mime_type, name, content }: Attachment): Moved => ({
  artifact_id,
  artifact_type: artifact_type ?? 'file',
  mime_type,
  name,
  content: content === null ? null : (fromBase64(content) ?? Buffer.from(content)),
});

/** The bytes of well-formed base64; undefined for anything else. */
export function fromBase64(value: string): Buffer | undefined {
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : undefined;
}
