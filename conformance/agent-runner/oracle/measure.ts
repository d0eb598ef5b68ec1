// How sizes are counted: characters are code points, bytes are those of compact JSON in UTF-8 (MODELS §7.1).
import type { JsonObject } from '../../../common/json.ts';
import { memo } from '../../../common/memo.ts';

export const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

export const jsonBytes = (value: unknown): number => Buffer.byteLength(jsonText(value));

export const utf8Bytes = (text: string): number => Buffer.byteLength(text);

/** Where a host declares no limit, sizes up to this are expected to pass, whatever its own limit may be. */
export const MODEST_BYTES = 8 * 1024;
/** Where a host declares no limit, one must show up to here. */
export const IMMODEST_BYTES = 4 * 1024 * 1024;
/** The same for the characters of a state key. */
export const MODEST_KEY = 64;
export const IMMODEST_KEY = 64 * 1024;

/** The declared limit of that name; undefined where there is none. */
export const limitOf = (limits: JsonObject, name: string): number | undefined => {
  const limit = limits[name];
  return typeof limit === 'number' && Number.isFinite(limit) && limit >= 0 ? limit : undefined;
};

export type Size = 'within' | 'above' | 'unsure';

/** On which side of a limit a size lies; where none is declared, only what is modest or immodest is sure. */
export function sizeAgainst(size: number, limit: number | undefined, modest: number, immodest: number): Size {
  if (limit !== undefined) return size <= limit ? 'within' : 'above';
  return size <= modest ? 'within' : size >= immodest ? 'above' : 'unsure';
}

/** The JSON text of something that is looked through again and again. */
export function jsonText(value: unknown): string {
  return typeof value === 'object' && value !== null ? textOfObject(value) : (JSON.stringify(value) ?? '');
}
const textOfObject = memo((value: object) => JSON.stringify(value));
