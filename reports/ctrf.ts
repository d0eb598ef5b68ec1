// CTRF, the common test report format: one test a clause.
import { createHash } from 'node:crypto';
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { cut, oneLine, visible } from './text.ts';
import { elapsedMs, plural, replayCommand, type Standing, sectionsOf, standingOf, startedAt } from './view.ts';

const LONG = 2000;
type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'other';

/** CTRF has no warning: what neither passed nor failed nor was left out is `other`, with the verdict beside it. */
const STATUS: Readonly<Record<Standing, Status>> = {
  pass: 'passed',
  fail: 'failed',
  warning: 'other',
  excused: 'other',
  'not-exercised': 'pending',
  'not-applicable': 'skipped',
  inconclusive: 'other',
  'harness-fault': 'other',
};

export const ctrf: Reporter = (outcome, extras) => {
  const tests = outcome.clauses.map((result) => testOf(outcome, result, extras));
  const of = (status: Status): number => tests.filter((test) => test.status === status).length;
  const start = (startedAt(outcome) ?? new Date(0)).getTime();
  const report = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    ...(startedAt(outcome) === undefined ? {} : { timestamp: new Date(start + elapsedMs(outcome)).toISOString() }),
    generatedBy: words(`runcert ${outcome.runcert}`),
    results: {
      tool: { name: 'runcert', version: words(outcome.runcert) },
      summary: {
        tests: tests.length,
        passed: of('passed'),
        failed: of('failed'),
        skipped: of('skipped'),
        pending: of('pending'),
        other: of('other'),
        suites: sectionsOf(outcome).length,
        start,
        stop: start + elapsedMs(outcome),
      },
      tests,
      environment: {
        reportName: words(`${outcome.protocol} ${outcome.revision} ${outcome.party}`),
        appName: words(outcome.target.name),
        ...(outcome.target.version === undefined ? {} : { appVersion: words(outcome.target.version) }),
        extra: {
          verdict: outcome.verdict,
          seed: outcome.seed,
          stale: outcome.stale.length,
          ...(outcome.reason === undefined ? {} : { reason: words(outcome.reason) }),
        },
      },
    },
  };
  return `${JSON.stringify(report, null, 2)}\n`;
};

function testOf(outcome: Outcome, result: ClauseResult, extras: Extras) {
  const standing = standingOf(result);
  const message = messageOf(result);
  const replay = replayCommand(outcome, result, extras);
  return {
    testId: createHash('sha256')
      .update(`${outcome.protocol}\n${outcome.party}\n${result.id}`)
      .digest('hex')
      .slice(0, 32),
    name: words(result.id),
    status: STATUS[standing],
    duration: 0,
    suite: [words(outcome.protocol), outcome.party, words(`§${result.section}`)],
    rawStatus: standing,
    tags: [result.level, words(result.area)],
    ...(message === undefined ? {} : { message }),
    ...(replay === undefined ? {} : { trace: lines(`${result.text}\n${replay}`) }),
    extra: {
      occasions: result.occasions,
      violations: result.violations,
      required: result.required,
      text: words(result.text),
    },
  };
}

function messageOf(result: ClauseResult): string | undefined {
  if (result.verdict === 'pass') return undefined;
  if (result.verdict !== 'fail') return result.reason === undefined ? undefined : words(result.reason);
  const excuse = result.excused === undefined ? '' : ` (excused: ${result.excused.reason})`;
  return words(
    `expected ${result.expected ?? result.text}, found ${result.found ?? plural(result.violations, 'violation')}${excuse}`,
  );
}

const filled = (text: string): string => (text.trim() === '' ? '(empty)' : text);
const words = (text: string): string => filled(cut(oneLine(text), LONG));
const lines = (text: string): string => filled(cut(visible(text), LONG));
