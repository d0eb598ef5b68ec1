// States hold maps, sets and held events; a snapshot holds JSON. This packs and unpacks, and gives back exactly what went in.
import { isObject, type JsonObject } from '../../common/json.ts';
import { RuntimeEvent } from './event.ts';

/** JSON that `load` understands. */
export type Packed = unknown;

/** Marks what JSON has no form for; an object that has this key itself is wrapped. */
const MARK = '$';

export function dump(value: unknown): Packed {
  if (value === undefined) return { [MARK]: 'undefined' };
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(dump);
  if (value instanceof Map) return { [MARK]: 'map', of: [...value].map(([key, member]) => [dump(key), dump(member)]) };
  if (value instanceof Set) return { [MARK]: 'set', of: [...value].map(dump) };
  if (value instanceof RuntimeEvent) return { [MARK]: 'event', of: dump(value.raw) };
  const members = Object.entries(value).map(([key, member]) => [key, dump(member)] as const);
  return MARK in value ? { [MARK]: 'object', of: members } : own(members);
}

export function load(packed: Packed): unknown {
  if (typeof packed !== 'object' || packed === null) return packed;
  if (Array.isArray(packed)) return packed.map(load);
  const { [MARK]: mark, of } = packed as { [MARK]?: unknown; of?: unknown };
  if (mark === undefined) return own(Object.entries(packed).map(([key, member]) => [key, load(member)]));
  const items = (Array.isArray(of) ? of : []) as readonly [string, Packed][];
  switch (mark) {
    case 'map':
      return new Map(items.map(([key, member]) => [load(key), load(member)]));
    case 'set':
      return new Set(items.map(load));
    case 'event': {
      const raw = load(of);
      return new RuntimeEvent((isObject(raw) ? raw : {}) as JsonObject);
    }
    case 'object':
      return own(items.map(([key, member]) => [key, load(member)]));
    default:
      return undefined;
  }
}

/** An object with exactly these members, `__proto__` among them if need be. */
const own = (members: Iterable<readonly [string, unknown]>): Record<string, unknown> => Object.fromEntries(members);
