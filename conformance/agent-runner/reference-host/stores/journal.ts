// An append-only journal of JSON records, one a line, each behind the CRC of its text: `1a2b3c4d {"kind":…}\n`.
// A process that dies while it writes leaves a torn last line; opening the journal cuts that line off and keeps the rest.
import { crc32 } from 'node:zlib';
import { RuncertError } from '../../../../common/error.ts';
import type { Medium } from './medium.ts';

export interface Journal<Record> {
  /** Appends a record. It is kept before this returns. */
  append(record: Record): void;
  /** Every record kept, in order, after repairing a torn tail. */
  load(): Record[];
  /** Forgets everything, for good. */
  clear(): void;
  flush(): void;
  close(): void;
}

export function openJournal<Record>(medium: Medium): Journal<Record> {
  return {
    append: (record) => medium.append(lineOf(record)),
    load: () => {
      const { records, whole } = readLines<Record>(medium.read());
      medium.truncate(whole);
      return records;
    },
    clear: () => medium.truncate(0),
    flush: () => medium.flush(),
    close: () => medium.close(),
  };
}

export function lineOf(record: unknown): string {
  const text = JSON.stringify(record);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

/** The records of all whole lines, and how many bytes those lines take. */
export function readLines<Record>(bytes: Buffer): { readonly records: Record[]; readonly whole: number } {
  const records: Record[] = [];
  let from = 0;
  while (from < bytes.length) {
    const end = bytes.indexOf(0x0a, from);
    const record = end < 0 ? undefined : readLine<Record>(bytes.toString('utf8', from, end));
    if (record === undefined) {
      // Only the last line can be torn. A bad line with more behind it is damage, and repairing it would lose records.
      if (end >= 0 && end + 1 < bytes.length) throw damaged(from);
      break;
    }
    records.push(record);
    from = end + 1;
  }
  return { records, whole: from };
}

function readLine<Record>(line: string): Record | undefined {
  const text = line.slice(9);
  if (line[8] !== ' ' || crc32(text).toString(16).padStart(8, '0') !== line.slice(0, 8)) return undefined;
  try {
    return JSON.parse(text) as Record;
  } catch {
    return undefined;
  }
}

const damaged = (at: number): RuncertError =>
  new RuncertError('RUNCERT_JOURNAL_DAMAGED', 'A record in the middle of the journal does not match its checksum.', {
    place: `byte ${at}`,
    remedy: 'Restore the journal from a copy, or start the host on an empty directory.',
  });
