import { expect, test } from 'vitest';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import { nextSteps } from './next.ts';

const of = (verdict: Outcome['verdict'], clauses: Outcome['clauses'], more: Partial<Outcome> = {}): Outcome => ({
  ...sampleOutcome(clauses),
  verdict,
  ...more,
});
const target = (kind: string): Outcome['target'] => ({ kind, name: 'x', declared: {}, traits: [] });
const pass = sampleClause('v1/7/a', 'pass');
const fail = sampleClause('v1/7/b', 'fail');
const warning = sampleClause('v1/3/w', 'fail', { level: 'SHOULD' });
const idle = sampleClause('v1/7/c', 'not-exercised');
const dead = sampleClause('v1/7/d', 'inconclusive', { reason: 'the target died' });

test.each<[string, Outcome, string | undefined]>([
  ['a failure', of('not-conformant', [pass, fail]), 'npx runcert explain v1/7/b'],
  ['a failure behind a warning', of('not-conformant', [warning, fail]), 'npx runcert explain v1/7/b'],
  [
    'a stale baseline',
    of('not-conformant', [pass], { stale: [{ clause: 'v1/7/a', why: 'passes' }] }),
    '--update-baseline',
  ],
  [
    'an expired excuse of what still fails',
    of('not-conformant', [fail], { stale: [{ clause: 'v1/7/b', why: 'expired on 2026-01-31' }] }),
    'npx runcert explain v1/7/b',
  ],
  ['a clause that was never exercised', of('inconclusive', [pass, idle]), '--runs 1000'],
  ['a dead target', of('inconclusive', [idle, dead], { target: target('module') }), 'npx runcert doctor --module FILE'],
  ['a shard', of('inconclusive', [idle], { shard: { index: 1, of: 2 } }), 'npx runcert merge SHARD…'],
  [
    'the reference runner',
    of('conformant', [pass], { target: target('reference') }),
    'npx runcert certify runner --module my-runner.ts',
  ],
  ['a runner of one’s own', of('conformant', [pass]), 'npx runcert sign out --key KEY --subject PATH'],
  ['a part of the clauses', of('conformant', [pass], { options: { only: ['v1/7/*'] } }), undefined],
  ['a log', of('conformant', [pass], { target: target('log') }), undefined],
])('after %s', (_, outcome, command) => {
  expect(nextSteps(outcome, { folder: 'out' })[0]?.command).toBe(command);
});

test('a foreign clause id is quoted in the command', () => {
  const evil = of('not-conformant', [sampleClause('v1/$(rm -rf ~)', 'fail')]);
  expect(nextSteps(evil, {})[0]?.command).toBe("npx runcert explain 'v1/$(rm -rf ~)'");
});
