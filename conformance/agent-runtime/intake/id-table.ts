// A set of ids with a place to each, in typed arrays: sixteen bytes an id, and no garbage.

const FREE = -1;

export class IdTable {
  size = 0;
  #slots = 1024;
  #keys = new Uint32Array(2 * this.#slots);
  #places = new Float64Array(this.#slots).fill(FREE);

  /** The place that stands for the id, or the given one, which then does. */
  findOrAdd(high: number, low: number, place: number): number {
    if ((this.size + 1) * 2 > this.#slots) this.#rebuild(this.#slots * 2, FREE);
    const slot = this.#slotOf(high, low);
    const found = this.#places[slot]!;
    if (found !== FREE) return found;
    this.size++;
    this.#keys[2 * slot] = high;
    this.#keys[2 * slot + 1] = low;
    this.#places[slot] = place;
    return place;
  }

  has(high: number, low: number): boolean {
    return this.#places[this.#slotOf(high, low)] !== FREE;
  }

  /** Keeps only ids whose place is not before this one. */
  forgetBefore(place: number): void {
    this.#rebuild(this.#slots, place);
  }

  dump(): number[] {
    const all: number[] = [];
    for (let slot = 0; slot < this.#slots; slot++) {
      const place = this.#places[slot]!;
      if (place !== FREE) all.push(this.#keys[2 * slot]!, this.#keys[2 * slot + 1]!, place);
    }
    return all;
  }

  static load(all: readonly number[]): IdTable {
    const table = new IdTable();
    for (let i = 0; i < all.length; i += 3) table.findOrAdd(all[i]!, all[i + 1]!, all[i + 2]!);
    return table;
  }

  /** Where the id stands, or the free slot where it would. */
  #slotOf(high: number, low: number): number {
    const mask = this.#slots - 1;
    let slot = low & mask;
    while (this.#places[slot] !== FREE && (this.#keys[2 * slot] !== high || this.#keys[2 * slot + 1] !== low))
      slot = (slot + 1) & mask;
    return slot;
  }

  #rebuild(slots: number, from: number): void {
    const keys = this.#keys;
    const places = this.#places;
    this.size = 0;
    this.#slots = slots;
    this.#keys = new Uint32Array(2 * slots);
    this.#places = new Float64Array(slots).fill(FREE);
    for (let old = 0; old < places.length; old++) {
      const place = places[old]!;
      if (place !== FREE && place >= from) this.findOrAdd(keys[2 * old]!, keys[2 * old + 1]!, place);
    }
  }
}

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
