// What a host may grant in one run: any part of what the runner's manifest asks for, and never more.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { API } from '../api.ts';
import { objectAt } from '../grants.ts';
import type { RunnerEntry } from '../manifests.ts';
import { opaqueId } from './ids.ts';

/** `resources` and `context.available_apis` of a context. */
export interface Grants {
  readonly resources: JsonObject;
  readonly apis: JsonObject;
}

/** The operations of one kind that a manifest asks for. */
export const asked = ({ manifest }: RunnerEntry, kind: string): readonly string[] => {
  const operations = objectAt(manifest, 'permissions')[kind];
  return Array.isArray(operations) ? operations.map(String) : [];
};

/** The flags that a manifest's permissions allow; state is granted by its flag alone. */
function flagsAllowed(runner: RunnerEntry): string[] {
  const flags = Object.values(API).flatMap(({ flag, family, operation, area }) => {
    if (flag === undefined) return [];
    if (family === 'state') return [flag];
    return asked(runner, family).includes(area ?? operation) ? [flag] : [];
  });
  return [...new Set(flags)];
}

/** All that a manifest asks for. */
export function everything(runner: RunnerEntry, id: (name: string) => string = (name) => name): Grants {
  const operations = asked(runner, 'models');
  const rerank = operations.includes('rerank');
  const chat = operations.filter((operation) => operation !== 'rerank');
  return {
    resources: {
      models: [
        ...(chat.length > 0 ? [{ model_id: id('model'), model_type: 'chat', operations: chat }] : []),
        ...(rerank ? [{ model_id: id('ranker'), model_type: 'rerank', operations: ['rerank'] }] : []),
      ],
      tools: asked(runner, 'tools').length > 0 ? [{ tool_name: id('tool'), description: 'A tool' }] : [],
      knowledge_bases: asked(runner, 'knowledge_bases').length > 0 ? [{ kb_id: id('base'), kb_name: 'Base' }] : [],
      files: [],
      storage: Object.fromEntries(asked(runner, 'storage').map((area) => [`${area}_storage`, true])),
      platform_capabilities: Object.fromEntries(asked(runner, 'platform_api').map((action) => [action, true])),
    },
    apis: Object.fromEntries(flagsAllowed(runner).map((flag) => [flag, true])),
  };
}

export const NOTHING: Grants = { resources: {}, apis: {} };

/** Some of it: any subset of resources, operations, areas and flags. */
export function something(runner: RunnerEntry): fc.Arbitrary<Grants> {
  const listOf = (kind: string, idField: string, extra: JsonObject): fc.Arbitrary<JsonObject[]> => {
    const operations = asked(runner, kind);
    if (operations.length === 0) return fc.constant([]);
    const entry = fc.record({
      [idField]: opaqueId,
      operations: fc.option(fc.subarray([...operations]), { nil: undefined }),
    });
    return fc.uniqueArray(entry, { maxLength: 3, selector: (one) => one[idField] }).map((entries) =>
      entries.map(({ operations: some, ...rest }) => ({
        ...rest,
        ...extra,
        ...(some === undefined ? {} : { operations: some }),
      })),
    );
  };
  const flags = (names: readonly string[]): fc.Arbitrary<JsonObject> =>
    fc.record(Object.fromEntries(names.map((name) => [name, fc.boolean()])), { requiredKeys: [] });
  return fc
    .record({
      models: listOf('models', 'model_id', {}),
      tools: listOf('tools', 'tool_name', {}),
      knowledge_bases: listOf('knowledge_bases', 'kb_id', {}),
      storage: flags(asked(runner, 'storage').map((area) => `${area}_storage`)),
      platform_capabilities: fc.record(
        Object.fromEntries(
          asked(runner, 'platform_api').map((a) => [a, fc.constantFrom<unknown>(true, false, {}, null)]),
        ),
        { requiredKeys: [] },
      ),
      apis: flags(flagsAllowed(runner)),
    })
    .map(({ apis, ...resources }) => ({ resources: resources as JsonObject, apis: apis as JsonObject }));
}

/** Everything, nothing, or some of it. */
export const anyGrants = (runner: RunnerEntry): fc.Arbitrary<Grants> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(everything(runner)) },
    { weight: 1, arbitrary: fc.constant(NOTHING) },
    { weight: 6, arbitrary: something(runner) },
  );
