// Every machine format against its published schema, for a usual outcome and for the nastiest ones.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { anyOutcome, sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import type { Extras } from './extras.ts';
import type { Format } from './format-names.ts';
import { nastyWords } from './nasty.ts';
import { reporters } from './reporters.ts';
import { sampleReport, unreachedOutcome } from './samples.ts';

const published = (path: string): string => readFileSync(new URL(`../node_modules/${path}`, import.meta.url), 'utf8');

const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  'uri-reference': /^[^\s\\<>"{}|^`]*$/,
  uuid: /^[0-9a-f-]{36}$/,
} as const;
const compile = (schema: object) =>
  new Ajv({ strict: false, unicodeRegExp: false, allErrors: true, formats }).compile(schema);
/** The schema is written in draft-04; but for its own name it says nothing that draft-07 says otherwise. */
const {
  $schema: _draft,
  id: _id,
  ...sarifSchema
} = JSON.parse(published('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')) as Record<string, unknown>;
const isSarif = compile(sarifSchema);
const isCtrf = compile(JSON.parse(published('ctrf/dist/ctrf-schema-0.0.json')) as object);
/** Shields publishes its endpoint schema as a page of prose; these are its fields. */
const isBadge = compile({
  type: 'object',
  required: ['schemaVersion', 'label', 'message'],
  properties: {
    schemaVersion: { const: 1 },
    label: { type: 'string' },
    message: { type: 'string', minLength: 1 },
    color: { enum: ['brightgreen', 'yellowgreen', 'red', 'lightgrey'] },
    isError: { type: 'boolean' },
  },
  additionalProperties: false,
});

const { outcome, extras } = sampleReport();
const make = (format: Format, of: Outcome = outcome, and: Extras = extras): string => reporters[format].report(of, and);

const clean = sampleOutcome([sampleClause('v1/1/a', 'pass')]);
const empty = sampleOutcome([]);
const usual: readonly [string, Outcome, Extras][] = [
  ['a run with failures', outcome, extras],
  ['a conformant run', clean, {}],
  ['an empty run', empty, {}],
];

describe('SARIF 2.1.0', () => {
  test.each(usual)('of %s is valid', (_, of, and) => {
    isSarif(JSON.parse(make('sarif', of, and)));
    expect(isSarif.errors).toBeNull();
  });

  test('has clauses as rules and violations as results with their line in the recording', () => {
    const [run] = JSON.parse(make('sarif')).runs;
    expect(run.tool.driver.rules).toHaveLength(outcome.clauses.length);
    const first = run.results[0];
    expect(first).toMatchObject({
      ruleId: 'v1/7.1/terminal-is-last',
      level: 'error',
      kind: 'fail',
      baselineState: 'new',
    });
    expect(run.tool.driver.rules[first.ruleIndex].id).toBe(first.ruleId);
    expect(first.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'recordings/v1_7.1_terminal-is-last.ndjson', uriBaseId: 'REPORT' },
      region: { startLine: 10 },
    });
    expect(run.results.find((result: { suppressions?: unknown }) => result.suppressions).suppressions[0].kind).toBe(
      'external',
    );
  });
});

describe('CTRF', () => {
  test.each(usual)('of %s is valid', (_, of, and) => {
    isCtrf(JSON.parse(make('ctrf', of, and)));
    expect(isCtrf.errors).toBeNull();
  });

  test('counts what it lists', () => {
    const { summary, tests } = JSON.parse(make('ctrf')).results;
    const { passed, failed, skipped, pending, other } = summary;
    expect(passed + failed + skipped + pending + other).toBe(tests.length);
    expect({ failed, passed }).toEqual({ failed: 1, passed: 7 });
  });
});

describe('JUnit', () => {
  const windyRoad = published('jest-junit-reporter/src/__tests__/fixtures/junit.xsd');
  const ours = readFileSync(new URL('./junit.xsd', import.meta.url), 'utf8');
  const check = async (xml: string, schema: string): Promise<void> => {
    const { errors } = await validateXML({ xml: [{ fileName: 'junit.xml', contents: xml }], schema: [schema] });
    expect(errors.map(({ message }) => message)).toEqual([]);
  };
  /** The published schema of Ant's report knows no skipped tests, which every reader of JUnit has known for long. */
  const asAntHadIt = (xml: string): string =>
    xml
      .replaceAll(/\n\s*<skipped [^>]*\/>/g, '')
      .replaceAll(/ skipped="\d+"/g, '')
      .replace(/<testsuites [^>]*>/, '<testsuites>');

  test.each(usual)('of %s is valid', async (_, of, and) => {
    const xml = make('junit', of, and);
    await check(xml, ours);
    await check(asAntHadIt(xml), windyRoad);
  });

  test('keeps foreign text as text', async () => {
    const some = fc.sample(anyOutcome(nastyWords), { numRuns: 12, seed: 7 });
    for (const of of some) {
      const xml = make('junit', of, {});
      await check(xml, ours);
      expect(xml.match(/<testcase /g)?.length ?? 0).toBeGreaterThanOrEqual(of.clauses.length);
      expect(xml).not.toContain('name="forged"');
    }
  });

  test('fails exactly when the verdict does', () => {
    fc.assert(
      fc.property(anyOutcome(fc.string({ minLength: 1, maxLength: 4 })), (of) => {
        expect(/<(failure|error) /.test(make('junit', of, {}))).toBe(of.verdict !== 'conformant');
      }),
      { numRuns: 150 },
    );
  });
});

describe('badge', () => {
  test.each(usual)('of %s is valid', (_, of, and) => {
    isBadge(JSON.parse(make('badge', of, and)));
    expect(isBadge.errors).toBeNull();
  });
  test('says what counts', () => {
    expect(JSON.parse(make('badge', clean))).toMatchObject({ message: 'conformant', color: 'brightgreen' });
    expect(JSON.parse(make('badge', empty))).toMatchObject({ message: 'inconclusive', color: 'lightgrey' });
    // Two SHOULD failures stand beside the one that decides; a badge that counted them would contradict the verdict.
    expect(JSON.parse(make('badge'))).toMatchObject({ message: '1 failed', color: 'red', isError: true });
  });
});

/** `::name key=value,key=value::message` on one line, with nothing unescaped in it. */
const COMMAND = /^::(error|warning|notice) (?:(?:file|line|title)=[^:,\r\n]*(?:,(?=\w+=)|(?=::)))+::[^\r\n]*$/;

describe('GitHub annotations', () => {
  test('name the place', () => {
    const text = make('github');
    expect(text.split('\n')[0]).toContain('::error title=Runcert%3A Not conformant::');
    expect(text).toContain(
      '::error file=runcert-report/recordings/v1_7.1_terminal-is-last.ndjson,line=10,title=v1/7.1/terminal-is-last (MUST)::',
    );
    expect(text.split('\n')[0]).toContain('1 failed, 2 warnings, 1 excused');
  });

  test('of a target that was never reached: one, with the reason and the remedy', () => {
    const lines = make('github', unreachedOutcome('spawn nosuch ENOENT.'), {}).trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/spawn nosuch ENOENT\.; Check the path/);
  });

  test('clauses that stay open for one reason share one', () => {
    const open = Array.from({ length: 30 }, (_, at) =>
      sampleClause(`v1/7/c${at}`, 'inconclusive', { reason: 'it died' }),
    );
    expect(make('github', sampleOutcome(open), {})).toContain('title=30 MUST clauses inconclusive::it died: v1/7/c0, ');
  });
});

describe('Markdown', () => {
  test('reads as it should', () => {
    expect(make('markdown')).toMatchInlineSnapshot(`
      "## ❌ Not conformant: runner \`demo/echo 1.2.3\`

      1 MUST clause failed.

      agent-runner 2026-06-03 · 100 stimuli · 795 occasions · seed \`42\` · runcert 0.1.0

      **One clause newly broken, one mended since the previous outcome.**

      | level | clauses | fail | warning | excused | inconclusive | not exercised | pass | not applicable |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
      | MUST | 10 | 1 | 1 | 1 | 0 | 0 | 6 | 1 |
      | SHOULD | 3 | 0 | 1 | 0 | 1 | 0 | 1 | 0 |
      | MAY | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 0 |

      ### Failed

      | clause | asks | expected | found | violations |
      | --- | --- | --- | --- | ---: |
      | \`v1/7.1/terminal-is-last\` | A run ends with exactly one terminal result, and nothing follows it. | \`nothing after run.completed\` | \`message.completed, 12 ms after the terminal result\` | 11 of 96 |

      Play the first one again: \`npx runcert replay runcert-report/cases/v1_7.1_terminal-is-last.json --plugin -- python -m 'echo plugin'\`

      ### Warnings

      - \`v1/7.3/sequence-rises\`: expected \`2\`, found \`3\`
      - \`v1/12/new-duty\`: expected \`a\`, found \`b\`

      ### Excused by the baseline

      - \`v1/8.2/no-undeclared-tool-call\`: Known\\: demo/echo\\#12, mended in 1.3 (until 2026-12-31)

      ### Notes

      - unknown-field: message.delta carries x\\_trace, which no model knows (14×)
      "
    `);
  });
});

const nodesOf = (node: { type: string; children?: unknown[] }): { type: string; url?: string }[] => [
  node,
  ...((node.children ?? []) as { type: string }[]).flatMap(nodesOf),
];

test('the nastiest text stays text in every machine format', () => {
  fc.assert(
    fc.property(anyOutcome(nastyWords), nastyWords, (of, folder) => {
      const and: Extras = { folder, targetWords: [folder], previous: of };
      expect(isSarif(JSON.parse(make('sarif', of, and))), JSON.stringify(isSarif.errors)).toBe(true);
      expect(isCtrf(JSON.parse(make('ctrf', of, and))), JSON.stringify(isCtrf.errors)).toBe(true);
      expect(isBadge(JSON.parse(make('badge', of, and)))).toBe(true);
      for (const line of make('github', of, and).trimEnd().split('\n')) expect(line).toMatch(COMMAND);
      const tree = fromMarkdown(make('markdown', of, and), {
        extensions: [gfmTable()],
        mdastExtensions: [gfmTableFromMarkdown()],
      });
      const kinds = new Set(nodesOf(tree).map(({ type }) => type));
      for (const kind of [
        'html',
        'link',
        'image',
        'definition',
        'linkReference',
        'blockquote',
        'code',
        'thematicBreak',
        'emphasis',
      ])
        expect(kinds, kind).not.toContain(kind);
      const rows = nodesOf(tree).filter(({ type }) => type === 'tableRow') as unknown as { children: unknown[] }[];
      expect(new Set(rows.slice(-1).map(({ children }) => children.length)).size).toBeLessThanOrEqual(1);
      expect(JSON.parse(make('json', of, and))).toEqual(JSON.parse(JSON.stringify(of)));
    }),
    { numRuns: 60 },
  );
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

test('no text format lets a control character or a direction override through', () => {
  fc.assert(
    fc.property(anyOutcome(nastyWords), nastyWords, (of, word) => {
      const and: Extras = { folder: word, targetWords: [word] };
      for (const format of ['terminal', 'html', 'junit', 'markdown', 'github'] as const)
        expect(make(format, of, and), format).not.toMatch(ACTS);
    }),
    { numRuns: 40 },
  );
});
