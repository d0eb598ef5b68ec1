// The desk of the reference runtime: what it knows, and the one way to say something. Commands work at it.
import type { JsonObject } from '../../../common/json.ts';
import { Refusal } from '../../wire/peer.ts';
import type { Ids, World } from './world.ts';

export interface Desk {
  readonly world: World;
  /** Writes an event down. It is known, and kept, when the command that said it is answered. */
  say(type: string, ids: Ids, payload?: JsonObject): void;
  /** A new id, the same after the same history. */
  fresh(kind: string): string;
  readonly style: Style;
}

/** Choices that the standard leaves open. */
export interface Style {
  readonly casing: 'snake' | 'camel';
  /** A sequence for each session, or one for the whole log. */
  readonly numbering: 'session' | 'log' | 'none';
  readonly queue: 'list' | 'operations';
}

export type Command = (desk: Desk, input: JsonObject) => JsonObject;

export function refuse(code: string, message: string): never {
  throw new Refusal(message, { error: { code, message } });
}

export const text = (input: JsonObject, name: string): string | undefined => {
  const value = input[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export function must(input: JsonObject, name: string): string {
  return text(input, name) ?? refuse('invalid_input', `${name} is required`);
}

/** What is there under this id, or a refusal. */
export function found<T>(map: ReadonlyMap<string, T>, id: string, what: string): T {
  return map.get(id) ?? refuse('not_found', `there is no ${what} ${id}`);
}
