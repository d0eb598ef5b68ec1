// JSON as data: its types, and one canonical text for it, so that equal values are equal bytes.

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Canonical JSON: keys sorted by code unit, no white space, `undefined` members left out. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(',')}]`;
  let text = '';
  // The default order of `sort` is that of code units.
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${text}}`;
}

/** Are two values the same JSON? As comparing their canonical texts, without making them. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item ?? null, b[index] ?? null))
    );
  }
  if (isObject(a)) {
    if (!isObject(b)) return false;
    let more = 0;
    for (const key of Object.keys(a)) {
      if (a[key] === undefined) continue;
      if (b[key] === undefined || !Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false;
      more++;
    }
    for (const key of Object.keys(b)) if (b[key] !== undefined) more--;
    return more === 0;
  }
  // Of two strings that differ there is nothing more to know; numbers without a JSON text are null.
  if (typeof a === 'string' || typeof b === 'string') return false;
  return (typeof b !== 'object' || b === null) && canonical(a) === canonical(b);
}
