// What a pure function found for an object is found once, however many judges ask.

/**
 * Remembers what `find` gave for each object, as long as the object lives.
 * @example const textOf = memo((context: JsonObject) => canonical(context));
 */
export function memo<Key extends object, Value>(find: (of: Key) => Value): (of: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (of) => {
    const found = known.get(of);
    if (found !== undefined) return found.value;
    const value = find(of);
    known.set(of, { value });
    return value;
  };
}
