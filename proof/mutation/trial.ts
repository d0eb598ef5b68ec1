// A trial is what a test is to other projects: a part of one area of a conformance run, in process, on virtual time.
import { isObject } from '../../common/json.ts';
import { type DriveOptions, drive } from '../../conformance/driving/drive.ts';
import type { Area, Suite } from '../../conformance/driving/suite.ts';
import type { Fact } from '../../conformance/recording/fact.ts';
import type { Target } from '../../conformance/targets/target.ts';

export interface Tried {
  /** The first clause that failed, with what was expected and found. */
  readonly broken?: string;
  /**
   * The MUST clauses that were decided or do not apply, the calls that the target made and the types of results that it sent:
   * a mutant under which one of them is gone from the whole run is seen too.
   */
  readonly decided: readonly string[];
}

export interface Trial {
  readonly id: string;
  run(): Promise<Tried>;
}

/** How a call or a result begins among what a trial decided; clauses have ids. */
export const SHOWN = 'the ';

type Shard = NonNullable<DriveOptions['shard']>;

export const SEED = 20260603;
/** Generated stimuli beyond an area's corners, as in the kill matrix. */
export const BEYOND = 8;

/** Parts of an area: about as many as it has stimuli, so that a mutant meets those that run its code and no other. */
const SHARDS = 100;

export const areaTrials = (suite: Suite, target: () => Target, name: string): Trial[] =>
  suite.areas.map(withCornersOnce).flatMap((area) =>
    Array.from({ length: SHARDS }, (_, at) => ({
      id: `${name}/${area.id}/${at + 1}`,
      run: () => tryPart(suite, area, target(), { index: at + 1, of: SHARDS }),
    })),
  );

/** An area makes all its corners for every part of it; for a target that declares the same they are the same. */
function withCornersOnce(area: Area): Area {
  const made = new Map<string, readonly unknown[]>();
  return {
    ...area,
    corners: (info) => {
      const key = JSON.stringify(info);
      const corners = made.get(key) ?? area.corners?.(info) ?? [];
      made.set(key, corners);
      return corners;
    },
  };
}

async function tryPart(suite: Suite, area: Area, target: Target, shard: Shard): Promise<Tried> {
  let broken = false;
  const shown = new Set<string>();
  const { outcome } = await drive(
    { ...suite, areas: [area] },
    target,
    // The first violation is enough.
    { seed: SEED, beyond: BEYOND, version: 'proof', shard, shrinkPlays: 0, outOfTime: () => broken },
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
  const isDecided = (verdict: string): boolean => verdict === 'pass' || verdict === 'not-applicable';
  return {
    ...(failed === undefined ? {} : { broken: `${failed.id}: expected ${failed.expected}, found ${failed.found}` }),
    decided: [
      ...outcome.clauses.filter(({ level, verdict }) => level === 'MUST' && isDecided(verdict)).map(({ id }) => id),
      ...shown,
    ],
  };
}

function* shownIn(facts: readonly Fact[]): Iterable<string> {
  for (const fact of facts) {
    if (fact.fact !== 'received' || !isObject(fact.frame)) continue;
    const { action, data } = fact.frame;
    if (typeof action === 'string') yield `${SHOWN}call ${action}`;
    else if (isObject(data) && typeof data['type'] === 'string') yield `${SHOWN}result ${data['type']}`;
  }
}
