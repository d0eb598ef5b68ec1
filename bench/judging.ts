// How fast recordings are judged, and that it grows linearly with memory flat: 10⁴, 10⁵, 10⁶ facts of real runs.
// `--party=host` judges those of hosts, whose frames are larger; `--most=1e5` stops there.
// Beside it a bare loop that only parses each line of the same file: the limit. Frames differ in size: bytes are told too.
// Last, for each size, the built command (`npm run build`) by the clock, on one thread and on one a processor.
// Run: npx tsx --expose-gc --max-old-space-size=160 bench/judging.ts   (the heap holds one case, and not a recording)
import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { drive } from '../conformance/driving/drive.ts';
import { judgeRecording } from '../conformance/judging/recorded.ts';
import type { Fact, RecordingHead } from '../conformance/recording/fact.ts';
import { suiteFor } from '../conformance/suites.ts';
import { limit } from './measure.ts';

const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
const MOST = Number(option('most') ?? 1e6);
const suite = await suiteFor(option('party') === 'host' ? 'host' : 'runner');
/** As text outside the heap: the bench must not fill the heap that it measures. */
const cases: { readonly facts: number; readonly text: Buffer }[] = [];
let head: RecordingHead | undefined;
const begun = performance.now();
await drive(
  suite,
  suite.reference(),
  { seed: 1, runs: 40, version: 'bench' },
  {
    head: (one) => {
      head = one;
    },
    case: (facts: readonly Fact[]) => {
      cases.push({ facts: facts.length, text: Buffer.from(facts.map((fact) => `${JSON.stringify(fact)}\n`).join('')) });
    },
  },
);
const driven = performance.now() - begun;
console.log(
  `in process: ${cases.length} cases in ${driven.toFixed(0)} ms, ${Math.round((cases.length / driven) * 1000)} runs/s`,
);

const rates: number[] = [];
const folder = await mkdtemp(join(tmpdir(), 'runcert-bench-'));
for (const size of [1e4, 1e5, 1e6].filter((one) => one <= MOST)) {
  const path = join(folder, `${size}.ndjson`);
  const file = await open(path, 'w');
  await file.write(`${JSON.stringify(head)}\n`);
  let facts = 0;
  for (let at = 0; facts < size; at = (at + 1) % cases.length) {
    await file.write(cases[at]!.text);
    facts += cases[at]!.facts;
  }
  const { size: bytes } = await file.stat();
  await file.close();
  const bare = await timed(async () => {
    for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
  });
  globalThis.gc?.();
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const judged = await timed(() => judgeRecording(path, suiteFor, { version: 'bench' }));
  clearInterval(watch);
  rates.push(facts / judged);
  console.log(
    `${facts} facts of ${Math.round(bytes / facts)} bytes: judged ${Math.round((facts / judged) * 1000)}/s (${(bytes / judged / 1000).toFixed(0)} MB/s) in ${judged.toFixed(0)} ms of CPU, ${(bare / judged).toFixed(2)} of a bare parse loop, peak ${Math.round(peak / 1e6)} MB`,
  );
  const [one, all] = [1, availableParallelism()].map((threads) => command(path, threads)) as [number, number];
  console.log(
    `  runcert judge: ${one.toFixed(1)} s by the clock on one thread, ${all.toFixed(1)} s on ${availableParallelism()} (${(one / all).toFixed(2)} times as fast)`,
  );
}
await rm(folder, { recursive: true });
// The first is judged by code that is not warm yet.
const linear = rates.at(-1)! / rates.at(-2)!;
limit('the rate at ten times as many facts, at least 0.8 of before', linear, linear >= 0.8);

/** In milliseconds of the processor, all threads: what else runs on the machine does not count. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** Seconds by the clock that the built command takes. */
function command(path: string, threads: number): number {
  const from = performance.now();
  const words = ['dist/cli/main.js', 'judge', path, '--json', '--threads', String(threads)];
  const { error } = spawnSync(process.execPath, words, { stdio: 'ignore' });
  if (error !== undefined) throw error;
  return (performance.now() - from) / 1000;
}
