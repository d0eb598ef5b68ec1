// Wrong calls beside right ones: what is wrong with the run, the identity or the arguments, and calls that come too late.
// The right call beside them shows that a refusal has no other reason.
import type { JsonObject } from '../../../../common/json.ts';
import type { Beat, Call, HostStimulus, Step } from '../stimulus.ts';
import { runOf } from '../stimulus.ts';
import {
  argumentFlaws,
  call,
  ending,
  inTurn,
  NEAR_MISSES,
  type Offering,
  oddCalls,
  Pacer,
  part,
  prepare,
  RUN_FLAWS,
  right,
  rightArguments,
  runners,
} from './authorization-kit.ts';
import { cheapest } from './authorization-limits.ts';
import { AUTHOR, scene } from './kit.ts';

/** Each wrong call between two right ones, in one run that may do everything. */
export function beside(
  offering: Offering,
  wrongs: readonly { readonly action: string; readonly calls: readonly Call[] }[],
): HostStimulus {
  const actions = wrongs.map(({ action }) => action);
  const beats = wrongs.flatMap(({ action, calls }) => [
    right(offering, action, 0),
    ...calls,
    right(offering, action, 0),
  ]);
  return scene(inTurn(offering, [{ beats: [...prepare(actions, 0), ...beats, ...ending] }]), runners(offering));
}

export const flawed = (offering: Offering, actions: readonly string[], flaws: readonly string[]): HostStimulus =>
  beside(
    offering,
    actions.map((action) => ({ action, calls: flaws.map((flaw) => RUN_FLAWS[flaw]!(right(offering, action, 0))) })),
  );

/** Each of these wrongs by itself, between right calls, on one action: whoever asks and for which run is asked in one place. */
export const nearMisses = (offering: Offering): HostStimulus => {
  const action = cheapest(offering);
  return beside(offering, [{ action, calls: NEAR_MISSES.map((flaw) => flaw(right(offering, action, 0))) }]);
};

/** Wrong and odd arguments; `pick` chooses among the flaws of each action. */
export const badArguments = (
  offering: Offering,
  actions: readonly string[],
  pick: (flaws: readonly JsonObject[]) => readonly JsonObject[],
): HostStimulus =>
  beside(
    offering,
    actions.map((action) => ({
      action,
      calls: [
        ...pick(argumentFlaws(action, rightArguments(offering, action, 0))).map((data) => call(action, data)),
        ...oddCalls(offering, action, 0),
      ],
    })),
  );

const OWN = `${AUTHOR}/probe`;

/** Right while the run lasts; the same calls once it is over. */
export function ended(offering: Offering, actions: readonly string[]): HostStimulus {
  const pacer = new Pacer(offering);
  const beats = [...prepare(actions, 0), ...actions.map((action) => right(offering, action, 0)), ...ending];
  const late = actions.map(
    (action): Step => ({
      do: 'call',
      ...right(offering, action, 0),
      data: { ...rightArguments(offering, action, 0), run_id: runOf(0) },
      as: OWN,
    }),
  );
  return scene(
    [...inTurn(offering, [{ beats }], pacer), { do: 'wait', ms: 1100 }, ...pacer.steps(late)],
    runners(offering),
  );
}

/** Right before the deadline; the same calls after it. A host may have cancelled by then, which this runner does not heed. */
export function overdue(offering: Offering, actions: readonly string[]): HostStimulus {
  const calls = actions.map((action) => right(offering, action, 0));
  const beats: Beat[] = [
    ...prepare(actions, 0),
    ...calls,
    { deadline: 100 },
    ...calls.slice(0, 2),
    { deadline: 300, graces: 1 },
    ...calls,
    { end: 'silence' },
  ];
  const pacer = new Pacer(offering);
  const timeout = 3 + Math.ceil((actions.length + 10) / offering.pace) * 1.2;
  return scene(
    [
      part(0, { beats, config: { timeout } }, offering, pacer),
      { do: 'wait', ms: Math.ceil(timeout * 2400) + 2000, graces: 2 },
    ],
    runners(offering),
  );
}
