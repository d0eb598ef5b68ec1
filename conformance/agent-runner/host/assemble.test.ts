import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pilot } from '../../driving/pilot.ts';
import { judgeCase } from '../../judging/tally.ts';
import type { Fact, RecordingHead } from '../../recording/fact.ts';
import { assembleHost } from './assemble.ts';
import { hostSuite } from './suite.ts';

/** One recording of every area, of its first corner. */
async function recordings(): Promise<{ readonly head: RecordingHead; readonly cases: readonly (readonly Fact[])[] }> {
  const pilot = new Pilot({ suite: hostSuite, target: hostSuite.reference(), grace: 1000, seed: 1 });
  const info = await pilot.meet();
  const cases: (readonly Fact[])[] = [];
  for (const area of hostSuite.areas)
    for (const stimulus of area.corners?.(info).slice(0, 2) ?? [])
      cases.push(await pilot.play(area, stimulus, area.id));
  await pilot.close();
  return { head: pilot.head(), cases };
}

const junk = fc.constantFrom<unknown>(
  null,
  undefined,
  0,
  -1,
  1e308,
  '',
  'x',
  [],
  [null],
  {},
  { run_id: 7 },
  true,
  '⟦in1⟧',
);

/** The same facts with one value somewhere in a frame replaced. */
function spoil(facts: readonly Fact[], where: readonly number[], value: unknown): readonly Fact[] {
  const index = where[0]! % facts.length;
  const fact = facts[index]!;
  if (fact.fact !== 'sent' && fact.fact !== 'received') return facts;
  const copy = structuredClone(fact.frame) as Record<string, unknown>;
  let here: Record<string, unknown> = copy;
  for (const step of where.slice(1)) {
    const keys = Object.keys(here);
    if (keys.length === 0) break;
    const key = keys[step % keys.length]!;
    const next = here[key];
    if (step % 3 === 0 || typeof next !== 'object' || next === null) {
      here[key] = value;
      break;
    }
    here = next as Record<string, unknown>;
  }
  return facts.with(index, { ...fact, frame: copy });
}

describe('a case made of facts', async () => {
  const { head, cases } = await recordings();

  it('is the same however often it is made', () => {
    for (const facts of cases) expect(assembleHost(head, facts)).toEqual(assembleHost(head, facts));
  });

  it('stands any nonsense in frames: no judge throws', () => {
    fc.assert(
      fc.property(
        fc.nat(cases.length - 1),
        fc.array(fc.tuple(fc.array(fc.nat(200), { minLength: 2, maxLength: 7 }), junk), { minLength: 1, maxLength: 6 }),
        (which, changes) => {
          const facts = changes.reduce((all, [where, value]) => spoil(all, where, value), cases[which]!);
          judgeCase(hostSuite, head, facts);
        },
      ),
      { seed: 3, numRuns: 400 },
    );
  });

  it('stands lost, doubled and misplaced facts: no judge throws', () => {
    fc.assert(
      fc.property(
        fc.nat(cases.length - 1),
        fc.array(fc.tuple(fc.nat(500), fc.nat(2)), { minLength: 1, maxLength: 8 }),
        (which, changes) => {
          const facts = [...cases[which]!];
          for (const [at, how] of changes) {
            const index = at % facts.length;
            const fact = facts[index]!;
            if (how === 0) facts.splice(index, 1);
            else if (how === 1) facts.splice(index, 0, fact);
            else facts.push(...facts.splice(index, 1));
          }
          judgeCase(hostSuite, head, facts);
        },
      ),
      { seed: 4, numRuns: 300 },
    );
  });
});
