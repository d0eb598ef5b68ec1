// storage.get, storage.set, storage.delete, storage.list (§8): bytes in three areas.
// A real Runtime forwards the calls under other names, with the area in `owner_type`; its `owner` is not believed.
import type { JsonObject } from '../../../../common/json.ts';
import { deny } from '../refusal.ts';
import { STORAGE_AREAS, type StorageArea } from '../shapes.ts';
import { type ApiAction, argumentsOf, type CallScene } from './action.ts';

type AreaOf = (data: JsonObject) => StorageArea;
type Operation = (areaOf: AreaOf) => ApiAction;

const common = (areaOf: AreaOf) => ({
  resource: ({ key }: JsonObject) => key,
  scope: areaOf,
  checkGrant: (data: JsonObject, { session }: CallScene) =>
    session.grants.storage.includes(areaOf(data)) ? undefined : deny('unauthorized'),
});

const ownerOf = (areaOf: AreaOf, data: JsonObject, { session }: CallScene): string =>
  session.run.owners.storage[areaOf(data)];

const get: Operation = (areaOf) => ({
  ...common(areaOf),
  api: 'storage.get',
  checkArguments: argumentsOf('StorageGetRequest'),
  checkScope: (data, scene) =>
    scene.memory.storage.get(ownerOf(areaOf, data, scene))?.has(data['key'] as string) ? undefined : deny('not_found'),
  perform: (data, scene) => ({
    data: { value_base64: scene.memory.storage.get(ownerOf(areaOf, data, scene))!.get(data['key'] as string)! },
  }),
});

const set: Operation = (areaOf) => ({
  ...common(areaOf),
  api: 'storage.set',
  checkArguments: argumentsOf('StorageSetRequest'),
  perform: (data, scene) => ({
    data: {},
    storage: {
      area: areaOf(data),
      owner: ownerOf(areaOf, data, scene),
      key: data['key'] as string,
      value: data['value_base64'] as string,
    },
  }),
});

const remove: Operation = (areaOf) => ({
  ...common(areaOf),
  api: 'storage.delete',
  checkArguments: argumentsOf('StorageDeleteRequest'),
  perform: (data, scene) => ({
    data: {},
    storage: { area: areaOf(data), owner: ownerOf(areaOf, data, scene), key: data['key'] as string },
  }),
});

const list: Operation = (areaOf) => ({
  ...common(areaOf),
  api: 'storage.list',
  resource: () => null,
  checkArguments: argumentsOf('StorageKeysRequest'),
  perform: (data, scene) => {
    const keys = [...(scene.memory.storage.get(ownerOf(areaOf, data, scene))?.keys() ?? [])];
    const prefix = typeof data['prefix'] === 'string' ? data['prefix'] : '';
    return { data: { keys: keys.filter((key) => key.startsWith(prefix)) } };
  },
});

const operations: readonly (readonly [string, Operation])[] = [
  ['get_#_storage', get],
  ['set_#_storage', set],
  ['delete_#_storage', remove],
  ['get_#_storage_keys', list],
];

const byName = STORAGE_AREAS.flatMap((area) =>
  operations.map(([action, operation]): [string, ApiAction] => [action.replace('#', area), operation(() => area)]),
);

/** An area that is none was granted to nobody. */
const forwarded = operations.map(([action, operation]): [string, ApiAction] => [
  action.replace('#', 'binary'),
  operation(({ owner_type }) => owner_type as StorageArea),
]);

export const storageActions: Readonly<Record<string, ApiAction>> = Object.fromEntries([...byName, ...forwarded]);
