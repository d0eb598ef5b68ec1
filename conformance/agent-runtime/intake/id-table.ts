// A set of ids with a number to each, in typed arrays: sixteen bytes an id, and no garbage.

export class IdTable {
  size = 0;
  #slots = 1024;
  #keys = new Uint32Array(2 * this.#slots);
  #places = new Float64Array(this.#slots).fill(-1);

  find(high: number, low: number): number | undefined {
    const mask = this.#slots - 1;
    for (let slot = low & mask; this.#places[slot] !== -1; slot = (slot + 1) & mask) {
      if (this.#keys[2 * slot] === high && this.#keys[2 * slot + 1] === low) return this.#places[slot];
    }
    return undefined;
  }

  add(high: number, low: number, place: number): void {
    if (++this.size * 2 > this.#slots) this.#grow();
    const mask = this.#slots - 1;
    let slot = low & mask;
    while (this.#places[slot] !== -1) slot = (slot + 1) & mask;
    this.#keys[2 * slot] = high;
    this.#keys[2 * slot + 1] = low;
    this.#places[slot] = place;
  }

  dump(): number[] {
    const all: number[] = [];
    for (let slot = 0; slot < this.#slots; slot++) {
      const place = this.#places[slot]!;
      if (place !== -1) all.push(this.#keys[2 * slot]!, this.#keys[2 * slot + 1]!, place);
    }
    return all;
  }

  static load(all: readonly number[]): IdTable {
    const table = new IdTable();
    for (let i = 0; i < all.length; i += 3) table.add(all[i]!, all[i + 1]!, all[i + 2]!);
    return table;
  }

  #grow(): void {
    const keys = this.#keys;
    const places = this.#places;
    this.#slots *= 2;
    this.#keys = new Uint32Array(2 * this.#slots);
    this.#places = new Float64Array(this.#slots).fill(-1);
    const mask = this.#slots - 1;
    for (let from = 0; from < places.length; from++) {
      if (places[from] === -1) continue;
      let slot = keys[2 * from + 1]! & mask;
      while (this.#places[slot] !== -1) slot = (slot + 1) & mask;
      this.#keys[2 * slot] = keys[2 * from]!;
      this.#keys[2 * slot + 1] = keys[2 * from + 1]!;
      this.#places[slot] = places[from]!;
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
