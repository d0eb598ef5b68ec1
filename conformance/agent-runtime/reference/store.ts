// Where a runtime keeps its log: appended to, never rewritten. A line that was cut off by a crash is cut away at the next start.
import { closeSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { RuncertError } from '../../../common/error.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';

export interface EventStore {
  /** What was kept, oldest first. */
  load(): readonly JsonObject[];
  /** Kept once this returns, all of them. */
  append(events: readonly JsonObject[]): void;
  clear(): void;
  close(): void;
}

/** Keeps the log in memory, as text, so that nothing but its content outlives a restart. */
export function memoryStore(): EventStore {
  let lines: string[] = [];
  return {
    load: () => lines.map((line) => JSON.parse(line) as JsonObject),
    append: (events) => void lines.push(...events.map((event) => JSON.stringify(event))),
    clear: () => {
      lines = [];
    },
    close: () => {},
  };
}

export interface Repaired {
  /** Bytes of a torn last line that were cut away. */
  readonly cut: number;
}

/** Keeps the log in a file. */
export class FileStore implements EventStore {
  readonly path: string;
  #file: number;
  #repaired: Repaired = { cut: 0 };

  constructor(path: string) {
    this.path = path;
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, 'a+');
  }

  get repaired(): Repaired {
    return this.#repaired;
  }

  load(): readonly JsonObject[] {
    const bytes = readFileSync(this.path);
    const sound = bytes.lastIndexOf(10) + 1;
    if (sound < bytes.length) {
      ftruncateSync(this.#file, sound);
      fsyncSync(this.#file);
      this.#repaired = { cut: bytes.length - sound };
    }
    const lines = bytes.toString('utf8', 0, sound).split('\n');
    return lines.flatMap((line, i) => (line === '' ? [] : [read(line, `${this.path}:${i + 1}`)]));
  }

  append(events: readonly JsonObject[]): void {
    if (events.length === 0) return;
    writeSync(this.#file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    fsyncSync(this.#file);
  }

  clear(): void {
    ftruncateSync(this.#file, 0);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function read(line: string, place: string): JsonObject {
  try {
    const json: unknown = JSON.parse(line);
    if (isObject(json)) return json;
  } catch {
    // told below
  }
  throw new RuncertError('RUNCERT_LOG_BROKEN', 'The log of the runtime is broken in the middle.', {
    place,
    remedy: 'Look at that line; only a cut-off last line is repaired by itself.',
  });
}
