// §5.10, §7.3: state, its scopes, its limits, and whose it is.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { characters, jsonBytes } from '../reference-host/limits.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import type { StateUpdate } from '../reference-host/results.ts';
import { isStateScope, STATE_SCOPES, type StateScope } from '../reference-host/shapes.ts';
import { actions, type Change, mutant } from './mutant.ts';

const { checkPayload, checkStateUpdate, ownersOf, snapshotOf } = HOST_PARTS;
const codes = ['state_scope', 'state_key_too_long', 'state_value_too_large'];

/** Reads updates more kindly than it should. */
const kindly = (read: (data: JsonObject) => JsonObject): Change => ({
  checkPayload: (result) =>
    checkPayload(result.type === 'state.updated' ? { ...result, data: read(result.data) } : result),
  readStateUpdate: (data) => read(data) as unknown as StateUpdate,
});
const mapValues = (state: Record<StateScope, JsonObject>, change: (value: JsonValue) => JsonValue) =>
  Object.fromEntries(
    Object.entries(state).map(([scope, own]) => [
      scope,
      Object.fromEntries(Object.entries(own).map(([key, value = null]) => [key, change(value)])),
    ]),
  ) as Record<StateScope, JsonObject>;

/** Owners of one scope without what keeps them apart. */
const shared = (kind: StateScope): Change => ({
  ownersOf: (owning) => {
    const owners = ownersOf(owning);
    const runner = kind === 'runner' ? '' : owning.runner_id;
    return { ...owners, state: { ...owners.state, [kind]: JSON.stringify([runner, owning.binding_id, kind]) } };
  },
});
const sharedRunner: Change = {
  ownersOf: (owning) => {
    const owners = ownersOf(owning);
    return { ...owners, state: { ...owners.state, runner: JSON.stringify(['runner', owning.scope.workspace_id]) } };
  },
};

/** Owners that do not mind one of their sides. */
const without = (side: 'binding' | 'bot' | 'workspace', scopes: readonly StateScope[] = STATE_SCOPES): Change => ({
  ownersOf: (owning) => {
    const owners = ownersOf(owning);
    const blind = ownersOf({
      ...owning,
      ...(side === 'binding' ? { binding_id: '' } : { scope: { ...owning.scope, [`${side}_id`]: null } }),
    });
    const state = Object.fromEntries(scopes.map((scope) => [scope, blind.state[scope]]));
    return { ...owners, state: { ...owners.state, ...state } };
  },
});

/** Keeps one scope apart by something that does not belong to it. */
const finer = (scope: StateScope, by: 'conversation_id' | 'actor'): Change => ({
  ownersOf: (owning) => {
    const owners = ownersOf(owning);
    return { ...owners, state: { ...owners.state, [scope]: JSON.stringify([owners.state[scope], owning.scope[by]]) } };
  },
});

export const stateMutants = [
  mutant(
    'actors-per-conversation',
    'Keeps the state of an actor apart in every conversation.',
    '5.10/state-carried-over',
    finer('actor', 'conversation_id'),
  ),
  mutant(
    'runners-per-actor',
    'Keeps the state of a runner apart for every actor.',
    '5.10/state-carried-over',
    finer('runner', 'actor'),
  ),
  mutant(
    'conversations-per-actor',
    'Keeps the state of a conversation apart for every actor.',
    '5.10/state-carried-over',
    finer('conversation', 'actor'),
  ),
  mutant('namesakes-share', 'Tells runners apart by plugin and name, whoever wrote them.', '5.10/isolated-runner', {
    ownersOf: (owning) => ownersOf({ ...owning, runner_id: owning.runner_id.replace(/^plugin:[^/]*/, '') }),
  }),
  mutant('namesakes-share-storage', 'Tells plugins apart by their name, whoever wrote them.', '8/scope-storage', {
    ownersOf: (owning) => {
      const owners = ownersOf(owning);
      return { ...owners, storage: { ...owners.storage, plugin: owning.identity.replace(/^[^/]*/, '') } };
    },
  }),
  mutant(
    'delete-reaches-all',
    'Deletes a key of state for whoever keeps one of that name.',
    '5.10/state-carried-over',
    {
      ...actions(['state_delete'], ({ perform }) => ({
        perform: (data, scene) => {
          for (const own of scene.memory.state.values()) own.delete(String(data['key']));
          return perform(data, scene);
        },
      })),
    },
  ),
  mutant('snapshot-as-text', 'Sends a snapshot of state in which every value is text.', '5.10/snapshot-agrees', {
    snapshotOf: (run, grants, memory) => mapValues(snapshotOf(run, grants, memory), (value) => JSON.stringify(value)),
  }),
  mutant('state-per-run', 'Keeps the state of every run apart.', ['5.10/state-carried-over'], () => {
    let runs = 0;
    return {
      ownersOf: (owning) => {
        const owners = ownersOf(owning);
        runs++;
        const own = Object.entries(owners.state).map(([kind, owner]) => [kind, JSON.stringify([owner, runs])]);
        return { ...owners, state: Object.fromEntries(own) };
      },
    };
  }),
  mutant(
    'conversations-share',
    'Lets conversations share their state.',
    '5.10/isolated-conversation',
    shared('conversation'),
  ),
  mutant('actors-share', 'Lets actors share their state.', '5.10/isolated-actor', shared('actor')),
  mutant('subjects-share', 'Lets subjects share their state.', '5.10/isolated-subject', shared('subject')),
  mutant('runners-share', 'Lets runners share their state.', '5.10/isolated-runner', sharedRunner),
  ...(['binding', 'bot', 'workspace'] as const).flatMap((side) => [
    mutant(
      `${side}s-share`,
      `Lets every ${side} share its state with the others.`,
      `5.10/isolated-${side}`,
      without(side),
    ),
    mutant(
      `${side}s-share-actors`,
      `Keeps one state for an actor, whatever the ${side}.`,
      `5.10/isolated-${side}`,
      without(side, ['actor']),
    ),
  ]),
  ...(['workspace', 'binding'] as const).map((area) =>
    mutant(`${area}-storage-shared`, `Keeps one storage for every ${area}.`, `8/scope-storage-${area}`, {
      ownersOf: (owning) => {
        const owners = ownersOf(owning);
        return { ...owners, storage: { ...owners.storage, [area]: area } };
      },
    }),
  ),
  mutant(
    'first-value-stays',
    'Keeps the first value of a key in a run, whatever comes later.',
    '7.3/state-accepted',
    () => {
      const seen = new Set<string>();
      return {
        checkStateUpdate: (update, granted, limits) => {
          const objection = checkStateUpdate(update, granted, limits);
          const name = JSON.stringify([update.scope, update.key]);
          if (objection === undefined && seen.has(name)) return { code: 'state_again', message: 'Was there.' };
          seen.add(name);
          return objection;
        },
      };
    },
  ),
  mutant('updates-dropped', 'Stores no state.updated at all.', '7.3/state-accepted', {
    checkStateUpdate: () => ({ code: 'state_off', message: 'No.' }),
  }),
  mutant('any-scope', 'Stores updates of unknown scopes with the runner.', '7.3/state-scope-checked', {
    ...kindly(({ scope, ...rest }) => ({ ...rest, scope: isStateScope(scope) ? scope : 'runner' })),
    checkStateUpdate: (update, granted, limits) => checkStateUpdate(update, [...granted, 'runner'], limits),
  }),
  mutant('closed-scopes-open', 'Stores updates in scopes that the policy does not open.', '7.3/state-scope-policy', {
    checkStateUpdate: (update, _granted, limits) => checkStateUpdate(update, [update.scope], limits),
  }),
  mutant(
    'any-key',
    'Makes a text of every key.',
    '7.3/state-key-checked',
    kindly(({ key, ...rest }) => ({ ...rest, key: String(key) || '(empty)' })),
  ),
  ...(
    [
      ['folded', 'Takes no notice of capitals in keys.', (key) => key.toLowerCase()],
      ['trimmed', 'Takes no notice of blanks at the ends of keys.', (key) => key.trim()],
      ['normalised', 'Writes accents its own way in keys.', (key) => key.normalize('NFC')],
    ] as const satisfies readonly (readonly [string, string, (key: string) => string])[]
  ).map(([how, what, change]) =>
    mutant(`keys-${how}`, what, '7.3/state-accepted', {
      readStateUpdate: (data) => {
        const update = data as unknown as StateUpdate;
        return { ...update, key: change(update.key) };
      },
    }),
  ),
  mutant('updates-in-memory', 'Forgets with every restart what results brought to state.', '7.3/state-durable', {
    recover: (entries) =>
      entries.map((entry) => (entry.kind === 'result' ? { ...entry, state: undefined } : entry)) as typeof entries,
  }),
  mutant('deleted-comes-back', 'Forgets with every restart what was deleted.', '7.3/state-durable', {
    recover: (entries) =>
      entries.map((entry) =>
        entry.kind === 'call' && entry.state !== undefined && entry.state.value === undefined
          ? { ...entry, state: undefined }
          : entry,
      ) as typeof entries,
  }),
  mutant('long-keys', 'Stores keys of any length.', '7.3/state-key-length', {
    checkStateUpdate: (update, granted, limits) =>
      checkStateUpdate(update, granted, { ...limits, state_key_chars: Number.POSITIVE_INFINITY }),
  }),
  mutant('key-off-by-one', 'Refuses keys of exactly the length it declares.', '7.3/state-key-length', {
    checkStateUpdate: (update, granted, limits) =>
      checkStateUpdate(update, granted, { ...limits, state_key_chars: limits.state_key_chars - 1 }),
  }),
  mutant('key-in-units', 'Counts keys in UTF-16 units.', '7.3/state-key-length', {
    checkStateUpdate: (update, granted, limits) =>
      checkStateUpdate(
        { ...update, key: characters(update.key) === update.key.length ? update.key : 'x'.repeat(update.key.length) },
        granted,
        limits,
      ),
  }),
  mutant('large-values', 'Stores values of any size.', '7.3/state-value-bytes', {
    checkStateUpdate: (update, granted, limits) =>
      checkStateUpdate(update, granted, { ...limits, state_value_bytes: Number.POSITIVE_INFINITY }),
  }),
  mutant('value-off-by-one', 'Refuses values of exactly the size it declares.', '7.3/state-value-bytes', {
    checkStateUpdate: (update, granted, limits) =>
      checkStateUpdate(update, granted, { ...limits, state_value_bytes: limits.state_value_bytes - 1 }),
  }),
  mutant('value-in-characters', 'Counts values in characters instead of bytes.', '7.3/state-value-bytes', {
    checkStateUpdate: (update, granted, limits) => {
      const wide = jsonBytes(update.value) - JSON.stringify(update.value).length;
      return checkStateUpdate(update, granted, { ...limits, state_value_bytes: limits.state_value_bytes + wide });
    },
  }),
  mutant(
    'value-missing-is-null',
    'Stores null where an update has no value.',
    '7.3/state-value-json',
    kindly((data) => ({ ...data, value: data['value'] ?? null })),
  ),
  mutant('values-flattened', 'Stores objects and lists as text.', '7.3/state-round-trip', {
    readStateUpdate: (data) => {
      const { value, ...rest } = data as unknown as StateUpdate;
      return { ...rest, value: isObject(value) || Array.isArray(value) ? JSON.stringify(value) : value };
    },
  }),
  mutant('values-cut', 'Cuts values that are too large instead of refusing them.', '7.3/refused-changes-nothing', {
    checkStateUpdate: (update, granted, limits) => checkStateUpdate({ ...update, value: null }, granted, limits),
    readStateUpdate: (data) => {
      const update = data as unknown as StateUpdate;
      return jsonBytes(update.value) > 16_384 ? { ...update, value: '(cut)' } : update;
    },
  }),
  mutant('refused-state-fails-run', 'Fails a run over a refused state.updated.', '7.3/refused-stops-nothing', {
    endOfObjection: ({ code }) =>
      codes.includes(code) ? { status: 'failed', code: 'state.refused', message: 'Refused.' } : undefined,
  }),
  mutant('refused-state-unwarned', 'Refuses state updates without a word.', '7.3/refused-warned', {
    warnsOf: (code) => !codes.includes(code),
  }),
  mutant('state-in-memory', 'Forgets its state with every restart.', '7.3/state-durable', {
    recover: (entries) =>
      entries.map((entry) => ('state' in entry ? { ...entry, state: undefined } : entry) as typeof entry),
  }),
];
