// state.get, state.set, state.delete (§8): small JSON in the scopes that the binding's policy opens.
import type { JsonObject, JsonValue } from '../../../../common/json.ts';
import { characters, jsonBytes } from '../limits.ts';
import { deny } from '../refusal.ts';
import type { StateScope } from '../shapes.ts';
import { changeOf } from '../state.ts';
import { type ApiAction, argumentsOf, type CallScene, type Checked } from './action.ts';

const common = {
  resource: ({ key }: JsonObject) => key,
  scope: ({ scope }: JsonObject) => scope,
  checkGrant: ({ scope }: JsonObject, { session }: CallScene): Checked =>
    session.grants.state.includes(scope as StateScope) ? undefined : deny('unauthorized'),
  checkSize: ({ key, value }: JsonObject, { limits }: CallScene): Checked =>
    characters(key as string) > limits.state_key_chars || jsonBytes(value) > limits.state_value_bytes
      ? deny('payload_too_large')
      : undefined,
};

const held = ({ scope, key }: JsonObject, { session, memory }: CallScene): JsonValue | undefined =>
  memory.state.get(session.run.owners.state[scope as StateScope])?.get(key as string)?.value;

const get: ApiAction = {
  ...common,
  api: 'state.get',
  checkArguments: argumentsOf('StateGetRequest'),
  perform: (data, scene) => ({ data: { value: held(data, scene) ?? null } }),
};

const set: ApiAction = {
  ...common,
  api: 'state.set',
  checkArguments: argumentsOf('StateSetRequest'),
  perform: ({ scope, key, value }, { session }) => ({
    data: { success: true },
    state: changeOf(session.run, scope as StateScope, key as string, value),
  }),
};

const remove: ApiAction = {
  ...common,
  api: 'state.delete',
  checkArguments: argumentsOf('StateDeleteRequest'),
  perform: ({ scope, key }, { session }) => ({
    data: { success: true },
    state: changeOf(session.run, scope as StateScope, key as string),
  }),
};

export const stateActions: Readonly<Record<string, ApiAction>> = {
  state_get: get,
  state_set: set,
  state_delete: remove,
};
