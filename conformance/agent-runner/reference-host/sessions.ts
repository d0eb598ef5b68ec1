// The run-session registry (HOST_SDK §3): which runs are under way, and on whose behalf a call may come.
import type { Descriptor } from './discovery.ts';
import type { Grants } from './grants.ts';
import type { RunStart, Surface } from './shapes.ts';

export interface Session {
  readonly run: RunStart;
  readonly descriptor: Descriptor;
  readonly grants: Grants;
  /** What the surface can do, as the runner was told. */
  readonly delivery: Surface;
  /** The times of the calls of the last second. */
  calls: number[];
  /** Sequence numbers of the results that were taken. */
  readonly sequences: Set<unknown>;
  results: number;
  /** A whole message has come. */
  answered: boolean;
  /** Aborted when the run is over, however it ended. */
  readonly over: AbortController;
}

export class SessionRegistry {
  readonly #active = new Map<string, Session>();

  register(session: Session): void {
    this.#active.set(session.run.run_id, session);
  }

  find(runId: string): Session | undefined {
    return this.#active.get(runId);
  }

  unregister(runId: string): void {
    this.#active.delete(runId);
  }

  get all(): readonly Session[] {
    return [...this.#active.values()];
  }
}

/** Counts a call against the rate of its run; false when it is one too many. A call that is refused for its rate does not count. */
export function withinRate(session: Session, now: number, perSecond: number): boolean {
  session.calls = session.calls.filter((at) => at > now - 1000);
  if (session.calls.length >= perSecond) return false;
  session.calls.push(now);
  return true;
}
