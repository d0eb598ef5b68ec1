// Pages by cursor. A cursor is an opaque text that stands for a place in the log, and places never move:
// what is written meanwhile lies behind the last one, so that a walk gives every item once.
import type { JsonObject } from '../../../../common/json.ts';

export interface Placed {
  readonly seq: number;
}

export const cursorOf = (kind: 'history' | 'events', { seq }: Placed): string =>
  Buffer.from(`${kind}:${seq}`).toString('base64url');

/** The place a cursor stands for; undefined for what is none of ours. */
export function placeOf(kind: 'history' | 'events', cursor: string): number | undefined {
  const seq = Number(Buffer.from(cursor, 'base64url').toString().slice(`${kind}:`.length));
  return cursorOf(kind, { seq }) === cursor ? seq : undefined;
}

export interface PageRequest {
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly limit: number;
  readonly direction: 'backward' | 'forward';
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Up to `limit` items between the cursors: the newest first going backward, the oldest first going forward. `all` is in order. */
export function pageOf<Item extends Placed>(all: readonly Item[], request: PageRequest): Page<Item> {
  const { before = Number.POSITIVE_INFINITY, after = 0, limit, direction } = request;
  const between = all.filter(({ seq }) => seq > after && seq < before);
  if (direction === 'backward') between.reverse();
  return { items: between.slice(0, limit), hasMore: between.length > limit };
}

/** A page as it goes out: `next_cursor` goes on in the same direction. */
export function pageAnswer<Item extends Placed>(
  kind: 'history' | 'events',
  { items, hasMore }: Page<Item>,
  show: (item: Item) => JsonObject,
): JsonObject {
  const [first, last] = [items[0], items.at(-1)];
  return {
    items: items.map((item) => ({ ...show(item), cursor: cursorOf(kind, item) })),
    next_cursor: hasMore && last !== undefined ? cursorOf(kind, last) : null,
    prev_cursor: first === undefined ? null : cursorOf(kind, first),
    has_more: hasMore,
  };
}
