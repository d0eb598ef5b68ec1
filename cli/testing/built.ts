// For tests: the CLI as users run it, built once a test file and apart from dist/, so that nothing stale is tested.
import { join } from 'node:path';
import { build } from 'tsdown';
import { packageRoot } from '../spec-root.ts';

/** The path of its main file. `name` keeps builds of test files that run at once apart. */
export async function builtCli(name: string): Promise<string> {
  const outDir = join(packageRoot(), 'node_modules/.cache', `runcert-${name}`);
  await build({
    cwd: packageRoot(),
    config: false,
    entry: { main: 'cli/main.ts' },
    outDir,
    dts: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    fixedExtension: false,
    logLevel: 'silent',
  });
  return join(outDir, 'main.js');
}
