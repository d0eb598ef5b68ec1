// Hosts that choose otherwise where the documents leave a choice, and must pass; and hosts that keep nothing, and must not.
import { isObject, type JsonObject } from '../../common/json.ts';
import { clauses } from '../../schemas/agent-runner/2026-06-03/clauses.ts';
import type { Variant } from '../driving/suite.ts';
import { Refusal } from '../wire/peer.ts';
import { anyBinding } from './host-mutants/bindings.ts';
import { actions, admission, answers, context, shows } from './host-mutants/mutant.ts';
import { parts, readings, variant } from './host-readings.ts';
import { DEFAULT_LIMITS, type HostLimits } from './reference-host/limits.ts';
import { HOST_PARTS, type HostParts } from './reference-host/parts.ts';
import { deny, type ErrorCode, refusalOf } from './reference-host/refusal.ts';
import { FEATURES } from './reference-host/serve.ts';
import { isStateScope, STATE_SCOPES, STORAGE_AREAS } from './reference-host/shapes.ts';
import { referenceHostTarget } from './reference-host/target.ts';

const { endOfCancel, endAtDeadline } = HOST_PARTS;
const EXTRA = { x_extra: { added: 'later', list: [1, null] } };

/** Unknown fields beside the known ones, in every object that the specification lets grow. */
const grown = (whole: JsonObject): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(whole).map(([name, value]) => {
      const closed = ['config', 'state', 'adapter', 'metadata'].includes(name);
      return [name, isObject(value) && !closed ? { ...value, ...EXTRA } : value];
    }),
  ),
  ...EXTRA,
});

/** One code in place of another, in the answer and in the record of it. */
const instead = (code: ErrorCode, other: ErrorCode): Partial<HostParts> => ({
  refusalOf: (denial) => refusalOf(denial.code === code ? deny(other) : denial),
  auditEntry: (name, action, data, run, result) =>
    HOST_PARTS.auditEntry(name, action, data, run, result === code ? other : result),
});

const honest: readonly Variant[] = [
  parts(
    'not-found-for-refused',
    'Says not_found wherever a run may not see something.',
    instead('unauthorized', 'not_found'),
  ),
  parts(
    'unauthorized-for-absent',
    'Says unauthorized wherever something is not there.',
    instead('not_found', 'unauthorized'),
  ),
  parts('wordy-errors', 'Explains its refusals at length, with details of its own.', {
    refusalOf: (denial) => {
      const { message, data } = refusalOf(denial);
      const error = isObject(data['error']) ? data['error'] : {};
      return new Refusal(message, {
        error: { ...error, message: `${message} Ask whoever runs this host.`, details: { help: 'docs' } },
      });
    },
  }),
  variant('small-limits', 'Has small limits.', {
    limits: {
      state_key_chars: 32,
      state_value_bytes: 1024,
      history_page_items: 5,
      event_page_items: 5,
      artifact_read_bytes: 4096,
      result_bytes: 65_536,
      calls_per_second: 60,
    },
  }),
  variant('large-limits', 'Has large limits.', {
    limits: {
      state_key_chars: 1000,
      state_value_bytes: 100_000,
      history_page_items: 40,
      event_page_items: 40,
      artifact_read_bytes: 131_072,
      result_bytes: 262_144,
      calls_per_second: 200,
    },
  }),
  variant('limits-untold', 'Keeps its limits to itself.', {
    undeclared: Object.keys(DEFAULT_LIMITS) as (keyof HostLimits)[],
  }),
  parts('unread-is-disabled', 'Takes a binding that it cannot read for one that is switched off, and says so.', {
    readBinding: (value) => {
      const read = HOST_PARTS.readBinding(value);
      if (!('problem' in read)) return read;
      const off = HOST_PARTS.readBinding({ binding_id: read.problem, runner_id: '', enabled: false });
      return off;
    },
    whyNotBound: (binding, event) =>
      binding.enabled
        ? HOST_PARTS.whyNotBound(binding, event)
        : `${binding.binding_id}: ${HOST_PARTS.whyNotBound(binding, event)}`,
  }),
  parts('rate-by-the-clock', 'Counts calls from each full second to the next.', () => {
    const counts = new Map<string, number>();
    return admission({
      rate: ({ data, now, limits }) => {
        const name = `${data['run_id']} ${Math.floor(now / 1000)}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return counts.get(name)! > limits.calls_per_second ? deny('rate_limited') : undefined;
      },
    });
  }),
  parts('rate-by-a-bucket', 'Lets calls of all runs draw from one bucket that fills up with time.', () => {
    let bucket: { readonly left: number; readonly at: number } | undefined;
    return admission({
      rate: ({ now, limits: { calls_per_second: most } }) => {
        const filled = bucket === undefined ? most : bucket.left + ((now - bucket.at) / 1000) * most;
        const left = Math.min(most, filled);
        bucket = { left: left < 1 ? left : left - 1, at: now };
        return left < 1 ? deny('rate_limited') : undefined;
      },
    });
  }),
  parts('grown-context', 'Sends contexts with fields of a later revision.', context(grown)),
  parts(
    'grown-answers',
    'Answers calls with fields of a later revision.',
    answers('', (data) => ({ ...data, ...EXTRA })),
  ),
  parts('pages-refused', 'Refuses pages larger than its cap instead of cutting them.', {
    actions: {
      ...HOST_PARTS.actions,
      ...actions(['history_page'], () => ({
        checkSize: ({ limit }, { limits }) =>
          typeof limit === 'number' && limit > limits.history_page_items ? deny('payload_too_large') : undefined,
      })).actions,
    },
  }),
  parts(
    'reads-cut',
    'Cuts reads larger than its cap instead of refusing them.',
    actions(['artifact_read'], ({ perform }) => ({
      checkSize: () => undefined,
      perform: ({ length, limit, ...data }, scene) =>
        perform(
          { ...data, length: Math.min(Number(length ?? limit ?? 65_536), scene.limits.artifact_read_bytes) },
          scene,
        ),
    })),
  ),
  parts('ends-are-failures', 'Calls cancelled and timed-out runs failed.', {
    endOfCancel: (reason) => ({ ...endOfCancel(reason)!, status: 'failed' }),
    endAtDeadline: () => ({ ...endAtDeadline()!, status: 'failed' }),
  }),
  parts('malformed-fails-run', 'Fails a run over a malformed result.', {
    endOfObjection: ({ code, message }) =>
      code === 'result_malformed' ? { status: 'failed', code, message } : undefined,
  }),
  parts('no-default-deadline', 'Gives a deadline only to runs whose binding asks for one.', {
    deadlineOf: (binding, now, ms) =>
      binding.runner_config['timeout'] === undefined ? null : HOST_PARTS.deadlineOf(binding, now, ms),
  }),
  parts('other-ids', 'Names its runs otherwise.', {
    runIdOf: (count, event) => `${count}/${event.event_id}/${count * 7919}`,
  }),
  parts(
    'no-adapter',
    'Sends neither an adapter nor static references.',
    context(({ adapter: _adapter, ...whole }) => {
      const runtime = isObject(whole['runtime']) ? whole['runtime'] : {};
      return { ...whole, adapter: null, runtime: { ...runtime, static_refs: {} } };
    }),
  ),
  parts('filters-plugins', 'Asks for the runners of all plugins by a filter.', {
    listRequest: () => ({ include_plugins: null }),
  }),
  variant('slow', 'Takes its time over every answer.', { latency: 40 }),
  parts('chatty', 'Talks to the Runtime more than it has to.', {
    askForRunners: async (ask, data) => {
      await ask('__ping', {});
      await ask('set_runtime_config', { cloud_service_url: 'https://example.invalid' });
      return HOST_PARTS.askForRunners(ask, data);
    },
  }),
  variant('few-apis', 'Implements neither artifacts nor platform actions nor rerank.', {
    features: FEATURES.filter((feature) => feature !== 'artifacts'),
    parts: {
      actions: Object.fromEntries(
        Object.entries(HOST_PARTS.actions).filter(
          ([name]) => !/artifact|platform|rerank|binding_storage|binary/.test(name),
        ),
      ),
      grants: { ...HOST_PARTS.grants, artifacts: () => [], platform: () => [] },
    },
  }),
  variant('shows-little', 'Shows nothing but status and deliveries, and cannot be restarted.', {
    features: ['status', 'deliveries'],
  }),
];

const none = (): [] => [];
const NO_LIMITS: HostLimits = {
  ...DEFAULT_LIMITS,
  history_page_items: 1e9,
  event_page_items: 1e9,
  artifact_read_bytes: 1e9,
};

const hostClauses = clauses.filter(({ party }) => party === 'host').map(({ id }) => id);

/** Clauses that ask a host to refuse, to leave out, to stop or to warn. */
const GUARDS = new RegExp(
  [
    '^v1/3/incompatible-',
    '^v1/4.4/within-manifest-(?!files)',
    '^v1/6/within-policy-',
    '^v1/7.1/(foreign|malformed|oversized|duplicate)',
    '^v1/7.2/(unknown-type|after-terminal|no-terminal)',
    '^v1/7.3/(state-(scope|key|value)|refused)',
    '^v1/8/(run-id|unknown-run|ended-run|identity|grant-checked|operation-checked|scope-(?!storage)|size|rate-limited|deadline|arguments|platform)',
    '^v1/8/artifact-',
    '^v1/9/(error-shape|code|retryable|no-existence)',
    '^v1/10/(host-ends|no-delivery|cancel-(?!idempotent)|unregistered)',
    '^v1/host-4/(disabled|crash-fails|malformed-binding)',
  ].join('|'),
);

const vacuous: readonly Variant[] = [
  {
    id: 'refuses-everything',
    what: 'Lists no runner, runs no event, answers no call.',
    // It asks the Runtime properly, refuses in the right form, and what must not happen does not happen.
    vacuous: {
      passes: [
        'v1/3/incompatible-left-out',
        'v1/3/incompatible-not-run',
        'v1/4.1/host-asks-runtime',
        'v1/4.1/host-asks-without-payload',
        'v1/4.2/metadata-not-core',
        'v1/9/error-shape',
        'v1/9/codes-from-table',
        'v1/9/retryable-fits',
        'v1/9/nothing-leaked',
        'v1/9/no-internals-in-message',
        'v1/host-4/disabled-binding-not-run',
      ],
    },
    target: () =>
      referenceHostTarget({
        parts: {
          settleListing: () => ({ runners: new Map(), leftOut: [] }),
          whyNotBound: () => 'no',
          ...admission({ active: () => deny('unauthorized') }),
          show: () => ({}),
        },
      }),
  },
  {
    id: 'accepts-everything',
    what: 'Takes every runner, event, result and call as it comes.',
    // It works, so it may pass whatever asks a host to do something; it guards nothing, so it may pass nothing that asks it to refuse.
    vacuous: { passes: hostClauses.filter((id) => !GUARDS.test(id)) },
    target: () =>
      referenceHostTarget({
        parts: {
          acceptProtocolVersion: () => true,
          whyNotBound: () => undefined,
          ...anyBinding,
          grants: {
            ...HOST_PARTS.grants,
            models: ({ inventory }) => new Map(inventory.models.map(({ id, operations }) => [id, operations])),
            tools: ({ inventory }) => new Map(inventory.tools.map(({ name }) => [name, ['detail', 'call']])),
            knowledge: ({ inventory }) => new Map(inventory.knowledge.map(({ id }) => [id, ['list', 'retrieve']])),
            storage: () => STORAGE_AREAS,
            platform: ({ inventory }) => inventory.platform,
            history: () => ['page', 'search'],
            events: () => ['get', 'page'],
            artifacts: () => ['metadata', 'read'],
            state: () => STATE_SCOPES,
          },
          isKnownType: () => true,
          answerOf: ({ type, data }) =>
            type.startsWith('message.') || !HOST_PARTS.isKnownType(type)
              ? { role: 'assistant', content: JSON.stringify(data) }
              : undefined,
          artifactOf: ({ data: { mime_type: mime, ...data }, ...result }, run, id, now) => {
            const artifact = HOST_PARTS.artifactOf({ ...result, data }, run, id, now);
            return 'artifact_id' in artifact ? { ...artifact, mime_type: String(mime) } : artifact;
          },
          checkSize: () => undefined,
          checkPayload: () => undefined,
          checkSequence: () => undefined,
          checkStateUpdate: () => undefined,
          readStateUpdate: ({ scope, key, value = null }) => ({
            scope: isStateScope(scope) ? scope : 'runner',
            key: String(key),
            value,
          }),
          sessionOf: (result, session, all) => all.find(result.run_id) ?? session,
          endOfSilentStream: () => ({ status: 'completed' }),
          endOfBrokenStream: () => ({ status: 'completed' }),
          endAtDeadline: () => undefined,
          endOfCancel: () => undefined,
          unregistersAfter: () => false,
          stopsAfter: () => false,
          warnsOf: () => false,
          findSession: (data, sessions) => HOST_PARTS.findSession(data, sessions) ?? sessions.all[0],
          ...admission({
            active: () => undefined,
            identity: () => undefined,
            rate: () => undefined,
            size: () => undefined,
          }),
          ...actions('', ({ perform }) => ({
            checkArguments: () => undefined,
            checkGrant: () => undefined,
            checkScope: () => undefined,
            checkSize: () => undefined,
            perform: (data, scene) => {
              try {
                const scope = isStateScope(data['scope']) ? data['scope'] : 'runner';
                return perform({ ...data, scope }, { ...scene, limits: NO_LIMITS });
              } catch {
                return { data: {} };
              }
            },
          })),
          ...shows('warnings', none),
        },
      }),
  },
];

export const hostVariants: readonly Variant[] = [...honest, ...readings, ...vacuous];
