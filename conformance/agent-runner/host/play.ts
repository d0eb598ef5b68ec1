// Plays a host stimulus step by step: drives the host by the driver contract while the Runtime's seat answers it. Never hangs.
import { setMaxListeners } from 'node:events';
import type { JsonObject } from '../../../common/json.ts';
import type { Stage } from '../../driving/suite.ts';
import { bySchedule } from '../../wire/interleaving.ts';
import { aborted, CALL_PATIENCE, makeCalls } from './perform.ts';
import { fill } from './placeholder.ts';
import { RuntimeSeat } from './seat.ts';
import type { HostStimulus, Step } from './stimulus.ts';

/** How long a run may take to settle once its script is played. */
const SETTLE = 4000;
/** How long a cut script may take to end. */
const CLEAR = 1000;
/** What a run that is not over shows (MODELS §7.3). */
const UNDER_WAY: ReadonlySet<unknown> = new Set(['running']);

/** Runs do not wait for one another. Calls keep their place among all: a runner may ask about what it has just said. */
const laneOf = ({ action, seq_id }: JsonObject): string | undefined =>
  action === undefined ? `stream ${seq_id}` : action === 'driver_submit' ? action : undefined;

export async function playHost(stimulus: HostStimulus, stage: Stage): Promise<void> {
  if (stage.signal.aborted) return;
  const { clock, session } = stage;
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  // A reason spares the making of an error nobody reads.
  const stop = (): void => over.abort('over');
  stage.signal.addEventListener('abort', stop, { once: true });
  const seat = new RuntimeSeat(stimulus, stage, over.signal);
  if (stimulus.holds !== undefined) session.interleave?.(bySchedule(stimulus.holds), laneOf);

  async function drive(action: string, data: JsonObject): Promise<JsonObject> {
    if (over.signal.aborted) return {};
    return (await session.peer.call(action, data, { timeout: CALL_PATIENCE, signal: over.signal })).data;
  }
  const observe = (run: number | undefined): Promise<JsonObject> =>
    drive('driver_observe', run === undefined ? {} : { run_id: seat.runId(run) });

  /** Waits for it, but no longer than `ms`. */
  async function patiently(what: Promise<unknown> | undefined, ms: number, give?: AbortSignal): Promise<void> {
    if (what === undefined) return;
    const enough = new AbortController();
    await Promise.race([what, clock.sleep(ms, enough.signal), ...(give ? [aborted(give)] : [])]);
    enough.abort('enough');
  }

  async function settle(run: number, within: number): Promise<void> {
    const cast = seat.casts[run];
    const until = clock.now() + within;
    if (cast?.runId === undefined) return;
    await patiently(cast.played.opened, within, over.signal);
    for (let pause = 10; !over.signal.aborted; pause *= 2) {
      const shown = await observe(run);
      if (!UNDER_WAY.has(shown['status']) || clock.now() >= until) return;
      await clock.sleep(Math.min(pause, Math.max(1, until - clock.now())), over.signal);
    }
  }

  async function take(step: Step): Promise<unknown> {
    switch (step.do) {
      case 'discover': {
        const offer = stimulus.offers[step.offer ?? 0];
        if (offer !== undefined) seat.offer(offer);
        return drive('driver_discover', {});
      }
      case 'submit': {
        const { known } = seat.caller();
        const [event, binding] = [fill(step.event, known), fill(step.binding, known)];
        const cast = seat.expect(event, step.script);
        const { run_id: runId } = await drive('driver_submit', { event, binding });
        if (typeof runId === 'string') cast.runId ??= runId;
        return;
      }
      case 'cancel':
        return drive('driver_cancel', { run_id: seat.runId(step.run), reason: step.reason ?? 'asked to' });
      case 'reach':
        return patiently(seat.casts[step.run]?.reached.opened, CALL_PATIENCE, over.signal);
      case 'settle':
        return settle(step.run, step.within ?? SETTLE);
      case 'observe':
        return observe(step.run);
      case 'wait':
        return clock.sleep(step.ms + (step.graces ?? 0) * stage.grace, over.signal);
      case 'restart':
        return drive('driver_restart', step.torn === true ? { torn: true } : {});
      case 'call': {
        const made = makeCalls(step, { ...seat.caller(), identity: null });
        return step.alongside === true ? undefined : made;
      }
    }
  }

  try {
    for (const step of stimulus.steps) {
      if (over.signal.aborted || session.peer.isClosed) break;
      await take(step);
    }
  } finally {
    stage.signal.removeEventListener('abort', stop);
    over.abort('over');
    // No frame of this case may fall into the next.
    await patiently(seat.clear(), CLEAR);
    await clock.sleep(0);
  }
}
