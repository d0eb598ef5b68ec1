// For tests: the package as users have it, built from the sources of this checkout and apart from dist/, so that nothing stale is tested.
// Test files share one build: whoever comes first makes it, the others wait for it, and the next run finds it as long as no source changed.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'tsdown';
import { packageRoot } from '../spec-root.ts';

const ROOMS = ['cli', 'common', 'conformance', 'generator', 'reports', 'schemas'];
const FILES = ['index.ts', 'package.json', 'package-lock.json'];
/** A build takes seconds; a lock this old was left by a run that was killed. */
const STALE_LOCK_MS = 60_000;

/** The folder with `main.js` (the CLI) and `index.js` (the library). */
export async function builtPackage(): Promise<string> {
  const cache = join(packageRoot(), 'node_modules/.cache/runcert-tests');
  const out = join(cache, await fingerprint());
  const lock = join(cache, 'lock');
  await mkdir(cache, { recursive: true });
  while (!existsSync(out)) {
    const mine = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (!mine) {
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      );
      if (age > STALE_LOCK_MS) await rm(lock, { recursive: true, force: true });
      await sleep(50);
      continue;
    }
    try {
      if (!existsSync(out)) await buildInto(cache, out);
    } finally {
      await rm(lock, { recursive: true, force: true });
    }
  }
  return out;
}

/** The path of the CLI's main file. */
export const builtCli = async (): Promise<string> => join(await builtPackage(), 'main.js');

async function buildInto(cache: string, out: string): Promise<void> {
  for (const old of await readdir(cache))
    if (old !== 'lock') await rm(join(cache, old), { recursive: true, force: true });
  const making = `${out}.making`;
  await build({
    cwd: packageRoot(),
    config: false,
    entry: { main: 'cli/main.ts', index: 'index.ts', 'judging-thread': 'conformance/judging-thread.ts' },
    outDir: making,
    dts: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    fixedExtension: false,
    logLevel: 'silent',
  });
  await rename(making, out);
}

/** Names, sizes and times of all sources: another one after any change. */
async function fingerprint(): Promise<string> {
  const root = packageRoot();
  const inside = await Promise.all(
    ROOMS.map(async (room) => {
      const entries = await readdir(join(root, room), { recursive: true });
      return entries.filter((path) => /\.(ts|js|json)$/.test(path)).map((path) => join(room, path));
    }),
  );
  const hash = createHash('sha256');
  for (const path of [...FILES, ...inside.flat()].sort()) {
    const { size, mtimeMs } = await stat(join(root, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
