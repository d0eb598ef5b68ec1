// A runner in this process that calls or yields without end would never let go of it: promises alone keep Node's loop, the clock
// and Ctrl-C waiting. Past a number that no honest run comes near it is made to let others have their turn, and virtual time goes on.
import type { Clock } from '../driving/clock.ts';
import type { Peer } from '../wire/peer.ts';

/** Calls and results of one run before it counts as spinning, and how many it may then make in one go. */
const PATIENCE = 2000;
const GO = 50;

/** To be awaited before every call and result of a run. Once the link is closed nothing is heard any more, so nothing goes on. */
export function breathing(peer: Peer, clock: Clock): () => Promise<void> | undefined {
  let steps = 0;
  return () => {
    if (peer.isClosed) return new Promise(() => {});
    if (clock.kind === 'real' || ++steps < PATIENCE || steps % GO !== 0) return undefined;
    return new Promise((resolve) => setImmediate(resolve));
  };
}
