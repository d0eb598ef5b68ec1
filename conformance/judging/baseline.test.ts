import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  applyBaseline,
  type Baseline,
  EMPTY_BASELINE,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from './baseline.ts';
import { anyOutcome, sampleClause, sampleOutcome } from './samples.ts';

const TODAY = '2026-06-10';
const baseline = (...entries: Baseline['entries']): Baseline => ({ version: 1, entries });
const failing = sampleOutcome([sampleClause('v1/7.2/a', 'fail'), sampleClause('v1/7.2/b', 'pass')]);

test('an excused failure is shown and does not decide the verdict', () => {
  expect(failing.verdict).toBe('not-conformant');
  const outcome = applyBaseline(
    failing,
    baseline({ clause: 'v1/7.2/a', reason: 'issue 12', expires: '2026-06-10' }),
    TODAY,
  );
  expect(outcome.verdict).toBe('conformant');
  expect(outcome.clauses[0]).toMatchObject({ verdict: 'fail', excused: { reason: 'issue 12', expires: '2026-06-10' } });
  expect(outcome.counts).toMatchObject({ fail: 1, excused: 1 });
  expect(outcome.stale).toEqual([]);
});

test('an entry past its last day excuses nothing and fails the run by itself', () => {
  const outcome = applyBaseline(
    failing,
    baseline({ clause: 'v1/7.2/a', reason: 'later', expires: '2026-06-09' }),
    TODAY,
  );
  expect(outcome.verdict).toBe('not-conformant');
  expect(outcome.clauses[0]?.excused).toBeUndefined();
  expect(outcome.stale).toEqual([{ clause: 'v1/7.2/a', why: 'expired on 2026-06-09' }]);
});

test.each([
  ['passes now', sampleClause('v1/1/x', 'pass'), 'the clause passes now'],
  ['does not apply', sampleClause('v1/1/x', 'not-applicable'), 'the clause does not apply to this target'],
])('an entry for a clause that %s is stale', (_, clause, why) => {
  const good = sampleOutcome([clause, sampleClause('v1/1/y', 'pass')]);
  const outcome = applyBaseline(good, baseline({ clause: 'v1/1/x', reason: 'r' }), TODAY);
  expect(outcome.stale).toEqual([{ clause: 'v1/1/x', why }]);
  expect(outcome.verdict).toBe('not-conformant');
});

test('an entry for a clause that does not exist is stale', () => {
  expect(applyBaseline(failing, baseline({ clause: 'v1/none', reason: 'r' }), TODAY).stale[0]?.why).toContain(
    'no such clause',
  );
});

test('a run of chosen clauses calls no entry of the others stale', () => {
  const some = sampleOutcome([sampleClause('v1/1/x', 'pass')], { options: { only: ['v1/1/*'] } });
  expect(applyBaseline(some, baseline({ clause: 'v1/9/other', reason: 'r' }), TODAY).stale).toEqual([]);
});

test('why a run could not be made stays told', () => {
  const dead = sampleOutcome([sampleClause('v1/1/x', 'inconclusive')], {
    verdict: 'inconclusive',
    reason: 'no such file',
  });
  expect(applyBaseline(dead, EMPTY_BASELINE, TODAY).reason).toBe('no such file');
});

test('flaky entries, other parties, shards and missing evidence make nothing stale', () => {
  const good = sampleOutcome([sampleClause('v1/1/x', 'pass'), sampleClause('v1/1/n', 'not-exercised')]);
  const entries = baseline(
    { clause: 'v1/1/x', reason: 'r', flaky: true },
    { clause: 'v1/1/n', reason: 'r' },
    { clause: 'v1/9/host', reason: 'r', party: 'host' },
  );
  expect(applyBaseline(good, entries, TODAY).stale).toEqual([]);
  const shard = { ...good, shard: { index: 1, of: 2 } };
  expect(applyBaseline(shard, baseline({ clause: 'v1/1/x', reason: 'r' }), TODAY).stale).toEqual([]);
});

test('an inconclusive MUST is not excused by an entry that knows a failure', () => {
  const outcome = sampleOutcome([sampleClause('v1/1/x', 'inconclusive'), sampleClause('v1/1/y', 'pass')]);
  expect(applyBaseline(outcome, baseline({ clause: 'v1/1/x', reason: 'r' }), TODAY).verdict).toBe('inconclusive');
});

test('updating takes new failures in, keeps reasons, drops what excuses nothing, and moves no expiry date', () => {
  const old = baseline(
    { clause: 'v1/1/known', reason: 'issue 3' },
    { clause: 'v1/1/late', reason: 'was due', expires: '2026-01-01' },
    { clause: 'v1/1/mended', reason: 'issue 4' },
    { clause: 'v1/5/other', reason: 'host only', party: 'host' },
  );
  const outcome = sampleOutcome(
    ['known', 'late', 'new']
      .map((name) => sampleClause(`v1/1/${name}`, 'fail'))
      .concat(sampleClause('v1/1/mended', 'pass')),
  );
  const next = updateBaseline(outcome, old, TODAY);
  expect(next.entries.map(({ clause }) => clause)).toEqual(['v1/1/known', 'v1/1/late', 'v1/1/new', 'v1/5/other']);
  expect(next.entries[0]?.reason).toBe('issue 3');
  expect(next.entries[1]?.expires).toBe('2026-01-01');
  expect(next.entries[2]).toMatchObject({ party: 'runner' });
});

test('after an update nothing is stale and every failure is excused', () => {
  fc.assert(
    fc.property(anyOutcome(fc.string({ minLength: 1, maxLength: 5 })), (any) => {
      const updated = updateBaseline(any, EMPTY_BASELINE, TODAY);
      const outcome = applyBaseline(any, readBaseline(writeBaseline(updated), 'b.json'), TODAY);
      expect(outcome.stale).toEqual([]);
      expect(outcome.verdict).not.toBe('not-conformant');
      expect(updateBaseline(outcome, updated, TODAY)).toEqual(updated);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['{"version":1,"entries":[{"clause":"a","reason":""}]}', /\/entries\/0\/reason/],
  ['{"version":1,"entries":[{"clause":"a","reason":"r","expire":"x"}]}', /unknown member "expire"/],
  ['{"version":2,"entries":[]}', /\/version/],
  ['{"version":1,"entries":[{"clause":"a","reason":"r","expires":"2026-02-31"}]}', /no day of the calendar/],
  ['{"version":1,"entries":[{"clause":"a","reason":"r"},{"clause":"a","reason":"q"}]}', /twice/],
  ['{"version":1,\n "entries":[}', /is not JSON/],
])('a wrong baseline is refused with what is wrong: %s', (text, message) => {
  expect(() => readBaseline(text, 'runcert-baseline.json')).toThrow(message);
});

test('a syntax error is told with line and column', () => {
  try {
    readBaseline('{"version":1,\n "entries":[}', 'b.json');
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: 'RUNCERT_BASELINE', place: 'b.json:2:13' });
  }
});
