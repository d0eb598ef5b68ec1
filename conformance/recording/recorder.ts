// The choke point: whatever crosses the wire or happens to the target is numbered, timed and written down here.
import type { JsonObject } from '../../common/json.ts';
import type { Clock } from '../driving/clock.ts';
import type { Blotter } from './blot.ts';
import type { Fact, NewFact } from './fact.ts';

/** The facts of one case, kept in memory until it is judged. Bounded: past `limit` the case is cut with a fault. */
export class CaseRecorder {
  readonly facts: Fact[] = [];
  readonly #begun: number;
  #clock: Clock;
  #limit: number;
  #cut = false;
  #blot: Blotter | undefined;

  constructor(clock: Clock, options: { readonly limit?: number; readonly blot?: Blotter } = {}) {
    this.#clock = clock;
    this.#limit = options.limit ?? 200_000;
    this.#blot = options.blot;
    this.#begun = clock.now();
  }

  /** Epoch milliseconds at which the case began. */
  get begun(): number {
    return this.#begun;
  }

  add(fact: NewFact): void {
    if (this.#takes(fact)) this.facts.push({ n: this.facts.length, at: this.#at(), ...this.#blotted(fact) } as Fact);
  }

  // Frames are most of a recording: they are written down without a detour.
  sent(frame: JsonObject): void {
    if (this.#takes())
      this.facts.push({ n: this.facts.length, at: this.#at(), fact: 'sent', frame: this.#blotted(frame) });
  }

  received(frame: JsonObject): void {
    if (this.#takes())
      this.facts.push({ n: this.facts.length, at: this.#at(), fact: 'received', frame: this.#blotted(frame) });
  }

  #at(): number {
    return this.#clock.now() - this.#begun;
  }

  #blotted<T>(value: T): T {
    return this.#blot === undefined ? value : this.#blot.json(value);
  }

  /** Past its limit a case takes nothing more, but for one word on that, and its end. */
  #takes(fact?: NewFact): boolean {
    if (this.facts.length < this.#limit || fact?.fact === 'end') return true;
    if (this.#cut) return false;
    this.#cut = true;
    const message = `More than ${this.#limit} facts in one case; the rest is not recorded.`;
    const n = this.facts.length;
    this.facts.push({ n, at: this.#at(), fact: 'fault', by: 'target', code: 'RUNCERT_FLOOD', message });
    return false;
  }
}
