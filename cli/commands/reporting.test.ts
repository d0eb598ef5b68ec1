// report, merge, sign and verify as commands: what they print, what they write, and the exit code.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { RuncertError } from '../../common/error.ts';
import { requirementSet } from '../../conformance/judging/requirements.ts';
import { sampleClause, sampleOutcome } from '../../conformance/judging/samples.ts';
import { writeReports } from '../../reports/folder.ts';
import { sampleReport } from '../../reports/samples.ts';
import merge from './merge.ts';
import report from './report.ts';
import sign from './sign.ts';
import verify from './verify.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'runcert-commands-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));
afterEach(() => {
  process.exitCode = 0;
});

interface Ran {
  readonly out: string;
  readonly told: string;
  readonly exit: typeof process.exitCode;
}

async function run(configure: (command: Command) => void, ...argv: string[]): Promise<Ran> {
  const out: string[] = [];
  const told: string[] = [];
  const stdout = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => void out.push(String(text)) === undefined);
  const stderr = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => void told.push(String(text)) === undefined);
  process.exitCode = 0;
  try {
    const command = new Command('x').exitOverride();
    configure(command);
    await command.parseAsync(argv, { from: 'user' });
    return { out: out.join(''), told: told.join(''), exit: process.exitCode };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

const refused = (configure: (command: Command) => void, ...argv: string[]): Promise<RuncertError> =>
  run(configure, ...argv).then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: RuncertError) => error,
  );

const { outcome, extras } = sampleReport();
const saved = async (name: string): Promise<string> => {
  await writeReports(join(dir, name), outcome, [], extras);
  return join(dir, name);
};

test('report: one format to stdout, from the folder or its outcome.json, whatever the verdict', async () => {
  const folder = await saved('report');
  const { out, exit } = await run(report, folder, '--format', 'junit');
  expect(out.startsWith('<?xml')).toBe(true);
  expect(exit).toBe(0);
  expect((await run(report, join(folder, 'outcome.json'))).out).toContain('Not conformant: 1 MUST clause failed');
});

test('report: several formats need a folder, and the evidence comes along', async () => {
  const folder = await saved('several');
  expect(await refused(report, folder, '--format', 'html,junit')).toMatchObject({ code: 'RUNCERT_USAGE' });
  const { told } = await run(report, folder, '--format', 'html,badge', '--out', join(dir, 'made'));
  expect(told).toContain('report.html');
  expect(await readFile(join(dir, 'made', 'report.html'), 'utf8')).toContain('<svg class="seq"');
  expect(await refused(report, folder, '--format', 'pdf')).toMatchObject({ code: 'RUNCERT_FORMAT' });
  expect(await refused(report, join(dir, 'nothing'))).toMatchObject({ code: 'RUNCERT_OUTCOME' });
});

test('report: a folder of both parties is two reports', async () => {
  await saved('both/runner');
  await saved('both/host');
  expect((await run(report, join(dir, 'both'), '--format', 'markdown')).out.match(/^## /gm)).toHaveLength(2);
  expect(await refused(report, join(dir, 'both'), '--format', 'json')).toMatchObject({ code: 'RUNCERT_USAGE' });
});

test('report: the kill matrix and the timeline of a log enter the HTML', async () => {
  const folder = await saved('more');
  const matrix = join(dir, 'matrix.json');
  const events = join(dir, 'events.ndjson');
  await writeFile(matrix, JSON.stringify(extras.matrix));
  await writeFile(
    events,
    '{"type":"turn.started","sequence":1,"thread_id":"t1","timestamp":"2026-06-03T10:00:00Z"}\n{"type":"turn.completed","sequence":2,"threadId":"t1"}\n',
  );
  const { out } = await run(report, folder, '--format', 'html', '--matrix', matrix, '--events', events);
  expect(out).toContain('id="kills"');
  expect(out).toContain('thread t1');
  await writeFile(matrix, '{"rows":1}');
  expect(await refused(report, folder, '--format', 'html', '--matrix', matrix)).toMatchObject({
    code: 'RUNCERT_MATRIX',
  });
});

test('merge: shards become one report with the evidence of each, and the exit code of the whole', async () => {
  const shards = await Promise.all(
    [1, 2].map(async (index) => {
      const folder = join(dir, `shard-${index}`);
      const part = {
        ...outcome,
        shard: { index, of: 2 },
        clauses: outcome.clauses.map((clause) =>
          index === 1 && clause.verdict === 'fail'
            ? { ...sampleClause(clause.id, 'pass'), level: clause.level, text: clause.text }
            : clause,
        ),
      };
      await writeReports(folder, part, [], index === 2 ? extras : {});
      return folder;
    }),
  );
  const out = join(dir, 'merged');
  const ran = await run(merge, ...shards, '--out', out, '--format', 'html,junit', '--json');
  expect(ran.exit).toBe(1);
  const merged = JSON.parse(ran.out) as typeof outcome;
  expect(merged.clauses.find(({ id }) => id === 'v1/7.1/terminal-is-last')).toMatchObject({
    verdict: 'fail',
    case: 'cases/shard-2/v1_7.1_terminal-is-last.json',
  });
  expect(await readFile(join(out, 'report.html'), 'utf8')).toContain('<svg class="seq"');
  expect(await refused(merge, shards[0]!, '--out', out)).toMatchObject({ code: 'RUNCERT_MERGE_INCOMPLETE', exit: 2 });
});

test('sign and verify: keys are made once, kept secret, and the exit code says who may be believed', async () => {
  const key = join(dir, 'key');
  await run(sign, '--new-key', key);
  expect((await stat(key)).mode & 0o777).toBe(0o600);
  expect(await refused(sign, '--new-key', key)).toMatchObject({ code: 'RUNCERT_KEY' });

  const folder = join(dir, 'certified');
  const demanded = requirementSet('agent-runner', '2026-06-03')!.clauses.filter(({ party }) => party !== 'host');
  await writeReports(folder, sampleOutcome(demanded.map(({ id, level }) => sampleClause(id, 'pass', { level }))), []);
  const subject = join(dir, 'plugin.zip');
  await writeFile(subject, 'PK');
  expect(await refused(sign, folder, '--subject', subject)).toMatchObject({ code: 'RUNCERT_KEY' });
  expect(await refused(sign, folder, '--key', key)).toMatchObject({ code: 'RUNCERT_SUBJECT' });
  const signed = JSON.parse((await run(sign, folder, '--key', key, '--subject', subject, '--json')).out) as {
    certificate: string;
  };

  const trusted = ['--key', `${key}.pub`];
  expect((await run(verify, signed.certificate, ...trusted, '--subject', subject, '--report', folder)).exit).toBe(0);
  expect((await run(verify, signed.certificate)).exit).toBe(2);
  expect((await run(verify, signed.certificate, ...trusted, '--at', '2199-01-01')).exit).toBe(1);
  await writeFile(subject, 'PX');
  const { exit, out } = await run(verify, signed.certificate, ...trusted, '--subject', subject);
  expect(exit).toBe(1);
  expect(out).toContain('✘ subject');
  expect(JSON.parse((await run(verify, signed.certificate, '--json')).out)).toMatchObject({ status: 'unproven' });
  expect(await refused(verify, join(dir, 'none'))).toMatchObject({ code: 'RUNCERT_CERTIFICATE' });
  expect(await refused(verify, signed.certificate, '--at', 'tomorrow')).toMatchObject({ code: 'RUNCERT_USAGE' });
});
