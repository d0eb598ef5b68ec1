// A whole regeneration in a new process, beside a bare `node -e 0`; both by wall clock and by CPU time.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { limit, median } from './measure.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = `${root}dist/cli/main.js`;
if (!existsSync(cli)) throw new Error('Build first: npm run build');
const RUNS = 9;

function timed(args: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}`);
  return performance.now() - started;
}

const bare: number[] = [];
const whole: number[] = [];
const help: number[] = [];
for (let run = 0; run < RUNS; run++) {
  bare.push(timed(['-e', '0']));
  whole.push(timed([cli, 'generate']));
  help.push(timed([cli, '--help']));
}
const [b, w, h] = [median(bare), median(whole), median(help)];
console.log(
  `bare node ${b.toFixed(0)} ms, runcert generate ${w.toFixed(0)} ms, runcert --help ${h.toFixed(0)} ms (medians of ${RUNS})`,
);
// One second where a bare node takes 70 ms: on another or a busier machine the same ratio.
limit('generate / bare node, at most 14.3', w / b, w / b <= 14.3);
limit('help / bare node, at most 2', h / b, h / b <= 2);
