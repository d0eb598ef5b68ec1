// Loads a target from a JS or TS file.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
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
  return found.runcert === 'runner' ? moduleRunner(found) : moduleHost(found);
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
    const { createJiti } = await import('jiti');
    exported = await createJiti(import.meta.url, { interopDefault: true, moduleCache: true }).import(path, {
      default: true,
    });
  } catch (error) {
    throw new RuncertError(
      'RUNCERT_MODULE',
      `It cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      {
        place: file,
        remedy: 'Load it with Node itself to see where it breaks.',
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
