// What a run's surface takes, and the messages of a run that must reach it.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { utf8Bytes } from '../oracle/measure.ts';
import { textOf } from '../oracle/payload.ts';
import type { Item } from '../oracle/stream.ts';
import { sameContent } from './effects.ts';
import { type Folded, offeredFor } from './folded.ts';
import type { HostCase } from './view.ts';

export const deliveryOf = ({ run }: Folded): JsonObject =>
  isObject(run.context['delivery']) ? run.context['delivery'] : {};

/** Does the runner say that it streams? */
export const streams = (view: HostCase, { run }: Folded): boolean =>
  offeredFor(view, run.runnerId, run.n)?.capabilities['streaming'] === true;

export const surfaceStreams = (folded: Folded): boolean => deliveryOf(folded)['supports_streaming'] === true;

/** The most bytes of one message. */
export const mostBytes = (folded: Folded): number => {
  const limit = deliveryOf(folded)['max_message_size'];
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
};

/** A message that the surface takes whole. */
export const isWhole = (folded: Folded, item: Item): boolean => utf8Bytes(textOf(item.content)) <= mostBytes(folded);

/** Messages of this run that surely count, carry something, and come once. */
export function messagesIn(folded: Folded): readonly Item[] {
  const { items } = folded;
  return items.filter(
    (item) =>
      item.kind === 'message' &&
      folded.counts(item) &&
      textOf(item.content) !== '' &&
      items.filter((other) => sameContent(other.content, item.content)).length === 1,
  );
}
