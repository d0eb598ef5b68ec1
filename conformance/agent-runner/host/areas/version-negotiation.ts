// Runners of several major versions side by side, in both forms, with and without fields that a newer minor added.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { say } from '../say.ts';
import { type Beat, type HostStimulus, selfRun } from '../stimulus.ts';
import { inTurn, offeringOf, prepare, rightArguments, runners } from './authorization-kit.ts';
import {
  addedName,
  binding,
  event,
  hostArea,
  idOf,
  json,
  manifest,
  marked,
  offer,
  scene,
  settle,
  submit,
  wrapper,
} from './kit.ts';

const OTHER_MAJORS = ['2', '0', '10', '1.5', '', 'v1', '1 ', '١'] as const;

const versioned = (name: string, version: string | undefined, change: JsonObject = {}): JsonObject => {
  const { protocol_version: _, ...rest } = manifest(name, change);
  return version === undefined ? rest : { ...rest, protocol_version: version };
};

const nameless = (version: string): JsonObject => {
  const { id: _, ...rest } = versioned('nameless', version);
  return rest;
};

const ADDED: JsonObject = { x_added: { deep: [1, null] }, 'x-flag': true };

/** A manifest with unknown fields in the places that are named. */
const added = (name: string, version: string | undefined, places: readonly string[]): JsonObject => {
  const whole = versioned(name, version);
  const inner = places
    .filter((place) => place !== 'top')
    .map((place) => [place, { ...(whole[place] as JsonObject), x_added: ['some'], x_more: 'optional' }]);
  return { ...whole, ...Object.fromEntries(inner), ...(places.includes('top') ? ADDED : {}) };
};
const PLACES = ['top', 'capabilities', 'permissions', 'context'] as const;

/** Every kind of result, each with fields that no revision names; and each call beside its twin without them. */
const addedResults: readonly Beat[] = [
  say.result(
    'message.completed',
    { message: { role: 'assistant', content: marked('a1') }, x_added: 1 },
    { x_added: [1] },
  ),
  say.result('message.completed', {
    message: { role: 'assistant', content: marked('a3'), x_added: { by: 'a model' } },
  }),
  say.result('message.delta', { chunk: { role: 'assistant', content: marked('a4'), x_added: 0.5 }, x_added: 1 }),
  say.result('tool.call.started', { tool_call_id: 'call-a', tool_name: 'tool', parameters: {}, x_added: 1 }),
  say.result('tool.call.completed', { tool_call_id: 'call-a', tool_name: 'tool', result: 1, error: null, x_added: 1 }),
  say.result('action.requested', { action: 'message.edit', target: {}, payload: {}, x_added: 1 }),
  say.result('state.updated', { scope: 'conversation', key: 'k', value: marked('a2'), x_added: {} }),
  say.result('artifact.created', { artifact_type: 'file', artifact_id: 'artifact-a', name: 'a', x_added: 'x' }),
  say.completed({ finish_reason: 'stop', x_added: null }, { x_added: true }),
];
const twinCalls: readonly Beat[] = [
  ...twins('event_page', { limit: 1 }),
  ...twins('history_page', { limit: 1 }),
  ...twins('state_set', { scope: 'runner', key: 'twin', value: 1 }),
  ...twins('state_get', { scope: 'runner', key: 'twin' }),
  ...twins('set_plugin_storage', { key: 'twin', value_base64: 'AA==' }),
];
/** Every call that a host can answer twice, beside its twin. */
function everyTwin(info: TargetInfo): HostStimulus {
  const offering = offeringOf(info);
  const actions = offering.actions.filter((action) => !action.includes('delete'));
  const beats = [
    ...prepare(actions, 0),
    ...actions.flatMap((action) => twins(action, rightArguments(offering, action, 0))),
  ];
  return scene(inTurn(offering, [{ beats: [...beats, say.completed()] }]), runners(offering));
}

function twins(call: string, data: JsonObject): readonly Beat[] {
  const own = { run_id: selfRun, ...data };
  return [
    { call, data: own },
    { call, data: { ...own, ...ADDED } },
  ];
}

const tryEach = (names: readonly string[], beats: readonly Beat[] = [say.completed()]): HostStimulus['steps'] =>
  names.flatMap((name, index) => [
    submit(event(index), binding({ runner_id: idOf(name), binding_id: `b-${name}` }), beats),
    settle(index),
  ]);

const corner = (runners: readonly unknown[], tried: readonly string[], beats?: readonly Beat[]): HostStimulus => ({
  offers: [offer(...runners)],
  steps: [{ do: 'discover' }, ...tryEach(tried, beats), { do: 'observe' }],
});

/** A runner that says another version each time that it is listed, and is tried each time. */
const relisted = (...versions: readonly (string | undefined)[]): HostStimulus => ({
  offers: versions.map((version) => offer(versioned('main', version), versioned('neighbour', '1'))),
  steps: versions.flatMap((_, index) => [
    { do: 'discover' as const, offer: index },
    submit(event(2 * index), binding(), [say.completed()]),
    submit(event(2 * index + 1), binding({ runner_id: idOf('neighbour') }), [say.completed()]),
    settle(2 * index + 1),
  ]),
});

const mixed = [
  versioned('one', '1'),
  versioned('none', undefined),
  ...OTHER_MAJORS.map((major, index) => versioned(`other${index}`, major)),
];

const entry = (name: string): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      version: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom('1', undefined) },
        fc.constantFrom(...OTHER_MAJORS),
        fc.string({ maxLength: 4 }).filter((version) => version !== '1'),
      ),
      places: fc.subarray([...PLACES]),
      wrapped: fc.boolean(),
      extra: fc.dictionary(addedName, json, { maxKeys: 2 }),
    })
    .map(({ version, places, wrapped, extra }) => {
      const made = { ...added(name, version, places), ...extra };
      return wrapped ? wrapper(made) : made;
    });

export const versionNegotiation = hostArea({
  id: 'version-negotiation',
  runs: 240,
  corners: (info) => [
    corner(mixed, ['one', 'none', 'other0', 'other3']),
    corner(mixed.map(wrapper), ['other0', 'one']),
    corner([versioned('other', '2')], ['other']),
    relisted('1', '2'),
    relisted('2', undefined, '10'),
    corner([versioned('other', '2'), versioned('one', '1')], ['other', 'one']),
    // One id twice: which of them counts is the host's affair, as long as it lists no more than it can run.
    corner([versioned('twin', '1'), versioned('twin', '2'), versioned('one', '1')], ['twin', 'one']),
    corner([versioned('twin', '2'), versioned('twin', '1'), versioned('one', '1')], ['one']),
    corner([versioned('twin', '1'), versioned('twin', undefined), versioned('one', '1')], ['one']),
    // No id to tell it by, and of another major: nothing can name it.
    corner([nameless('2'), versioned('one', '1')], ['one']),
    ...PLACES.map((place) => corner([added('one', '1', [place]), added('none', undefined, [place])], ['one'])),
    corner([{ ...wrapper(versioned('one', '1')), ...ADDED }, versioned('none', undefined)], ['one']),
    corner([manifest()], ['main'], addedResults),
    everyTwin(info),
    corner([manifest()], ['main'], [...twinCalls, say.completed()]),
  ],
  stimulus: () =>
    fc.integer({ min: 1, max: 5 }).chain((count) => {
      const names = Array.from({ length: count }, (_, index) => `r${index}`);
      return fc
        .record({
          runners: fc.tuple(...names.map(entry)),
          tried: fc.subarray(names, { maxLength: Math.min(3, count) }),
          beats: fc.constantFrom<readonly Beat[]>([say.completed()], addedResults, [...twinCalls, ...addedResults]),
        })
        .map(({ runners, tried, beats }) => corner(runners, tried, beats));
    }),
});
