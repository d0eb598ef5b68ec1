// In which order messages that do not wait for one another arrive. Who decides that is a function: a schedule of plain data,
// which a stimulus can carry, save and shrink; or fast-check's scheduler, in tests beside the code.
import type { JsonObject } from '../../common/json.ts';

/** Messages of one lane keep their order; one without a lane keeps its place among all. */
export type LaneOf = (message: JsonObject) => string | undefined;

/** Asked at every turn of the promise queue while the message is the first of its lane. */
export type MayGo = () => boolean;

/** Asked once for each message that is sent; undefined where it has nothing to say about it. */
export type Decide = (message: JsonObject) => MayGo | undefined;

/** No hold is longer, whatever a schedule says. */
const MOST_TURNS = 1000;

/** Holds each message back for as many turns of the promise queue as the schedule has for it. */
export function bySchedule(schedule: readonly number[]): Decide {
  let next = 0;
  return () => {
    const told = schedule[next++];
    if (told === undefined) return undefined;
    let turns = Math.min(Math.max(0, Math.trunc(told)), MOST_TURNS);
    return () => turns-- <= 0;
  };
}

interface Held {
  readonly lane: string | undefined;
  readonly text: string;
  readonly mayGo: MayGo;
}

/** Messages that are held back until they may go. */
export class Interleaving {
  readonly #decide: Decide;
  readonly #laneOf: LaneOf;
  #held: Held[] = [];

  constructor(decide: Decide, laneOf: LaneOf) {
    this.#decide = decide;
    this.#laneOf = laneOf;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** False where the message need not be held: nobody decides about it, and it overtakes none. */
  put(message: JsonObject, text: string): boolean {
    const mayGo = this.#decide(message);
    if (mayGo === undefined && this.isEmpty) return false;
    this.#held.push({ lane: this.#laneOf(message), text, mayGo: mayGo ?? (() => true) });
    return true;
  }

  /** One turn goes by; gives the message whose time has come, if there is one. */
  turn(): string | undefined {
    const before = new Set<string>();
    let free: number | undefined;
    for (const [at, { lane, mayGo }] of this.#held.entries()) {
      const first = lane === undefined ? at === 0 : !before.has(lane);
      if (first && mayGo()) free ??= at;
      if (lane === undefined) break;
      before.add(lane);
    }
    return free === undefined ? undefined : this.#held.splice(free, 1)[0]?.text;
  }
}
