// A trial is what a test is to other projects: one area of a conformance run, in process, on virtual time.
import { isObject } from '../../common/json.ts';
import { drive } from '../../conformance/driving/drive.ts';
import type { Area, Suite } from '../../conformance/driving/suite.ts';
import type { Fact } from '../../conformance/recording/fact.ts';
import type { Target } from '../../conformance/targets/target.ts';

export interface Tried {
  /** The first clause that failed, with what was expected and found. */
  readonly broken?: string;
  /**
   * The clauses of the area that passed, the calls that the target made and the types of results that it sent:
   * a mutant under which one of them is no longer exercised is seen too.
   */
  readonly kept: readonly string[];
}

export interface Trial {
  readonly id: string;
  run(): Promise<Tried>;
}

const SEED = 20260603;
/** Generated stimuli beyond an area's corners, as in the kill matrix. */
const BEYOND = 8;

/** One trial an area. */
export const areaTrials = (suite: Suite, target: () => Target, name: string): Trial[] =>
  suite.areas.map((area) => ({ id: `${name}/${area.id}`, run: () => tryArea(suite, area, target()) }));

async function tryArea(suite: Suite, area: Area, target: Target): Promise<Tried> {
  let broken = false;
  const shown = new Set<string>();
  const { outcome } = await drive(
    { ...suite, areas: [area] },
    target,
    // The first violation is enough.
    { seed: SEED, beyond: BEYOND, version: 'proof', shrinkPlays: 0, outOfTime: () => broken },
    {
      case: (facts) => {
        for (const what of shownIn(facts)) shown.add(what);
      },
      progress: ({ failing }) => {
        broken ||= failing > 0;
      },
    },
  );
  const failed = outcome.clauses.find(({ verdict }) => verdict === 'fail');
  const own = new Set(suite.clauses.filter((clause) => clause.area === area.id).map(({ id }) => id));
  return {
    ...(failed === undefined ? {} : { broken: `${failed.id}: expected ${failed.expected}, found ${failed.found}` }),
    kept: [
      ...outcome.clauses.filter(({ id, verdict }) => own.has(id) && verdict === 'pass').map(({ id }) => id),
      ...shown,
    ],
  };
}

function* shownIn(facts: readonly Fact[]): Iterable<string> {
  for (const fact of facts) {
    if (fact.fact !== 'received' || !isObject(fact.frame)) continue;
    const { action, data } = fact.frame;
    if (typeof action === 'string') yield `the call ${action}`;
    else if (isObject(data) && typeof data['type'] === 'string') yield `the result ${data['type']}`;
  }
}
