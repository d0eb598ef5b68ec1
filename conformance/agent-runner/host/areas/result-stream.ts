// Streams of results: valid, malformed, foreign, repeated, oversized and late, in any order, and every way to end one.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { IMMODEST_BYTES, limitOf } from '../../oracle/measure.ts';
import { say } from '../say.ts';
import { type Beat, type HostStimulus, pad, selfRun } from '../stimulus.ts';
import {
  binding,
  declaredBy,
  delivery,
  event,
  hostArea,
  json,
  manifest,
  marked,
  oneRun,
  quiet,
  scene,
  settle,
  submit,
  text,
} from './kit.ts';

const own = (value: JsonObject): Beat => ({ say: { run_id: selfRun, ...value } });

const said = (content: unknown): JsonObject => ({ role: 'assistant', content }) as JsonObject;

/** Results that no host may consume, each with a mark that would show if one did. */
const MALFORMED: readonly ((mark: string) => Beat)[] = [
  (mark) => ({ say: mark }),
  () => ({ say: null }),
  (mark) => ({ say: [mark] }),
  (mark) => own({ data: { message: said(mark) } }),
  (mark) => own({ type: 7, data: { message: said(mark) } }),
  (mark) => own({ type: null, data: { message: said(mark) } }),
  (mark) => own({ type: 'message.completed', data: mark }),
  (mark) => own({ type: 'message.completed', data: [said(mark)] }),
  (mark) => own({ type: 'message.completed', data: { text: mark } }),
  (mark) => own({ type: 'message.completed', data: { message: mark } }),
  (mark) => own({ type: 'message.completed', data: { message: said({ nested: mark }) } }),
  (mark) => own({ type: 'message.completed', data: { message: { content: mark } } }),
  (mark) => own({ type: 'message.delta', data: { chunk: null, text: mark } }),
  (mark) => own({ type: 'message.delta', data: { chunk: said([mark]) } }),
  (mark) => own({ type: 'artifact.created', data: { artifact_id: mark, name: mark } }),
  (mark) => own({ type: 'artifact.created', data: { artifact_type: 5, name: mark } }),
  (mark) => own({ type: 'artifact.created', data: { artifact_type: '', name: mark } }),
  (mark) => own({ type: 'tool.call.started', data: { note: mark } }),
  (mark) => own({ type: 'action.requested', data: { payload: { text: mark } } }),
];
export const malformed = (tag: string): readonly Beat[] =>
  MALFORMED.map((make, index) => make(marked(`${tag}-${index}`)));

/** One of every kind of result that counts. */
const everyKind: readonly Beat[] = [
  say.delta(marked('d1', 'hel')),
  say.delta(marked('d2', 'lo 你好 🤖')),
  say.toolStarted('call-1', 'search', { query: marked('t1') }),
  say.toolCompleted('call-1', 'search', { hits: [1, 2] }),
  say.artifact({
    artifact_type: 'file',
    artifact_id: 'artifact-1',
    mime_type: 'text/plain',
    name: 'a.txt',
    content_base64: 'aGVsbG8=',
  }),
  { call: 'artifact_metadata', data: { run_id: selfRun, artifact_id: 'artifact-1' } },
  say.artifact({ artifact_type: 'image', name: marked('nameless') }),
  say.state('conversation', 'key', marked('s1')),
  say.action('message.edit', { message_id: 'message-1' }, { text: marked('edit') }),
  say.action('message.delete', { message_id: 'message-1' }),
  say.message(marked('m1', 'hello')),
  say.message([{ type: 'text', text: marked('m2', 'in elements') }]),
];

/** What a runner must not say any more once it has said how it ended. */
const afterwards = (tag: string): readonly Beat[] => [
  say.message(marked(`${tag}-message`)),
  say.delta(marked(`${tag}-delta`)),
  say.state('conversation', `${tag}-key`, marked(`${tag}-state`)),
  say.artifact({ artifact_type: 'file', artifact_id: marked(`${tag}-artifact`), name: 'late' }),
  say.failed('runner.late', marked(`${tag}-failed`)),
  say.completed({ finish_reason: 'stop', message: { role: 'assistant', content: marked(`${tag}-completed`) } }),
];

const failures: readonly Beat[] = [
  say.failed('runner.error', 'it broke'),
  say.result('run.failed', { code: 'runner.error', error: 'the name that the SDK gives it' }),
  say.result('run.failed', { code: 'cancelled', message: 'stopped', retryable: true }),
  say.result('run.failed', { code: 'x.y', message: 'first', error: 'second' }),
];

/** A message of so many bytes, with its frame of JSON. */
const sized = (bytes: number, unit: string, tag: string): Beat => ({
  ...(say.message(pad(unit, marked(tag))) as { say: unknown }),
  bytes,
});
/** Other results of so many bytes: they are measured as messages are. */
const SIZED: readonly ((bytes: number, unit: string, tag: string) => Beat)[] = [
  sized,
  (bytes, unit, tag) => ({ ...(say.delta(pad(unit, marked(tag)) as unknown as string) as { say: unknown }), bytes }),
  (bytes, unit, tag) => ({
    ...(say.artifact({
      artifact_id: tag,
      artifact_type: 'file',
      name: pad(unit, marked(tag)) as unknown as string,
    }) as { say: unknown }),
    bytes,
  }),
];
const UNITS = ['x', 'é', '你', '🤖'] as const;

/** Results around the limit, by some bytes more or less. */
const around = (
  limit: number,
  parts: readonly { readonly off: number; readonly unit: string; readonly kind: number }[],
): HostStimulus =>
  oneRun([
    ...parts.map(({ off, unit, kind }, index) => SIZED[kind]!(limit + off, unit, `sized${index}`)),
    ...quiet(marked('m')),
  ]);

function edges(info: TargetInfo): readonly HostStimulus[] {
  const limit = limitOf(declaredBy(info).limits, 'result_bytes');
  if (limit === undefined) return [oneRun([sized(IMMODEST_BYTES, 'x', 'huge'), ...quiet(marked('m'))])];
  if (limit > 2 * IMMODEST_BYTES) return [];
  return UNITS.flatMap((unit) => [
    oneRun([sized(limit - 1, unit, 'below'), sized(limit, unit, 'at'), say.completed()]),
    oneRun([sized(limit + 1, unit, 'above'), ...quiet(marked('m'))]),
    ...[1, 2].map((kind) => around(limit, [{ off: 1, unit, kind }])),
  ]);
}

const numbered = (beats: readonly Beat[]): readonly Beat[] => {
  let sequence = 0;
  return beats.map((beat) =>
    'say' in beat && typeof beat.say === 'object' && beat.say !== null
      ? { ...beat, say: { ...beat.say, sequence: ++sequence, timestamp: 1_780_444_800 } }
      : beat,
  );
};

const deaf = { event: event(1, { delivery: delivery({ supports_streaming: false }) }) };
const small = { event: event(1, { delivery: delivery({ max_message_size: 64 }) }) };
const slow = { runner: manifest('main', { capabilities: { streaming: false } }) };
const policy = {
  binding: binding({ delivery_policy: { enable_streaming: false, enable_reply: true, max_message_size: 48 } }),
};

/** Something the runner says at position `index`. */
const anything = (index: number): fc.Arbitrary<readonly Beat[]> => {
  const tag = (name: string): string => `${name}${index}`;
  return fc.oneof(
    { weight: 4, arbitrary: text.map((rest) => [say.message(marked(tag('m'), rest))]) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('wort ', '你', 'é', '🤖'), fc.integer({ min: 10, max: 100 }))
        .map(([word, times]) => [say.message(marked(tag('l'), word.repeat(times)))]),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(text, { minLength: 1, maxLength: 2 })
        .map((all) => [
          say.message(all.map((one, at) => ({ type: 'text', text: at === 0 ? marked(tag('e'), one) : one }))),
        ]),
    },
    { weight: 4, arbitrary: text.map((rest) => [say.delta(marked(tag('d'), rest))]) },
    {
      weight: 2,
      arbitrary: json.map((result) => [
        say.toolStarted(tag('call'), 'tool'),
        say.toolCompleted(tag('call'), 'tool', { result }),
      ]),
    },
    {
      weight: 2,
      arbitrary: fc
        .base64String({ maxLength: 40 })
        .map((content_base64) => [
          say.artifact({ artifact_type: 'file', artifact_id: tag('artifact'), name: marked(tag('a')), content_base64 }),
        ]),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom('conversation', 'actor', 'runner', 'nowhere')
        .map((scope) => [say.state(scope, tag('key'), marked(tag('s')))]),
    },
    fc.constant([say.action('message.edit', { message_id: 'x' }, { text: marked(tag('edit')) })]),
    fc.constant([say.result('x.unknown', { text: marked(tag('u')) })]),
    {
      weight: 2,
      arbitrary: fc.constantFrom(...malformed(tag('bad')).keys()).map((which) => [malformed(tag('bad'))[which]!]),
    },
    fc.constant([say.message(marked(tag('foreign')), { run_id: 'another-run' })]),
    fc.integer({ min: 1, max: 200 }).map((wait) => [{ wait }]),
  );
};

const ending = fc.oneof(
  { weight: 4, arbitrary: fc.constant<readonly Beat[]>([say.completed()]) },
  fc.constant<readonly Beat[]>([
    say.completed({ finish_reason: 'stop', message: { role: 'assistant', content: marked('last') } }),
  ]),
  { weight: 2, arbitrary: fc.constantFrom(...failures).map((failure): readonly Beat[] => [failure]) },
  fc.constant<readonly Beat[]>([]),
  fc.constant<readonly Beat[]>([{ end: 'error', message: 'RuntimeError: broke off' }]),
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(say.completed(), ...failures), fc.subarray([...afterwards('after')], { minLength: 1 }))
      .map(([end, more]): readonly Beat[] => [end, ...more]),
  },
  fc
    .subarray([...afterwards('late')], { minLength: 1 })
    .map((more): readonly Beat[] => [say.completed(), { end: 'end' }, ...more]),
);

const repeated = (beats: readonly Beat[], which: number): readonly Beat[] => {
  const all = numbered(beats);
  const twice = all[which % Math.max(1, all.length)];
  return twice === undefined || !('say' in twice)
    ? all
    : all.flatMap((beat) => (beat === twice ? [beat, beat] : [beat]));
};

/** Two runs of one conversation at once, each of which answers another message. */
const twoReplies: HostStimulus = scene(
  ['first', 'second'].flatMap((message_id, run) => [
    submit(event(run, { delivery: delivery({ reply_target: { message_id } }) }), binding(), [
      { wait: 40 },
      ...quiet(marked(`to-${message_id}`)),
    ]),
    ...(run === 1 ? [settle(0), settle(1)] : []),
  ]),
);

export const resultStream = hostArea({
  id: 'result-stream',
  runs: 520,
  corners: (info) => [
    oneRun([...everyKind, say.completed()]),
    oneRun(numbered([...everyKind, say.completed()])),
    oneRun([...everyKind, say.completed()], deaf),
    oneRun([...everyKind, say.completed()], slow),
    oneRun([...everyKind, say.completed()], policy),
    oneRun([say.message(marked('long', 'wort '.repeat(40))), say.message(marked('short')), say.completed()], small),
    oneRun([say.message(marked('wide', '你'.repeat(40))), say.completed()], small),
    oneRun([say.completed({ finish_reason: 'stop', message: { role: 'assistant', content: marked('only') } })]),
    oneRun([
      say.message(marked('said')),
      say.completed({ finish_reason: 'stop', message: { role: 'assistant', content: marked('said') } }),
    ]),
    oneRun([
      say.result('tool.call.started', {
        tool_call_id: 'c',
        tool_name: 't',
        parameters: {},
        message: said(marked('no')),
      }),
      say.result('action.requested', { action: 'a', target: {}, payload: {}, message: said(marked('none')) }),
      say.completed(),
    ]),
    oneRun([say.message([{ type: 'image_url', image_url: { url: 'https://pictures.test/1' } }]), say.completed()], {
      event: event(1, { delivery: delivery({ max_message_size: 8 }) }),
    }),
    oneRun([
      say.message([{ type: 'image_url', image_url: { url: 'https://example.invalid/a.png' } }]),
      say.message(marked('m')),
      say.completed(),
    ]),
    oneRun([say.delta('a'), say.delta('ab'), say.delta('abc'), say.completed()]),
    ...failures.map((failure) => oneRun([say.message(marked('m')), failure])),
    ...[say.completed(), ...failures].map((end) => oneRun([say.message(marked('m')), end, ...afterwards('after')])),
    oneRun([say.message(marked('m')), say.completed(), { end: 'end' }, ...afterwards('late')]),
    twoReplies,
    oneRun([]),
    oneRun([say.message(marked('m'))]),
    oneRun([say.message(marked('m')), { end: 'error', message: 'RuntimeError: broke off' }]),
    oneRun(repeated([say.message(marked('m1')), say.message(marked('m2')), say.completed()], 0)),
    oneRun(repeated([...['d1', 'd2', 'd3'].map((tag) => say.delta(marked(tag))), say.completed()], 1)),
    ...malformed('bad').map((beat) => oneRun([say.message(marked('before')), beat, ...quiet(marked('behind'))])),
    ...edges(info),
  ],
  stimulus: (info) => {
    const limit = limitOf(declaredBy(info).limits, 'result_bytes');
    const streams = fc
      .record({
        parts: fc
          .integer({ min: 0, max: 8 })
          .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => anything(index)))),
        end: ending,
        numbers: fc.oneof(fc.constant<'none' | 'right'>('none'), fc.constant<'right'>('right'), fc.nat(8)),
        surface: fc.record({
          supports_streaming: fc.boolean(),
          max_message_size: fc.constantFrom(null, null, 80, 4096),
        }),
        streaming: fc.boolean(),
      })
      .map(({ parts, end, numbers, surface, streaming }) => {
        const beats = [...parts.flat(), ...end];
        return oneRun(numbers === 'none' ? beats : numbers === 'right' ? numbered(beats) : repeated(beats, numbers), {
          event: event(1, { delivery: delivery(surface) }),
          runner: manifest('main', { capabilities: { streaming } }),
        });
      });
    if (limit === undefined || limit > IMMODEST_BYTES) return streams;
    const part = fc.record({
      off: fc.integer({ min: -2, max: 3 }),
      unit: fc.constantFrom(...UNITS),
      kind: fc.nat(SIZED.length - 1),
    });
    // They are large, and a few tell as much as many.
    const measured = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => around(limit, parts));
    return fc.oneof({ weight: 30, arbitrary: streams }, { weight: 1, arbitrary: measured });
  },
});
