// Events of every shape, under every policy, for runners that ask for more or less; several turns of one conversation.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { CAPABILITIES, CONTEXT_POLICY, PERMISSIONS } from '../../oracle/manifest.ts';
import { say } from '../say.ts';
import { type HostStimulus, repeat, type Step, selfRun } from '../stimulus.ts';
import { OTHER_TYPES, shapes } from './context-shapes.ts';
import {
  addedName,
  binding,
  declaredBy,
  delivery,
  event,
  FULL_PERMISSIONS,
  hostArea,
  idOf,
  json,
  manifest,
  marked,
  OPEN_POLICY,
  offer,
  quiet,
  scene,
  settle,
  submit,
  text,
  wrapper,
} from './kit.ts';

interface Turn {
  readonly event: JsonObject;
  readonly binding?: JsonObject;
}

/** Turns one after the other, each answered with a text of its own. */
const turns = (list: readonly Turn[], runners: readonly JsonObject[] = [manifest()]): HostStimulus =>
  scene(
    list.flatMap((turn, index): Step[] => [
      submit(turn.event, turn.binding ?? binding(), [...quiet(marked(`out${index}`, 'the answer'))]),
      settle(index),
    ]),
    runners,
    false,
  );

const one = (change: JsonObject, bound?: JsonObject, runner?: JsonObject): HostStimulus =>
  turns([{ event: event(1, change), ...(bound === undefined ? {} : { binding: bound }) }], [runner ?? manifest()]);

const asking = (permissions: JsonObject): JsonObject => manifest('main', { permissions });
const allowing = (policy: JsonObject): JsonObject => binding({ resource_policy: { ...OPEN_POLICY, ...policy } });

/** Ids of what the host has, and one that nobody has. */
function inventoryOf(info: TargetInfo) {
  const { inventory } = declaredBy(info);
  const ids = (list: unknown, key: string): readonly string[] =>
    (Array.isArray(list) ? list : []).flatMap((entry) =>
      typeof entry?.[key] === 'string' ? [entry[key] as string] : [],
    );
  const actions = Array.isArray(inventory['platform_actions']) ? inventory['platform_actions'].map(String) : [];
  return {
    allowed_model_uuids: ids(inventory['models'], 'model_id'),
    allowed_tool_names: ids(inventory['tools'], 'tool_name'),
    allowed_kb_uuids: ids(inventory['knowledge_bases'], 'kb_id'),
    actions: actions.length > 0 ? actions : ['message.edit', 'message.delete'],
  };
}

/** A surface that bears less than the binding allows. */
const narrowSurface = (): HostStimulus =>
  one({ delivery: delivery({ max_message_size: 100 }) }, binding({ delivery_policy: { max_message_size: 5000 } }));

const deliveryPolicies: readonly JsonObject[] = [
  { enable_streaming: false },
  { enable_streaming: true, enable_reply: false },
  { max_message_size: 100 },
];

/** Events that lack what every event has, or have it wrong. */
const unsound: readonly JsonObject[] = [
  { event_id: null },
  { event_type: 7 },
  { source: null },
  { input: 'a text' },
  { actor: { actor_id: 'nobody says of what type' } },
  { event_time: 'yesterday' },
];

/** One envelope under two bindings, which give it different configs and rights. */
const twoBindings = (envelope: JsonObject, bindings: readonly JsonObject[] = TWO): HostStimulus =>
  turns(
    bindings.map((bound, index) => ({ event: { ...event(1, envelope), event_id: `event-${index}` }, binding: bound })),
  );
const TWO: readonly JsonObject[] = [
  binding({ binding_id: 'b-1', runner_config: { model: marked('one'), shared: 1, only_one: true } }),
  binding({
    binding_id: 'b-2',
    runner_config: { model: marked('two'), shared: 1, only_two: [1] },
    resource_policy: { allow_plugin_storage: false },
    state_policy: { enable_state: false },
  }),
];

/** What the bindings of one event may differ in beside. */
const OTHERWISE: readonly JsonObject[] = [
  binding({ binding_id: 'b-1' }),
  binding({
    binding_id: 'b-2',
    event_types: ['message.received', 'group.member_joined'],
    delivery_policy: { enable_streaming: false, enable_reply: false, max_message_size: 100 },
    state_policy: { enable_state: true, state_scopes: ['runner'] },
  }),
];

/** Attachments that bring their bytes along, large and small, and are read. */
const attached = (): HostStimulus => {
  const attachments = [
    { artifact_id: 'attached-large', name: 'a.bin', content: repeat('QUJD', 35_000) },
    { artifact_id: 'attached-small', name: 'b.bin', mime_type: 'text/plain', content: 'QUJD' },
  ];
  const reads = attachments.map(({ artifact_id }) => ({
    call: 'artifact_read',
    data: { run_id: selfRun, artifact_id, offset: 1, length: 12 },
  }));
  return scene([
    submit(event(1, { input: { text: marked('in1'), attachments } as unknown as JsonObject }), binding(), [
      ...reads,
      say.completed(),
    ]),
    settle(0),
  ]);
};

/** One event that two bindings are meant for: two runs, each with an id of its own. */
const boundTwice = (): HostStimulus => turns(TWO.map((bound) => ({ event: event(1), binding: bound })));

/** An event of somebody somewhere, then one in the same conversation that says nothing of that. */
const thenNobody = (): HostStimulus =>
  turns([
    { event: event(1, { thread_id: 'thread-1' }) },
    { event: event(2, { thread_id: null, actor: null, subject: null, bot_id: null, workspace_id: null }) },
    { event: event(3, { thread_id: null, actor: { actor_type: 'user' }, subject: { subject_type: 'message' } }) },
    { event: event(4, { conversation_id: null, event_type: 'schedule.triggered' }) },
  ]);

/** A runner that asks for less, or for more, than when it was listed before. */
const listedAnew = (permissions: readonly JsonObject[]): HostStimulus => ({
  offers: permissions.map((one) => offer(asking(one))),
  steps: permissions.flatMap((_, index): Step[] => [
    { do: 'discover', offer: index },
    submit(event(index), binding(), [...quiet(marked(`out${index}`))]),
    settle(index),
  ]),
});

/** State in every scope, then runs under policies that open fewer of them. */
const narrowed = (policies: readonly JsonObject[]): HostStimulus =>
  scene([
    submit(event(1), binding(), [
      ...['conversation', 'actor', 'subject', 'runner'].map((scope) => say.state(scope, 'key', marked(scope))),
      say.completed(),
    ]),
    settle(0),
    ...policies.flatMap((state_policy, index): Step[] => [
      submit(event(index + 2), binding({ state_policy }), [say.completed()]),
      settle(index + 1),
    ]),
  ]);

const conversation = (count: number, runner: JsonObject, conversations = 1): HostStimulus =>
  turns(
    Array.from({ length: count }, (_, index) => ({
      event: event(index, { conversation_id: `conversation-${index % conversations}` }),
    })),
    [runner],
  );

const anyPermissions = fc.record(
  Object.fromEntries(
    Object.entries(PERMISSIONS).map(([family, operations]) => [
      family,
      family === 'platform_api' ? fc.subarray(['message.edit', 'message.delete']) : fc.subarray([...operations]),
    ]),
  ),
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const flags = (names: readonly string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, fc.boolean()])), {
    requiredKeys: [],
  }) as fc.Arbitrary<JsonObject>;

const anyEvent = (index: number): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      shape: fc.oneof(
        { weight: 3, arbitrary: fc.constant<JsonObject>({}) },
        fc.constantFrom(...shapes.filter((shape) => !('input' in shape))),
      ),
      type: fc.oneof(
        { weight: 2, arbitrary: fc.constant('message.received') },
        { weight: 1, arbitrary: fc.constantFrom(...OTHER_TYPES) },
      ),
      conversation_id: fc.constantFrom('conversation-1', 'conversation-2', null),
      said: text,
      contents: fc.array(
        text.map((one) => ({ type: 'text', text: one })),
        { maxLength: 2 },
      ),
      attachments: fc.array(
        fc.nat(3).map((id) => ({ artifact_id: `attached-${id}`, name: 'a' })),
        { maxLength: 2 },
      ),
      surface: fc.record({
        supports_streaming: fc.boolean(),
        supports_edit: fc.boolean(),
        supports_reaction: fc.boolean(),
        max_message_size: fc.constantFrom(null, 100, 5000),
      }),
      extra: fc.dictionary(addedName, json, { maxKeys: 1 }),
    })
    .map(({ shape, type, conversation_id, said, contents, attachments, surface, extra }) =>
      event(index, {
        ...extra,
        event_type: type,
        conversation_id,
        input: { text: marked(`in${index}`, said), contents, attachments },
        delivery: delivery(surface),
        ...shape,
      }),
    );

function anyBinding(info: TargetInfo, runners: readonly string[]): fc.Arbitrary<JsonObject> {
  const has = inventoryOf(info);
  const list = (ids: readonly string[]) => fc.option(fc.subarray([...ids, 'nobody-has-this']), { nil: null });
  return fc
    .record({
      id: fc.nat(2),
      runner: fc.constantFrom(...runners),
      config: fc.dictionary(fc.constantFrom('model', 'prompt', 'temperature', 'nested'), json, { maxKeys: 3 }),
      policy: fc.record(
        {
          allowed_model_uuids: list(has.allowed_model_uuids),
          allowed_tool_names: list(has.allowed_tool_names),
          allowed_kb_uuids: list(has.allowed_kb_uuids),
          allow_plugin_storage: fc.boolean(),
          allow_workspace_storage: fc.boolean(),
          allow_binding_storage: fc.boolean(),
          allowed_platform_actions: fc.subarray(['message.edit', 'message.delete', ...has.actions]),
          approved_platform_actions: fc.subarray(['message.edit', ...has.actions]),
        },
        { requiredKeys: [] },
      ),
      state: fc.record(
        { enable_state: fc.boolean(), state_scopes: fc.subarray(['conversation', 'actor', 'subject', 'runner']) },
        { requiredKeys: [] },
      ),
      delivery: fc.constantFrom({}, ...deliveryPolicies),
      enabled: fc.oneof({ weight: 8, arbitrary: fc.constant(true) }, fc.constant(false)),
      types: fc.oneof(
        { weight: 8, arbitrary: fc.constant<string[]>([]) },
        fc.constant(['message.received']),
        fc.constant(['group.member_joined']),
      ),
    })
    .map(({ id, runner, config, policy, state, delivery: narrowing, enabled, types }) =>
      binding({
        binding_id: `b-${id}`,
        runner_id: idOf(runner),
        runner_config: config,
        resource_policy: policy as JsonObject,
        state_policy: state as JsonObject,
        delivery_policy: narrowing,
        enabled,
        event_types: types,
      }),
    );
}

export const context = hostArea({
  id: 'context',
  runs: 480,
  corners: (info) => {
    const has = inventoryOf(info);
    const acting = { ...FULL_PERMISSIONS, platform_api: has.actions };
    return [
      ...shapes.map((shape) => one(shape)),
      narrowSurface(),
      ...unsound.map((shape) => one(shape)),
      ...deliveryPolicies.map((delivery_policy) => one({}, binding({ delivery_policy }))),
      one({}, binding({ runner_config: { model: 'm', nested: { deep: [1, null] }, 'odd key': '' } })),
      twoBindings({}),
      twoBindings({ source: 'webui', thread_id: 'thread-1' }),
      twoBindings({}, OTHERWISE),
      boundTwice(),
      thenNobody(),
      attached(),
      listedAnew([FULL_PERMISSIONS, { models: ['invoke'], history: ['page'] }, FULL_PERMISSIONS]),
      ...[{}, { models: ['invoke'], tools: ['detail'], history: ['page'] }].map((asked) =>
        one({}, allowing({}), wrapper(asking(asked))),
      ),
      // What a policy does not say is as the model has it: no storage but the plugin's, no action.
      one({}, binding({ resource_policy: {} }), asking(acting)),
      ...Object.keys(PERMISSIONS).map((family) =>
        one(
          {},
          allowing({ allowed_platform_actions: has.actions, approved_platform_actions: has.actions }),
          asking({ ...acting, [family]: [] }),
        ),
      ),
      ...Object.entries(PERMISSIONS).flatMap(([family, operations]) =>
        operations.map((operation) => one({}, allowing({}), asking({ ...acting, [family]: [operation] }))),
      ),
      one({}, allowing({ allowed_platform_actions: has.actions, approved_platform_actions: has.actions }), asking({})),
      ...(['allowed_model_uuids', 'allowed_tool_names', 'allowed_kb_uuids'] as const).flatMap((list) => [
        one({}, allowing({ [list]: [] }), asking(acting)),
        one({}, allowing({ [list]: [...has[list].slice(0, 1), 'nobody-has-this'] }), asking(acting)),
      ]),
      ...['plugin', 'workspace', 'binding'].map((area) => one({}, allowing({ [`allow_${area}_storage`]: false }))),
      one(
        {},
        allowing({ allowed_platform_actions: has.actions.slice(0, 1), approved_platform_actions: has.actions }),
        asking(acting),
      ),
      one({}, binding({ state_policy: { enable_state: false, state_scopes: ['conversation'] } })),
      scene([
        submit(event(1), binding(), [say.state('conversation', 'key', marked('kept')), say.completed()]),
        settle(0),
        submit(event(2), binding({ state_policy: { enable_state: true, state_scopes: [] } }), [say.completed()]),
        settle(1),
      ]),
      narrowed([{ enable_state: true, state_scopes: ['conversation'] }, {}]),
      conversation(4, manifest()),
      conversation(4, manifest('main', { capabilities: { self_managed_context: false, streaming: true } })),
      conversation(
        3,
        manifest('main', {
          context: {
            bootstrap: 'recent_tail',
            max_inline_events: 10,
            supports_history_pull: false,
          } as unknown as JsonObject,
        }),
      ),
      conversation(4, manifest(), 2),
      scene([
        submit(event(1), binding({ enabled: false }), [...quiet(marked('no'))]),
        { do: 'wait', ms: 100 },
        submit(event(2), binding({ event_types: ['group.member_joined'] }), [...quiet(marked('no'))]),
        { do: 'wait', ms: 100 },
        submit(event(3), binding({ event_types: ['message.edited'] }), [...quiet(marked('no'))]),
        { do: 'wait', ms: 100 },
        submit(event(4), binding({ event_types: ['message.received'] }), [...quiet(marked('yes'))]),
        settle(3),
      ]),
    ];
  },
  stimulus: (info) => {
    const many = fc.integer({ min: 1, max: 2 }).chain((runners) => {
      const names = Array.from({ length: runners }, (_, index) => `r${index}`);
      return fc
        .record({
          runners: fc.tuple(
            ...names.map((name) =>
              fc
                .record({
                  permissions: anyPermissions,
                  capabilities: flags(CAPABILITIES),
                  context: flags(CONTEXT_POLICY),
                })
                .map((change) => manifest(name, change)),
            ),
          ),
          turns: fc
            .integer({ min: 1, max: 4 })
            .chain((count) =>
              fc.tuple(
                ...Array.from({ length: count }, (_, index) =>
                  fc.record({ event: anyEvent(index), binding: anyBinding(info, names) }),
                ),
              ),
            ),
        })
        .map((all) => turns(all.turns, all.runners));
    });
    const twice = fc
      .tuple(anyEvent(1), anyBinding(info, ['main']), anyBinding(info, ['main']))
      .map(([envelope, first, second]) => twoBindings(envelope, [first, { ...second, binding_id: 'b-other' }]));
    return fc.oneof({ weight: 7, arbitrary: many }, { weight: 1, arbitrary: twice });
  },
});
