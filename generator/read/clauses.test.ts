import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCounter, parseDocument } from 'yaml';
import { readClauses } from './clauses.ts';
import { readPlainList } from './plain-yaml.ts';

const clause = (more: string): string =>
  `clauses:\n  - id: v1/1/a\n    section: "1"\n    level: MUST\n    party: host\n    area: x\n    text: It does.\n    source: DOC §1\n${more}`;
const read = (text: string) => readClauses('clauses.yaml', new TextEncoder().encode(text));
const complaints = (text: string): string[] => read(text).diagnostics.map((d) => `${d.place.line}: ${d.message}`);

describe('clauses', () => {
  it('are read with their places; long text is one line', () => {
    const { clauses, places, diagnostics } = read(
      clause(
        '    how: >-\n      Occasion: one.\n      Broken when two.\n    requires: [capability:x]\n    after: [v1/1/a]\n',
      ),
    );
    expect(diagnostics).toEqual([]);
    expect(clauses).toEqual([
      {
        id: 'v1/1/a',
        section: '1',
        level: 'MUST',
        party: 'host',
        area: 'x',
        text: 'It does.',
        source: 'DOC §1',
        how: 'Occasion: one. Broken when two.',
        requires: ['capability:x'],
        after: ['v1/1/a'],
      },
    ]);
    expect(places.get('v1/1/a')).toMatchObject({ line: 2, column: 5 });
  });

  it.each([
    [
      'neither how nor unjudged',
      clause(''),
      '2: v1/1/a must say how it is judged, or why it cannot be; one of the two.',
    ],
    [
      'both',
      clause('    how: a\n    unjudged: b\n'),
      '2: v1/1/a must say how it is judged, or why it cannot be; one of the two.',
    ],
    ['an unknown key', clause('    how: a\n    hwo: b\n'), '2: v1/1/a has "hwo", which no clause has.'],
    [
      'a level that is none',
      clause('    how: a\n').replace('MUST', 'must'),
      '2: The level "must" of v1/1/a is not a level.',
    ],
    ['a party that is none', clause('    how: a\n').replace('host', 'guest'), '2: "guest" of v1/1/a is not a party.'],
    ['no section', clause('    how: a\n').replace('"1"', ''), '2: v1/1/a has no section, or it is not text.'],
    ['an empty how', clause('    how: ""\n'), '2: how of v1/1/a is empty or not text.'],
    ['a list that is none', clause('    how: a\n    requires: x\n'), '2: requires of v1/1/a is not a list of texts.'],
    [
      'an id twice',
      `${clause('    how: a\n')}${clause('    how: a\n').slice('clauses:\n'.length)}`,
      '10: The clause v1/1/a stands already in line 2.',
    ],
    [
      'after what is not there',
      clause('    how: a\n    after: [v1/1/b]\n'),
      '2: v1/1/a comes after v1/1/b, which is no clause.',
    ],
    ['no list', 'clause: []\n', '1: There is no list "clauses" in this file.'],
    ['an entry that is none', 'clauses:\n  - just text\n', '2: This entry is not a clause.'],
  ])('refuses %s', (_, text, message) => expect(complaints(text)).toEqual([message]));

  it('tells broken YAML with its line, and does not follow it without end', () => {
    expect(complaints('clauses:\n  - id: "x\n')[0]).toMatch(/^\d: /u);
    expect(read('a: &a [x,x]\nb: &b [*a,*a]\nclauses: *b\n').diagnostics.length).toBeGreaterThan(0);
  });
});

describe('the plain reader', () => {
  const files = ['agent-runner/2026-06-03', 'agent-runtime/0.3.9'].map((path) =>
    readFileSync(new URL(`../../spec/${path}/clauses.yaml`, import.meta.url), 'utf8'),
  );
  const whole = (text: string): unknown => {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, schema: 'failsafe', logLevel: 'silent' });
    if (document.errors.length > 0) return 'errors';
    const list = document.get('clauses') as { items?: { range: number[]; toJS(d: unknown): unknown }[] } | null;
    return list?.items?.map((node) => ({
      value: node.toJS(document),
      line: lines.linePos(node.range[0]!).line,
      column: lines.linePos(node.range[0]!).col,
    }));
  };

  it('reads the files there are, as the whole parser does', () => {
    for (const text of files) {
      expect(readPlainList(text, 'clauses')?.length).toBeGreaterThan(90);
      expect(readPlainList(text, 'clauses')).toEqual(whole(text));
    }
  });

  it('answers as the whole parser does, or not at all, whatever is changed', () => {
    // A few entries are enough to meet every form, and keep the whole parser quick.
    const sample = (files[0] as string).split('\n').slice(20, 75).join('\n');
    const odd = [
      '',
      ' ',
      '  ',
      '\n',
      '\n\n',
      ':',
      ': ',
      ' #',
      '#',
      '"',
      "'",
      '- ',
      '-',
      '>',
      '|',
      '[',
      ']',
      '{',
      '&a ',
      '*a',
      '!',
      '%',
      '\t',
      '\u2028',
      'x',
      '0',
      ',',
      '? ',
      '>-',
      '---',
      '\n    # c\n',
      '\n      y',
      '\n  - id: z',
    ];
    let answered = 0;
    fc.assert(
      fc.property(fc.nat(sample.length), fc.nat(3), fc.constantFrom(...odd), (at, cut, put) => {
        const text = sample.slice(0, at) + put + sample.slice(at + cut);
        const plain = readPlainList(text, 'clauses');
        if (plain === undefined) return;
        answered += 1;
        expect(plain).toEqual(whole(text));
      }),
      { numRuns: 1000, seed: 4 },
    );
    expect(answered).toBeGreaterThan(200);
  });
});
