// `runtime check` and `runtime replay` against a bare parse-and-count loop over the same log, in one run; how time and memory grow with the log.
// Usage: npx tsx bench/agent-runtime.ts [events] [--long]
// --long: four sessions that never end, instead of many that do.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkLog } from '../conformance/agent-runtime/log/check.ts';
import { replayLog } from '../conformance/agent-runtime/log/replay.ts';
import { bare, writeLog } from './event-log.ts';
import { limit } from './measure.ts';

const EVENTS = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 1_000_000);
const LONG = process.argv.includes('--long');
const SIZES = [EVENTS / 100, EVENTS / 10, EVENTS];
/** MB. A collector with room to spare lets garbage lie, and peaks then tell nothing: little room shows what is really held. */
const HEAP = ['--max-old-space-size=64', '--max-semi-space-size=4'];
const TOLD = 20;

const WORK: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  bare,
  check: (path) => checkLog(path, { version: 'bench' }),
  replay: (path) => replayLog(path),
};

interface Times {
  /** Milliseconds of the clock, and of the processor, all threads together. */
  clock: number;
  cpu: number;
}

/** The best of some rounds, all contenders in every round: what else the machine does makes times longer, never shorter. */
async function best(names: readonly string[], path: string, rounds: number): Promise<Record<string, Times>> {
  const times: Record<string, Times> = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const clock = performance.now();
      const cpu = process.cpuUsage();
      await WORK[name]!(path);
      const { user, system } = process.cpuUsage(cpu);
      const before = times[name] ?? { clock: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
      times[name] = {
        clock: Math.min(before.clock, performance.now() - clock),
        cpu: Math.min(before.cpu, (user + system) / 1000),
      };
    }
  }
  return times;
}

async function main(logs: readonly string[]): Promise<void> {
  const whole = logs.at(-1)!;
  console.log(
    `${EVENTS} events, ${(statSync(whole).size / 1e6).toFixed(0)} MB, ${LONG ? 'four long sessions' : 'many bounded sessions'}`,
  );
  const names = Object.keys(WORK);
  await best(names, logs[1]!, 1);
  const grown = [await best(names, logs[0]!, 9), await best(names, logs[1]!, 5), await best(names, whole, 3)];
  const { bare: peer, ...ours } = grown[2] as { bare: Times } & Record<string, Times>;
  for (const [name, { clock, cpu }] of Object.entries(ours)) {
    const ratio = peer.clock / clock;
    console.log(
      `${name}: ${clock.toFixed(0)} ms against ${peer.clock.toFixed(0)} ms of the bare loop; of the processor ${cpu.toFixed(0)} against ${peer.cpu.toFixed(0)} ms`,
    );
    limit(`${name}: speed of the bare loop, at least 0.5 of it`, ratio, ratio >= 0.5);
  }
  for (const name of names) {
    const each = grown.map((times, i) => (1000 * times[name]!.cpu) / SIZES[i]!);
    console.log(
      `${name}: ${each.map((time) => time.toFixed(2)).join(', ')} µs of the processor an event at ${SIZES.join(', ')} events`,
    );
    const growth = each[2]! / each[1]!;
    if (name !== 'bare')
      limit(`${name}: time an event at ten times as many events, at most 1.25 of before`, growth, growth <= 1.25);
  }
  for (const name of Object.keys(ours)) {
    const [held, peaks] = [logs.map((log) => measured(name, log, true)), logs.map((log) => measured(name, log, false))];
    const told = (bytes: readonly number[]): string => bytes.map((one) => (one / 1e6).toFixed(1)).join(', ');
    console.log(`${name}: holds ${told(held)} MB, peak of the process ${told(peaks)} MB at ${SIZES.join(', ')} events`);
    const each = (held[2]! - held[1]!) / (SIZES[2]! - SIZES[1]!);
    limit(`${name}: bytes held for each event more, at most 8`, each, each <= 8);
    limit(
      `${name}: peak at ten times as many events, at most 1.25 of before`,
      peaks[2]! / peaks[1]!,
      peaks[2]! <= 1.25 * peaks[1]!,
    );
  }
}

/** In a process of its own: what is held after collections on the way, or the peak of the process. */
function measured(what: string, log: string, held: boolean): number {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...HEAP,
      ...(held ? ['--expose-gc'] : []),
      '--import',
      'tsx',
      fileURLToPath(import.meta.url),
      '--child',
      what,
      log,
    ],
    { encoding: 'utf8' },
  );
  if (stdout === '') throw new Error(`${what} does not fit into a heap of ${HEAP.join(' ')}: ${stderr.slice(-400)}`);
  return Number(stdout);
}

async function child(what: string, log: string): Promise<void> {
  const { gc } = globalThis;
  let most = 0;
  // Reading a file does not give way to timers: the collections are made where the log is read.
  const look = (): void => {
    gc?.();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    most = Math.max(most, heapUsed + arrayBuffers);
  };
  if (gc !== undefined) watchReading(log, look);
  await WORK[what]!(log);
  process.stdout.write(String(gc === undefined ? process.resourceUsage().maxRSS * 1024 : most));
}

/** Calls `look` some times on the way through the log. */
function watchReading(log: string, look: () => void): void {
  const step = statSync(log).size / TOLD;
  let read = 0;
  let next = step;
  const { parse } = JSON;
  JSON.parse = (text: string, ...more) => {
    read += text.length;
    if (read >= next) {
      next += step;
      look();
    }
    return parse(text, ...more);
  };
}

const own = process.argv.indexOf('--child');
if (own !== -1) await child(process.argv[own + 1]!, process.argv[own + 2]!);
else {
  const folder = mkdtempSync(join(tmpdir(), 'runcert-bench-'));
  try {
    const logs = SIZES.map((events) => join(folder, `${events}.ndjson`));
    for (const [i, log] of logs.entries()) await writeLog(log, SIZES[i]!, LONG);
    await main(logs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
