// What one Host API call consists of. The checks stand apart, in the order in which they are made (calls.ts).
import type { JsonObject } from '../../../../common/json.ts';
import type { ModelName } from '../../../../schemas/agent-runner/2026-06-03/types.ts';
import { check } from '../../../../schemas/agent-runner/2026-06-03/validators.js';
import type { Inventory } from '../inventory.ts';
import type { HostLimits } from '../limits.ts';
import { type Denial, deny } from '../refusal.ts';
import type { Session } from '../sessions.ts';
import type { Delivery, StateChange, StorageChange } from '../shapes.ts';
import type { Memory } from '../stores/memory.ts';

/** What a call sees: its run, and what the host knows and has. */
export interface CallScene {
  readonly session: Session;
  readonly memory: Memory;
  readonly inventory: Inventory;
  readonly limits: HostLimits;
  readonly now: number;
}

/** An answer, and what it changes. A stream answers in pieces. */
export interface Answered {
  readonly data?: JsonObject;
  readonly stream?: readonly JsonObject[];
  readonly state?: StateChange;
  readonly storage?: StorageChange;
  readonly deliveries?: readonly Delivery[];
}

export type Checked = Denial | undefined;

export interface ApiAction {
  /** The method of AgentRunAPIProxy, e.g. `models.invoke`. */
  readonly api: string;
  /** The answer is a stream of pieces. */
  readonly streams?: true;
  /** What the call names, for the audit: right or wrong, granted or not. */
  readonly resource?: (data: JsonObject) => unknown;
  readonly scope?: (data: JsonObject) => unknown;
  /** Are the arguments there, and of the right type? */
  readonly checkArguments: (data: JsonObject) => Checked;
  /** Was this run granted the API, the resource and the operation? */
  readonly checkGrant: (data: JsonObject, scene: CallScene) => Checked;
  /** Does what it asks for lie in the scope of this run? */
  readonly checkScope?: (data: JsonObject, scene: CallScene) => Checked;
  readonly checkSize?: (data: JsonObject, scene: CallScene) => Checked;
  /** Every check has passed. May throw: the caller then hears `runtime_error` and no more. */
  readonly perform: (data: JsonObject, scene: CallScene) => Answered;
}

/** The least that arguments may be which count or measure something. */
const LEAST = { limit: 1, top_k: 1, offset: 0, length: 0, timeout: 0 };

/** The usual check of arguments: they fit the model of the request (MODELS §5), and no count is too small. */
export const argumentsOf =
  (model: ModelName): ApiAction['checkArguments'] =>
  (data) => {
    const wrong =
      check(model, data)[0]?.path ?? Object.entries(LEAST).find(([name, least]) => Number(data[name]) < least)?.[0];
    return wrong === undefined ? undefined : deny('invalid_argument', wrong);
  };
