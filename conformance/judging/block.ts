// One block of a recording, judged: what was counted in its cases, as plain data.
import type { Suite } from '../driving/suite.ts';
import { type Block, casesIn } from '../recording/blocks.ts';
import { Notes, wireNotes } from './notes.ts';
import type { Outcome } from './outcome.ts';
import { type Counted, hasHarnessFault, judgeView, Tally } from './tally.ts';

export interface JudgedBlock {
  readonly counted: Counted;
  readonly notes: Outcome['notes'];
}

export function judgeBlock(suite: Suite, block: Block, clauses: readonly string[]): JudgedBlock {
  const judged = new Set(clauses);
  const tally = new Tally();
  // How many are kept is decided where blocks are put together.
  const notes = new Notes(Number.POSITIVE_INFINITY);
  for (const facts of casesIn(block)) {
    const [first] = facts;
    const view = suite.assemble(block.head, facts);
    // Only the first case of a recording may begin without a `case` fact.
    const from = first?.fact === 'case' ? { case: first.id, area: first.area } : { case: 'case-0', area: 'recorded' };
    const findings = judgeView(suite.judges, view, judged);
    tally.add(findings, { ...from, index: tally.cases, harnessFault: hasHarnessFault(facts) });
    if (suite.notes !== undefined) notes.add(suite.notes(view));
    notes.add(wireNotes(facts));
  }
  return { counted: { cases: tally.cases, clauses: tally.clauses }, notes: notes.all };
}
