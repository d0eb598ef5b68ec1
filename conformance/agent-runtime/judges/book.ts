// Where judges of a log write what they find: one page a clause. Counting is cheap, words are kept for the first violations only.

export interface Violation {
  /** Places in the log (line numbers, or numbers of facts) that prove it. */
  readonly places: readonly number[];
  readonly expected: string;
  readonly found: string;
}

/** How many violations of one clause are kept in words. */
const WORDS = 10;

export class Page {
  readonly clause: string;
  occasions = 0;
  violations = 0;
  open = 0;
  openReason: string | undefined;
  readonly first: Violation[] = [];

  constructor(clause: string) {
    this.clause = clause;
  }

  /** An occasion on which the clause could have been broken and was not. */
  kept(): void {
    this.occasions++;
  }

  broken(places: readonly number[], expected: string, found: string): void {
    this.occasions++;
    this.violations++;
    if (this.first.length < WORDS) this.first.push({ places, expected, found });
  }

  /** An occasion that the log cannot decide. */
  undecided(reason: string): void {
    this.open++;
    this.openReason ??= reason;
  }
}

export class Book {
  readonly pages = new Map<string, Page>();

  /** The page of a clause; the same page however often it is asked for. */
  readonly page = (clause: string): Page => {
    let page = this.pages.get(clause);
    if (page === undefined) {
      page = new Page(clause);
      this.pages.set(clause, page);
    }
    return page;
  };
}
