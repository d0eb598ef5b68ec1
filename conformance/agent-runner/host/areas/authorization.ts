// API calls of every kind with right and wrong run, identity, resource, operation, scope, conversation, size, rate, time and
// arguments; always the right call beside the wrong one, so that a refusal has no other reason.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../common/json.ts';
import type { Area } from '../../../driving/suite.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { APIS } from '../../oracle/calls.ts';
import { PERMISSIONS } from '../../oracle/manifest.ts';
import { limitOf } from '../../oracle/measure.ts';
import { say } from '../say.ts';
import type { Beat, Call, HostStimulus, Step } from '../stimulus.ts';
import { repeat, runOf } from '../stimulus.ts';
import {
  argumentFlaws,
  BYTES,
  base64,
  call,
  ending,
  fileOf,
  inTurn,
  NEAR_MISSES,
  type Offering,
  oddCalls,
  offeringOf,
  Pacer,
  type Part,
  part,
  prepare,
  RUN_FLAWS,
  right,
  rightArguments,
  runners,
} from './authorization-kit.ts';
import { cheapest, limitCorners, limits } from './authorization-limits.ts';
import { AUTHOR, event, FULL_PERMISSIONS, hostArea, marked, scene, settle } from './kit.ts';

const OWN = `${AUTHOR}/probe`;

/** Each wrong call between two right ones, in one run that may do everything. */
function beside(
  offering: Offering,
  wrongs: readonly { readonly action: string; readonly calls: readonly Call[] }[],
): HostStimulus {
  const actions = wrongs.map(({ action }) => action);
  const beats = wrongs.flatMap(({ action, calls }) => [
    right(offering, action, 0),
    ...calls,
    right(offering, action, 0),
  ]);
  return scene(inTurn(offering, [{ beats: [...prepare(actions, 0), ...beats, ...ending] }]), runners(offering));
}

const flawed = (offering: Offering, actions: readonly string[], flaws: readonly string[]): HostStimulus =>
  beside(
    offering,
    actions.map((action) => ({ action, calls: flaws.map((flaw) => RUN_FLAWS[flaw]!(right(offering, action, 0))) })),
  );

/** Each of these wrongs by itself, between right calls, on one action: whoever asks and for which run is asked in one place. */
const nearMisses = (offering: Offering): HostStimulus => {
  const action = cheapest(offering);
  return beside(offering, [{ action, calls: NEAR_MISSES.map((flaw) => flaw(right(offering, action, 0))) }]);
};

/** Wrong and odd arguments; `pick` chooses among the flaws of each action. */
const badArguments = (
  offering: Offering,
  actions: readonly string[],
  pick: (flaws: readonly JsonObject[]) => readonly JsonObject[],
): HostStimulus =>
  beside(
    offering,
    actions.map((action) => ({
      action,
      calls: [
        ...pick(argumentFlaws(action, rightArguments(offering, action, 0))).map((data) => call(action, data)),
        ...oddCalls(offering, action, 0),
      ],
    })),
  );

/** Right while the run lasts; the same calls once it is over. */
function ended(offering: Offering, actions: readonly string[]): HostStimulus {
  const pacer = new Pacer(offering);
  const beats = [...prepare(actions, 0), ...actions.map((action) => right(offering, action, 0)), ...ending];
  const late = actions.map(
    (action): Step => ({
      do: 'call',
      ...right(offering, action, 0),
      data: { ...rightArguments(offering, action, 0), run_id: runOf(0) },
      as: OWN,
    }),
  );
  return scene(
    [...inTurn(offering, [{ beats }], pacer), { do: 'wait', ms: 1100 }, ...pacer.steps(late)],
    runners(offering),
  );
}

/** Right before the deadline; the same calls after it. A host may have cancelled by then, which this runner does not heed. */
function overdue(offering: Offering, actions: readonly string[]): HostStimulus {
  const calls = actions.map((action) => right(offering, action, 0));
  const beats: Beat[] = [
    ...prepare(actions, 0),
    ...calls,
    { deadline: 100 },
    ...calls.slice(0, 2),
    { deadline: 300, graces: 1 },
    ...calls,
    { end: 'silence' },
  ];
  const pacer = new Pacer(offering);
  const timeout = 3 + Math.ceil((actions.length + 10) / offering.pace) * 1.2;
  return scene(
    [
      part(0, { beats, config: { timeout } }, offering, pacer),
      { do: 'wait', ms: Math.ceil(timeout * 2400) + 2000, graces: 2 },
    ],
    runners(offering),
  );
}

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

/** Two runs of one runner at the same time, of which the first may use nothing: what the later one may is not its business. */
function openBesideClosed(offering: Offering): HostStimulus {
  const pacer = new Pacer(offering);
  const calls = ['invoke_llm', 'get_tool_detail', 'call_tool', 'retrieve_knowledge_base']
    .filter((action) => offering.actions.includes(action))
    .map((action) => right(offering, action, 0));
  const none = { allowed_model_uuids: [], allowed_tool_names: [], allowed_kb_uuids: [] };
  const open = part(1, { beats: [...calls, { wait: 3000 }, ...ending] }, offering, pacer);
  const closed = part(0, { resource: none, beats: [{ wait: 500 }, ...calls, ...ending] }, offering, pacer);
  return scene([closed, open, settle(0, 8000), settle(1, 8000)], runners(offering));
}

/** Names that nothing has, and that a careless look-up finds all the same: a member that every object has, a wildcard. */
const FOUND_BY_MISTAKE = ['constructor', '*', '%'] as const;

/** Ids that exist and are not granted, beside ids that do not exist. */
function strangers(offering: Offering): readonly Beat[] {
  const ask = (field: string, actions: readonly string[], ids: readonly unknown[]): readonly Beat[] =>
    actions
      .filter((action) => offering.actions.includes(action))
      .flatMap((action) =>
        [...ids, `no-such-${field}`, ...FOUND_BY_MISTAKE].map((id) =>
          call(action, { ...rightArguments(offering, action, 0), [APIS[action]!.names!]: id as string }),
        ),
      );
  const tools = offering.tools.map((one) => one['tool_name']);
  return [
    ...ask(
      'model',
      ['invoke_llm', 'invoke_llm_stream', 'invoke_rerank'],
      offering.models.map((one) => one['model_id']),
    ),
    ...ask('tool', ['get_tool_detail', 'call_tool'], tools),
    ...ask('base', ['retrieve_knowledge_base'], offering.bases),
    ...ask('event', ['event_get'], ['event-0']),
    ...ask('artifact', ['artifact_metadata', 'artifact_read', 'artifact_open_stream'], [fileOf(0)]),
  ];
}

/** Two runs outside of any conversation: each has what is its own, and nothing of the other's. */
const nowhere = (offering: Offering): HostStimulus =>
  offeredOnly(
    offering,
    [0, 1].map((run) => ({
      event: { conversation_id: null, thread_id: null },
      beats: [
        say.artifact({
          artifact_id: `nowhere-${run}`,
          artifact_type: 'file',
          mime_type: 'text/plain',
          name: 'nowhere.txt',
          content_base64: BYTES,
        }),
        { wait: 20 },
        ...[run, 0].flatMap((of) => [
          call('artifact_metadata', { artifact_id: `nowhere-${of}` }),
          call('artifact_read', { artifact_id: `nowhere-${of}`, offset: 0, length: 8 }),
        ]),
        call('event_get', { event_id: `event-${run}` }),
        call('event_page', { limit: 20 }),
        ...ending,
      ],
    })),
  );

/** Two bindings in one conversation: neither opens what a runner made under the other. */
const twoBindings = (offering: Offering): HostStimulus =>
  offeredOnly(
    offering,
    [0, 1].map((run) => ({
      binding: `binding-${run}`,
      beats: [
        say.artifact({
          artifact_id: `bound-${run}`,
          artifact_type: 'file',
          mime_type: 'text/plain',
          name: 'bound.txt',
          content_base64: BYTES,
        }),
        { wait: 20 },
        ...[run, 0].flatMap((of) => [
          call('artifact_metadata', { artifact_id: `bound-${of}` }),
          call('artifact_read', { artifact_id: `bound-${of}`, offset: 0, length: 8 }),
          call('artifact_open_stream', { artifact_id: `bound-${of}` }),
        ]),
        ...ending,
      ],
    })),
  );

/** Runs one after the other, without the calls that the host does not know. */
const offeredOnly = (offering: Offering, parts: readonly Part[]): HostStimulus =>
  scene(
    inTurn(
      offering,
      parts.map((one) => ({
        ...one,
        beats: one.beats.filter((beat) => !('call' in beat) || offering.actions.includes(beat.call)),
      })),
    ),
    runners(offering),
  );

/** Another conversation with a history, events and an artifact; then a run that reaches for them. */
function scopes(offering: Offering, change: Pick<Part, 'resource' | 'state' | 'event'> = {}): HostStimulus {
  const has = (action: string): boolean => offering.actions.includes(action);
  const wanted = offering.actions.filter((action) => /^(history|event|artifact|state)/.test(action));
  const other = {
    conversation_id: 'conversation-2',
    input: { text: marked('other-secret', 'what was said elsewhere'), contents: [], attachments: [] },
  };
  const reach: readonly Call[] = [
    call('history_page', { ...rightArguments(offering, 'history_page', 1), conversation_id: 'conversation-2' }),
    call('history_page', { ...rightArguments(offering, 'history_page', 1), conversation_id: 'no-such-conversation' }),
    call('history_page', { conversation_id: 'conversation-1', limit: 5 }),
    call('history_search', { query: 'what was said', filters: { conversation_id: 'conversation-2' }, top_k: 5 }),
    call('event_get', { event_id: 'event-0' }),
    call('event_get', { event_id: 'no-such-event' }),
    call('event_page', { ...rightArguments(offering, 'event_page', 1), conversation_id: 'conversation-2' }),
    call('event_page', { limit: 20 }),
    ...['artifact_metadata', 'artifact_read', 'artifact_open_stream'].flatMap((action) =>
      [fileOf(0), 'no-such-file'].map((id) => call(action, { artifact_id: id })),
    ),
    ...['subject', 'runner', 'workspace', 'binding', 'nonsense'].flatMap((scope) => [
      call('state_set', { scope, key: 'far', value: marked(`far-${scope}`) }),
      call('state_get', { scope, key: 'far' }),
      call('state_delete', { scope, key: 'far' }),
    ]),
  ].filter(({ call: action }) => has(action));
  const own = wanted.map((action) => right(offering, action, 1));
  return scene(
    inTurn(offering, [
      { beats: [...prepare(wanted, 0), ...ending], event: other },
      {
        beats: [
          ...prepare(wanted, 1),
          ...own,
          ...reach.flatMap((one) => [one, right(offering, one.call, 1)]),
          ...ending,
        ],
        state: { enable_state: true, state_scopes: ['conversation', 'actor'] },
        ...change,
      },
    ]),
    runners(offering),
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

/** Two threads of one conversation, and a look at the history from one of them. */
const threads = (offering: Offering, mine: string, theirs: string): HostStimulus =>
  offeredOnly(offering, [
    { beats: ending, event: { thread_id: theirs } },
    { beats: ending, event: { thread_id: mine } },
    {
      beats: [
        call('history_page', { limit: 10 }),
        call('history_page', { limit: 10, direction: 'forward' }),
        call('history_search', { query: 'what was said', top_k: 10 }),
        ...ending,
      ],
      event: { thread_id: mine },
    },
  ]);

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

/** Runs side by side, each calling for itself and for the other. */
function sideBySide(offering: Offering, actions: readonly string[]): HostStimulus {
  const beatsOf = (run: number): readonly Beat[] => [
    ...prepare(actions, run),
    ...actions.flatMap((action) => [
      right(offering, action, run),
      { ...right(offering, action, run), as: `${AUTHOR}/other` },
    ]),
    ...ending,
  ];
  const pacer = new Pacer({ pace: Math.max(1, Math.floor(offering.pace / 2)) });
  const steps = [0, 1].map((run) =>
    part(run, { beats: beatsOf(run), event: event(run, { conversation_id: `conversation-${run}` }) }, offering, pacer),
  );
  return scene([...steps, settle(0), settle(1)], runners(offering));
}

/** A run that may do nothing, and beside it one of the same plugin that may do everything: each has its own grants and no others. */
function unequal(offering: Offering, actions: readonly string[]): HostStimulus {
  const pacer = new Pacer({ pace: Math.max(1, Math.floor(offering.pace / 2)) });
  const beatsOf = (run: number): readonly Beat[] => [
    ...prepare(actions, run),
    ...actions.map((action) => right(offering, action, run)),
    ...ending,
  ];
  const nothing: Part = {
    runner: 'lesser',
    beats: [{ wait: 300 }, ...beatsOf(0)],
    resource: {
      allow_plugin_storage: false,
      allow_workspace_storage: false,
      allow_binding_storage: false,
      allowed_platform_actions: [],
    },
    state: { enable_state: false, state_scopes: [] },
  };
  return scene(
    [
      part(0, nothing, offering, pacer),
      { do: 'reach', run: 0 },
      part(1, { beats: [...beatsOf(1).slice(0, -1), { wait: 3000 }, ...ending.slice(-1)] }, offering, pacer),
      settle(0),
      settle(1),
    ],
    runners(offering, { lesser: {} }),
  );
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

/** An artifact that is read again after somebody else used its id for something of its own. */
function sameId(offering: Offering, stranger: Pick<Part, 'event' | 'binding'>): HostStimulus {
  const made = (content_base64: string): Beat =>
    say.artifact({ artifact_id: 'the-same', artifact_type: 'file', name: 'a', content_base64 });
  const read = call('artifact_read', { artifact_id: 'the-same', offset: 0, length: 3 });
  const parts = [
    { beats: [made('b3du'), ...ending] },
    { beats: [read, ...ending] },
    { ...stranger, beats: [made('bmV3'), ...ending] },
    { beats: [read, ...ending] },
  ];
  return scene(inTurn(offering, parts), runners(offering));
}

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
