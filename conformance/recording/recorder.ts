// The choke point: whatever crosses the wire or happens to the target is numbered, timed and written down here.
import type { JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';
import type { Blotter } from './blot.ts';
import type { Fact, NewFact } from './fact.ts';

/** The facts of one case, kept in memory until it is judged. Bounded: past `limit` the case is cut with a fault. */
export class CaseRecorder {
  readonly facts: Fact[] = [];
  #begun = 0;
  #clock: Clock;
  #limit: number;
  #cut = false;
  #blot: Blotter | undefined;
  #listeners: ((fact: Fact) => void)[] = [];

  constructor(
    clock: Clock,
    options: { readonly firstNumber?: number; readonly limit?: number; readonly blot?: Blotter } = {},
  ) {
    this.#clock = clock;
    this.#limit = options.limit ?? 200_000;
    this.#blot = options.blot;
    this.#begun = clock.now();
    this.#next = options.firstNumber ?? 0;
  }
  #next: number;

  /** Epoch milliseconds at which the case began. */
  get begun(): number {
    return this.#begun;
  }

  /** Writes a fact down and gives its number. */
  add(fact: NewFact): number {
    if (this.facts.length >= this.#limit && fact.fact !== 'end') {
      if (!this.#cut) {
        this.#cut = true;
        this.#push({
          fact: 'fault',
          by: 'target',
          code: 'RUNCERT_FLOOD',
          message: `More than ${this.#limit} facts in one case; the rest is not recorded.`,
        });
      }
      return this.#next - 1;
    }
    return this.#push(fact);
  }

  sent(frame: JsonObject): number {
    return this.add({ fact: 'sent', frame: frame as Record<string, unknown> });
  }

  received(frame: JsonObject): number {
    return this.add({ fact: 'received', frame: frame as Record<string, unknown> });
  }

  onFact(listener: (fact: Fact) => void): void {
    this.#listeners.push(listener);
  }

  #push(fact: NewFact): number {
    const n = this.#next++;
    const kept = this.#blot?.json(fact) ?? fact;
    const whole = { n, at: this.#clock.now() - this.#begun, ...kept } as Fact;
    this.facts.push(whole);
    for (const listener of this.#listeners) listener(whole);
    return n;
  }
}
