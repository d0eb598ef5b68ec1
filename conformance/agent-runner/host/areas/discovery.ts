// Broken entries beside good ones, metadata that must not matter, a Runtime that fails to answer.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import type { HostStimulus, Offer } from '../stimulus.ts';
import {
  binding,
  event,
  hostArea,
  idOf,
  json,
  manifest,
  marked,
  offer,
  quiet,
  settle,
  submit,
  wrapper,
} from './kit.ts';

/** Ways to break a manifest; none of them leaves a runner that a careful host would use. */
const BREAKS: readonly ((whole: JsonObject) => unknown)[] = [
  () => null,
  () => 7,
  () => 'a runner',
  () => [],
  () => ({}),
  ({ id: _, ...rest }) => rest,
  (whole) => ({ ...whole, id: 'not an id' }),
  (whole) => ({ ...whole, id: null }),
  (whole) => ({ ...whole, name: 5 }),
  (whole) => ({ ...whole, name: '' }),
  (whole) => ({ ...whole, label: 'a label' }),
  (whole) => ({ ...whole, protocol_version: 1 }),
  (whole) => ({ ...whole, capabilities: 'all' }),
  (whole) => ({ ...whole, capabilities: { streaming: 'yes' } }),
  (whole) => ({ ...whole, permissions: ['models'] }),
  (whole) => ({ ...whole, permissions: { models: 'invoke' } }),
  (whole) => ({ ...whole, context: 3 }),
  (whole) => ({ ...whole, context: { owns_compaction: 'no' } }),
  (whole) => ({ ...whole, permissions: { platform_api: 'message.edit' } }),
  (whole) => ({ ...whole, permissions: { platform_api: [7] } }),
  (whole) => ({ ...whole, label: null }),
  (whole) => ({ ...whole, description: 'a description' }),
  (whole) => ({ ...whole, metadata: 'some' }),
  (whole) => ({ ...whole, config_schema: {} }),
  (whole) => ({ ...wrapper(whole), manifest: null }),
  (whole) => ({ ...wrapper(whole), runner_name: '' }),
  (whole) => ({ ...wrapper(whole), plugin_author: null }),
];

const good = (name: string, wrapped: boolean): JsonObject => (wrapped ? wrapper(manifest(name)) : manifest(name));

const found = (runners: readonly unknown[], tried: string): HostStimulus => ({
  offers: [offer(...runners)],
  steps: [
    { do: 'discover' },
    submit(event(1), binding({ runner_id: idOf(tried) }), quiet(marked('out'))),
    settle(0),
    { do: 'observe' },
  ],
});

/** One event under one binding, before and after its runner's metadata changed. */
const metadataTwice = (metadata: readonly [unknown, unknown], wrapped: boolean): HostStimulus => {
  const offered = metadata.map((one) =>
    offer(
      wrapped
        ? wrapper(manifest('main', { metadata: one as JsonObject }))
        : manifest('main', { metadata: one as JsonObject }),
    ),
  );
  const turn = (index: number) => ({
    ...event(1),
    event_id: `event-${index}`,
    conversation_id: `conversation-${index}`,
  });
  return {
    offers: offered,
    steps: offered.flatMap((_, index) => [
      { do: 'discover' as const, offer: index },
      submit(turn(index), binding(), quiet(marked(`out${index}`))),
      settle(index),
    ]),
  };
};

/** A plugin that was updated, and asks for nothing any more. */
const lessLater: HostStimulus = {
  offers: [offer(manifest()), offer(manifest('main', { permissions: {} }))],
  steps: [0, 1].flatMap((index) => [
    { do: 'discover' as const, offer: index },
    submit(event(index), binding(), quiet(marked(`out${index}`))),
    settle(index),
  ]),
};

/** A Runtime that does not tell its runners: it fails, or what it answers is no list of them. */
const FAILURES: readonly Offer[] = [
  { error: 'RuntimeError: no plugins' },
  { data: { runners: null } },
  { data: {} },
  { error: '' },
  { data: null },
  { data: 'no runners today' },
  { data: [manifest()] },
  { data: { runners: 'main' } },
  { data: { runners: { main: manifest() } } },
  { data: { agents: [manifest()] } },
];

/** It does so a few times, and then it tells, perhaps late; and what it tells is run. */
const failing = (failures: readonly Offer[], late = 0): HostStimulus => ({
  offers: [...failures, { ...offer(manifest()), ...(late > 0 ? { late } : {}) }],
  steps: [
    ...[...failures.keys(), failures.length].map((index) => ({ do: 'discover' as const, offer: index })),
    submit(event(1), binding(), quiet(marked('out'))),
    settle(0),
    { do: 'observe' },
  ],
});

export const discovery = hostArea({
  id: 'discovery',
  runs: 160,
  corners: () => [
    ...BREAKS.map((breakIt) => found([good('left', false), breakIt(manifest('broken')), good('right', true)], 'right')),
    found(BREAKS.map((breakIt, index) => breakIt(manifest(`broken${index}`))).concat(good('left', false)), 'left'),
    metadataTwice([{}, { permissions: { models: [] }, protocol_version: '2', priority: 1 }], false),
    metadataTwice([{}, { plugin_author: 'other', capabilities: { streaming: false } }], true),
    lessLater,
    ...FAILURES.map((failure) => failing([failure])),
    failing([FAILURES[0]!, FAILURES[1]!, FAILURES[2]!]),
    ...[300, 1500].map((late) => failing([], late)),
    failing([FAILURES[0]!], 300),
    {
      offers: [offer(manifest()), ...FAILURES.slice(0, 3), offer(manifest(), manifest('second'))],
      steps: [0, 1, 0, 2, 3, 4].map((index) => ({ do: 'discover', offer: index })),
    },
    { offers: [offer()], steps: [{ do: 'discover' }] },
  ],
  stimulus: () =>
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc
          .array(fc.record({ broken: fc.option(fc.nat(BREAKS.length - 1)), wrapped: fc.boolean() }), {
            minLength: 1,
            maxLength: 6,
          })
          .map((entries) =>
            found(
              [
                ...entries.map(({ broken, wrapped }, index) =>
                  broken === null ? good(`r${index}`, wrapped) : BREAKS[broken]!(manifest(`r${index}`)),
                ),
                good('last', true),
              ],
              'last',
            ),
          ),
      },
      fc
        .tuple(fc.array(fc.constantFrom(...FAILURES), { maxLength: 3 }), fc.constantFrom(0, 0, 20, 700))
        .map(([failures, late]) => failing(failures, late)),
      fc
        .record({
          metadata: fc.dictionary(
            fc.string({ maxLength: 6 }).filter((key) => !/^(\$|__proto__)/.test(key)),
            json,
            { minKeys: 1, maxKeys: 4 },
          ),
          wrapped: fc.boolean(),
        })
        .map(({ metadata, wrapped }) => metadataTwice([{}, metadata], wrapped)),
    ),
});
