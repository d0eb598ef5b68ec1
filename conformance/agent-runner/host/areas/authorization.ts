// API calls of every kind with right and wrong run, identity, resource, operation, scope, conversation, size, rate, time and
// arguments; always the right call beside the wrong one, so that a refusal has no other reason.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../common/json.ts';
import type { Area } from '../../../driving/suite.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { PERMISSIONS } from '../../oracle/manifest.ts';
import { limitOf } from '../../oracle/measure.ts';
import type { Beat, Call, HostStimulus } from '../stimulus.ts';
import { repeat } from '../stimulus.ts';
import { badArguments, beside, ended, flawed, nearMisses, overdue } from './authorization-flaws.ts';
import {
  base64,
  call,
  ending,
  inTurn,
  type Offering,
  offeringOf,
  type Part,
  prepare,
  RUN_FLAWS,
  right,
  runners,
} from './authorization-kit.ts';
import { limitCorners, limits } from './authorization-limits.ts';
import { nowhere, sameId, scopes, strangers, threads, twoBindings } from './authorization-scopes.ts';
import { openBesideClosed, sideBySide, unequal } from './authorization-together.ts';
import { FULL_PERMISSIONS, hostArea, marked, scene } from './kit.ts';

/** A run that may do everything, then one of another runner or under another policy that makes the same calls. */
function trial(
  offering: Offering,
  actions: readonly string[],
  permissions: JsonObject,
  change: Pick<Part, 'resource' | 'state'>,
  more: (run: number) => readonly Beat[] = () => [],
): HostStimulus {
  const beatsOf = (run: number): readonly Beat[] => [
    ...prepare(actions, run),
    ...actions.map((action) => right(offering, action, run)),
    ...more(run),
    ...ending,
  ];
  return scene(
    inTurn(offering, [{ beats: beatsOf(0) }, { runner: 'lesser', beats: beatsOf(1), ...change }]),
    runners(offering, { lesser: permissions }),
  );
}

/** Manifest, policy and approval, each there or not; and once with all three. */
function platform(
  offering: Offering,
  has: { readonly manifest: boolean; readonly policy: boolean; readonly approval: boolean },
): HostStimulus {
  const beats = [right(offering, 'platform_request_action', 0), ...ending];
  const resource = {
    allowed_platform_actions: has.policy ? offering.platform : [],
    approved_platform_actions: has.approval ? offering.platform : [],
  };
  return scene(
    inTurn(offering, [{ beats }, { runner: has.manifest ? 'main' : 'lesser', beats, resource }]),
    runners(offering, { lesser: { ...FULL_PERMISSIONS, platform_api: [] } }),
  );
}

/** Every tool that always fails, beside one that does not. */
const failing = (offering: Offering): HostStimulus =>
  beside(offering, [
    {
      action: 'call_tool',
      calls: offering.tools
        .filter((one) => one['fails'] === true)
        .map((one) => call('call_tool', { tool_name: one['tool_name'] as string, parameters: {} })),
    },
  ]);

/** Changes that are refused, and then looked for. */
function withoutEffect(offering: Offering): HostStimulus {
  const has = (one: Beat): boolean => !('call' in one) || offering.actions.includes(one.call);
  const areas = ['plugin', 'workspace', 'binding'];
  const tooLarge = limitOf(offering.limits, 'state_value_bytes') ?? 4 * 1024 * 1024;
  const set = (area: string, value: string, more: Partial<Call> = {}): Call =>
    call(`set_${area}_storage`, { key: 'k', value_base64: base64(value) }, more);
  const beats: Beat[] = [
    call('state_set', { scope: 'conversation', key: 'k', value: marked('first') }),
    call('state_set', { scope: 'conversation', key: 'k', value: marked('stolen') }, { as: 'mallory/evil' }),
    call('state_get', { scope: 'conversation', key: 'k' }),
    call('state_delete', { scope: 'conversation', key: 'k' }, { as: 'mallory/evil' }),
    call('state_get', { scope: 'conversation', key: 'k' }),
    call('state_set', { scope: 'nonsense', key: 'k2', value: marked('nowhere') }),
    call('state_set', { scope: 'conversation', key: 'k', value: repeat('x', tooLarge) as unknown as string }),
    call('state_get', { scope: 'conversation', key: 'k' }),
    ...areas.flatMap((area): Beat[] => [
      set(area, marked('first')),
      set(area, marked('stolen'), { as: null }),
      call(`get_${area}_storage`, { key: 'k' }),
      call(`delete_${area}_storage`, { key: 'k' }, { as: 'mallory/evil' }),
      call(`get_${area}_storage`, { key: 'k' }),
    ]),
    call('platform_request_action', { action: offering.platform[0]! }, { as: 'mallory/evil' }),
    call('call_tool', { tool_name: 'no-such-tool', parameters: {} }),
  ];
  return scene(inTurn(offering, [{ beats: [...beats.filter(has), ...ending] }]), runners(offering));
}

/** Names and values that a host may take for something else: they are the runner's own, and any will do. */
function likeSomethingElse(offering: Offering): HostStimulus {
  const likenesses: readonly (readonly [key: string, value: JsonValue])[] = [
    ['minus', -1],
    ['-1', '-7'],
    ['0', 0],
    ['null', 'null'],
    ['limit', { limit: -1 }],
    ['constructor', []],
    ['ключ 🤖', false],
  ];
  const beats = likenesses.flatMap(([key, value], at): Beat[] => [
    call('state_set', { scope: 'conversation', key, value }),
    call('state_get', { scope: 'conversation', key }),
    ...['plugin', 'workspace', 'binding'].flatMap((area) => [
      call(`set_${area}_storage`, { key, value_base64: base64(`${at}`) }),
      call(`get_${area}_storage`, { key }),
    ]),
  ]);
  const has = (one: Beat): boolean => !('call' in one) || offering.actions.includes(one.call);
  return scene(inTurn(offering, [{ beats: [...beats.filter(has), ...ending] }]), runners(offering));
}

const LESSER: readonly JsonObject[] = [
  {},
  {
    models: ['invoke'],
    tools: ['detail'],
    knowledge_bases: ['list'],
    history: ['page'],
    events: ['get'],
    artifacts: ['metadata'],
    storage: ['plugin'],
  },
  {
    models: ['stream', 'rerank'],
    tools: ['call'],
    knowledge_bases: ['retrieve'],
    history: ['search'],
    events: ['page'],
    artifacts: ['read'],
    storage: ['workspace', 'binding'],
  },
  { models: ['rerank'], tools: ['detail', 'call'], knowledge_bases: ['list', 'retrieve'], storage: ['binding'] },
];

function corners(info: TargetInfo): readonly HostStimulus[] {
  const offering = offeringOf(info);
  const { actions } = offering;
  const has = (action: string): boolean => actions.includes(action);
  const narrow: JsonObject = {
    allowed_model_uuids: offering.models.slice(0, 1).map((one) => one['model_id'] as string),
    allowed_tool_names: offering.tools.slice(0, 1).map((one) => one['tool_name'] as string),
    allowed_kb_uuids: offering.bases.slice(0, 1),
    allow_plugin_storage: false,
  };
  return [
    ...(actions.includes('artifact_read')
      ? [{ event: { conversation_id: 'conversation-2' } }, { binding: 'binding-2' }].map((stranger) =>
          sameId(offering, stranger),
        )
      : []),
    ...Object.keys(RUN_FLAWS).map((flaw) => flawed(offering, actions, [flaw])),
    openBesideClosed(offering),
    nearMisses(offering),
    badArguments(offering, actions, (flaws) => flaws.filter((_, index) => index % 2 === 0)),
    ended(offering, actions),
    overdue(offering, actions),
    ...LESSER.map((permissions) => trial(offering, actions, permissions, {})),
    trial(
      offering,
      actions,
      FULL_PERMISSIONS,
      { resource: narrow, state: { enable_state: false, state_scopes: [] } },
      () => strangers(offering),
    ),
    unequal(offering, actions),
    scopes(offering),
    nowhere(offering),
    twoBindings(offering),
    ...[null, 'thread-1'].map((thread_id) =>
      scopes(offering, { resource: { allowed_conversation_ids: ['conversation-2'] }, event: { thread_id } }),
    ),
    ...(has('platform_request_action')
      ? [0, 1, 2].map((missing) =>
          platform(offering, { manifest: missing !== 0, policy: missing !== 1, approval: missing !== 2 }),
        )
      : []),
    ...(has('history_page') ? [threads(offering, 'thread-1', 'thread-2')] : []),
    ...(has('call_tool') ? [failing(offering)] : []),
    withoutEffect(offering),
    likeSomethingElse(offering),
    ...limitCorners(offering),
  ];
}

function stimulus(info: TargetInfo): fc.Arbitrary<HostStimulus> {
  const offering = offeringOf(info);
  const { actions } = offering;
  const some = (most: number) => fc.uniqueArray(fc.constantFrom(...actions), { minLength: 1, maxLength: most });
  const permissions = fc.record(
    Object.fromEntries(
      Object.entries(PERMISSIONS).map(([family, all]) => [
        family,
        family === 'platform_api' ? fc.subarray([...offering.platform]) : fc.subarray([...(all as readonly string[])]),
      ]),
    ),
  ) as fc.Arbitrary<JsonObject>;
  const cut = (names: readonly unknown[]) => fc.option(fc.subarray(names.map(String)));
  const resource = fc.record({
    allowed_model_uuids: cut(offering.models.map((one) => one['model_id'])),
    allowed_tool_names: cut(offering.tools.map((one) => one['tool_name'])),
    allowed_kb_uuids: cut(offering.bases),
    allow_plugin_storage: fc.boolean(),
    allow_workspace_storage: fc.boolean(),
    allow_binding_storage: fc.boolean(),
    allowed_platform_actions: fc.subarray([...offering.platform]),
    approved_platform_actions: fc.subarray([...offering.platform]),
    allowed_conversation_ids: fc.subarray(['conversation-2']),
  }) as fc.Arbitrary<JsonObject>;
  const state = fc.record({
    enable_state: fc.boolean(),
    state_scopes: fc.subarray(['conversation', 'actor', 'subject', 'runner']),
  });
  const flaws = fc.uniqueArray(fc.constantFrom(...Object.keys(RUN_FLAWS)), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(some(5), flaws).map(([chosen, flaws]) => flawed(offering, chosen, flaws)) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(some(4), fc.nat(20))
        .map(([chosen, at]) =>
          badArguments(offering, chosen, (all) => (all.length === 0 ? [] : [all[at % all.length]!])),
        ),
    },
    { weight: 2, arbitrary: some(6).map((chosen) => ended(offering, chosen)) },
    { weight: 1, arbitrary: some(4).map((chosen) => overdue(offering, chosen)) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(some(8), permissions, resource, state, fc.boolean())
        .map(([chosen, permissions, resource, state, more]) =>
          trial(offering, chosen, permissions, { resource, state }, () =>
            more ? strangers(offering).slice(0, 12) : [],
          ),
        ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(resource, state).map(([resource, state]) => scopes(offering, { resource, state })),
    },
    {
      weight: 1,
      arbitrary: actions.includes('platform_request_action')
        ? fc
            .record({ manifest: fc.boolean(), policy: fc.boolean(), approval: fc.boolean() })
            .map((has) => platform(offering, has))
        : some(2).map((chosen) => ended(offering, chosen)),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('a', 'thread-1', '线程'), fc.constantFrom('b', 'thread-2'))
        .map(([mine, theirs]) => threads(offering, mine, theirs)),
    },
    { weight: 2, arbitrary: some(4).map((chosen) => sideBySide(offering, chosen)) },
    { weight: 2, arbitrary: limits(offering) },
  );
}

const authorization = hostArea({ id: 'authorization', runs: 400, corners, stimulus });

export const authorizationAreas: readonly Area[] = [authorization];
