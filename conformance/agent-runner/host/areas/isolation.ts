// Several runs at once, of which some break, flood, hang or speak for another; and scopes that must keep apart.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { holds } from '../../holds.ts';
import { say } from '../say.ts';
import { type Beat, type HostStimulus, runOf, type Step, selfRun } from '../stimulus.ts';
import { AUTHOR, binding, event, hostArea, idOf, manifest, marked, offer, quiet, settle, submit } from './kit.ts';
import { malformed } from './result-stream.ts';

/** A plugin and a runner of the same names, by somebody else. */
const NAMESAKE = 'plugin:namesake/probe/main';
/** Two runners of one plugin, one of another, and one of another author. */
const RUNNERS = [
  manifest('main'),
  manifest('second'),
  manifest('main', {}, 'other'),
  manifest('main', { id: NAMESAKE }),
];
const offers = [offer(...RUNNERS)];

interface Part {
  readonly beats: readonly Beat[];
  readonly event?: JsonObject;
  readonly binding?: JsonObject;
}

const begin = (parts: readonly Part[], offset = 0): Step[] =>
  parts.map(({ beats, event: change = {}, binding: bound = {} }, index) =>
    submit(
      event(index + offset, {
        conversation_id: `conversation-${index + offset}`,
        input: { text: marked(`in${index + offset}`), contents: [], attachments: [] },
        ...change,
      }),
      binding(bound),
      [...beats],
    ),
  );

/** All at once; those that never end are looked at and left alone. */
const atOnce = (parts: readonly Part[], settled: readonly number[] = [...parts.keys()]): HostStimulus => ({
  offers,
  steps: [{ do: 'discover' }, ...begin(parts), ...settled.map((run) => settle(run)), { do: 'observe' }],
});

const inTurn = (parts: readonly Part[]): HostStimulus => ({
  offers,
  steps: [{ do: 'discover' }, ...begin(parts).flatMap((step, run) => [step, settle(run)]), { do: 'observe' }],
});

/** A run of many small steps, with marks of its own. */
const healthy = (tag: string, pause = 20): readonly Beat[] => [
  say.delta(marked(`${tag}-delta`)),
  { wait: pause },
  say.state('conversation', 'key', marked(`${tag}-state`)),
  say.message(marked(`${tag}-first`)),
  { wait: pause },
  say.artifact({ artifact_type: 'file', artifact_id: `${tag}-artifact`, name: marked(`${tag}-artifact`) }),
  say.message(marked(`${tag}-second`)),
  { wait: pause },
  say.completed(),
];

/** Runs of one conversation at the same time, each of another binding and runner. */
const sideBySide = (): HostStimulus =>
  atOnce(
    [idOf('main'), idOf('second'), idOf('main', 'other')].map((runner_id, index) => ({
      beats: healthy(`s${index}`, 20 + index),
      event: { conversation_id: 'conversation-x' },
      binding: { runner_id, binding_id: `binding-${index}` },
    })),
  );

/** Runs between whose results no time goes by: which comes first is for the schedule alone. */
const mixedByTurns = (runners: readonly string[], held: readonly number[]): HostStimulus => ({
  ...atOnce(
    runners.map((runner_id, index) => ({
      beats: healthy(`t${index}`).filter((beat) => !('wait' in beat)),
      binding: { runner_id },
    })),
  ),
  holds: [...held],
});

/** One message comes late, and nothing else. */
const late = (at: number, turns: number): number[] => [...Array<number>(at).fill(0), turns];

const garbage: readonly Beat[] = [
  { frame: { data: null } },
  { frame: { data: 'text' } },
  { frame: { data: [1] } },
  { frame: { chunk_status: 'nonsense', data: {} } },
  { frame: { seq_id: 999_999, data: { type: 'message.completed' } } },
  { frame: { seq_id: 'x', data: {} } },
];

const breaking: readonly (readonly Beat[])[] = [
  [{ end: 'error', message: 'RuntimeError: at once' }],
  [say.message(marked('half')), { wait: 10 }, { end: 'error', message: 'RuntimeError: half-way' }],
  [{ wait: 10 }, ...malformed('bad').slice(0, 6), { wait: 10 }, { end: 'error' }],
  [{ wait: 10 }, ...malformed('bad').slice(6), say.completed()],
  [{ wait: 5 }, ...garbage, { wait: 5 }, say.completed()],
];

const flood = (times: number): readonly Beat[] => [
  { ...(say.toolStarted('flood', 'tool') as { say: unknown }), times },
  { ...(say.delta('.') as { say: unknown }), times: Math.ceil(times / 4) },
  { wait: 60 },
  say.completed(),
];
const callFlood: readonly Beat[] = [
  { call: 'state_get', data: { run_id: selfRun, scope: 'conversation', key: 'key' }, times: 600 },
  { wait: 60 },
  say.completed(),
];

/** A result that pretends to come from the other run. */
const foreign = (victim: number, tag: string): readonly Beat[] => [
  say.message(marked(`${tag}-message`), { run_id: runOf(victim) }),
  say.state('conversation', 'key', marked(`${tag}-state`), { run_id: runOf(victim) }),
  say.failed('stolen', marked(`${tag}-failed`), { run_id: runOf(victim) }),
];

const state = (call: string, data: JsonObject): Beat => ({ call, data: { run_id: selfRun, key: 'secret', ...data } });
const get = (scope: string): Beat => ({ call: 'state_get', data: { run_id: selfRun, scope, key: 'secret' } });
const same = { conversation_id: 'conversation-x' };

/** What somebody else does with the same scope and key: looks, and perhaps does as if it were its own. */
const LOOKING = (scope: string): readonly Beat[] => [get(scope)];
const MEDDLING = (scope: string): readonly Beat[] => [
  get(scope),
  state('state_set', { scope, value: marked(`another-${scope}`) }),
  state('state_delete', { scope }),
];

/** A value of one scope, stored by a result or by a call; then a run that differs in just that; then the first again. */
const secret = (
  scope: string,
  other: Pick<Part, 'event' | 'binding'>,
  by: 'result' | 'call' = 'result',
  deeds: typeof LOOKING = LOOKING,
): HostStimulus => {
  const base = { event: same };
  const value = marked(`secret-${scope}`);
  return inTurn([
    {
      ...base,
      beats: [
        by === 'result' ? say.state(scope, 'secret', value) : state('state_set', { scope, value }),
        say.completed(),
      ],
    },
    {
      event: { ...same, ...other.event },
      ...(other.binding ? { binding: other.binding } : {}),
      beats: [...deeds(scope), say.completed()],
    },
    { ...base, beats: [get(scope), say.completed()] },
  ]);
};

const storage = (call: string, data: JsonObject = {}): Beat => ({ call, data: { run_id: selfRun, ...data } });
const KEY = { key: 'mine' };
const elsewhere = { binding: { runner_id: idOf('main', 'other') } };
const namesake = { binding: { runner_id: NAMESAKE } };

const SCOPES = ['conversation', 'actor', 'subject', 'runner'] as const;
/** Somebody else, in one respect. */
const STRANGERS: readonly Pick<Part, 'event' | 'binding'>[] = [
  { event: { conversation_id: 'conversation-y' } },
  { event: { actor: { actor_type: 'user', actor_id: 'actor-2' } } },
  { event: { subject: { subject_type: 'message', subject_id: 'subject-2' } } },
  { binding: { runner_id: idOf('second') } },
  elsewhere,
  namesake,
];
const SECRETS = STRANGERS.flatMap((other, index) => {
  const scope = SCOPES[index] ?? 'runner';
  return [secret(scope, other), secret(scope, other, 'call', MEDDLING)];
});

/** Somebody else with the same runner, conversation, actor and subject, in one respect. */
const OUTSIDERS: readonly Pick<Part, 'event' | 'binding'>[] = [
  { binding: { binding_id: 'binding-2' } },
  { event: { bot_id: 'bot-2' } },
  { event: { workspace_id: 'workspace-2' } },
];

/** Bindings that are none, each in one respect. */
const NO_BINDINGS: readonly ((whole: JsonObject) => unknown)[] = [
  () => null,
  () => 'binding-1',
  (whole) => [whole],
  () => ({}),
  ({ binding_id: _, ...rest }) => rest,
  ({ runner_id: _, ...rest }) => rest,
  (whole) => ({ ...whole, binding_id: 7 }),
  (whole) => ({ ...whole, binding_id: null }),
  (whole) => ({ ...whole, runner_id: ['main'] }),
  (whole) => ({ ...whole, scope: 'global' }),
  (whole) => ({ ...whole, scope: { scope_type: 7, scope_id: null } }),
  (whole) => ({ ...whole, event_types: 'message.received' }),
  (whole) => ({ ...whole, event_types: [7] }),
  (whole) => ({ ...whole, runner_config: 'fast' }),
  (whole) => ({ ...whole, runner_config: [] }),
  (whole) => ({ ...whole, enabled: 'perhaps' }),
  (whole) => ({ ...whole, enabled: {} }),
  (whole) => ({ ...whole, resource_policy: 'none' }),
  (whole) => ({ ...whole, resource_policy: { allowed_tool_names: 'none' } }),
  (whole) => ({ ...whole, resource_policy: { allowed_model_uuids: [null] } }),
  (whole) => ({ ...whole, resource_policy: { allow_workspace_storage: ['plugin'] } }),
  (whole) => ({ ...whole, state_policy: ['conversation'] }),
  (whole) => ({ ...whole, state_policy: { enable_state: true, state_scopes: 'conversation' } }),
  (whole) => ({ ...whole, state_policy: { enable_state: true, state_scopes: ['conversation', 'galaxy'] } }),
  (whole) => ({ ...whole, delivery_policy: 7 }),
  (whole) => ({ ...whole, delivery_policy: { max_message_size: 'large' } }),
];

/** Each between two that are sound. */
const misbound = (which: readonly number[]): HostStimulus => {
  const bindings = [binding(), ...which.map((one) => NO_BINDINGS[one]!(binding())), binding()];
  return {
    offers,
    steps: [
      { do: 'discover' },
      ...bindings.flatMap((bound, run): Step[] => [
        { ...submit(event(run), {}, quiet(marked(`run${run}`))), binding: bound } as Step,
        settle(run),
      ]),
      { do: 'observe' },
    ],
  };
};

/** Another owner of each area of storage. */
const NEIGHBOURS: Readonly<Record<string, Pick<Part, 'event' | 'binding'>>> = {
  plugin: elsewhere,
  workspace: { event: { workspace_id: 'workspace-2' } },
  binding: { binding: { binding_id: 'binding-2' } },
};
const AREAS = Object.keys(NEIGHBOURS);
/** What somebody does to storage in which another keeps something. */
const SHARED: readonly ((area: string) => Beat)[] = [
  (area) => storage(`get_${area}_storage`, KEY),
  (area) => storage(`get_${area}_storage_keys`),
  (area) => storage(`delete_${area}_storage`, KEY),
  (area) => storage(`get_${area}_storage_keys`, { prefix: 'm' }),
  (area) => storage(`set_${area}_storage`, { key: 'theirs', value_base64: 'AA==' }),
];
const storages = (area: string, calls: typeof SHARED, neighbour = NEIGHBOURS[area]): HostStimulus =>
  inTurn([
    {
      beats: [
        storage(`set_${area}_storage`, { ...KEY, value_base64: 'c2VjcmV0' }),
        storage(`get_${area}_storage`, KEY),
        say.completed(),
      ],
    },
    { ...neighbour, beats: [...calls.map((call) => call(area)), say.completed()] },
    { beats: [storage(`get_${area}_storage`, KEY), say.completed()] },
  ]);

export const isolation = hostArea({
  id: 'isolation',
  runs: 260,
  corners: () => [
    ...SECRETS,
    ...OUTSIDERS.flatMap((other) => SCOPES.map((scope) => secret(scope, other))),
    ...NO_BINDINGS.map((_, which) => misbound([which])),
    ...AREAS.map((area) => storages(area, SHARED.slice(0, 3))),
    storages('plugin', SHARED.slice(0, 3), namesake),
    inTurn([
      { binding: { runner_id: idOf('nobody') }, beats: [] },
      { binding: { runner_id: `plugin:${AUTHOR}/missing/main` }, beats: [] },
      { beats: quiet(marked('good')) },
    ]),
    atOnce([{ beats: healthy('a') }, { beats: healthy('b') }]),
    ...[3, 5, 6, 9, 11, 13, 15].map((at) => mixedByTurns([idOf('main'), idOf('second'), idOf('main')], late(at, 12))),
    atOnce([
      { beats: healthy('a') },
      { beats: healthy('b', 7), binding: { runner_id: idOf('second') } },
      { beats: healthy('c', 13), ...elsewhere },
    ]),
    sideBySide(),
    ...breaking.map((beats) => atOnce([{ beats: healthy('a') }, { beats }, { beats: healthy('b', 9) }])),
    atOnce([{ beats: healthy('a') }, { beats: flood(2000) }, { beats: healthy('b', 9) }]),
    atOnce([{ beats: healthy('a') }, { beats: callFlood }]),
    atOnce(
      [{ beats: healthy('a') }, { beats: [say.message(marked('hung')), { end: 'silence' }] }, { beats: healthy('b') }],
      [0, 2],
    ),
    atOnce([{ beats: [{ end: 'silence' }] }, { beats: [{ end: 'silence' }] }, { beats: healthy('b') }], [2]),
    atOnce([
      { beats: healthy('a', 60) },
      { beats: [{ wait: 30 }, ...foreign(0, 'foreign'), { wait: 30 }, say.completed()] },
    ]),
    ...breaking.slice(0, 2).map((beats) => atOnce([{ beats }])),
  ],
  stimulus: () =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...SECRETS) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...SCOPES), fc.constantFrom(...STRANGERS, ...OUTSIDERS))
          .map(([scope, other]) => secret(scope, other)),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(...AREAS), fc.array(fc.constantFrom(...SHARED), { minLength: 1, maxLength: 5 }))
          .map(([area, calls]) => storages(area, calls)),
      },
      {
        weight: 1,
        arbitrary: fc.array(fc.nat(NO_BINDINGS.length - 1), { minLength: 1, maxLength: 3 }).map(misbound),
      },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom('nobody', 'main2', 'MAIN', '')
          .map((name) => inTurn([{ binding: { runner_id: idOf(name) }, beats: [] }, { beats: quiet(marked('good')) }])),
      },
      {
        weight: 6,
        arbitrary: fc
          .record({
            parts: fc.array(
              fc.record({
                kind: fc.oneof(
                  { weight: 4, arbitrary: fc.constant('healthy') },
                  fc.constantFrom('breaks', 'hangs', 'speaks for another', 'chatters'),
                ),
                pause: fc.integer({ min: 0, max: 50 }),
                which: fc.nat(breaking.length - 1),
                runner: fc.constantFrom(idOf('main'), idOf('second'), idOf('main', 'other')),
              }),
              { minLength: 2, maxLength: 5 },
            ),
          })
          .map(({ parts }) => {
            const played = parts.map(({ kind, pause, which, runner }, index): Part => {
              const beats =
                kind === 'healthy'
                  ? healthy(`p${index}`, pause)
                  : kind === 'breaks'
                    ? breaking[which]!
                    : kind === 'hangs'
                      ? [{ end: 'silence' as const }]
                      : kind === 'chatters'
                        ? flood(120)
                        : [
                            { wait: pause },
                            ...foreign((index + 1) % parts.length, `f${index}`),
                            { wait: pause },
                            say.completed(),
                          ];
              return { beats, binding: { runner_id: runner } };
            });
            return atOnce(
              played,
              [...parts.keys()].filter((index) => parts[index]!.kind !== 'hangs'),
            );
          }),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(
            fc.array(fc.constantFrom(idOf('main'), idOf('second'), idOf('main', 'other')), {
              minLength: 2,
              maxLength: 5,
            }),
            holds,
          )
          .map(([runners, held]) => mixedByTurns(runners, held)),
      },
    ),
});
