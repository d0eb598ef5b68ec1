// What can be said of the HTML without a browser: size, policy, and that nothing foreign becomes markup.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyOutcome, sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import type { Extras, Recording } from './extras.ts';
import { casePath, recordingPath } from './folder.ts';
import { html } from './html.ts';
import { NASTY, nastyWords } from './nasty.ts';
import { factsOf, SAMPLE_HEAD, sampleReport } from './samples.ts';

const BIG = 2 * 1000 * 1000;

/** 200 clauses of which 50 fail, each with a stream of `frames` frames that carry `text`. */
function large(frames: number, text: string): { outcome: ReturnType<typeof sampleOutcome>; extras: Extras } {
  const clauses = Array.from({ length: 200 }, (_, at) => {
    const id = `v1/${Math.floor(at / 10) + 1}/clause-${at}`;
    const fails = at % 4 === 0;
    return sampleClause(id, fails ? 'fail' : 'pass', {
      text: text.slice(0, 400),
      ...(fails
        ? { case: casePath(id), recording: recordingPath(id), facts: [frames - 1], expected: text, found: text }
        : {}),
    });
  });
  const facts = factsOf(
    Array.from({ length: frames }, (_, at) => ({
      fact: at % 2 === 0 ? ('sent' as const) : ('received' as const),
      frame: {
        seq_id: at,
        action: `action_${at}`,
        data: { text, more: { list: Array.from({ length: 30 }, () => text.slice(0, 100)) } },
      },
    })),
  );
  const recording: Recording = { head: SAMPLE_HEAD, facts };
  return {
    outcome: sampleOutcome(clauses),
    extras: {
      recordings: Object.fromEntries(
        clauses.flatMap(({ recording: path }) => (path === undefined ? [] : [[path, recording]])),
      ),
      clauses: clauses.map((clause) => ({ ...clause, source: '§', why: text.slice(0, 900), how: text.slice(0, 900) })),
    },
  };
}

test.each([
  ['short words', 'a usual message of some length, as a target would say it'],
  ['long words', 'lorem ipsum dolor '.repeat(5000)],
  ['words that swell when escaped', `"'<>&`.repeat(5000)],
  ['signs made visible', '\u202e'.repeat(5000)],
])('200 clauses and 50 failures with %s stay under 2 MB and take little time', (_, text) => {
  const { outcome, extras } = large(60, text);
  const before = process.cpuUsage();
  const page = html(outcome, extras);
  expect(Buffer.byteLength(page)).toBeLessThan(BIG);
  // Processor time: the clock on the wall also counts what else the machine does.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2500);
  expect(page.match(/<svg class="seq"/g)).toHaveLength(50);
  expect(page).toContain('proves it');
});

/** The tags of a page, by a reader that knows nothing of what we wrote. */
const tagsOf = (page: string): string[] =>
  [...page.matchAll(/<\/?([a-zA-Z!?][^\s/>]*)/g)].map(([, name]) => (name ?? '').toLowerCase());
/** Attribute names, with the values taken away first. */
const namesOfAttributes = (page: string): string[] =>
  [
    ...page
      .slice(page.indexOf('<body>'), page.indexOf('<script>'))
      .replaceAll(/"[^"]*"/g, '')
      .matchAll(/<[^>]*>/g),
  ].flatMap(([tag]) => [...tag.matchAll(/\s([^\s=/>]+)/g)].map(([, name]) => name ?? ''));
const OURS = new Set(tagsOf(html(sampleReport().outcome, sampleReport().extras)));

test('foreign text adds no tag and no attribute', () => {
  fc.assert(
    fc.property(anyOutcome(nastyWords), nastyWords, (outcome, word) => {
      const facts = factsOf([
        { fact: 'case', id: word, area: word, epoch: 0, stimulus: word },
        { fact: 'sent', frame: { seq_id: 1, action: word, data: { [word]: word } } },
        {
          fact: 'received',
          frame: { seq_id: 1, code: 1, message: word, data: { error: { code: word } }, chunk_status: word },
        },
        { fact: 'noise', text: word, bytes: 3 },
        { fact: 'did', what: word, detail: word },
        { fact: 'shown', what: word, data: word },
        { fact: 'fault', by: 'target', code: word, message: word },
        { fact: 'end', how: 'time', pending: word },
      ]);
      const extras: Extras = {
        recordings: Object.fromEntries(
          outcome.clauses.flatMap(({ recording }) => (recording === undefined ? [] : [[recording, { facts }]])),
        ),
        clauses: outcome.clauses.map((clause) => ({ ...clause, why: word, how: word, source: word })),
        matrix: {
          rows: [
            {
              id: word,
              kind: 'mutant',
              party: 'host',
              what: word,
              intended: [word],
              failed: [word],
              wrong: [word],
              verdict: 'inconclusive',
              stimuli: 1,
            },
          ],
          uncovered: [word],
          counts: { mutants: 1, caught: 0, honest: 0, falseAlarms: 0 },
        },
        timeline: [{ sequence: 1, type: word, lane: word, time: word, detail: word, breaks: [word] }],
        folder: word,
        targetWords: [word],
        previous: outcome,
      };
      const page = html(outcome, extras);
      for (const tag of tagsOf(page)) expect(OURS, tag).toContain(tag);
      expect(page.match(/<script/g)).toHaveLength(1);
      expect(namesOfAttributes(page).filter((name) => /^on|^style$/i.test(name))).toEqual([]);
      expect(page).not.toMatch(/(?:href|src)="(?!#)/);
    }),
    { numRuns: 60 },
  );
});

test('every nasty string is shown, not dropped', () => {
  const page = html(sampleOutcome([sampleClause('v1/1/a', 'fail', { found: NASTY[0]! })]), {});
  expect(page).toContain('&lt;script&gt;window.__pwned=1&lt;/script&gt;');
});

test('the policy names the one style and the one script by their digest', () => {
  const page = html(sampleReport().outcome, {});
  expect(page).toMatch(
    /content="default-src 'none'; style-src 'sha256-[\w+/=]{44}'; script-src 'sha256-[\w+/=]{44}'; img-src data:; base-uri 'none'; form-action 'none'"/,
  );
  expect(page).not.toMatch(/https?:\/\//);
});

test('every link inside the page leads somewhere, and every id stands once', () => {
  const { outcome, extras } = sampleReport();
  const page = html(outcome, extras);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id);
});
