// state.updated on both sides of every rule: scope, policy, identity, key, size in characters and in bytes, any JSON; then restart.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { IMMODEST_BYTES, IMMODEST_KEY, limitOf } from '../../oracle/measure.ts';
import { say } from '../say.ts';
import { type Beat, type HostStimulus, repeat, type Step, selfRun } from '../stimulus.ts';
import { binding, declaredBy, event, hostArea, json, marked, quiet, scene, settle, submit } from './kit.ts';

interface Setting {
  readonly event?: JsonObject;
  readonly binding?: JsonObject;
  /** Keys that the next run reads back. */
  readonly read?: readonly { readonly scope: string; readonly key: unknown }[];
  /** Under which binding it does; the same unless told otherwise. */
  readonly readBinding?: JsonObject;
  readonly restart?: boolean;
}

/** One run that updates, and another of the same scopes that reads back what was stored. */
function update(
  beats: readonly Beat[],
  { event: envelope = {}, binding: bound = {}, readBinding = bound, read = [], restart = false }: Setting = {},
): HostStimulus {
  const turn = (number: number): JsonObject => ({ ...event(number), ...envelope });
  const back: Beat[] = read.map(({ scope, key }) => ({ call: 'state_get', data: { run_id: selfRun, scope, key } }));
  const again: Step[] = restart ? [{ do: 'restart' }, { do: 'observe', run: 0 }, { do: 'discover' }] : [];
  const reread: Step[] =
    read.length > 0 ? [submit(turn(2), binding(readBinding), [...back, say.completed()]), settle(1)] : [];
  const first = submit(turn(1), binding(bound), [...beats, ...quiet(marked('end'))]);
  return scene([first, settle(0), ...again, ...reread], undefined, false);
}

const SCOPES = ['conversation', 'actor', 'subject', 'runner'] as const;
const NO_SCOPES: readonly unknown[] = [
  'binding',
  'workspace',
  '',
  'Conversation',
  'conversation ',
  'global',
  null,
  7,
  ['conversation'],
  {},
];
const NO_KEYS: readonly unknown[] = ['', null, 7, true, ['key'], { key: 'key' }];
const VALUES: readonly unknown[] = [
  null,
  false,
  0,
  '',
  [],
  {},
  [[], {}, null],
  { deep: { deeper: [{ deepest: 'ß你🤖\u0000\u2028' }] } },
  9007199254740991,
  -1.5e-7,
  1e21,
  '\ud83d\ude00 "quoted" \\ \n',
  { '': 'empty key', ключ: 1 },
];

const POLICIES: readonly JsonObject[] = [
  { enable_state: false, state_scopes: [...SCOPES] },
  { enable_state: true, state_scopes: [] },
  { enable_state: true, state_scopes: ['conversation'] },
  { enable_state: true, state_scopes: ['actor', 'runner'] },
];
const WITHOUT: readonly (readonly [string, JsonObject])[] = [
  ['conversation', { conversation_id: null }],
  ['actor', { actor: null }],
  ['subject', { subject: null }],
];

/** Keys that differ, and that a host which folds, trims or normalises them takes for one. */
const ALIKE = ['key', 'Key', ' key', 'key ', 'é', 'e\u0301', '__proto__', 'constructor'] as const;

/** What a refusal must leave alone: a value that stands, and the run. */
const besides = (beats: readonly Beat[]): readonly Beat[] => [
  say.state('conversation', 'key', marked('stands')),
  ...beats,
];

/** A value of so many bytes of JSON: the quotes are two of them. */
const sizedValue = (bytes: number, unit: string): unknown => {
  const each = Buffer.byteLength(unit);
  const units = Math.floor((bytes - 2) / each);
  const rest = bytes - 2 - units * each;
  return rest === 0 ? repeat(unit, units) : { $repeat: unit, times: units, rest: 'x'.repeat(rest) };
};

function edges(info: TargetInfo): readonly HostStimulus[] {
  const { limits } = declaredBy(info);
  const chars = limitOf(limits, 'state_key_chars');
  const bytes = limitOf(limits, 'state_value_bytes');
  const keys =
    chars === undefined
      ? [update([say.state('conversation', repeat('k', IMMODEST_KEY), marked('long'))])]
      : ['k', 'é', '你', '🤖'].map((unit) =>
          update(
            [chars - 1, chars, chars + 1].flatMap((length) =>
              length > 0 ? [say.state('conversation', repeat(unit, length), marked(`k${length}`))] : [],
            ),
            { read: [chars - 1, chars].map((length) => ({ scope: 'conversation', key: repeat(unit, length) })) },
          ),
        );
  const values =
    bytes === undefined
      ? [update([say.state('conversation', 'big', repeat('v', IMMODEST_BYTES))])]
      : bytes > 2 * IMMODEST_BYTES
        ? []
        : ['v', 'é', '你', '🤖'].map((unit) =>
            update(
              [bytes - 1, bytes, bytes + 1].map((size) =>
                say.state('conversation', `v${size}`, sizedValue(size, unit)),
              ),
              { read: [{ scope: 'conversation', key: `v${bytes}` }] },
            ),
          );
  // A value that is small in characters and too large in bytes, and one whose JSON escapes make it so.
  const tricky =
    bytes === undefined || bytes > 2 * IMMODEST_BYTES
      ? []
      : [
          update(besides([say.state('conversation', 'key', repeat('你', Math.floor(bytes / 2)))])),
          update(besides([say.state('conversation', 'key', repeat('"', Math.floor(bytes / 2)))])),
          update(besides([say.state('conversation', 'key', { list: [repeat('é', Math.floor(bytes / 2) + 1)] })])),
        ];
  return [...keys, ...values, ...tricky];
}

const anyUpdate = (index: number): fc.Arbitrary<Beat> => {
  const key = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('key', 'other', 'external.session_id', `k${index}`) },
    fc.string({ minLength: 1, maxLength: 20 }).filter((one) => one.trim() === one && !one.includes('\u0000')),
  );
  const value = fc.oneof(fc.constant(marked(`v${index}`)), json);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom(...SCOPES), key, value).map(([scope, k, v]) => say.state(scope, k, v)),
    },
    fc.constantFrom(...NO_SCOPES).map((scope) => say.state(scope, 'key', marked(`v${index}`))),
    fc.constantFrom(...NO_KEYS).map((k) => say.state('conversation', k, marked(`v${index}`))),
    fc.constant(say.result('state.updated', { scope: 'conversation', key: `no-value${index}` })),
    fc.constant(say.message(marked(`m${index}`))),
  );
};

export const stateLimits = hostArea({
  id: 'state-limits',
  runs: 360,
  corners: (info) => [
    update(
      SCOPES.map((scope) => say.state(scope, `in-${scope}`, marked(scope))),
      { read: SCOPES.map((scope) => ({ scope, key: `in-${scope}` })), restart: true },
    ),
    update([say.state('conversation', 'key', marked('first')), say.state('conversation', 'key', marked('second'))], {
      read: [{ scope: 'conversation', key: 'key' }],
    }),
    update(
      ALIKE.map((key, index) => say.state('conversation', key, marked(`alike-${index}`))),
      { read: ALIKE.map((key) => ({ scope: 'conversation', key })), restart: true },
    ),
    // One key in every scope: each holds its own.
    update(
      SCOPES.map((scope) => say.state(scope, 'key', marked(scope))),
      { read: SCOPES.map((scope) => ({ scope, key: 'key' })) },
    ),
    ...VALUES.map((value, index) =>
      update([say.state('conversation', `value${index}`, value)], {
        read: [{ scope: 'conversation', key: `value${index}` }],
        restart: index % 3 === 0,
      }),
    ),
    ...NO_SCOPES.map((scope) =>
      update(besides([say.state(scope, 'elsewhere', marked('nowhere'))]), {
        read: SCOPES.map((one) => ({ scope: one, key: 'elsewhere' })),
      }),
    ),
    ...NO_KEYS.map((key) =>
      update(besides([say.state('conversation', key, marked('keyless'))]), {
        read: [
          { scope: 'conversation', key: String(key) || 'key' },
          { scope: 'conversation', key: 'key' },
        ],
      }),
    ),
    update(besides([say.result('state.updated', { scope: 'conversation', key: 'empty' })]), {
      read: [{ scope: 'conversation', key: 'empty' }],
    }),
    update(besides([say.result('state.updated', { scope: 'conversation', key: 'key' })]), {
      read: [{ scope: 'conversation', key: 'key' }],
    }),
    update(besides([say.result('state.updated', { key: 'key', value: marked('scopeless') })])),
    ...POLICIES.map((state_policy) =>
      update(
        SCOPES.map((scope) => say.state(scope, `in-${scope}`, marked(scope))),
        { binding: { state_policy }, readBinding: {}, read: SCOPES.map((scope) => ({ scope, key: `in-${scope}` })) },
      ),
    ),
    ...WITHOUT.map(([scope, envelope]) =>
      update([say.state(scope, 'ownerless', marked('ownerless')), say.state('runner', 'key', marked('owned'))], {
        event: envelope,
      }),
    ),
    update(
      [{ call: 'state_set', data: { run_id: selfRun, scope: 'conversation', key: 'set', value: marked('set') } }],
      { read: [{ scope: 'conversation', key: 'set' }], restart: true },
    ),
    // What was deleted stays so.
    update(
      ['state_set', 'state_delete'].map((call) => ({
        call,
        data: {
          run_id: selfRun,
          scope: 'conversation',
          key: 'gone',
          ...(call === 'state_set' && { value: marked('gone') }),
        },
      })),
      { read: [{ scope: 'conversation', key: 'gone' }], restart: true },
    ),
    ...edges(info),
  ],
  stimulus: (info) =>
    fc
      .record({
        beats: fc
          .integer({ min: 1, max: 6 })
          .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => anyUpdate(index)))),
        policy: fc.option(fc.constantFrom(...POLICIES), { nil: undefined, freq: 3 }),
        without: fc.option(fc.constantFrom(...WITHOUT), { nil: undefined, freq: 4 }),
        restart: fc.boolean(),
      })
      .map(({ beats, policy, without, restart }) =>
        update(beats, {
          ...(policy === undefined ? {} : { binding: { state_policy: policy } }),
          ...(without === undefined ? {} : { event: without[1] }),
          read: SCOPES.map((scope) => ({ scope, key: 'key' })),
          restart: restart && declaredBy(info).features.includes('restart'),
        }),
      ),
});
