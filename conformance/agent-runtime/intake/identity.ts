// Has this event been here before? A window over the last ids, flat in memory however long the log is.
import { sameJson } from '../../../common/json.ts';
import { hash, IdTable } from './id-table.ts';

export type Standing = 'new' | 'repeat' | 'conflict';

/** How many ids are surely remembered; up to twice as many are held. */
export const REMEMBERED = 1 << 17;

export interface IdentityDump {
  readonly recent: readonly number[];
  readonly before: readonly number[];
}

/**
 * Tells new events from repeated ones, and repeats from conflicts.
 * Places rise from event to event; `recall` gives back the event that stood at a place, so that contents are compared only
 * when an id comes twice.
 */
export class Identity {
  /** When the first is full it becomes the second, and what was in that is forgotten: the same room, again and again. */
  #recent = new IdTable();
  #before = new IdTable();
  #recall: (place: number) => unknown;

  constructor(recall: (place: number) => unknown) {
    this.#recall = recall;
  }

  see(id: string, place: number, content: unknown): Standing {
    const [high, low] = hash(id);
    const known = this.#before.find(high, low) ?? this.#recent.findOrAdd(high, low, place);
    if (known !== place) return sameJson(this.#recall(known), content) ? 'repeat' : 'conflict';
    if (this.#recent.size >= REMEMBERED) {
      const forgotten = this.#before;
      this.#before = this.#recent;
      this.#recent = forgotten;
      this.#recent.clear();
    }
    return 'new';
  }

  toJSON(): IdentityDump {
    return { recent: this.#recent.dump(), before: this.#before.dump() };
  }

  static from(dump: IdentityDump, recall: (place: number) => unknown): Identity {
    const identity = new Identity(recall);
    identity.#recent = IdTable.load(dump.recent);
    identity.#before = IdTable.load(dump.before);
    return identity;
  }
}
