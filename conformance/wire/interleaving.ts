// In which order messages that do not wait for one another arrive. It is plain data, so that a stimulus can carry it:
// fast-check explores interleavings by generating it, and shrinks them by dropping holds and by bringing them down to zero.
import type { JsonObject } from '../../common/json.ts';

/** Messages of one lane keep their order; one without a lane keeps its place among all. */
export type LaneOf = (message: JsonObject) => string | undefined;

interface Held {
  readonly lane: string | undefined;
  readonly text: string;
  /** Turns of the promise queue that are left to wait. */
  turns: number;
}

/** No hold is longer, whatever a schedule says. */
const MOST_TURNS = 1000;

/** Holds the next messages back, each for as many turns of the promise queue as the schedule has for it. */
export class Interleaving {
  readonly #schedule: readonly number[];
  readonly #laneOf: LaneOf;
  #next = 0;
  #held: Held[] = [];

  constructor(schedule: readonly number[], laneOf: LaneOf) {
    this.#schedule = schedule;
    this.#laneOf = laneOf;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Nothing is held, and nothing will be. */
  get isOver(): boolean {
    return this.isEmpty && this.#next >= this.#schedule.length;
  }

  put(message: JsonObject, text: string): void {
    const turns = Math.min(Math.max(0, Math.trunc(this.#schedule[this.#next++] ?? 0)), MOST_TURNS);
    this.#held.push({ lane: this.#laneOf(message), text, turns });
  }

  /** One turn goes by; gives the message whose time has come, if there is one. */
  turn(): string | undefined {
    const before = new Set<string>();
    let free: number | undefined;
    for (const [at, held] of this.#held.entries()) {
      const first = held.lane === undefined ? at === 0 : !before.has(held.lane);
      if (first && held.turns-- <= 0) free ??= at;
      if (held.lane === undefined) break;
      before.add(held.lane);
    }
    return free === undefined ? undefined : this.#held.splice(free, 1)[0]?.text;
  }
}
