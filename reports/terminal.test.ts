import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyOutcome, sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import { nastyWords } from './nasty.ts';
import { sampleReport, unreachedOutcome } from './samples.ts';
import { terminal } from './terminal.ts';

const { outcome, extras } = sampleReport();

test('the whole summary, plain', () => {
  expect(terminal(outcome, extras)).toMatchInlineSnapshot(`
    "
     Not conformant: 1 MUST clause failed
     runner demo/echo 1.2.3
     agent-runner 2026-06-03 · 100 stimuli · 795 occasions · seed 42 · 4.2 s
     One clause newly broken, one mended since the previous outcome.

     MUST    10  1 fail, 1 warning, 1 excused, 6 pass, 1 not applicable
     SHOULD   3  1 warning, 1 inconclusive, 1 pass
     MAY      1  1 not exercised
     1 more cannot be judged from outside

     ✘ v1/7.1/terminal-is-last (MUST)
       expected nothing after run.completed
       found    message.completed, 12 ms after the terminal result
     ! v1/7.3/sequence-rises (SHOULD)
       expected 2
       found    3
     ! v1/12/new-duty (MUST) not demanded yet
       expected a
       found    b
     ~ v1/8.2/no-undeclared-tool-call (MUST)
       expected no call of a tool that was not granted
       found    call_tool search
       excused: Known: demo/echo#12, mended in 1.3 (until 2026-12-31)

     case    runcert-report/cases/v1_7.1_terminal-is-last.json (and 1 more beside it)
     report  runcert-report/report.html
     replay  npx runcert replay runcert-report/cases/v1_7.1_terminal-is-last.json --plugin -- python -m 'echo plugin'
     next    npx runcert explain v1/7.1/terminal-is-last  what it asks, why, and how it is judged
     1 note in the report
    "
  `);
});

test('on a narrow line the words that expected and found share give way', () => {
  const twins = Array.from({ length: 20 }, (_, at) =>
    sampleClause(`v1/7/c${at}`, 'fail', {
      expected: 'a stream that ends with one end',
      found: 'a stream that has two of them',
    }),
  );
  const text = terminal(sampleOutcome(twins), { terminal: { columns: 72, rows: 40 } });
  expect(text).toMatch(/✘ v1\/7\/c19: expected …ends with one end, found …has two of them\n/);
});

test('the replay command judges lateness as the run did', () => {
  const strict = terminal({ ...outcome, options: { ...outcome.options, grace: 250 } }, extras);
  expect(strict).toContain('v1_7.1_terminal-is-last.json --grace 250 --plugin -- python');
});

test('colours only when asked for, and the words are the same', () => {
  const painted = terminal(outcome, { ...extras, terminal: { color: true } });
  expect(painted).toContain('\u001b[31m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken away
  expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(terminal(outcome, extras));
});

test('it fits a screen on a terminal, however much failed, and says where the rest is', () => {
  const many = sampleOutcome(
    Array.from({ length: 60 }, (_, at) =>
      sampleClause(`v1/7/c${at}`, 'fail', { case: 'cases/x.json', found: 'y'.repeat(500) }),
    ),
  );
  const text = terminal(many, { folder: 'out', terminal: { columns: 80, rows: 24 } });
  expect(text.split('\n').length).toBeLessThanOrEqual(24);
  expect(text).toContain('and 51 more in out/report.html');
  const long = text.split('\n').filter((line) => line.length > 80);
  expect(long.filter((line) => !line.startsWith(' replay'))).toEqual([]);
});

test('ten failures fit a common screen, each with what was expected and found', () => {
  const ten = sampleOutcome(
    Array.from({ length: 10 }, (_, at) =>
      sampleClause(`v1/7/c${at}`, 'fail', { case: 'cases/x.json', expected: `e${at}`, found: `f${at}` }),
    ),
  );
  const text = terminal(ten, { folder: 'out', terminal: { columns: 80, rows: 30 } });
  expect(text.split('\n').length).toBeLessThanOrEqual(30);
  for (let at = 0; at < 10; at++)
    expect(text).toMatch(
      new RegExp(
        `✘ v1/7/c${at}(: expected e${at}, found f${at}| \\(MUST\\)\n   expected e${at}\n   found    f${at})\n`,
      ),
    );
  expect(text).not.toContain('more in');
});

test('where no page was written the folder is named, and where there is no folder the notes are told', () => {
  expect(terminal(outcome, { ...extras, page: false })).toContain('\n report  runcert-report\n');
  expect(terminal(outcome, {})).toMatch(/\n note {4}\S+: /);
});

test('a log has events and lines, and no seed', () => {
  const log = {
    ...sampleOutcome([sampleClause('ar/3/x', 'fail', { facts: [41] })]),
    target: { kind: 'log', name: 'events.ndjson', declared: {}, traits: [] },
  };
  const text = terminal(log, {});
  expect(text).toContain('100 events · 12 occasions');
  expect(text).toContain('✘ ar/3/x (MUST), line 41');
  expect(text).not.toContain('seed');
});

test('on a pipe nothing is left out', () => {
  const many = sampleOutcome(Array.from({ length: 60 }, (_, at) => sampleClause(`v1/7/c${at}`, 'fail')));
  const text = terminal(many, {});
  for (const { id } of many.clauses) expect(text).toContain(`${id} (MUST)`);
});

test('clauses that stay open for one reason are told together, and all are named', () => {
  const open = Array.from({ length: 30 }, (_, at) =>
    sampleClause(`v1/7/c${at}`, 'inconclusive', { reason: 'the target died' }),
  );
  const text = terminal(sampleOutcome([...open, sampleClause('v1/8/x', 'not-exercised')]), {});
  expect(text.match(/the target died/g)).toHaveLength(1);
  expect(text).toContain(' ? 30 MUST clauses inconclusive: the target died\n   v1/7/c0, v1/7/c1,');
  expect(text).toContain('v1/7/c29');
  expect(text).toContain(' ○ v1/8/x (MUST)');
});

test('of a target that was never reached, why and what to do is said once, whole, and no list of clauses', () => {
  const reason = 'The target failed at the step "start". Expected: the program nosuch to start. Came: ENOENT.';
  const of = unreachedOutcome(reason);
  expect(terminal(of, {}).match(/ENOENT/g)).toHaveLength(1);
  expect(terminal(of, {})).not.toContain('v1/7/c1');
  const lines = terminal(of, { terminal: { columns: 60, rows: 24 } }).split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain(`Inconclusive: the target could not be reached: ${reason}`);
  expect(lines).toContain(' → Check the path and that the file may be executed.');
});

test('no foreign text adds a line or a colour', () => {
  fc.assert(
    fc.property(anyOutcome(nastyWords), (any) => {
      const text = terminal(any, { terminal: { columns: 100, rows: 40 } });
      expect(text.split('\n').length).toBeLessThanOrEqual(44 + any.stale.length);
      expect(text).not.toContain('\u001b');
    }),
    { numRuns: 40 },
  );
});
