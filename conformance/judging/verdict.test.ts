import { describe, expect, it } from 'vitest';
import type { Clause } from './clause.ts';
import { broken, type Finding, kept, open } from './judge.ts';
import { Tally } from './tally.ts';
import { overall, verdicts } from './verdict.ts';

const clause = (id: string, more: Partial<Clause> = {}): Clause => ({
  id,
  section: '1',
  level: 'MUST',
  party: 'host',
  area: 'x',
  text: id,
  source: 'test',
  ...more,
});
const words = { expected: 'e', found: 'f' };
const from = { case: 'x-0', area: 'x', index: 0, harnessFault: false };

function judged(
  clauses: readonly Clause[],
  findings: Record<string, readonly Finding[]>,
  more: { traits?: string[]; cutShort?: string; harnessFault?: boolean } = {},
) {
  const tally = new Tally();
  tally.add(new Map(Object.entries(findings)), { ...from, harnessFault: more.harnessFault ?? false });
  return verdicts({
    clauses,
    traits: more.traits ?? [],
    tally,
    ...(more.cutShort === undefined ? {} : { cutShort: more.cutShort }),
  });
}

describe('verdicts', () => {
  it.each<[string, readonly Finding[], Partial<Clause>, object, string]>([
    ['an occasion kept', [kept(1)], {}, {}, 'pass'],
    ['one violation among many kept', [kept(1), broken(2, words), kept(3)], {}, {}, 'fail'],
    ['no occasion', [], {}, {}, 'not-exercised'],
    ['no occasion and a trait missing', [], { requires: ['capability:streaming'] }, {}, 'not-applicable'],
    [
      'either of two traits',
      [],
      { requires: ['seat:plugin|seat:module'] },
      { traits: ['seat:module'] },
      'not-exercised',
    ],
    ['a trait missing but used all the same', [broken(1, words)], { requires: ['capability:streaming'] }, {}, 'fail'],
    ['only open occasions', [open(1, 'died')], {}, {}, 'inconclusive'],
    ['open beside kept', [open(1, 'died'), kept(2)], {}, {}, 'pass'],
    ['a run cut short', [], {}, { cutShort: 'time' }, 'inconclusive'],
    ['a case the harness spoiled', [broken(1, words)], {}, { harnessFault: true }, 'harness-fault'],
  ])('%s', (_, findings, more, how, verdict) => {
    expect(judged([clause('a', more)], { a: findings }, how)[0]!.verdict).toBe(verdict);
  });

  it('does not blame a clause whose prerequisite failed', () => {
    const results = judged([clause('a'), clause('b', { after: ['a'] })], {
      a: [broken(1, words)],
      b: [broken(1, words)],
    });
    expect(results.map(({ verdict }) => verdict)).toEqual(['fail', 'inconclusive']);
    expect(results[1]!.reason).toContain('a failed');
  });

  it('leaves out what cannot be judged', () => {
    expect(judged([clause('a', { unjudged: 'inside' })], {})).toEqual([]);
  });
});

describe('overall', () => {
  const of = (clauses: readonly Clause[], findings: Record<string, readonly Finding[]>, stale = 0) =>
    overall(judged(clauses, findings), stale).verdict;
  it('a failed MUST fails, a failed SHOULD warns', () => {
    expect(of([clause('a')], { a: [broken(1, words)] })).toBe('not-conformant');
    expect(of([clause('a'), clause('s', { level: 'SHOULD' })], { a: [kept(1)], s: [broken(1, words)] })).toBe(
      'conformant',
    );
  });
  it('an empty run is never green, nor one with a MUST that was never exercised', () => {
    expect(of([], {})).toBe('inconclusive');
    expect(of([clause('a'), clause('b')], { a: [kept(1)] })).toBe('inconclusive');
    expect(of([clause('a', { requires: ['x'] })], {})).toBe('inconclusive');
  });
  it('a stale baseline fails', () => {
    expect(of([clause('a')], { a: [kept(1)] }, 1)).toBe('not-conformant');
  });
});
