// A trial is what a test is to other projects: one area of a conformance run, in process, on virtual time.
import { drive } from '../../conformance/driving/drive.ts';
import type { Area, Suite } from '../../conformance/driving/suite.ts';
import type { Target } from '../../conformance/targets/target.ts';

export interface Tried {
  /** The first clause that failed, with what was expected and found. */
  readonly broken?: string;
  /** The clauses of the area that passed: a mutant under which one is no longer exercised is seen too. */
  readonly kept: readonly string[];
}

export interface Trial {
  readonly id: string;
  run(): Promise<Tried>;
}

export const SEED = 20260603;
/** Generated stimuli beyond an area's corners, as in the kill matrix. */
export const BEYOND = 8;

/** One trial an area. */
export const areaTrials = (suite: Suite, target: () => Target, name: string): Trial[] =>
  suite.areas.map((area) => ({ id: `${name}/${area.id}`, run: () => tryArea(suite, area, target()) }));

async function tryArea(suite: Suite, area: Area, target: Target): Promise<Tried> {
  let broken = false;
  const { outcome } = await drive(
    { ...suite, areas: [area] },
    target,
    // The first violation is enough.
    { seed: SEED, beyond: BEYOND, version: 'proof', shrinkPlays: 0, outOfTime: () => broken },
    {
      progress: ({ failing }) => {
        broken ||= failing > 0;
      },
    },
  );
  const failed = outcome.clauses.find(({ verdict }) => verdict === 'fail');
  const own = new Set(suite.clauses.filter((clause) => clause.area === area.id).map(({ id }) => id));
  return {
    ...(failed === undefined ? {} : { broken: `${failed.id}: expected ${failed.expected}, found ${failed.found}` }),
    kept: outcome.clauses.filter(({ id, verdict }) => own.has(id) && verdict === 'pass').map(({ id }) => id),
  };
}
