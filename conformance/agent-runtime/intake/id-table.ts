// A set of ids with a place to each, in one typed array: sixteen bytes a slot, side by side, and no garbage.

/** Words of a slot: two of the id, two of its place. */
const WORDS = 4;
const HIGH = 2 ** 32;
/** The upper word of a place that no file reaches. */
const FREE = 0xffffffff;

export class IdTable {
  size = 0;
  #slots = 1024;
  #words = emptied(this.#slots);

  /** The place that stands for the id, or the given one, which then does. */
  findOrAdd(high: number, low: number, place: number): number {
    if ((this.size + 1) * 2 > this.#slots) this.#grow();
    const at = this.#at(high, low);
    const words = this.#words;
    if (words[at + 3] !== FREE) return placeAt(words, at);
    this.size++;
    words[at] = high;
    words[at + 1] = low;
    words[at + 2] = place;
    words[at + 3] = place / HIGH;
    return place;
  }

  /** The place that stands for the id, if one does. */
  find(high: number, low: number): number | undefined {
    const at = this.#at(high, low);
    return this.#words[at + 3] === FREE ? undefined : placeAt(this.#words, at);
  }

  /** Forgets all, and keeps the room that it has. */
  clear(): void {
    this.size = 0;
    this.#words.fill(FREE);
  }

  dump(): number[] {
    const all: number[] = [];
    const words = this.#words;
    for (let at = 0; at < words.length; at += WORDS)
      if (words[at + 3] !== FREE) all.push(words[at]!, words[at + 1]!, placeAt(words, at));
    return all;
  }

  static load(all: readonly number[]): IdTable {
    const table = new IdTable();
    for (let i = 0; i < all.length; i += 3) table.findOrAdd(all[i]!, all[i + 1]!, all[i + 2]!);
    return table;
  }

  /** Where the id stands, or the free slot where it would. */
  #at(high: number, low: number): number {
    const words = this.#words;
    const mask = this.#slots - 1;
    let slot = low & mask;
    for (;;) {
      const at = WORDS * slot;
      if (words[at + 3] === FREE || (words[at] === high && words[at + 1] === low)) return at;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const words = this.#words;
    this.#slots *= 2;
    this.#words = emptied(this.#slots);
    this.size = 0;
    for (let at = 0; at < words.length; at += WORDS)
      if (words[at + 3] !== FREE) this.findOrAdd(words[at]!, words[at + 1]!, placeAt(words, at));
  }
}

const emptied = (slots: number): Uint32Array => new Uint32Array(WORDS * slots).fill(FREE);
const placeAt = (words: Uint32Array, at: number): number => words[at + 3]! * HIGH + words[at + 2]!;

const lanes: [number, number] = [0, 0];
/** 64 bits of an id in two lanes (as cyrb53 does it); the pair is reused, read it at once. */
export function hash(text: string): readonly [number, number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  lanes[0] = a >>> 0;
  lanes[1] = b >>> 0;
  return lanes;
}
