// Has this event been here before? A window over the last ids, flat in memory however long the log is.
import { sameJson } from '../../../common/json.ts';
import { hash, IdTable } from './id-table.ts';

export type Standing = 'new' | 'repeat' | 'conflict';

/** How many ids are surely remembered; between this and twice as many are held. */
export const REMEMBERED = 1 << 17;

/**
 * Tells new events from repeated ones, and repeats from conflicts.
 * `recall` gives back the event that stood at a place in the log, so that contents are compared only when an id comes twice.
 */
export class Identity {
  #young = new IdTable();
  #old = new IdTable();
  #recall: (place: number) => unknown;

  constructor(recall: (place: number) => unknown) {
    this.#recall = recall;
  }

  see(id: string, place: number, content: unknown): Standing {
    const [high, low] = hash(id);
    const known = this.#young.find(high, low) ?? this.#old.find(high, low);
    if (known !== undefined) return sameJson(this.#recall(known), content) ? 'repeat' : 'conflict';
    if (this.#young.size >= REMEMBERED) {
      this.#old = this.#young;
      this.#young = new IdTable();
    }
    this.#young.add(high, low, place);
    return 'new';
  }

  toJSON(): readonly [readonly number[], readonly number[]] {
    return [this.#old.dump(), this.#young.dump()];
  }

  static from(dump: readonly [readonly number[], readonly number[]], recall: (place: number) => unknown): Identity {
    const identity = new Identity(recall);
    identity.#old = IdTable.load(dump[0]);
    identity.#young = IdTable.load(dump[1]);
    return identity;
  }
}
