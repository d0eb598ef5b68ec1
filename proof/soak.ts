// No false alarms: the references and every honest variant over many seeds, in process. Exit 1 on the first alarm that is found.
// Usage: npm run soak [-- --seeds N] [--from SEED] [--runs N] [--rows GLOB]
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drive } from '../conformance/driving/drive.ts';
import { globs } from '../conformance/driving/glob.ts';
import { entriesOf } from '../conformance/driving/matrix.ts';
import { PARTIES, suiteFor } from '../conformance/suites.ts';
import { inProcesses, ownShare, send } from './parallel.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    runs: { type: 'string', default: '3' },
    rows: { type: 'string', default: '**' },
  },
});
const SEEDS = Number(values.seeds);
const FROM = Number(values.from);
/** Generated stimuli an area; its corners are the same for every seed and are played once, by the kill matrix. */
const RUNS = Number(values.runs);

interface Row {
  readonly party: string;
  readonly id: string;
  readonly seed: number;
  readonly stimuli: number;
  readonly occasions: number;
  readonly alarms: readonly string[];
}

const wanted = globs([values.rows]);
const suites = await Promise.all(PARTIES.map((party) => suiteFor(party)));
const honest = suites.flatMap((suite) =>
  entriesOf(suite)
    .filter(({ id, kind }) => (kind === 'reference' || kind === 'variant') && wanted(id))
    .map((entry) => ({ suite, entry })),
);
const mine = ownShare();
if (mine === undefined) await lead();
else await follow(mine);

async function follow(own: (at: number) => boolean): Promise<void> {
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    if (!own(seed)) continue;
    for (const { suite, entry } of honest) {
      const { outcome } = await drive(suite, entry.target(), {
        seed,
        generated: RUNS,
        version: 'proof',
        shrinkPlays: 0,
      });
      send({
        party: suite.party,
        id: entry.id,
        seed,
        stimuli: outcome.counts.stimuli,
        occasions: outcome.clauses.reduce((sum, clause) => sum + clause.occasions, 0),
        alarms: outcome.clauses
          .filter(({ verdict }) => verdict === 'fail' || verdict === 'harness-fault')
          .map(({ id, expected, found }) => `${id}: expected ${expected}, found ${found}`),
      } satisfies Row);
    }
  }
  process.disconnect?.();
}

async function lead(): Promise<void> {
  let rows = 0;
  let stimuli = 0;
  let occasions = 0;
  let alarms = 0;
  const begun = performance.now();
  await inProcesses<Row>(fileURLToPath(import.meta.url), (row) => {
    rows++;
    stimuli += row.stimuli;
    occasions += row.occasions;
    for (const alarm of row.alarms) {
      alarms++;
      console.log(`false alarm: ${row.party} ${row.id}, seed ${row.seed}: ${alarm}`);
      console.log(`  see it again: npx runcert matrix ${row.party} --rows ${row.id} --seed ${row.seed}`);
    }
    if (rows % (honest.length * 10) === 0)
      console.log(`${rows / honest.length} of ${SEEDS} seeds, ${alarms} false alarms, ${seconds(begun)} s`);
  });
  console.log(
    `${alarms} false alarms: ${honest.length} honest implementations, ${SEEDS} seeds from ${FROM}, ${RUNS} stimuli an area, ${stimuli} stimuli, ${occasions} occasions, ${seconds(begun)} s`,
  );
  const whole = rows === honest.length * SEEDS && rows > 0;
  if (!whole) console.log(`only ${rows} of ${honest.length * SEEDS} runs came back`);
  process.exitCode = whole && alarms === 0 ? 0 : 1;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
