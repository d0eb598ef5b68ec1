// `runtime check` and `runtime replay` against a bare parse-and-count loop over the same log, in one run; and how memory grows with the log.
// Usage: npx tsx bench/agent-runtime.ts [events] [--long]
// --long: four sessions that never end, instead of many that do.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { checkLog } from '../conformance/agent-runtime/log/check.ts';
import { replayLog } from '../conformance/agent-runtime/log/replay.ts';
import { logOf } from '../conformance/agent-runtime/stimuli/log.ts';
import { sessionOps } from '../conformance/agent-runtime/stimuli/sessions.ts';

const EVENTS = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 1_000_000);
const LONG = process.argv.includes('--long');
const ROUNDS = 3;
/** MB. A collector with room to spare lets garbage lie, and peaks then tell nothing: little room shows what is really held. */
const HEAP = 64;

/** Sessions of the generator, as lines with marks where ids go. */
function templates(): string[][] {
  const logs = fc.sample(sessionOps(12), { numRuns: 60, seed: 1 }).map((ops) => logOf(ops));
  return logs
    .map((log) =>
      log
        .filter(({ session_id }) => session_id === 's1')
        .map((event) => JSON.stringify({ ...event, event_id: '@E', sequence: '@N' })),
    )
    .map((lines) =>
      lines.map((line) =>
        line
          .replaceAll(
            /"(s1_[ab]|s1_tasks|t\d|k\d(_\w+)?|a\d|(call|action|process|hook|job|task|channel|subagent|evidence)_\w+)"/g,
            '"@P$1"',
          )
          .replaceAll('"s1"', '"@S"'),
      ),
    )
    .filter((lines) => lines.length > 20);
}

async function writeLog(path: string, events: number): Promise<void> {
  const all = templates();
  const out = createWriteStream(path);
  const sequences = new Map<string, number>();
  let written = 0;
  for (let round = 0; written < events; round++) {
    const session = LONG ? `session_${round % 4}` : `session_${round}`;
    let text = '';
    for (const line of all[round % all.length]!) {
      if (written >= events) break;
      written++;
      const sequence = (sequences.get(session) ?? 0) + 1;
      sequences.set(session, sequence);
      text += `${line.replace('"@E"', `"evt_${written}"`).replace('"@N"', String(sequence)).replaceAll('@S', session).replaceAll('@P', `r${round}_`)}\n`;
    }
    if (!LONG) sequences.delete(session);
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** The peer: reads lines, parses them, counts them, and does nothing else. */
async function bare(path: string): Promise<number> {
  let count = 0;
  let rest: Buffer | undefined;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    const buffer: Buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let to = buffer.indexOf(10); to !== -1; to = buffer.indexOf(10, from)) {
      if (JSON.parse(buffer.toString('utf8', from, to)) !== null) count++;
      from = to + 1;
    }
    rest = from === buffer.length ? undefined : buffer.subarray(from);
  }
  return count;
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};
const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

async function main(): Promise<void> {
  const log = join(tmpdir(), `runcert-bench-${process.pid}.ndjson`);
  const own = process.argv.indexOf('--child');
  if (own !== -1) {
    const [what, path] = process.argv.slice(own + 1);
    if (what === 'check') await checkLog(path!, { version: 'bench' });
    else await replayLog(path!);
    process.stdout.write(String(process.resourceUsage().maxRSS * 1024));
    return;
  }
  try {
    await writeLog(log, EVENTS);
    process.stdout.write(
      `${EVENTS} events, ${(statSync(log).size / 1e6).toFixed(0)} MB, ${LONG ? 'four long sessions' : 'many bounded sessions'}\n`,
    );
    const times: Record<string, number[]> = { bare: [], check: [], replay: [] };
    for (let round = 0; round < ROUNDS; round++) {
      times['bare']!.push(await timed(() => bare(log)));
      times['check']!.push(await timed(() => checkLog(log, { version: 'bench' })));
      times['replay']!.push(await timed(() => replayLog(log)));
    }
    for (const name of ['check', 'replay']) {
      const ratios = times[name]!.map((time, i) => times['bare']![i]! / time);
      process.stdout.write(
        `${name}: ${median(ratios).toFixed(2)} of the speed of the bare loop (${times[name]!.map((time) => time.toFixed(0)).join(', ')} ms against ${times['bare']!.map((time) => time.toFixed(0)).join(', ')} ms)\n`,
      );
    }
    for (const what of ['check', 'replay']) {
      const peaks = [EVENTS / 100, EVENTS / 10, EVENTS].map((events) => peak(what, events));
      process.stdout.write(
        `${what}: peak memory in a heap of ${HEAP} MB: ${(await Promise.all(peaks)).map((bytes) => `${(bytes / 1e6).toFixed(0)} MB`).join(', ')} at ${EVENTS / 100}, ${EVENTS / 10}, ${EVENTS} events\n`,
      );
    }
  } finally {
    rmSync(log, { force: true });
  }
}

async function peak(what: string, events: number): Promise<number> {
  const log = join(tmpdir(), `runcert-bench-${process.pid}-${events}.ndjson`);
  await writeLog(log, events);
  try {
    const { stdout } = spawnSync(
      process.execPath,
      [`--max-old-space-size=${HEAP}`, '--import', 'tsx', fileURLToPath(import.meta.url), '--child', what, log],
      { encoding: 'utf8' },
    );
    if (stdout === '') throw new Error(`${what} of ${events} events does not fit into a heap of ${HEAP} MB`);
    return Number(stdout);
  } finally {
    rmSync(log, { force: true });
  }
}

void main();
