// What reports cost: all formats against the run that they tell of (limit: 5 %), and the page as failures grow (limit: 2 MB).
// CPU time counts, since that is what a report takes from a run whatever else the machine does.
// Run: npx tsx bench/reports.ts   (`--runs=50` drives less than a usual run)
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withEvidence } from '../cli/report-folder.ts';
import { specWords } from '../cli/spec-words.ts';
import { drive } from '../conformance/driving/drive.ts';
import { sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import { suiteFor } from '../conformance/suites.ts';
import { casePath, recordingPath, writeReports } from '../reports/folder.ts';
import { FORMATS } from '../reports/format-names.ts';
import { html } from '../reports/html.ts';
import { SAMPLE_HEAD, sampleStream } from '../reports/samples.ts';
import { limit } from './measure.ts';

const runs = process.argv.find((word) => word.startsWith('--runs='))?.slice(7);
const folder = await mkdtemp(join(tmpdir(), 'runcert-bench-'));
const suite = await suiteFor('runner');
const broken = suite.mutants.find(({ id }) => id === 'runner/id-with-space')!;

for (const [name, target] of [
  ['the reference runner', suite.reference()],
  ['a broken runner', broken.target()],
] as const) {
  let from = process.cpuUsage();
  const driven = await drive(suite, target, {
    seed: 20260603,
    version: 'bench',
    ...(runs === undefined ? {} : { runs: Number(runs) }),
  });
  const run = spent(from);
  from = process.cpuUsage();
  const { outcome, evidence } = withEvidence(driven);
  await writeReports(join(folder, name), outcome, FORMATS, {
    ...evidence,
    ...specWords(suite),
    clauses: suite.clauses,
  });
  const told = spent(from);
  console.log(
    `${name}: ${outcome.counts.stimuli} stimuli in ${run.toFixed(0)} ms, ${outcome.counts.fail} failures, all ${FORMATS.length} formats in ${told.toFixed(0)} ms`,
  );
  limit('  reports, in percent of the run', (told / run) * 100, told / run < 0.05);
}
await rm(folder, { recursive: true });

// A frame of 20 kB in every stream: what a target sends must not decide how large the page becomes.
const facts = sampleStream().map((fact) =>
  fact.fact === 'received' ? { ...fact, frame: { ...(fact.frame as object), more: 'x'.repeat(20_000) } } : fact,
);
for (const failures of [5, 50, 500]) {
  const clauses = Array.from({ length: Math.max(200, failures) }, (_, at) => {
    const id = `v1/${(at % 20) + 1}/clause-${at}`;
    return at < failures
      ? sampleClause(id, 'fail', { case: casePath(id), recording: recordingPath(id), facts: [8] })
      : sampleClause(id, 'pass');
  });
  const recordings = Object.fromEntries(
    clauses.flatMap(({ recording }) => (recording === undefined ? [] : [[recording, { head: SAMPLE_HEAD, facts }]])),
  );
  const from = process.cpuUsage();
  const page = html(sampleOutcome(clauses), { recordings, folder: 'runcert-report' });
  console.log(`${clauses.length} clauses, ${failures} failures: ${spent(from).toFixed(0)} ms`);
  limit('  page, in MB', Buffer.byteLength(page) / 1e6, Buffer.byteLength(page) < 2e6);
}

function spent(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}
