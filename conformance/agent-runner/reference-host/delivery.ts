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

/** A delta goes out only where the surface streams. */
export const streams = (session: Session): boolean => session.delivery.supports_streaming;

export const deliver = (session: Session, kind: Delivery['kind'], content: JsonValue): Delivery[] =>
  piecesFor(content, session.delivery.max_message_size).map((piece) => ({
    ...placeFor(session),
    kind,
    content: piece,
  }));

/** Where everything of a run is delivered: where its event came from. */
export function placeFor({ run, delivery }: Session): Pick<Delivery, Place> {
  const { surface, reply_target } = delivery;
  return { run_id: run.run_id, surface, conversation_id: run.scope.conversation_id, reply_target };
}
type Place = 'run_id' | 'surface' | 'conversation_id' | 'reply_target';

/** Content in pieces of at most `most` UTF-8 bytes: what is longer goes out as text, split between characters. */
export function piecesFor(content: JsonValue, most: number | null): JsonValue[] {
  const text = textOf(content) ?? '';
  if (most === null || Buffer.byteLength(text) <= most) return [content];
  const pieces = [''];
  for (const character of text)
    if (Buffer.byteLength(pieces.at(-1) + character) > most) pieces.push(character);
    else pieces[pieces.length - 1] += character;
  return pieces;
}
