// Targets in this process, behind a memory link: the same frames as on a pipe, on virtual time.
import type { Clock } from '../driving/clock.ts';
import { type Link, MemoryEnd, memoryLink } from '../wire/link.ts';
import { Peer } from '../wire/peer.ts';
import type { SeatRules } from './external.ts';
import { TargetFailure } from './failure.ts';
import type { Harness, Session, Target } from './target.ts';
import { hearUncaught } from './uncaught.ts';
import { watchFor } from './watch.ts';

export interface InProcessOptions {
  readonly kind: string;
  readonly time?: 'virtual' | 'real';
  /** Somebody else's code: an error in it that nobody catches ends it, as it would end a process. */
  readonly foreign?: boolean;
  /** The near and the far end of what lies between; messages in memory unless told otherwise. */
  links?(): readonly [near: Link, far: Link];
  /** Takes the far end of the link and plays the target on it. What it returns ends it. */
  play?(far: Peer, world: { readonly clock: Clock }): void | (() => void | Promise<void>);
  /** The same for a target that brings a peer of its own. */
  serve?(far: Link, world: { readonly clock: Clock }): void | (() => void | Promise<void>);
}

/** Milliseconds, on the target's clock, that a handshake in this process may take. */
const START = 10_000;

export function inProcessTarget(rules: SeatRules, options: InProcessOptions): Target {
  return {
    kind: options.kind,
    party: rules.party,
    time: options.time ?? 'virtual',
    open: (harness) => open(rules, options, harness),
  };
}

async function open(rules: SeatRules, options: InProcessOptions, harness: Harness): Promise<Session> {
  const { clock } = harness;
  const [near, farEnd] = options.links?.() ?? memoryLink();
  const watch = watchFor(harness, (why) => near.close(why));
  const peer = new Peer(near, { clock, watch: watch.watch });
  const unhear = options.foreign
    ? hearUncaught((words) => {
        watch.fault('RUNCERT_TARGET_UNCAUGHT', words);
        near.close(words);
      })
    : undefined;
  const finish =
    options.serve?.(farEnd, { clock }) ?? options.play?.(new Peer(farEnd, { clock, firstSeq: 1000 }), { clock });
  const close = async (): Promise<void> => {
    watch.mute();
    near.close('closed by Runcert');
    try {
      await finish?.();
    } catch {
      // The case is over; what its target does while it is ended proves nothing.
    }
    await unhear?.();
  };
  const fail = (step: 'handshake' | 'discover', expected: string, came: string, remedy: string): TargetFailure =>
    new TargetFailure('RUNCERT_TARGET_HANDSHAKE', step, { expected, came, remedy });
  try {
    const info = await rules.meet({
      kind: options.kind,
      peer,
      harness,
      startTimeout: START,
      await: async (step, what, expected, remedy) => {
        const stop = new AbortController();
        const result = await Promise.race([what.then((value) => ({ value })), clock.sleep(START, stop.signal)]);
        stop.abort();
        if (result === undefined) throw fail(step as 'handshake', expected, `nothing within ${START} ms`, remedy);
        return result.value;
      },
      call: async (step, action, data, remedy, tolerant = false) => {
        const answer = await peer.call(action, data, { timeout: START });
        if (answer.lost !== undefined || (answer.code !== 0 && !tolerant))
          throw fail(step as 'handshake', `${action} to be answered with code 0`, answer.message, remedy);
        return answer;
      },
    });
    return {
      info,
      peer,
      ...(near instanceof MemoryEnd ? { interleave: (decide, laneOf) => near.interleave(decide, laneOf) } : {}),
      reset: async () => !peer.isClosed && peer.quiet && rules.reset(peer, harness),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
