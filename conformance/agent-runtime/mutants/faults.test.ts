// Every fault that a log alone shows, strewn into generated sessions: the clause that must notice does, and nobody is blamed without it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import { Inspection } from '../judges/inspection.ts';
import { lives } from '../stimuli/lives.ts';
import { logOf } from '../stimuli/log.ts';
import { logFaults } from './all.ts';

const logs = fc.sample(lives(), { numRuns: 80, seed: 6 }).map((ops) => logOf(ops));

function blamed(events: readonly JsonObject[]): string[] {
  const inspection = new Inspection({ recall: (place) => events[place] });
  for (const [place, event] of events.entries()) inspection.take(event, place, JSON.stringify(event).length);
  inspection.end();
  return [...inspection.book.pages.values()].filter(({ violations }) => violations > 0).map(({ clause }) => clause);
}

it('sound sessions are blamed for nothing', () => {
  expect(logs.flatMap(blamed)).toEqual([]);
});

describe('a log in which somebody', () => {
  it.each(logFaults.map((fault) => [fault.what, fault] as const))('%s', (_, { clauses, make }) => {
    const noticed = logs.find((events) => {
      const tamper = make();
      const found = blamed(events.flatMap((event) => tamper(event)));
      return clauses.some((clause) => found.includes(clause));
    });
    expect(noticed, clauses.join()).toBeDefined();
  });
});
