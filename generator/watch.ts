// Waits for changes of documents and calls back once they have settled.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Editors write a file in several steps; what comes within this time is one change. */
const SETTLE_MS = 80;

/** Watches spec/ under `root`, or one document. Returns the way to stop. */
export function watchSpec(where: { readonly root: string; readonly spec?: string }, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const notice = (name: string | null): void => {
    if (where.spec !== undefined ? name !== basename(where.spec) : name !== null && !/\.(?:md|ya?ml)$/u.test(name))
      return;
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE_MS);
  };
  // The folder, not the file: an editor that saves by renaming replaces the file.
  const watcher: FSWatcher =
    where.spec === undefined
      ? watch(join(where.root, 'spec'), { recursive: true }, (_, name) => notice(name))
      : watch(dirname(where.spec), (_, name) => notice(name));
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
