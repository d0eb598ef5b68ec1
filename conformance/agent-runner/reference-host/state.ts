// Whose state it is (HOST_SDK §4.6): runners, bindings, bots and workspaces never share, and each scope has an owner of its own.
import type { JsonObject } from '../../../common/json.ts';
import { type Grants, identityIn } from './grants.ts';
import {
  type Owners,
  type RunStart,
  type Scope,
  STATE_SCOPES,
  STORAGE_AREAS,
  type StateChange,
  type StateScope,
} from './shapes.ts';
import type { Memory } from './stores/memory.ts';

export interface Owning {
  readonly runner_id: string;
  readonly binding_id: string;
  /** `author/name` of the plugin. */
  readonly identity: string;
  readonly scope: Scope;
}

/** Plugin storage belongs to the plugin, workspace storage to the workspace, binding storage to the binding. */
export function ownersOf({ runner_id, binding_id, identity, scope }: Owning): Owners {
  const scopes = [runner_id, binding_id, scope.bot_id, scope.workspace_id];
  const holders = { plugin: identity, workspace: scope.workspace_id, binding: binding_id };
  return {
    state: byName(STATE_SCOPES, (kind) => JSON.stringify([...scopes, kind, identityIn(scope, kind)])),
    storage: byName(STORAGE_AREAS, (area) => JSON.stringify([area, holders[area]])),
  };
}

const byName = <Name extends string>(names: readonly Name[], of: (name: Name) => string): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, string>;

/** The change that a run makes to its state; without a value the key is deleted. */
export const changeOf = (run: RunStart, scope: StateScope, key: string, value?: StateChange['value']): StateChange => ({
  runner_id: run.runner_id,
  binding_id: run.binding_id,
  scope,
  owner: run.owners.state[scope],
  key,
  value,
});

/** The snapshot of §5.10: what the granted scopes hold, and nothing of the others. */
export function snapshotOf(run: RunStart, grants: Grants, memory: Memory): Record<StateScope, JsonObject> {
  const of = (scope: StateScope): JsonObject =>
    grants.state.includes(scope) ? memory.stateOf(run.owners.state[scope]) : {};
  return Object.fromEntries(STATE_SCOPES.map((scope) => [scope, of(scope)])) as Record<StateScope, JsonObject>;
}
