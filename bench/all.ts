// Every bench, one after another: `npm run bench`. Goes on after one that missed its goal, and says at the end which did.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const tsx = (...args: readonly string[]): readonly string[] => [process.execPath, '--import', 'tsx', ...args];
const script = (name: string): readonly string[] => [npm, 'run', '--silent', name, '--prefix', 'bench'];

/** A heap that holds one case and not a recording: whoever keeps facts dies of it. */
const JUDGING = ['--expose-gc', '--max-old-space-size=160', 'bench/judging.ts'];

const BENCHES: Readonly<Record<string, readonly string[]>> = {
  wire: tsx('bench/wire.ts'),
  'judging runners': tsx(...JUDGING),
  'judging hosts': tsx(...JUDGING, '--party=host'),
  validators: script('validators'),
  arbitraries: script('arbitraries'),
  generate: script('generate'),
  'agent runtime': tsx('bench/agent-runtime.ts'),
};

const run = ([command, ...args]: readonly string[]): boolean =>
  spawnSync(command!, args, { cwd: root, stdio: 'inherit' }).status === 0;

// The peers are no dependencies of the product.
if (!existsSync(`${root}bench/node_modules`) && !run([npm, 'ci', '--prefix', 'bench'])) process.exit(1);

const missed: string[] = [];
for (const [name, command] of Object.entries(BENCHES)) {
  console.log(`\n── ${name}`);
  if (!run(command)) missed.push(name);
}
console.log(missed.length === 0 ? '\nEvery goal was met.' : `\nA goal was missed: ${missed.join(', ')}.`);
process.exitCode = missed.length === 0 ? 0 : 1;
