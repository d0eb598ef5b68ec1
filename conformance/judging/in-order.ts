// Several things under way at once, their results in order.

/** What `work` makes of each item, in the order of the items; at most `room` are under way. The first error in that order is thrown. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  room: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      result.catch(() => {}); // Thrown when its turn comes.
      underWay.push(result);
      if (underWay.length < room) continue;
      yield await underWay[0]!;
      underWay.shift();
    }
  } catch (error) {
    // Items that could not be read come after those that were.
    for (const before of underWay) await before;
    throw error;
  }
  for (const result of underWay) yield await result;
}
