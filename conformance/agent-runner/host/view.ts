// One case of a host, as judges see it: facts set in order by what they belong to. Made from frames alone, so that
// a recording that somebody else made is read in the same way. Pure; whatever is no sense stays where it was.
// (assemble.ts makes it.)
import type { JsonObject, JsonValue } from '../../../common/json.ts';
import type { FactOf, RecordingHead } from '../../recording/fact.ts';

/** Something at a place in the recording. */
export interface Placed {
  readonly n: number;
  /** Milliseconds since the case began. */
  readonly at: number;
}

/** One answer to a request of the harness. */
export interface Reply extends Placed {
  readonly code: number;
  readonly message: string;
  readonly data: JsonObject;
  readonly end: boolean;
}

export interface Asked extends Placed {
  readonly action: string;
  readonly data: JsonObject;
  /** Every answer in order; streams give several. */
  readonly replies: Reply[];
  /** The first answer. */
  readonly reply: Reply | undefined;
}

/** A Host API call that the harness made. Where it named a run, that run has it among its calls too. */
export interface ApiCall extends Asked {
  readonly runId: JsonValue | undefined;
  readonly identity: JsonValue | undefined;
}

/** One time that the host asked the Runtime for its runners. */
export interface Listing extends Placed {
  readonly data: JsonObject;
  answer: { readonly n: number; readonly at: number; readonly code: number; readonly data: JsonObject } | undefined;
}

export interface Discovery extends Asked {
  /** What the host got to see: the last listing before its answer. */
  readonly listing: Listing | undefined;
  readonly listed: readonly string[] | undefined;
  readonly warnings: readonly JsonValue[];
}

export interface Submission extends Asked {
  readonly index: number;
  readonly event: JsonObject;
  readonly binding: JsonObject;
  readonly runId: string | undefined;
  /** The run that it began, if the host called the runner. */
  run: HostRun | undefined;
}

/** A result that the harness sent. */
export interface Pushed extends Placed {
  readonly value: JsonValue | undefined;
  /** Sent after the end of the stream. */
  readonly late: boolean;
}

export interface HostRun extends Placed {
  readonly runId: string;
  readonly runnerId: string;
  readonly identity: string;
  /** The whole `run_agent` request. */
  readonly request: JsonObject;
  readonly context: JsonObject;
  /** The deadline that the host set, in milliseconds since the case began. */
  readonly deadline: number | undefined;
  submission: Submission | undefined;
  readonly pushed: Pushed[];
  readonly calls: ApiCall[];
  /** Each `cancel_run` that the host sent for it. */
  readonly cancels: (Placed & { readonly reason: JsonValue | undefined })[];
  end: (Placed & { readonly how: 'end' | 'error'; readonly message: string }) | undefined;
}

/** What the host shows, of one run or of all. */
export interface Observation extends Asked {
  readonly runId: string | undefined;
  readonly shown: JsonObject;
}

export interface HostCase {
  readonly head: RecordingHead;
  readonly area: string;
  readonly stimulus: unknown;
  /** The clock's wall time in ms at `at: 0`. */
  readonly epoch: number;
  readonly limits: JsonObject;
  readonly features: ReadonlySet<string>;
  readonly listings: readonly Listing[];
  readonly discoveries: readonly Discovery[];
  readonly submissions: readonly Submission[];
  readonly runs: readonly HostRun[];
  readonly calls: readonly ApiCall[];
  /** `driver_cancel` requests. */
  readonly cancels: readonly (Asked & { readonly runId: string | undefined })[];
  readonly observations: readonly Observation[];
  readonly restarts: readonly Asked[];
  readonly resets: readonly Asked[];
  /** Requests of the host that have no place above. */
  readonly others: readonly Asked[];
  readonly faults: readonly FactOf<'fault'>[];
  readonly end: FactOf<'end'> | undefined;
}
