// What is under test, however it is reached. A target opens sessions; a session is one live connection to it.

import type { Clock } from '../driving/clock.ts';
import type { CaseRecorder } from '../recording/recorder.ts';
import type { Decide, LaneOf } from '../wire/interleaving.ts';
import type { Peer } from '../wire/peer.ts';

/** The seat that the target takes; the harness takes the others. */
export type Seat = 'module' | 'plugin' | 'runtime' | 'host' | 'agent-runtime';

export interface TargetInfo {
  /** `reference`, `module`, `plugin`, `plugin-listen`, `runtime`, `runtime-url`, `host`, `host-url`, `host-listen`. */
  readonly kind: string;
  readonly seat: Seat;
  readonly name: string;
  readonly version?: string;
  /** What it said in the handshake: `limits`, `features`, `manifests` … */
  readonly declared: Readonly<Record<string, unknown>>;
  /** What decides which clauses apply: `capability:streaming`, `feature:restart`, `seat:plugin` … */
  readonly traits: readonly string[];
}

/** The way to a target; `runcert doctor` walks it in this order. */
export type Step = 'start' | 'connect' | 'handshake' | 'discover';

export interface Target {
  readonly kind: string;
  readonly party: 'host' | 'runner' | 'runtime';
  /** `virtual` for code in this process that waits on the given clock alone. */
  readonly time: 'virtual' | 'real';
  /** Starts or connects, and shakes hands. Fails with a RuncertError that says which step, what was expected and what to try. */
  open(harness: Harness): Promise<Session>;
  /** Runcert starts it itself, and so can have it as new at any time. */
  readonly startable?: boolean;
  /** Makes the next session that of a target just started, for a target in this process that may remember something. */
  renew?(): Promise<void>;
  /** Values that must be blotted out of all that is kept. */
  readonly secrets?: readonly string[];
}

/** What a session needs of the harness. The recorder changes from case to case, hence a getter. */
export interface Harness {
  readonly clock: Clock;
  readonly recorder: () => CaseRecorder;
  readonly grace: number;
  /** Gives opening up, e.g. on Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Told when a step on the way to the target is done. */
  readonly step?: (step: Step, detail: string) => void;
}

export interface Session {
  readonly info: TargetInfo;
  /** The harness's end of the link. A player sets the handlers it needs for its case. */
  readonly peer: Peer;
  /** Makes the target as new for the next case; false when it has to be opened again. */
  reset(): Promise<boolean>;
  /**
   * Holds the harness's next messages back until they may go, so that those of other lanes overtake them.
   * On links in memory only: elsewhere time itself mixes them.
   */
  interleave?(decide: Decide, laneOf: LaneOf): void;
  /** Ends it and everything it started. Never hangs, never throws. */
  close(): Promise<void>;
}
