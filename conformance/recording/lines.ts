// The lines of a recording as bytes, as many at a time as one read brings: a promise for each would cost more than its JSON.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { RuncertError } from '../../common/error.ts';

/** The longest line that is read, in bytes: a frame of 16 MiB and what stands around it. */
const LINE_LIMIT = 24 * 1024 * 1024;
export const NEWLINE = 0x0a;

export async function* linesOf(path: string): AsyncGenerator<readonly Buffer[], void, void> {
  let rest: Buffer[] = [];
  let kept = 0;
  try {
    for await (const chunk of bytesOf(path)) {
      const lines: Buffer[] = [];
      let from = 0;
      for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
        const end = chunk.subarray(from, to);
        lines.push(rest.length === 0 ? end : Buffer.concat([...rest, end]));
        rest = [];
        kept = 0;
        from = to + 1;
      }
      if (lines.length > 0) yield lines;
      rest.push(chunk.subarray(from));
      kept += chunk.length - from;
      if (kept > LINE_LIMIT) {
        throw new RuncertError('RUNCERT_RECORDING_LINE_TOO_LONG', `A line is longer than ${LINE_LIMIT} bytes.`, {
          place: path,
          remedy: 'Is this NDJSON? One fact stands on one line.',
        });
      }
    }
  } catch (error) {
    if (error instanceof RuncertError) throw error;
    throw new RuncertError(
      'RUNCERT_RECORDING_UNREADABLE',
      `The recording cannot be read: ${(error as Error).message}`,
      { place: path, remedy: 'Check the path and its permissions.', cause: error },
    );
  }
  if (kept > 0) yield [Buffer.concat(rest)];
}

function bytesOf(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  if (!path.endsWith('.gz')) return file;
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}
