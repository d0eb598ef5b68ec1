// fast-check's scheduler decides in which order the messages of the harness arrive, while stimuli of the isolation areas are
// played: the references keep every clause whatever it decides, and it finds the moment in which a racy one mixes up its runs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pilot } from '../driving/pilot.ts';
import type { Area, Suite } from '../driving/suite.ts';
import { judgeCase } from '../judging/tally.ts';
import { suiteFor } from '../suites.ts';
import type { Target } from '../targets/target.ts';
import type { Decide } from '../wire/interleaving.ts';
import type { HostParts } from './reference-host/parts.ts';
import type { Session } from './reference-host/sessions.ts';
import { referenceHostTarget } from './reference-host/target.ts';
import { runnerSuite } from './runner/suite.ts';

const SEED = 20260603;

/** Right, but for a few turns of the promise queue in which another run may come and is taken for this one. */
const RACY: Readonly<Record<'runner' | 'host', () => Target>> = {
  runner: () => runnerSuite.mutants.find(({ id }) => id === 'runner/run-overtaken-in-an-await')!.target(),
  host: () =>
    referenceHostTarget(() => {
      let latest: Session | undefined;
      const handOver: HostParts['handOver'] = async (session, { type }, take) => {
        if (type !== 'message.completed') return take(session);
        latest = session;
        for (let turns = 0; turns < 6; turns++) await undefined;
        take(latest);
      };
      return { parts: { handOver } };
    }),
};
const MIXED = { runner: 'v1/context-1/runs-kept-apart', host: 'v1/7.2/completed-delivered' };

/** How many turns go by before each message, and the most that are chosen ahead: so close, or so far apart, can they be. */
interface Pace {
  readonly pauses: readonly number[];
  readonly ahead: number;
}
const pace: fc.Arbitrary<Pace> = fc.record({
  pauses: fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 8 }), fc.nat({ max: 150 })), { minLength: 1, maxLength: 40 }),
  ahead: fc.integer({ min: 1, max: 9 }),
});

/** Each message is a task of the scheduler once it is the first of its lane; which of them goes next is the scheduler's choice. */
function byScheduler(scheduler: fc.Scheduler, { pauses, ahead }: Pace): Decide {
  const waiting: object[] = [];
  const chosen: object[] = [];
  let [choosing, going, gone, turns] = [false, false, 0, 0];
  const choose = async (): Promise<void> => {
    choosing = true;
    await scheduler.waitNext(Math.min(ahead, scheduler.count()));
    choosing = false;
  };
  return ({ action, seq_id }) => {
    const me = {};
    return () => {
      if (!waiting.includes(me)) {
        waiting.push(me);
        scheduler.schedule(Promise.resolve(), `${action ?? 'answer'} ${seq_id}`).then(() => chosen.push(me));
      }
      if (waiting[0] === me) turns++;
      if (!choosing && chosen.length === 0) void choose();
      if (choosing || going || chosen[0] !== me || turns <= pauses[gone % pauses.length]!) return false;
      going = true;
      // Before the next turn: in this one others are still asked.
      queueMicrotask(() => {
        chosen.shift();
        waiting.splice(waiting.indexOf(me), 1);
        [going, gone, turns] = [false, gone + 1, 0];
      });
      return true;
    };
  };
}

/** The same target, with somebody else to decide when a message goes. */
const decidedBy = (target: Target, decide: () => Decide): Target => ({
  ...target,
  open: async (harness) => {
    const session = await target.open(harness);
    return { ...session, interleave: (_, laneOf) => session.interleave?.(decide(), laneOf) };
  },
});

/** What of the suite is broken when this stimulus is played so. */
async function brokenBy(suite: Suite, target: Target, area: Area, stimulus: unknown): Promise<string[]> {
  const pilot = new Pilot({ suite, target, grace: 1000, seed: SEED });
  await pilot.meet();
  const findings = judgeCase(suite, pilot.head(), await pilot.play(area, stimulus, 'case'));
  await pilot.close();
  return [...findings].flatMap(([clause, list]) => (list.some(({ kind }) => kind === 'broken') ? [clause] : []));
}

const occasion = async (party: 'runner' | 'host') => {
  const suite = await suiteFor(party);
  const area = suite.areas.find(({ id }) => id === 'isolation')!;
  const pilot = new Pilot({ suite, target: suite.reference(), grace: 1000, seed: SEED });
  const info = await pilot.meet();
  await pilot.close();
  // Where time goes by between messages, it decides.
  const timeless = area.stimulus(info).filter((stimulus) => (stimulus as { holds?: unknown }).holds !== undefined);
  const property = (target: Target) =>
    fc.asyncProperty(timeless, fc.scheduler(), pace, async (stimulus, scheduler, ofIt) => {
      const broken = await brokenBy(
        suite,
        decidedBy(target, () => byScheduler(scheduler, ofIt)),
        area,
        stimulus,
      );
      if (broken.length > 0) throw new Error(`broken: ${broken.join(' ')}`);
      expect(scheduler.report().length).toBeGreaterThan(0);
    });
  return { suite, property };
};

describe.each(['runner', 'host'] as const)('under fast-check’s scheduler, the %s', (party) => {
  it('of reference keeps every clause', { timeout: 120_000 }, async () => {
    const { suite, property } = await occasion(party);
    await fc.assert(property(suite.reference()), { seed: SEED, numRuns: 25 });
  });

  it('that is racy is found out', { timeout: 120_000 }, async () => {
    const { property } = await occasion(party);
    const { failed, errorInstance } = await fc.check(property(RACY[party]()), {
      seed: SEED,
      numRuns: 200,
      endOnFailure: true,
    });
    expect(failed).toBe(true);
    expect(String(errorInstance)).toContain(MIXED[party]);
  });
});
