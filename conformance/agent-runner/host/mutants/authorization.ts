// Hosts that break one duty of authorization each.
import { isObject, type JsonObject } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import { FAMILIES } from '../../oracle/calls.ts';
import type { CallScene } from '../../reference-host/api/action.ts';
import { grantRules } from '../../reference-host/grants.ts';
import { HOST_PARTS, type HostParts } from '../../reference-host/parts.ts';
import { deny } from '../../reference-host/refusal.ts';
import { withinRate } from '../../reference-host/sessions.ts';
import type { AuditEntry } from '../../reference-host/shapes.ts';
import {
  admitting,
  familyOf,
  isDenied,
  lettingIn,
  miscoding,
  misstating,
  mutant,
  named,
  ofFamily,
  withActions,
} from './api-kit.ts';

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

const runIds: readonly Mutant[] = FAMILIES.map((family) =>
  mutant(
    `run-id-optional-${family}`,
    `Answers ${family} calls that name no run.`,
    [`v1/8/run-id-required-${family}`],
    lettingIn(({ data }) => isMissing(data['run_id']), ofFamily(family)),
  ),
);

/** What the families' grants are called in a session. */
const GRANTS = {
  models: 'models',
  tools: 'tools',
  knowledge: 'knowledge',
  history: 'history',
  events: 'events',
  artifacts: 'artifacts',
} as const;

const grants: readonly Mutant[] = FAMILIES.map((family) =>
  mutant(
    `grants-unchecked-${family}`,
    `Does not look whether a ${family} call was granted.`,
    [`v1/8/grant-checked-${family}`],
    withActions(ofFamily(family), ({ checkScope, ...action }) => ({
      ...action,
      checkGrant: () => undefined,
      // Without a grant for state no scope is open either; one check would do the work of the other.
      ...(checkScope !== undefined && family !== 'state' && { checkScope }),
    })),
  ),
);

/** Any operation will do, on a resource that was granted for some. */
const operations: readonly Mutant[] = Object.entries(GRANTS).map(([family, member]) =>
  mutant(
    `operations-unchecked-${family}`,
    `Takes any ${family} operation where another was granted.`,
    [`v1/8/operation-checked-${family}`],
    withActions(ofFamily(family), (action) => ({
      ...action,
      checkGrant: (data, scene) => {
        const held = scene.session.grants[member];
        const some = Array.isArray(held)
          ? held.length > 0
          : (held as ReadonlyMap<string, unknown>).has(String(action.resource?.(data)));
        return some ? undefined : action.checkGrant(data, scene);
      },
    })),
  ),
);

const unscoped = (family: string): Partial<HostParts> =>
  withActions(ofFamily(family), ({ checkScope: _, ...action }) => action);
const unsized = (...names: readonly string[]): Partial<HostParts> =>
  withActions(named(...names), ({ checkSize: _, ...action }) => action);
const uncapped = (name: string): Partial<HostParts> =>
  withActions(named(name), (action) => ({
    ...action,
    perform: (data, scene) =>
      action.perform(data, { ...scene, limits: { ...scene.limits, history_page_items: 1e6, event_page_items: 1e6 } }),
  }));

const refusing = (family: string): Partial<HostParts> =>
  withActions(ofFamily(family), (action) => ({ ...action, checkGrant: () => deny('unauthorized') }));

/** Once refused, a run is refused for good. */
function unforgiving(): Partial<HostParts> {
  const marked = new WeakSet<object>();
  return {
    answer: (action, data, scene) => {
      const answered = marked.has(scene.session) ? deny('runtime_error') : HOST_PARTS.answer(action, data, scene);
      if (isDenied(answered)) marked.add(scene.session);
      return answered;
    },
  };
}

/** Stores what it refuses. */
const storesRefused: Partial<HostParts> = {
  answer: (action, data, scene) => {
    const answered = HOST_PARTS.answer(action, data, scene);
    if (isDenied(answered) && action.api === 'state.set' && typeof data['key'] === 'string') {
      const { state } = action.perform(data, scene);
      if (state?.value !== undefined)
        scene.memory.state.set(
          state.owner,
          new Map([...(scene.memory.state.get(state.owner) ?? []), [state.key, state]]),
        );
    }
    return answered;
  },
};

/** Tells in a refusal what the host holds. */
const tellsState: Partial<HostParts> = {
  answer: (action, data, scene: CallScene) => {
    const answered = HOST_PARTS.answer(action, data, scene);
    return isDenied(answered)
      ? deny(answered.code, JSON.stringify([...scene.memory.state.values()].map((held) => [...held])))
      : answered;
  },
};

/** What exists is unauthorized, what does not is not_found. */
const tellsExistence: Partial<HostParts> = {
  answer: (action, data, scene) => {
    const answered = HOST_PARTS.answer(action, data, scene);
    const name = action.resource?.(data);
    const { models, tools, knowledge } = scene.inventory;
    const known =
      models.some(({ id }) => id === name) ||
      tools.some((tool) => tool.name === name) ||
      knowledge.some(({ id }) => id === name);
    const listed = ['models', 'tools', 'knowledge'].includes(familyOf(action));
    return isDenied(answered) && answered.code === 'unauthorized' && listed && !known ? deny('not_found') : answered;
  },
};

const platformBy = (layers: { manifest: boolean; policy: boolean; approval: boolean }): Partial<HostParts> => ({
  grants: {
    ...grantRules,
    platform: ({ descriptor, binding, inventory }) =>
      inventory.platform.filter(
        (action) =>
          (!layers.manifest || descriptor.permissions.platform_api.includes(action)) &&
          (!layers.policy || binding.platform.allowed.includes(action)) &&
          (!layers.approval || binding.platform.approved.includes(action)),
      ),
  },
});

const auditing = (change: Partial<AuditEntry>): Partial<HostParts> => ({
  auditEntry: (...given) => ({ ...HOST_PARTS.auditEntry(...given), ...change }),
});
const hiding = (hides: (entry: JsonObject) => boolean): Partial<HostParts> => ({
  show: (shown) => ({
    ...shown,
    audit: Array.isArray(shown['audit']) ? shown['audit'].filter((entry) => !(isObject(entry) && hides(entry))) : [],
  }),
});

export const authorizationMutants: readonly Mutant[] = [
  ...runIds,
  mutant(
    'unknown-run-served',
    'Answers calls for runs that never were.',
    ['v1/8/unknown-run-refused'],
    lettingIn(({ data, session, run }) => !isMissing(data['run_id']) && session === undefined && run === undefined),
  ),
  mutant(
    'ended-run-served',
    'Answers calls for runs that are over.',
    ['v1/8/ended-run-refused'],
    lettingIn(({ session, run }) => session === undefined && run !== undefined && run.end?.status !== 'timeout'),
  ),
  mutant(
    'overdue-run-served',
    'Answers calls after the deadline.',
    ['v1/8/deadline-checked'],
    lettingIn(({ session, run }) => session === undefined && run?.end?.status === 'timeout'),
  ),
  mutant(
    'identity-unchecked',
    'Does not look who calls, as long as somebody does.',
    ['v1/8/identity-checked'],
    admitting({
      identity: ({ data }) => (isMissing(data['caller_plugin_identity']) ? deny('unauthorized') : undefined),
    }),
  ),
  mutant(
    'identity-optional',
    'Takes calls without a caller.',
    ['v1/8/identity-required'],
    admitting({
      identity: (given) =>
        isMissing(given.data['caller_plugin_identity']) ? undefined : HOST_PARTS.admission.identity(given),
    }),
  ),
  ...grants,
  ...operations,
  mutant(
    'state-scope-unchecked',
    'Keeps state in scopes that are not enabled.',
    ['v1/8/scope-state'],
    unscoped('state'),
  ),
  mutant('history-of-all', 'Shows the history of any conversation.', ['v1/8/scope-history'], unscoped('history')),
  mutant(
    'events-of-all',
    'Shows the events of any conversation.',
    ['v1/8/scope-events'],
    withActions(named('event_get'), (action) => ({
      ...action,
      checkScope: () => undefined,
      perform: ({ event_id }, { memory }) => ({
        data: { ...memory.events.find((one) => one.event_id === event_id) } as unknown as JsonObject,
      }),
    })),
  ),
  mutant(
    'artifacts-of-all',
    'Hands out the artifacts of any conversation.',
    ['v1/8/scope-artifacts', 'v1/8/artifact-expiry'],
    unscoped('artifacts'),
  ),
  mutant('state-unsized', 'Takes state of any size.', ['v1/8/size-state'], unsized('state_set')),
  mutant(
    'history-uncapped',
    'Gives as much history as is asked for.',
    ['v1/8/size-history-page'],
    uncapped('history_page'),
  ),
  mutant('events-uncapped', 'Gives as many events as are asked for.', ['v1/8/size-event-page'], uncapped('event_page')),
  mutant(
    'reads-uncapped',
    'Gives as many bytes as are asked for.',
    ['v1/8/size-artifact-read'],
    unsized('artifact_read'),
  ),
  mutant('calls-unsized', 'Takes calls of any size.', ['v1/8/size-call'], {
    ...admitting({ size: () => undefined }),
    ...unsized('set_plugin_storage'),
  }),
  mutant(
    'rate-unlimited',
    'Answers as often as it is called.',
    ['v1/8/rate-limited'],
    admitting({ rate: () => undefined }),
  ),
  mutant(
    'rate-too-low',
    'Refuses calls at a third of the rate that it declares.',
    ['v1/8/rate-within-served'],
    admitting({
      rate: ({ session, now, limits }) =>
        session === undefined || withinRate(session, now, limits.calls_per_second / 3)
          ? undefined
          : deny('rate_limited'),
    }),
  ),
  mutant(
    'arguments-unchecked',
    'Does not look at arguments.',
    ['v1/8/arguments-checked'],
    withActions(
      () => true,
      (action) => ({ ...action, checkArguments: () => undefined }),
    ),
  ),
  mutant('refused-and-stored', 'Stores the state that it refuses.', ['v1/8/refused-changes-nothing'], storesRefused),
  mutant(
    'unforgiving',
    'Refuses every call after the first refusal of a run.',
    ['v1/8/refused-run-goes-on'],
    unforgiving(),
  ),
  mutant(
    'threads-mixed',
    'Shows all threads of a conversation.',
    ['v1/8/history-thread'],
    withActions(named('history_page'), (action) => ({
      ...action,
      perform: (data, scene) =>
        action.perform(data, {
          ...scene,
          session: {
            ...scene.session,
            run: { ...scene.session.run, scope: { ...scene.session.run.scope, thread_id: null } },
          },
        }),
    })),
  ),
  mutant(
    'platform-without-manifest',
    'Carries out platform actions that the manifest did not ask for.',
    ['v1/8/platform-needs-all-three'],
    platformBy({ manifest: false, policy: true, approval: true }),
  ),
  mutant(
    'platform-without-policy',
    'Carries out platform actions that the policy does not allow.',
    ['v1/8/platform-needs-all-three'],
    platformBy({ manifest: true, policy: false, approval: true }),
  ),
  mutant(
    'platform-without-approval',
    'Carries out platform actions that nobody approved.',
    ['v1/8/platform-needs-all-three'],
    platformBy({ manifest: true, policy: true, approval: false }),
  ),
  mutant('flags-lie', 'Offers state and refuses it.', ['v1/5.8/api-flag-true-works'], refusing('state')),
  mutant('models-refused', 'Lists models and refuses them.', ['v1/6/granted-model-works'], refusing('models')),
  mutant('tools-refused', 'Lists tools and refuses them.', ['v1/6/granted-tool-works'], refusing('tools')),
  mutant(
    'knowledge-refused',
    'Lists knowledge bases and refuses them.',
    ['v1/6/granted-knowledge-works'],
    refusing('knowledge'),
  ),
  mutant(
    'storage-refused',
    'Opens storage areas and refuses them.',
    ['v1/6/granted-storage-works'],
    refusing('storage'),
  ),
  mutant(
    'conversations-ignored',
    'Does not heed conversations that the policy grants on top.',
    ['v1/11/cross-conversation-granted'],
    { grants: { ...grantRules, conversations: () => [] } },
  ),
  mutant(
    'errors-bare',
    'Refuses with words alone.',
    ['v1/9/error-shape'],
    misstating(() => ({})),
  ),
  mutant(
    'code-unauthorized-wrong',
    'Says runtime_error for unauthorized.',
    ['v1/9/code-unauthorized'],
    miscoding('unauthorized', 'runtime_error'),
  ),
  mutant(
    'code-not-found-wrong',
    'Says invalid_argument for not_found.',
    ['v1/9/code-not-found'],
    miscoding('not_found', 'invalid_argument'),
  ),
  mutant(
    'code-deadline-wrong',
    'Says runtime_error after the deadline.',
    ['v1/9/code-deadline-exceeded'],
    miscoding('deadline_exceeded', 'runtime_error'),
  ),
  mutant(
    'code-too-large-wrong',
    'Says invalid_argument for what is too large.',
    ['v1/9/code-payload-too-large'],
    miscoding('payload_too_large', 'invalid_argument'),
  ),
  mutant(
    'code-rate-wrong',
    'Says unauthorized for calls above the rate.',
    ['v1/9/code-rate-limited'],
    miscoding('rate_limited', 'unauthorized'),
  ),
  mutant(
    'code-argument-wrong',
    'Says runtime_error for wrong arguments.',
    ['v1/9/code-invalid-argument'],
    miscoding('invalid_argument', 'runtime_error'),
  ),
  mutant(
    'code-runtime-wrong',
    'Blames the caller when a tool fails.',
    ['v1/9/code-runtime-error'],
    miscoding('runtime_error', 'invalid_argument'),
  ),
  mutant(
    'code-of-its-own',
    'Says forbidden, which is in no table.',
    ['v1/9/codes-from-table'],
    miscoding('unauthorized', 'forbidden'),
  ),
  mutant(
    'retryable-always',
    'Calls every error retryable.',
    ['v1/9/retryable-fits'],
    misstating((error) => ({ error: { ...error, retryable: true } })),
  ),
  mutant('state-told', 'Tells the state that it holds in its refusals.', ['v1/9/nothing-leaked'], tellsState),
  mutant(
    'owner-told',
    'Tells a stranger whose run it is.',
    ['v1/9/nothing-leaked'],
    admitting({
      identity: ({ data, session }) =>
        data['caller_plugin_identity'] === session?.identity
          ? undefined
          : deny('unauthorized', `run of ${session?.identity}`),
    }),
  ),
  mutant(
    'stack-told',
    'Shows a stack trace in its refusals.',
    ['v1/9/no-internals-in-message'],
    misstating((error) => ({
      error: { ...error, details: { trace: 'Error: no\n    at answer (/home/host/src/calls.ts:12:5)' } },
    })),
  ),
  mutant(
    'existence-told',
    'Refuses what exists otherwise than what does not.',
    ['v1/9/no-existence-oracle'],
    tellsExistence,
  ),
  mutant(
    'audit-without-granted',
    'Records refusals alone.',
    ['v1/11/audit-granted-calls'],
    hiding(({ result }) => result === 'ok'),
  ),
  mutant(
    'audit-without-refused',
    'Records answered calls alone.',
    ['v1/11/audit-refused-calls'],
    hiding(({ result }) => result !== 'ok'),
  ),
  mutant('audit-without-run', 'Records no run_id.', ['v1/11/audit-run-id'], auditing({ run_id: null })),
  mutant('audit-without-runner', 'Records no runner_id.', ['v1/11/audit-runner-id'], auditing({ runner_id: null })),
  mutant('audit-without-action', 'Records every call as call.', ['v1/11/audit-action'], auditing({ action: 'call' })),
  mutant('audit-without-resource', 'Records no resource.', ['v1/11/audit-resource'], auditing({ resource: null })),
  mutant('audit-without-scope', 'Records no scope.', ['v1/11/audit-scope'], auditing({ scope: null })),
  mutant('audit-result-wrong', 'Records every call as ok.', ['v1/11/audit-result'], auditing({ result: 'ok' })),
];
