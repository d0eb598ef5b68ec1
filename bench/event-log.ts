// Event logs of any length for the benches, and the loop that they are measured against.
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import fc from 'fast-check';
import { logOf } from '../conformance/agent-runtime/stimuli/log.ts';
import { sessionOps } from '../conformance/agent-runtime/stimuli/sessions.ts';

/** Sessions of the generator, as lines with marks where ids go: values alone, names of members stay. */
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
            /"(s1_[ab]|s1_tasks|t\d|k\d(_\w+)?|a\d|(call|action|process|hook|job|task|channel|subagent|evidence)_\w+)"(?!:)/g,
            '"@P$1"',
          )
          .replaceAll('"s1"', '"@S"'),
      ),
    )
    .filter((lines) => lines.length > 20);
}

/** Many sessions that end; or (`long`) four that never do. */
export async function writeLog(path: string, events: number, long: boolean): Promise<void> {
  const all = templates();
  const out = createWriteStream(path);
  const sequences = new Map<string, number>();
  let written = 0;
  for (let round = 0; written < events; round++) {
    const session = long ? `session_${round % 4}` : `session_${round}`;
    let text = '';
    for (const line of all[round % all.length]!) {
      if (written >= events) break;
      written++;
      const sequence = (sequences.get(session) ?? 0) + 1;
      sequences.set(session, sequence);
      text += `${line.replace('"@E"', `"evt_${written}"`).replace('"@N"', String(sequence)).replaceAll('@S', session).replaceAll('@P', `r${round}_`)}\n`;
    }
    if (!long) sequences.delete(session);
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** The peer: reads lines, parses them, counts them, and does nothing else. */
export async function bare(path: string): Promise<number> {
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
