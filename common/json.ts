// JSON as data: its types, and one canonical text for it, so that equal values are equal bytes.

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Canonical JSON: keys sorted by code unit, no white space, `undefined` members left out. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
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
    const members = Object.keys(a).filter((key) => a[key] !== undefined);
    return (
      members.length === Object.keys(b).filter((key) => b[key] !== undefined).length &&
      members.every((key) => b[key] !== undefined && Object.hasOwn(b, key) && sameJson(a[key], b[key]))
    );
  }
  return (typeof b !== 'object' || b === null) && canonical(a) === canonical(b);
}
