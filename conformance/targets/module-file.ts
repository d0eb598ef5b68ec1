// Loads a target from a JS or TS file.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RuncertError } from '../../common/error.ts';
import type { HostModule, RunnerModule } from './define.ts';
import { moduleHost } from './module-host.ts';
import { moduleRunner } from './module-runner.ts';
import type { Target } from './target.ts';

export async function moduleTarget(file: string, party?: string): Promise<Target> {
  const found = await load(file);
  const made = found.runcert === 'runner' ? 'runner' : 'host';
  if (party !== undefined && party !== made)
    throw new RuncertError('RUNCERT_MODULE', `It defines a ${made}, and a ${party} is to be certified.`, {
      place: file,
      remedy: `Say \`runcert certify ${made} --module ${file}\`.`,
    });
  // A host that is loaded again is not probed again: the calls of the probe would stand in the case that is played.
  const known = {};
  const targetOf = (module: RunnerModule | HostModule): Target =>
    module.runcert === 'runner' ? moduleRunner(module) : moduleHost(module, 'module', known);
  let target = targetOf(found);
  let loads = 0;
  return {
    ...target,
    open: (harness) => target.open(harness),
    renew: async () => {
      target = targetOf(await loadAgain(resolve(file), ++loads).catch(() => found));
    },
  };
}

/** The file evaluated anew, with what it kept forgotten; Node and jiti each have a cache of their own. */
async function loadAgain(path: string, nth: number): Promise<RunnerModule | HostModule> {
  const anew = async (): Promise<RunnerModule | HostModule> =>
    (await loader(false)).import(path, { default: true }) as Promise<RunnerModule | HostModule>;
  if (/\.[cm]?ts$/.test(path)) return anew();
  // A file that lives where no package `runcert` is installed is loaded by the loader alone.
  return import(`${pathToFileURL(path).href}?again=${nth}`).then((module) => module.default, anew);
}

/**
 * `import … from 'runcert'` means this very package, wherever the file lies: `npx runcert` needs no project around it, and an error
 * that the file throws is of the class that is looked for here.
 */
async function loader(moduleCache: boolean) {
  const [{ createJiti }, runcert, api, arbitraries, validators] = await Promise.all([
    import('jiti'),
    import('../../index.ts'),
    import('../../api.ts'),
    import('../../arbitraries.ts'),
    import('../../validators.ts'),
  ]);
  const virtualModules = {
    runcert,
    'runcert/api': api,
    'runcert/arbitraries': arbitraries,
    'runcert/types': {},
    'runcert/validators': validators,
  };
  return createJiti(import.meta.url, { interopDefault: true, moduleCache, virtualModules });
}

async function load(file: string): Promise<RunnerModule | HostModule> {
  const path = resolve(file);
  if (!existsSync(path))
    throw new RuncertError('RUNCERT_MODULE', 'There is no such file.', {
      place: file,
      remedy: 'Check the path after --module.',
    });
  let exported: unknown;
  try {
    exported = await (await loader(true)).import(path, { default: true });
  } catch (error) {
    throw new RuncertError(
      'RUNCERT_MODULE',
      `It cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      {
        place: file,
        remedy: remedyFor(error),
        cause: error,
      },
    );
  }
  const module = exported as Partial<RunnerModule> | Partial<HostModule> | undefined;
  if (module?.runcert === 'runner' && typeof module.run === 'function') return module as RunnerModule;
  if (module?.runcert === 'host' && typeof module.connect === 'function') return module as HostModule;
  throw new RuncertError('RUNCERT_MODULE', 'Its default export is neither a runner nor a host.', {
    place: file,
    remedy:
      'Write `export default defineRunner({ manifest, async *run(context, api) { … } })` or `defineHost({ connect(peer, { clock }) { … } })`, both from "runcert".',
  });
}

function remedyFor(error: unknown): string {
  const missing = /Cannot find (?:module|package) '([^'./][^']*)'/.exec(
    error instanceof Error ? error.message : '',
  )?.[1];
  return missing === undefined
    ? 'Load it with Node itself to see where it breaks.'
    : `${missing} is not installed where the file is: \`npm install\` it there, or link it into node_modules.`;
}
