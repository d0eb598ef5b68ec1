import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { casePath, insideOf, readOutcome, readReportFolder, recordingPath, writeReports } from './folder.ts';
import { FORMATS, formatsOf } from './format-names.ts';
import { nastyWords } from './nasty.ts';
import { sampleReport } from './samples.ts';
import { slugOf } from './text.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'runcert-folder-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const { outcome, extras } = sampleReport();

test('a folder holds the outcome, the evidence and every format, and reads back as it was', async () => {
  const written = await writeReports(dir, outcome, FORMATS, extras);
  expect((await readdir(dir)).sort()).toEqual(
    [
      'annotations.txt',
      'badge.json',
      'cases',
      'ctrf.json',
      'junit.xml',
      'outcome.json',
      'recordings',
      'report.html',
      'results.sarif',
      'summary.md',
      'summary.txt',
    ].sort(),
  );
  expect(written.length).toBe(1 + 3 + 3 + FORMATS.length - 1);
  const back = await readReportFolder(dir);
  expect(back.outcome).toEqual(outcome);
  expect(back.extras.recordings).toEqual(extras.recordings);
  expect(back.extras.cases).toEqual(extras.cases);
});

test('the same outcome gives the same bytes', async () => {
  await writeReports(join(dir, 'a'), outcome, FORMATS, extras);
  await writeReports(join(dir, 'b'), outcome, FORMATS, extras);
  for (const name of ['report.html', 'junit.xml', 'results.sarif', 'ctrf.json', 'summary.md']) {
    expect(await readFile(join(dir, 'a', name), 'utf8')).toBe(await readFile(join(dir, 'b', name), 'utf8'));
  }
});

test.each(['../x.json', '/etc/x.json', 'cases/../../x.json', '', '.', 'a\0b'])(
  'evidence at %j is refused before anything is written',
  async (path) => {
    await expect(writeReports(dir, outcome, [], { cases: { [path]: {} } })).rejects.toMatchObject({
      code: 'RUNCERT_PATH_OUTSIDE',
    });
    expect(await readdir(dir)).toEqual([]);
  },
);

test('an outcome that points outside its folder, or through a link, shows nothing from there', async () => {
  const secret = join(dir, 'secret.json');
  await writeFile(secret, '{"secret":true}');
  const inner = join(dir, 'report');
  const pointing = {
    ...outcome,
    clauses: outcome.clauses.map((result) => ({
      ...result,
      case: '../secret.json',
      recording: 'recordings/link.ndjson',
    })),
  };
  await writeReports(inner, pointing, []);
  await symlink(secret, join(inner, 'link.json'));
  const linked = {
    ...outcome,
    clauses: outcome.clauses.map((result) => ({ ...result, case: 'link.json', recording: 'link.json' })),
  };
  expect((await readReportFolder(inner)).extras).toEqual({ recordings: {}, cases: {} });
  await writeReports(inner, linked, []);
  expect((await readReportFolder(inner)).extras).toEqual({ recordings: {}, cases: {} });
});

test('clauses never share a file, and no id leads out of the folder', () => {
  fc.assert(
    fc.property(nastyWords, nastyWords, (a, b) => {
      for (const path of [casePath(a), recordingPath(a)]) expect(insideOf('/report', path)).toBe(`/report/${path}`);
      expect(slugOf(a)).toMatch(/^[A-Za-z0-9._-]+$/);
      expect(slugOf(a).length).toBeLessThan(130);
      if (a !== b) expect(slugOf(a)).not.toBe(slugOf(b));
    }),
  );
  expect(slugOf('v1/7.2/unknown-type-ignored')).toBe('v1_7.2_unknown-type-ignored');
});

test.each([
  ['not json', /is not JSON/],
  ['{}', /lacks version, runcert/],
  [JSON.stringify({ ...outcome, version: 2 }), /\/version/],
  [JSON.stringify({ ...outcome, verdict: 'fine' }), /conformant, not-conformant, inconclusive/],
])('a wrong outcome is refused: %.20s', async (text, message) => {
  const path = join(dir, 'outcome.json');
  await writeFile(path, text);
  await expect(readOutcome(path)).rejects.toThrow(message);
});

test('a missing outcome says what to give', async () => {
  await expect(readOutcome(join(dir, 'none.json'))).rejects.toMatchObject({
    code: 'RUNCERT_OUTCOME',
    remedy: expect.stringContaining('outcome.json') as unknown,
  });
});

test('formats by name', () => {
  expect(formatsOf('html, junit,html')).toEqual(['html', 'junit']);
  expect(() => formatsOf('pdf')).toThrow(/no report format "pdf"/);
});
