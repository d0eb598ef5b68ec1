// Pages by cursor. A cursor is an opaque text that stands for a place in the log, and places never move:
// what is written meanwhile lies behind the last one, so that a walk gives every item once.
import type { JsonObject, JsonValue } from '../../../../common/json.ts';

export interface Placed {
  readonly seq: number;
}

type Kind = 'history' | 'events';

export const cursorOf = (kind: Kind, { seq }: Placed): string => Buffer.from(`${kind}:${seq}`).toString('base64url');

/** The place a cursor stands for. One that is none of ours stands nowhere: nothing lies before it, and nothing behind. */
export const placeOf = (kind: Kind, cursor: JsonValue | undefined): number | undefined =>
  typeof cursor === 'string' ? Number(Buffer.from(cursor, 'base64url').toString().slice(`${kind}:`.length)) : undefined;

export interface PageRequest {
  readonly before: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
  readonly forward?: boolean;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

/** Up to `limit` items between the cursors: the newest first, or the oldest first going forward. `all` is in order. */
export function pageOf<Item extends Placed>(all: readonly Item[], request: PageRequest): Page<Item> {
  const { before = Number.POSITIVE_INFINITY, after = 0, limit, forward } = request;
  const between = all.filter(({ seq }) => seq > after && seq < before);
  if (!forward) between.reverse();
  return { items: between.slice(0, limit), hasMore: between.length > limit };
}

/** A page as it goes out: `next_cursor` goes on in the same direction. */
export const pageAnswer = <Item extends Placed>(
  kind: Kind,
  { items, hasMore }: Page<Item>,
  show: (item: Item) => JsonObject,
): JsonObject => ({
  items: items.map((item) => ({ ...show(item), cursor: cursorOf(kind, item) })),
  next_cursor: hasMore ? cursorOf(kind, items.at(-1)!) : null,
  has_more: hasMore,
});
