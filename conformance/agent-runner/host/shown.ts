// What a host shows by driver_observe (MODELS §7.3), read as far as it makes sense. A part whose feature the host does not
// list is undefined: judges then have nothing to say about it.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { memo } from '../../../common/memo.ts';
import type { HostCase, HostRun, Observation, Placed } from './view.ts';

export interface Delivery {
  readonly runId: string;
  readonly kind: string;
  readonly content: JsonValue | undefined;
  readonly raw: JsonObject;
}

export interface StateEntry {
  readonly scope: string;
  readonly key: string;
  readonly value: JsonValue | undefined;
  readonly raw: JsonObject;
}

export interface Shown extends Placed {
  readonly status: JsonValue | undefined;
  readonly failure: JsonObject;
  readonly statuses: JsonObject | undefined;
  readonly deliveries: readonly Delivery[] | undefined;
  readonly state: readonly StateEntry[] | undefined;
  readonly transcript: readonly JsonObject[] | undefined;
  readonly events: readonly JsonObject[] | undefined;
  readonly artifacts: readonly JsonObject[] | undefined;
  readonly warnings: readonly string[] | undefined;
  readonly telemetry: readonly JsonObject[] | undefined;
  readonly activeRuns: readonly JsonValue[] | undefined;
}

const shownAt = new WeakMap<Observation, Shown>();

export function shownBy(view: HostCase, observation: Observation): Shown {
  const known = shownAt.get(observation);
  if (known !== undefined) return known;
  const { shown, reply } = observation;
  const list = (feature: string): readonly JsonObject[] | undefined => {
    const value = shown[feature];
    return view.features.has(feature) && Array.isArray(value) ? value.filter(isObject) : undefined;
  };
  const { warnings, active_runs } = shown;
  const read: Shown = {
    n: reply?.n ?? observation.n,
    at: reply?.at ?? observation.at,
    status: view.features.has('status') ? shown['status'] : undefined,
    failure: isObject(shown['failure']) ? shown['failure'] : {},
    statuses: view.features.has('status') && isObject(shown['statuses']) ? shown['statuses'] : undefined,
    deliveries: list('deliveries')?.map((raw) => ({
      runId: String(raw['run_id']),
      kind: String(raw['kind']),
      content: raw['content'],
      raw,
    })),
    state: list('state')?.map((raw) => ({
      scope: String(raw['scope']),
      key: String(raw['key']),
      value: raw['value'],
      raw,
    })),
    transcript: list('transcript'),
    events: list('events'),
    artifacts: list('artifacts'),
    warnings: view.features.has('warnings') && Array.isArray(warnings) ? warnings.map(warningText) : undefined,
    telemetry: list('telemetry'),
    activeRuns: view.features.has('active_runs') && Array.isArray(active_runs) ? active_runs : undefined,
  };
  shownAt.set(observation, read);
  return read;
}

/** A warning as one text: its message and whatever else it names. */
export const warningText = (warning: JsonValue): string =>
  typeof warning === 'string' ? warning : JSON.stringify(warning);

const answered = (observation: Observation): boolean => observation.reply?.code === 0;

const byRun = memo((view: HostCase): ReadonlyMap<string, readonly Shown[]> => {
  const shown = new Map<string, Shown[]>();
  for (const one of view.observations) {
    if (one.runId === undefined || !answered(one)) continue;
    const known = shown.get(one.runId);
    if (known === undefined) shown.set(one.runId, [shownBy(view, one)]);
    else known.push(shownBy(view, one));
  }
  return shown;
});
const NONE: readonly Shown[] = [];

/** Every answered observation of this run, in order. */
export const observationsOf = (view: HostCase, run: Pick<HostRun, 'runId'>): readonly Shown[] =>
  byRun(view).get(run.runId) ?? NONE;

/** The first observation that shows the run as over, after its stream ended or was cut. */
export const settledOf = (view: HostCase, run: HostRun): Shown | undefined =>
  observationsOf(view, run).find(({ n, status }) => status !== 'running' && n > (run.end?.n ?? run.n));

/** The last that was seen of this run. */
export const lastOf = (view: HostCase, run: HostRun): Shown | undefined => observationsOf(view, run).at(-1);

/** Every answered observation of the whole host. */
export const overviews = memo((view: HostCase): readonly Shown[] =>
  view.observations.filter((one) => one.runId === undefined && answered(one)).map((one) => shownBy(view, one)),
);
