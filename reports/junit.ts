// JUnit XML: a suite a section, a test a clause. It has a failure or an error exactly when the verdict is not conformant.
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { cut, escapeAttribute, escapeXml } from './text.ts';
import {
  decides,
  elapsedMs,
  inFolder,
  plural,
  replayCommand,
  STANDING_WORDS,
  sectionsOf,
  standingOf,
  startedAt,
  targetName,
  VERDICT_WORDS,
} from './view.ts';

const LONG = 4000;

interface TestCase {
  readonly name: string;
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped';
  readonly type: string;
  readonly message: string;
  readonly detail: string;
}

interface Suite {
  readonly name: string;
  readonly tests: readonly TestCase[];
}

export const junit: Reporter = (outcome, extras) => {
  const suites: Suite[] = sectionsOf(outcome).map(({ section, clauses }) => ({
    name: `§${section}`,
    tests: clauses.map((result) => testOf(outcome, result, extras)),
  }));
  const run = wholeRun(outcome, suites);
  if (run.length > 0) suites.push({ name: 'run', tests: run });
  const tests = suites.flatMap((suite) => suite.tests);
  const total = (elapsedMs(outcome) / 1000).toFixed(3);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${quoted(`runcert ${outcome.party}`)} tests="${tests.length}" failures="${count(tests, 'failure')}" errors="${count(tests, 'error')}" time="${total}">`,
    ...suites.map((suite, id) => suiteXml(outcome, suite, id)),
    '</testsuites>',
    '',
  ].join('\n');
};

/** What fails a run beside its clauses: stale baseline entries, and a run in which nothing was shown. */
function wholeRun(outcome: Outcome, suites: readonly Suite[]): TestCase[] {
  const stale = outcome.stale.map(
    ({ clause, why }): TestCase => ({
      name: `baseline: ${clause}`,
      kind: 'failure',
      type: 'stale-baseline',
      message: why,
      detail: `The baseline excuses ${clause}, but ${why}.`,
    }),
  );
  const said =
    stale.length > 0 || suites.some(({ tests }) => tests.some(({ kind }) => kind === 'failure' || kind === 'error'));
  if (outcome.verdict === 'conformant' || said) return stale;
  return [
    {
      name: 'verdict',
      kind: 'error',
      type: outcome.verdict,
      message: outcome.reason ?? VERDICT_WORDS[outcome.verdict],
      detail: '',
    },
  ];
}

function testOf(outcome: Outcome, result: ClauseResult, extras: Extras): TestCase {
  const standing = standingOf(result);
  const base = { name: result.id, type: standing };
  if (standing === 'pass') return { ...base, kind: 'passed', message: '', detail: '' };
  if (result.verdict === 'fail') {
    const message = `expected ${result.expected ?? result.text}, found ${result.found ?? plural(result.violations, 'violation')}`;
    if (standing === 'excused')
      return { ...base, kind: 'skipped', message: `excused: ${result.excused?.reason ?? ''}; ${message}`, detail: '' };
    if (standing === 'warning')
      return { ...base, kind: 'skipped', message: `warning (${result.level}): ${message}`, detail: '' };
    return { ...base, kind: 'failure', message, detail: failureText(outcome, result, extras) };
  }
  const message = `${STANDING_WORDS[standing]}: ${result.reason ?? 'no reason given'}`;
  return { ...base, kind: decides(result) ? 'error' : 'skipped', message, detail: result.text };
}

function failureText(outcome: Outcome, result: ClauseResult, extras: Extras): string {
  const replay = replayCommand(outcome, result, extras);
  return [
    `${result.id} (${result.level})`,
    result.text,
    `expected: ${result.expected ?? ''}`,
    `found:    ${result.found ?? ''}`,
    `${plural(result.violations, 'violation')} in ${plural(result.occasions, 'occasion')}`,
    ...(result.recording === undefined ? [] : [`recording: ${inFolder(result.recording, extras)}`]),
    ...(replay === undefined ? [] : [`replay: ${replay}`]),
  ].join('\n');
}

function suiteXml(outcome: Outcome, suite: Suite, id: number): string {
  const { tests } = suite;
  const at = (startedAt(outcome) ?? new Date(0)).toISOString().slice(0, 19);
  const classname = `runcert.${outcome.protocol}.${outcome.party}.${suite.name}`;
  const properties = [
    ['protocol', outcome.protocol],
    ['revision', outcome.revision],
    ['target', targetName(outcome)],
    ['seed', String(outcome.seed)],
    ['runcert', outcome.runcert],
  ] as const;
  return [
    `  <testsuite id="${id}" package="runcert" name=${quoted(`${outcome.protocol} ${outcome.party} ${suite.name}`)} tests="${tests.length}" failures="${count(tests, 'failure')}" errors="${count(tests, 'error')}" skipped="${count(tests, 'skipped')}" timestamp="${at}" hostname="localhost" time="0.000">`,
    '    <properties>',
    ...properties.map(([name, value]) => `      <property name="${name}" value=${quoted(value)}/>`),
    '    </properties>',
    ...tests.map((test) => testXml(test, classname)),
    '    <system-out/>',
    '    <system-err/>',
    '  </testsuite>',
  ].join('\n');
}

function testXml(test: TestCase, classname: string): string {
  const open = `    <testcase classname=${quoted(classname)} name=${quoted(test.name)} time="0.000"`;
  if (test.kind === 'passed') return `${open}/>`;
  const message = `message=${quoted(test.message)}`;
  if (test.kind === 'skipped') return `${open}>\n      <skipped ${message}/>\n    </testcase>`;
  const tag = test.kind;
  return `${open}>\n      <${tag} type=${quoted(test.type)} ${message}>${escapeXml(cut(test.detail, LONG))}</${tag}>\n    </testcase>`;
}

const quoted = (text: string): string => `"${escapeAttribute(cut(text.trim() === '' ? '(empty)' : text, LONG))}"`;
const count = (tests: readonly TestCase[], kind: TestCase['kind']): number =>
  tests.filter((test) => test.kind === kind).length;
