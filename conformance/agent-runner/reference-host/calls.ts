// A Host API call, from frame to answer (§8). Every call is checked in one order, answered or refused, and written down:
// run under way → caller → rate → size of the call → arguments → grant → scope → size of what is asked.
// What does not concern the caller is checked first, so that a stranger learns nothing from how its call was wrong.
import type { JsonObject } from '../../../common/json.ts';
import type { Answered, ApiAction, CallScene, Checked } from './api/action.ts';
import { type HostLimits, jsonBytes } from './limits.ts';
import { type Denial, deny } from './refusal.ts';
import { type Session, withinRate } from './sessions.ts';
import type { AuditEntry } from './shapes.ts';
import type { RunRecord } from './stores/memory.ts';

export interface Admission {
  readonly action: ApiAction;
  readonly data: JsonObject;
  readonly session: Session | undefined;
  /** What the host remembers of the run, also when it is over. */
  readonly run: RunRecord | undefined;
  readonly limits: HostLimits;
  readonly now: number;
}

/** Who may call at all. The first that objects is the answer; behind `active` there is a session. */
export const admissionChecks = {
  /** A run ends at its deadline; one that ran out of time says so. */
  active: ({ session, run }: Admission): Checked =>
    session === undefined ? deny(run?.end?.status === 'timeout' ? 'deadline_exceeded' : 'unauthorized') : undefined,
  identity: ({ data, session }: Admission): Checked =>
    data['caller_plugin_identity'] === session!.run.identity ? undefined : deny('unauthorized'),
  rate: ({ session, now, limits }: Admission): Checked =>
    withinRate(session!, now, limits.calls_per_second) ? undefined : deny('rate_limited'),
  size: ({ data, limits }: Admission): Checked =>
    jsonBytes(data) > limits.call_bytes ? deny('payload_too_large') : undefined,
};
export type AdmissionChecks = typeof admissionChecks;

export function admit(checks: AdmissionChecks, admission: Admission): Checked {
  for (const check of Object.values(checks)) {
    const denial = check(admission);
    if (denial !== undefined) return denial;
  }
  return undefined;
}

/** Arguments, grant, scope, size; then the answer. What fails behind the host is a `runtime_error` without its words. */
export function answer(action: ApiAction, data: JsonObject, scene: CallScene): Answered | Denial {
  const denial =
    action.checkArguments(data) ??
    action.checkGrant(data, scene) ??
    action.checkScope?.(data, scene) ??
    action.checkSize?.(data, scene);
  if (denial !== undefined) return denial;
  try {
    return action.perform(data, scene);
  } catch {
    return deny('runtime_error');
  }
}

/** §11: run_id, runner_id, action, resource, scope, result. */
export function auditEntry(
  name: string,
  action: ApiAction,
  data: JsonObject,
  run: RunRecord | undefined,
  result: string,
): AuditEntry {
  const named = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    run_id: named(data['run_id']),
    runner_id: run?.start.runner_id ?? null,
    action: name,
    resource: named(action.resource?.(data)),
    scope: named(action.scope?.(data)),
    result,
  };
}
