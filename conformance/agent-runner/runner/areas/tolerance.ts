// What a lawful host may send, and answers that nobody wishes for. Where a clause compares, twins are played one after
// the other: the same context with and without the one thing.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { API } from '../api.ts';
import { lacking } from '../judges/twins.ts';
import { anyWorld, ERROR_CODES, malformedAnswer, refusal, ruleWith } from '../stimuli/answers.ts';
import { anyContext, EVENT_TYPES, plainContext } from '../stimuli/context.ts';
import { extrasEverywhere, extrasInto } from '../stimuli/extras.ts';
import { anyGrants, everything } from '../stimuli/grants.ts';
import type { AnswerRule, RunnerStimulus, World } from '../stimulus.ts';
import { type Chosen, planFor, runnerArea } from './area.ts';

/** A change that must not matter: the first context becomes the second. */
type Change = (context: JsonObject) => readonly [plain: JsonObject, special: JsonObject];

const within = (context: JsonObject, key: string, over: JsonObject): JsonObject => ({
  ...context,
  [key]: { ...(context[key] as JsonObject), ...over },
});

const RUNTIME: JsonObject = {
  locale: 'en_US',
  timezone: 'UTC',
  langbot_version: '4.11.0',
  static_refs: { policy: { ref: 'policy', version: '1', hash: 'abc' } },
};

const CHANGES: readonly Change[] = [
  (context) => [{ ...context, adapter: { extra: { params: { a: 1 } } } }, lacking(context, ['adapter'])],
  (context) => [
    { ...context, adapter: { extra: {} } },
    { ...context, adapter: null },
  ],
  (context) => [
    within(context, 'input', { message_chain: { chain: [] } }),
    lacking(context, ['input', 'message_chain']),
  ],
  (context) => [
    within(context, 'runtime', RUNTIME),
    Object.keys(RUNTIME).reduce((c, key) => lacking(c, ['runtime', key]), context),
  ],
  (context) => [
    within(context, 'runtime', RUNTIME),
    within(context, 'runtime', {
      locale: null,
      timezone: null,
      langbot_version: null,
      deadline_at: null,
      static_refs: {},
    }),
  ],
  (context) => [
    {
      ...context,
      state: { conversation: { 'reference.turns': 3 }, actor: { a: 1 }, subject: { s: 1 }, runner: { r: 1 } },
    },
    { ...context, state: {} },
  ],
  (context) => [
    within({ ...context, state: { conversation: { k: 1 } } }, 'context', { available_apis: withState(context, true) }),
    within({ ...context, state: {} }, 'context', { available_apis: withState(context, false) }),
  ],
  (context) => [
    { ...context, input: { text: 'Look', contents: [{ type: 'text', text: 'Look' }], attachments: [] } },
    {
      ...context,
      input: {
        text: 'Look',
        contents: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://example.invalid/a.png' } },
        ],
        attachments: [{ artifact_id: 'artifact-1', mime_type: 'image/png' }],
      },
    },
  ],
  (context) => [
    { ...context, input: { text: 'File', contents: [], attachments: [] } },
    {
      ...context,
      input: {
        text: 'File',
        contents: [{ type: 'file_base64', file_base64: 'YQ==', file_name: 'a' }],
        attachments: [],
      },
    },
  ],
];

const withState = (context: JsonObject, on: boolean): JsonObject => ({
  ...((context['context'] as JsonObject)['available_apis'] as JsonObject),
  state: on,
});

/** Plain, then special. */
const twins = (chosen: Chosen, [plain, special]: ReturnType<Change>, world?: World, more?: World): RunnerStimulus => ({
  runs: [
    planFor(chosen, { context: { ...plain, run_id: 'run-plain' }, ...(world && { world }) }),
    planFor(chosen, {
      context: { ...special, run_id: 'run-special' },
      after: 0,
      ...((more ?? world) && { world: more ?? world }),
    }),
  ],
});

const INPUTS: readonly JsonObject[] = [
  {},
  { text: null },
  { text: '' },
  { text: ' ' },
  { contents: [{ type: 'text', text: 'only contents' }] },
  { contents: [{ type: 'image_url', image_url: { url: 'https://example.invalid/a.png' } }] },
  { contents: [{ type: 'vendor.hologram' }] },
  { attachments: [{ artifact_id: 'artifact-1' }] },
];

const PARTIES: readonly JsonObject[] = ['conversation', 'actor', 'subject'].flatMap((party) => [
  { drop: party },
  { [party]: null },
]);

export const tolerance = runnerArea({
  id: 'tolerance',
  runs: 760,
  stimulus: (chosen) => {
    const context = anyContext('run-0', anyGrants(chosen.runner));
    const rules = (answer: typeof refusal): fc.Arbitrary<AnswerRule[]> =>
      fc.array(ruleWith(answer), { minLength: 1, maxLength: 3 });
    const single = fc
      .record({ context, world: anyWorld })
      .map((plan): RunnerStimulus => ({ runs: [planFor(chosen, plan)] }));
    const troubled = fc
      .record({ context, world: anyWorld, answers: fc.oneof(rules(refusal), rules(malformedAnswer)) })
      .map((plan): RunnerStimulus => ({ runs: [planFor(chosen, plan)] }));
    const changed = fc
      .tuple(context, fc.constantFrom(...CHANGES), anyWorld)
      .map(([plain, change, world]) => twins(chosen, change(plain), world));
    const extended = fc
      .tuple(
        context.chain((plain) => extrasInto(plain).map((special) => [plain, special] as const)),
        anyWorld,
      )
      .map(([pair, world]) => twins(chosen, pair, world));
    const answered = fc
      .tuple(context, anyWorld)
      .map(([plain, world]) => twins(chosen, [plain, plain], world, { ...world, extras: UNKNOWN }));
    return fc.oneof(
      { weight: 3, arbitrary: single },
      { weight: 4, arbitrary: troubled },
      { weight: 3, arbitrary: changed },
      { weight: 2, arbitrary: extended },
      { weight: 1, arbitrary: answered },
    );
  },
  corners: (chosen) => {
    const all = everything(chosen.runner);
    const plain = plainContext('run-0', all);
    const model: World = { model: [{ text: 'Let me see', tools: ['*'] }, { text: 'Done' }], history: 3, usage: true };
    // With something to read, so that no API is left out.
    const attached = { ...plain, input: { text: 'Read this', attachments: [{ artifact_id: 'artifact-1' }] } };
    const one = (context: JsonObject, answers?: AnswerRule[]): RunnerStimulus => ({
      runs: [planFor(chosen, { context, world: model, ...(answers && { answers }) })],
    });
    return [
      twins(
        chosen,
        [plain, { ...plain, x_future: 1, input: { ...(plain['input'] as JsonObject), x_future: {} } }],
        model,
      ),
      twins(chosen, [plain, plain], model, { ...model, extras: UNKNOWN }),
      twins(chosen, [attached, extrasEverywhere(attached)], model),
      ...CHANGES.map((change) => twins(chosen, change(plain), model)),
      ...INPUTS.map((input) => one({ ...plain, input })),
      ...PARTIES.map(({ drop, ...nulls }) => one({ ...(drop ? lacking(plain, [String(drop)]) : plain), ...nulls })),
      ...EVENT_TYPES.map((event_type) =>
        one({ ...within(plain, 'event', { event_type }), trigger: { type: event_type, source: 'system' }, input: {} }),
      ),
      ...ERROR_CODES.map((code, i) => one(plain, [{ answer: { kind: 'error', code, retryable: i % 2 === 0 } }])),
      ...Object.keys(API).flatMap((action): RunnerStimulus[] => [
        one(attached, [{ action, answer: { kind: 'error', code: 'runtime_error' } }]),
        one(attached, [{ action, answer: { kind: 'malformed', how: 'wrong-types' } }]),
      ]),
      // Every code for every API but those of models, whose refusal may end a run: each run has all of them, in another order.
      ...ERROR_CODES.map((_, shift) =>
        one(
          attached,
          Object.keys(API)
            .filter((action) => !action.startsWith('invoke_llm'))
            .map((action, at) => ({
              action,
              answer: { kind: 'error', code: ERROR_CODES[(at + shift) % ERROR_CODES.length]! },
            })),
        ),
      ),
      one(plain, [{ answer: { kind: 'malformed', how: 'empty' } }]),
      one(plain, [{ answer: { kind: 'malformed', how: 'error-shape' } }]),
      one(plain, [{ call: 3, answer: { kind: 'malformed', how: 'null-data' } }]),
    ];
  },
});

const UNKNOWN = { x_future: { nested: [1, 2] }, 'vendor.note': 'n' };
