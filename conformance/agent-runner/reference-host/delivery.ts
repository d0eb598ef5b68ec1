// Delivery (HOST_SDK §3): what of a run reaches the surface, and in which pieces.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Result } from './results.ts';
import type { Session } from './sessions.ts';
import type { Delivery } from './shapes.ts';
import { textOf } from './stores/transcript.ts';

/** The message that a result brings as an answer: `message.completed`, or the last word of a `run.completed` that had none before. */
export function answerOf({ type, data }: Result, session: Session): JsonObject | undefined {
  const message = isObject(data['message']) ? data['message'] : undefined;
  if (type === 'message.completed') return message;
  return type === 'run.completed' && !session.answered ? message : undefined;
}

/** A delta goes out only where runner and surface both stream. */
export const streams = (session: Session): boolean =>
  session.descriptor.capabilities['streaming'] === true && session.delivery['supports_streaming'] === true;

export const deliver = (session: Session, kind: Delivery['kind'], content: JsonValue): Delivery[] =>
  piecesFor(content, session.delivery['max_message_size']).map((piece) => ({
    run_id: session.run.run_id,
    kind,
    content: piece,
    surface: String(session.delivery['surface']),
    conversation_id: session.run.scope.conversation_id,
    reply_target: session.delivery['reply_target'] ?? null,
  }));

/** Content in pieces of at most `most` UTF-8 bytes: a longer text is split, what cannot be split is not sent. */
export function piecesFor(content: JsonValue, most: JsonValue | undefined): JsonValue[] {
  const text = textOf(content);
  if (typeof most !== 'number' || text === null || Buffer.byteLength(text) <= most) return [content];
  if (typeof content !== 'string') return [];
  const pieces: string[] = [];
  let piece = '';
  let size = 0;
  for (const character of content) {
    const bytes = Buffer.byteLength(character);
    if (bytes > most) return [];
    if (size + bytes > most) {
      pieces.push(piece);
      piece = '';
      size = 0;
    }
    piece += character;
    size += bytes;
  }
  pieces.push(piece);
  return pieces;
}
