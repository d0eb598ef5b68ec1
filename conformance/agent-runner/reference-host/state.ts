// Whose state it is (HOST_SDK §4.6): runners, bindings, bots and workspaces never share, and each scope has its own owner.
import type { JsonObject } from '../../../common/json.ts';
import { type Grants, identityIn } from './grants.ts';
import { type RunStart, STATE_SCOPES, type StateChange, type StateScope, type StorageArea } from './shapes.ts';
import type { Memory } from './stores/memory.ts';

export const stateOwner = ({ runner_id, binding_id, scope }: RunStart, kind: StateScope): string =>
  JSON.stringify([runner_id, binding_id, scope.bot_id, scope.workspace_id, kind, identityIn(scope, kind)]);

/** The change that a run makes to its state; without a value the key is deleted. */
export const changeOf = (run: RunStart, scope: StateScope, key: string, value?: StateChange['value']): StateChange => ({
  runner_id: run.runner_id,
  binding_id: run.binding_id,
  scope,
  owner: stateOwner(run, scope),
  key,
  ...(value !== undefined && { value }),
});

/** The snapshot of §5.10: what the granted scopes hold, and nothing of the others. */
export function snapshotOf(run: RunStart, grants: Grants, memory: Memory): Record<StateScope, JsonObject> {
  const of = (scope: StateScope): JsonObject =>
    grants.state.includes(scope) ? memory.stateOf(stateOwner(run, scope)) : {};
  return Object.fromEntries(STATE_SCOPES.map((scope) => [scope, of(scope)])) as Record<StateScope, JsonObject>;
}

/** Plugin storage belongs to the plugin, workspace storage to the workspace, binding storage to the binding. */
export function storageOwner(run: RunStart, identity: string, area: StorageArea): string {
  const owner = { plugin: identity, workspace: run.scope.workspace_id ?? 'default', binding: run.binding_id }[area];
  return JSON.stringify([area, owner]);
}
