// state.updated (§7.3): which updates a host stores and which it refuses, and for what reason.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import {
  characters,
  IMMODEST_BYTES,
  IMMODEST_KEY,
  jsonBytes,
  limitOf,
  MODEST_BYTES,
  MODEST_KEY,
  sizeAgainst,
} from './measure.ts';

export const SCOPES = ['conversation', 'actor', 'subject', 'runner'] as const;
export type StateScope = (typeof SCOPES)[number];

export type Ruling =
  | { readonly ruling: 'stored'; readonly scope: StateScope; readonly key: string; readonly value: JsonValue }
  | { readonly ruling: 'refused'; readonly why: 'scope' | 'policy' | 'key' | 'key-length' | 'value-bytes' | 'no-value' }
  | { readonly ruling: 'unsure' };

/** The scopes in which this binding, for this event, may keep state. */
export function openScopes(binding: JsonObject, event: JsonObject): ReadonlySet<StateScope> {
  const policy = isObject(binding['state_policy']) ? binding['state_policy'] : {};
  if (policy['enable_state'] === false) return new Set();
  const named = Array.isArray(policy['state_scopes']) ? policy['state_scopes'] : ['conversation', 'actor'];
  return new Set(SCOPES.filter((scope) => named.includes(scope) && hasIdentity(event, scope)));
}

/** Has the event what tells one owner of this scope from another? */
export function hasIdentity(event: JsonObject, scope: StateScope): boolean {
  if (scope === 'runner') return true;
  if (scope === 'conversation') return typeof event['conversation_id'] === 'string';
  const who = event[scope];
  return isObject(who) && typeof who[`${scope}_id`] === 'string';
}

export function rule(data: JsonObject, open: ReadonlySet<StateScope>, limits: JsonObject): Ruling {
  const { scope, key, value } = data;
  if (!SCOPES.includes(scope as StateScope)) return { ruling: 'refused', why: 'scope' };
  if (!open.has(scope as StateScope)) return { ruling: 'refused', why: 'policy' };
  if (typeof key !== 'string' || key === '') return { ruling: 'refused', why: 'key' };
  if (value === undefined) return { ruling: 'refused', why: 'no-value' };
  const length = sizeAgainst(characters(key), limitOf(limits, 'state_key_chars'), MODEST_KEY, IMMODEST_KEY);
  const bytes = sizeAgainst(jsonBytes(value), limitOf(limits, 'state_value_bytes'), MODEST_BYTES, IMMODEST_BYTES);
  if (length === 'above') return { ruling: 'refused', why: 'key-length' };
  if (bytes === 'above') return { ruling: 'refused', why: 'value-bytes' };
  if (length === 'unsure' || bytes === 'unsure') return { ruling: 'unsure' };
  return { ruling: 'stored', scope: scope as StateScope, key, value };
}
