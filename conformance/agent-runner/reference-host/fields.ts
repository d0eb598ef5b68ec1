// Reading what came over the wire: does each field that matters have the type it should? Fields nobody asked for are left alone.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';

export type Check = (value: JsonValue | undefined) => boolean;
export type Checks = Readonly<Record<string, Check>>;

/** The name of the first field that does not fit; undefined when all do. An optional field may be absent or null. */
export function misfit(data: JsonObject, required: Checks, optional: Checks = {}): string | undefined {
  for (const [name, fits] of Object.entries(required)) if (!fits(own(data, name))) return name;
  for (const [name, fits] of Object.entries(optional)) {
    const value = own(data, name);
    if (value !== undefined && value !== null && !fits(value)) return name;
  }
  return undefined;
}

const own = (data: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(data, name) ? data[name] : undefined;

export const present: Check = (value) => value !== undefined;
export const text: Check = (value) => typeof value === 'string';
export const name: Check = (value) => typeof value === 'string' && value !== '';
export const flag: Check = (value) => typeof value === 'boolean';
export const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
export const object: Check = (value) => isObject(value);
export const whole =
  (least: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
export const list =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(item);
export const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);
export const shape =
  (required: Checks, optional: Checks = {}): Check =>
  (value) =>
    isObject(value) && misfit(value, required, optional) === undefined;

/** Absent, or as the check says; null is neither. */
export const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

/** Text, content elements, or nothing: what a message may hold. */
export const content: Check = (value) =>
  value === undefined || value === null || typeof value === 'string' || list(shape({ type: text }, { text }))(value);
export const message: Check = (value) => shape({ role: name, content })(value);
export const localized: Check = (value) => isObject(value) && Object.values(value).every(text);
