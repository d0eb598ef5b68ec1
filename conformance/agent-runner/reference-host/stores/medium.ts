// Where a journal's bytes lie: in memory or in a file. Both hold the same bytes, and both are synchronous,
// so that a host on virtual time never waits for a disk.
import { closeSync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Medium {
  /** All bytes that were kept. */
  read(): Buffer;
  append(text: string): void;
  /** Cuts everything behind the first `length` bytes. */
  truncate(length: number): void;
  /** Returns when what was appended would survive a loss of power. */
  flush(): void;
  close(): void;
}

/** Bytes that live as long as the host object: they survive a restart of the host within the process, not the process. */
export function memoryMedium(): Medium {
  let pieces: string[] = [];
  return {
    read: () => Buffer.from(pieces.join('')),
    append: (text) => {
      pieces.push(text);
    },
    truncate: (length) => {
      pieces = length === 0 ? [] : [Buffer.from(pieces.join('')).subarray(0, length).toString()];
    },
    flush: () => {},
    close: () => {},
  };
}

/** A file that is only ever appended to, but for the repair of a torn tail. */
export function fileMedium(path: string): Medium {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'a+', 0o600);
  return {
    read: () => readFileSync(path),
    append: (text) => {
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    },
    truncate: (length) => ftruncateSync(file, length),
    flush: () => fdatasyncSync(file),
    close: () => closeSync(file),
  };
}
