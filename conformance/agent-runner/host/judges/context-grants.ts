// §4.4, §6: what a run is granted never exceeds what its manifest asks for and its binding allows.
import type { JsonObject } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { part } from '../../oracle/context.ts';
import { type Offered, PERMISSIONS, permitted } from '../../oracle/manifest.ts';
import { SCOPES } from '../../oracle/state.ts';
import { brief } from '../effects.ts';
import { offeredFor } from '../folded.ts';
import { availableApis, entries, type Turn, turnsOf } from '../turns.ts';
import type { HostCase } from '../view.ts';

interface Granted extends Turn {
  readonly offered: Offered;
  readonly resources: JsonObject;
  readonly policy: JsonObject;
}

const granted = memo((view: HostCase): readonly Granted[] =>
  turnsOf(view).flatMap((turn) => {
    const offered = offeredFor(view, turn.run.runnerId, turn.run.n);
    if (offered === undefined) return [];
    const resources = part(turn.context, 'resources');
    return [{ ...turn, offered, resources, policy: part(turn.binding, 'resource_policy') }];
  }),
);

/** Does the manifest leave out something of this family, so that granting all of it would show? */
const leavesOut = (offered: Offered, family: keyof typeof PERMISSIONS): boolean =>
  PERMISSIONS[family].some((operation) => !permitted(offered, family).includes(operation));

const allows = (list: unknown): boolean => !Array.isArray(list) || list.length > 0;
const proof = ({ submission, run }: Turn): readonly number[] => [submission.n, run.n];

/** Resources of a family: none without a permission, and no operation beyond it. */
function* withinManifest(
  view: HostCase,
  family: 'models' | 'tools' | 'knowledge_bases',
  allowed: string,
): Iterable<Finding> {
  for (const turn of granted(view)) {
    if (!leavesOut(turn.offered, family) || !allows(turn.policy[allowed])) continue;
    const own = permitted(turn.offered, family);
    const list = entries(turn.resources[family]);
    const beyond = list.find(
      ({ operations }) =>
        own.length === 0 || (Array.isArray(operations) && operations.some((one) => !own.includes(String(one)))),
    );
    yield hold(beyond === undefined, proof(turn), () => ({
      expected: own.length === 0 ? `no ${family} without a permission` : `no operation beyond [${own.join(', ')}]`,
      found: brief(JSON.stringify(beyond) ?? ''),
    }));
  }
}

/** Flags of available_apis, each with the operation that it needs. */
function* flagsWithin(
  view: HostCase,
  family: 'history' | 'events' | 'artifacts',
  flags: Readonly<Record<string, string>>,
): Iterable<Finding> {
  for (const turn of granted(view)) {
    if (!leavesOut(turn.offered, family)) continue;
    const own = permitted(turn.offered, family);
    const apis = availableApis(turn.context);
    const beyond = Object.entries(flags).find(([flag, operation]) => apis[flag] === true && !own.includes(operation));
    yield hold(beyond === undefined, proof(turn), () => ({
      expected: `no API beyond permissions.${family} [${own.join(', ')}]`,
      found: `available_apis.${beyond?.[0]} is true`,
    }));
  }
}

const AREAS = ['plugin', 'workspace', 'binding'] as const;
/** What a policy is that says nothing (MODELS §6.1). */
const ALLOWED: JsonObject = {
  allow_plugin_storage: true,
  allow_workspace_storage: false,
  allow_binding_storage: false,
};
const opened = ({ resources }: Granted, area: string): boolean =>
  part(resources, 'storage')[`${area}_storage`] === true;

/** The platform actions that a context offers. */
const offeredActions = ({ resources }: Granted): readonly string[] =>
  Object.entries(part(resources, 'platform_capabilities'))
    .filter(([, value]) => value !== false && value !== null)
    .map(([action]) => action);

/** Only what a list of the policy names. */
function* withinPolicy(view: HostCase, family: string, allowed: string, id: string): Iterable<Finding> {
  for (const turn of granted(view)) {
    const list = turn.policy[allowed];
    if (!Array.isArray(list)) continue;
    const beyond = entries(turn.resources[family]).find((entry) => !list.includes(entry[id] ?? null));
    yield hold(beyond === undefined, proof(turn), () => ({
      expected: `${family} within ${brief(JSON.stringify(list))}`,
      found: brief(JSON.stringify(beyond?.[id]) ?? ''),
    }));
  }
}

export const contextGrantJudges = [
  judge<HostCase>('v1/4.4/within-manifest-models', (view) => withinManifest(view, 'models', 'allowed_model_uuids')),
  judge<HostCase>('v1/4.4/within-manifest-tools', (view) => withinManifest(view, 'tools', 'allowed_tool_names')),
  judge<HostCase>('v1/4.4/within-manifest-knowledge', (view) =>
    withinManifest(view, 'knowledge_bases', 'allowed_kb_uuids'),
  ),
  judge<HostCase>('v1/4.4/within-manifest-history', (view) =>
    flagsWithin(view, 'history', { history_page: 'page', history_search: 'search' }),
  ),
  judge<HostCase>('v1/4.4/within-manifest-events', (view) =>
    flagsWithin(view, 'events', { event_get: 'get', event_page: 'page' }),
  ),
  judge<HostCase>('v1/4.4/within-manifest-artifacts', (view) =>
    flagsWithin(view, 'artifacts', { artifact_metadata: 'metadata', artifact_read: 'read' }),
  ),

  judge<HostCase>('v1/4.4/within-manifest-storage', function* (view) {
    for (const turn of granted(view)) {
      if (!leavesOut(turn.offered, 'storage')) continue;
      const own = permitted(turn.offered, 'storage');
      const beyond = AREAS.find((area) => opened(turn, area) && !own.includes(area));
      const flag = own.length === 0 && availableApis(turn.context)['storage'] === true;
      yield hold(beyond === undefined && !flag, proof(turn), () => ({
        expected: `no storage beyond [${own.join(', ')}]`,
        found: beyond === undefined ? 'available_apis.storage is true' : `${beyond}_storage is open`,
      }));
    }
  }),

  judge<HostCase>('v1/4.4/within-manifest-files', function* (view) {
    for (const turn of granted(view))
      if (permitted(turn.offered, 'files').length === 0)
        yield hold(entries(turn.resources['files']).length === 0, proof(turn), () => ({
          expected: 'no files without a permission',
          found: brief(JSON.stringify(turn.resources['files']) ?? ''),
        }));
  }),

  judge<HostCase>('v1/4.4/within-manifest-platform', function* (view) {
    for (const turn of granted(view)) {
      const own = permitted(turn.offered, 'platform_api');
      const allowed = turn.policy['allowed_platform_actions'];
      if (!Array.isArray(allowed) || allowed.every((action) => own.includes(String(action)))) continue;
      const beyond = offeredActions(turn).find((action) => !own.includes(action));
      yield hold(beyond === undefined, proof(turn), () => ({
        expected: `no action beyond [${own.join(', ')}]`,
        found: String(beyond),
      }));
    }
  }),

  judge<HostCase>('v1/6/within-policy-models', (view) =>
    withinPolicy(view, 'models', 'allowed_model_uuids', 'model_id'),
  ),
  judge<HostCase>('v1/6/within-policy-tools', (view) => withinPolicy(view, 'tools', 'allowed_tool_names', 'tool_name')),
  judge<HostCase>('v1/6/within-policy-knowledge', (view) =>
    withinPolicy(view, 'knowledge_bases', 'allowed_kb_uuids', 'kb_id'),
  ),

  judge<HostCase>('v1/6/within-policy-storage', function* (view) {
    for (const turn of granted(view))
      for (const area of AREAS)
        if (
          { ...ALLOWED, ...turn.policy }[`allow_${area}_storage`] === false &&
          permitted(turn.offered, 'storage').includes(area)
        )
          yield hold(!opened(turn, area), proof(turn), {
            expected: `${area}_storage stays closed`,
            found: 'it is open',
          });
  }),

  judge<HostCase>('v1/6/within-policy-state', function* (view) {
    for (const turn of granted(view)) {
      const policy = part(turn.binding, 'state_policy');
      const named = policy['state_scopes'];
      const scopes = policy['enable_state'] === false ? [] : Array.isArray(named) ? named : ['conversation', 'actor'];
      if (SCOPES.every((scope) => scopes.includes(scope))) continue;
      const flag = scopes.length === 0 && availableApis(turn.context)['state'] === true;
      const state = part(turn.context, 'state');
      const shut = SCOPES.find((scope) => !scopes.includes(scope) && Object.keys(part(state, scope)).length > 0);
      yield hold(!flag && shut === undefined, proof(turn), {
        expected:
          scopes.length === 0 ? 'no state where the policy enables none' : `state of ${scopes.join(', ')} alone`,
        found: flag ? 'available_apis.state is true' : `state of ${shut} is not empty`,
      });
    }
  }),

  judge<HostCase>('v1/6/within-policy-platform', function* (view) {
    for (const turn of granted(view)) {
      const list = turn.policy['allowed_platform_actions'];
      const allowed = Array.isArray(list) ? list : [];
      if (permitted(turn.offered, 'platform_api').every((action) => allowed.includes(action))) continue;
      const beyond = offeredActions(turn).find((action) => !allowed.includes(action));
      yield hold(beyond === undefined, proof(turn), () => ({
        expected: `actions within ${JSON.stringify(allowed)}`,
        found: String(beyond),
      }));
    }
  }),

  judge<HostCase>('v1/6/history-not-enumerated', function* (view) {
    for (const turn of turnsOf(view)) {
      const listed = ['history', 'transcript', 'events', 'artifacts'].find(
        (name) => name in part(turn.context, 'resources'),
      );
      yield hold(listed === undefined, turn.run.n, {
        expected: 'no list of history, events or artifacts in resources',
        found: `resources.${listed}`,
      });
    }
  }),
];
