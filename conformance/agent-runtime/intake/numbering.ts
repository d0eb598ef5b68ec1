// Some runtimes number the events of each session, some all events of the log. Where a number never comes twice,
// numbers that a session lacks may stand in another session: then they are no gap.

/** How often the number has to go on by one from session to session before one counter is taken for granted. */
const SURE = 16;

export class Numbering {
  #last = -1;
  #confirmed = 0;
  /** One counter for the whole log, as far as seen. */
  #shared = true;
  /** Numbers seen, as ranges that do not touch. */
  #ranges: [number, number][] = [];

  /** Notes a sequence number of any session; `own` is the highest of its session so far. */
  note(sequence: number, own: number): void {
    if (!this.#shared) return;
    if (sequence === this.#last + 1 && sequence !== own + 1) this.#confirmed++;
    this.#last = sequence;
    const ranges = this.#ranges;
    const last = ranges[ranges.length - 1];
    if (last !== undefined && sequence === last[1] + 1) {
      last[1] = sequence;
      return;
    }
    this.#insert(sequence);
  }

  /** Have all of these numbers been seen, under one counter? Some sign of it is needed; `sure` asks for more than that. */
  covers = (from: number, to: number, sure: boolean): boolean => {
    if (!this.#shared || this.#confirmed < (sure ? SURE : 1)) return false;
    const ranges = this.#ranges;
    for (let i = ranges.length - 1; i >= 0; i--) {
      const [first, last] = ranges[i]!;
      if (first <= from) return to <= last;
    }
    return false;
  };

  toJSON(): NumberingDump {
    return {
      shared: this.#shared,
      last: this.#last,
      confirmed: this.#confirmed,
      ranges: this.#ranges.map(([from, to]) => [from, to]),
    };
  }

  static from(dump: NumberingDump): Numbering {
    const numbering = new Numbering();
    numbering.#shared = dump.shared;
    numbering.#last = dump.last;
    numbering.#confirmed = dump.confirmed;
    numbering.#ranges = dump.ranges.map(([from, to]) => [from, to]);
    return numbering;
  }

  #insert(sequence: number): void {
    const ranges = this.#ranges;
    let place = ranges.length;
    while (place > 0 && ranges[place - 1]![0] > sequence) place--;
    const before = ranges[place - 1];
    const after = ranges[place];
    if (before !== undefined && sequence <= before[1]) {
      this.#giveUp();
      return;
    }
    const joinsBefore = before !== undefined && before[1] === sequence - 1;
    const joinsAfter = after !== undefined && after[0] === sequence + 1;
    if (joinsBefore && joinsAfter) {
      before[1] = after[1];
      ranges.splice(place, 1);
    } else if (joinsBefore) before[1] = sequence;
    else if (joinsAfter) after[0] = sequence;
    else ranges.splice(place, 0, [sequence, sequence]);
    if (ranges.length > 4096) this.#giveUp();
  }

  #giveUp(): void {
    this.#shared = false;
    this.#ranges = [];
  }
}

export interface NumberingDump {
  readonly shared: boolean;
  readonly last: number;
  readonly confirmed: number;
  readonly ranges: readonly (readonly [number, number])[];
}
