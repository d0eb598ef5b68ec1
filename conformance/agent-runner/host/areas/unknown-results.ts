// One stream played twice, without and with results of types that nobody knows, strewn anywhere into it.
import fc from 'fast-check';
import { say } from '../say.ts';
import type { Beat, HostStimulus } from '../stimulus.ts';
import { binding, event, hostArea, json, marked, scene, settle, submit, text } from './kit.ts';

/** Types that are none, some of them close to one that is. */
const TYPES = [
  'x.custom',
  'message.deltas',
  'message',
  'Message.Completed',
  'message.completed.v2',
  'message_completed',
  ' message.completed ',
  'run.completed\n',
  'run.complete',
  'run.finished',
  'run',
  'state.update',
  'state.deleted',
  'artifact.updated',
  'action.request',
  'tool.call',
  'usage',
  '未知',
  'a b',
] as const;

/** Payloads that would do something if the type were taken for another. */
const payloads = (tag: string): readonly unknown[] => [
  {},
  { message: { role: 'assistant', content: marked(`${tag}-message`) } },
  { chunk: { role: 'assistant', content: marked(`${tag}-chunk`) } },
  { scope: 'conversation', key: 'key', value: marked(`${tag}-state`) },
  { artifact_type: 'file', name: marked(`${tag}-artifact`) },
  { code: 'runner.error', message: marked(`${tag}-failed`) },
  { finish_reason: 'stop', message: { role: 'assistant', content: marked(`${tag}-last`) } },
];

const unknown = (type: string, data: unknown): Beat => say.result(type, data);

const everyKind: readonly Beat[] = [
  say.delta(marked('d1')),
  say.toolStarted('call-1', 'search'),
  say.toolCompleted('call-1', 'search', { hits: 1 }),
  say.state('conversation', 'key', marked('s1')),
  say.artifact({ artifact_type: 'file', name: marked('a1'), content_base64: 'aGk=' }),
  say.action('message.edit', { message_id: 'x' }, { text: 'edited' }),
  say.message(marked('m1')),
  say.message(marked('m2')),
];

/** The plain stream, then the strewn one, each in a conversation of its own. */
function twice(plain: readonly Beat[], strewn: readonly Beat[], numbered: boolean): HostStimulus {
  const turn = (index: number) => ({
    ...event(1),
    event_id: `event-${index}`,
    conversation_id: `conversation-${index}`,
  });
  return scene(
    [plain, strewn].flatMap((beats, index) => [
      submit(
        turn(index),
        binding({ state_policy: { enable_state: true, state_scopes: ['conversation'] } }),
        numbered ? number(beats) : beats,
      ),
      settle(index),
    ]),
    undefined,
    false,
  );
}

/** A type that is unknown in one run after another. */
const again = (type: string): HostStimulus =>
  scene(
    [0, 1, 2].flatMap((index) => [
      submit(event(index), binding(), [unknown(type, {}), say.message(marked(`m${index}`)), say.completed()]),
      settle(index),
    ]),
  );

const number = (beats: readonly Beat[]): readonly Beat[] => {
  let sequence = 0;
  return beats.map((beat) =>
    'say' in beat ? { ...beat, say: { ...(beat.say as object), sequence: ++sequence } } : beat,
  );
};

/** Puts each of `more` where its number says. */
function strew(into: readonly Beat[], more: readonly (readonly [number, Beat])[]): readonly Beat[] {
  const beats = [...into];
  for (const [at, beat] of more) beats.splice(at % (beats.length + 1), 0, beat);
  return beats;
}

const known = (index: number): fc.Arbitrary<Beat> =>
  fc.oneof(
    text.map((rest) => say.message(marked(`m${index}`, rest))),
    text.map((rest) => say.delta(marked(`d${index}`, rest))),
    json.map((value) => say.state('conversation', `key${index % 3}`, value)),
    fc.constant(say.toolStarted(`call-${index}`, 'tool')),
    fc.constant(say.artifact({ artifact_type: 'file', name: marked(`a${index}`) })),
    fc.constant(say.action('message.edit', { message_id: 'x' }, {})),
  );

const ends: readonly (readonly Beat[])[] = [
  [say.completed()],
  [say.completed()],
  [say.completed({ finish_reason: 'stop', message: { role: 'assistant', content: marked('last') } })],
  [say.failed('runner.error', 'broke')],
  [],
  [{ end: 'error', message: 'broke off' }],
];

export const unknownResults = hostArea({
  id: 'unknown-results',
  runs: 300,
  corners: () => [
    ...TYPES.map((type, index) => {
      const more = payloads(`u${index}`).map((data, at): readonly [number, Beat] => [at * 2, unknown(type, data)]);
      return twice([...everyKind, say.completed()], strew([...everyKind, say.completed()], more), index % 2 === 0);
    }),
    twice([say.completed()], [unknown('run.finished', {}), say.completed()], false),
    twice([], [unknown('run.finished', {})], false),
    // The last word of a run is its answer if nothing else was.
    ...payloads('u').map((data) => twice(ends[2]!, [unknown('message.final', data), ...ends[2]!], false)),
    again('usage'),
    twice([say.failed('x', 'y')], [say.failed('x', 'y'), unknown('run.finished', {})], false),
  ],
  stimulus: () =>
    fc
      .record({
        parts: fc
          .integer({ min: 0, max: 6 })
          .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => known(index)))),
        end: fc.constantFrom(...ends),
        unknowns: fc.array(
          fc.record({
            at: fc.nat(20),
            type: fc.oneof(
              fc.constantFrom(...TYPES),
              fc.string({ minLength: 1, maxLength: 8 }).map((name) => `x.${name}`),
            ),
            payload: fc.nat(payloads('').length),
            any: json,
          }),
          { minLength: 1, maxLength: 5 },
        ),
        numbered: fc.boolean(),
      })
      .map(({ parts, end, unknowns, numbered }) => {
        const plain = [...parts, ...end];
        const strewn = unknowns.map(({ at, type, payload, any }, index): readonly [number, Beat] => [
          at,
          unknown(type, payloads(`u${index}`)[payload] ?? { any }),
        ]);
        return twice(plain, strew(plain, strewn), numbered);
      }),
});
