// Has this event been here before? A window over the last ids, flat in memory however long the log is.
import { sameJson } from '../../../common/json.ts';
import { hash, IdTable } from './id-table.ts';

export type Standing = 'new' | 'repeat' | 'conflict';

/** How many ids are surely remembered; up to twice as many are held. */
export const REMEMBERED = 1 << 17;

export interface IdentityDump {
  readonly ids: readonly number[];
  readonly seen: number;
  readonly half: number;
}

/**
 * Tells new events from repeated ones, and repeats from conflicts.
 * Places rise from event to event; `recall` gives back the event that stood at a place, so that contents are compared only
 * when an id comes twice.
 */
export class Identity {
  #ids = new IdTable();
  #recall: (place: number) => unknown;
  /** New ids since the last forgetting, and the place of the first of them. */
  #seen = 0;
  #half = 0;

  constructor(recall: (place: number) => unknown) {
    this.#recall = recall;
  }

  see(id: string, place: number, content: unknown): Standing {
    const [high, low] = hash(id);
    const known = this.#ids.findOrAdd(high, low, place);
    if (known !== place) return sameJson(this.#recall(known), content) ? 'repeat' : 'conflict';
    if (++this.#seen >= REMEMBERED) {
      this.#ids.forgetBefore(this.#half);
      this.#half = place;
      this.#seen = 0;
    }
    return 'new';
  }

  toJSON(): IdentityDump {
    return { ids: this.#ids.dump(), seen: this.#seen, half: this.#half };
  }

  static from(dump: IdentityDump, recall: (place: number) => unknown): Identity {
    const identity = new Identity(recall);
    identity.#ids = IdTable.load(dump.ids);
    identity.#seen = dump.seen;
    identity.#half = dump.half;
    return identity;
  }
}
