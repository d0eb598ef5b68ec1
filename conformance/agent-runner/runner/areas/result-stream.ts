// §7: any context, any model, any answers, on any surface; messages at the very edge of what a surface takes.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { anyAnswer, anyWorld, ruleWith, SPARE } from '../stimuli/answers.ts';
import { anyContext, plainContext } from '../stimuli/context.ts';
import { anyGrants, everything } from '../stimuli/grants.ts';
import type { RunnerStimulus, World } from '../stimulus.ts';
import { choices, planFor, runnerArea } from './area.ts';

/** A text of exactly so many bytes, of characters of this size as far as they go. */
export function textOfBytes(bytes: number, character: string): string {
  const size = Buffer.byteLength(character);
  return character.repeat(Math.floor(bytes / size)) + 'a'.repeat(bytes % size);
}

/** One below, at and above the limit; more of them; and many times it. */
const EDGES = [-1, 0, 1, 2, 3] as const;
const CHARACTERS = ['a', 'é', '你', '😀'] as const;

const withLimit = (context: JsonObject, limit: number, text: string, streaming: boolean): JsonObject => ({
  ...context,
  input: { text, contents: [{ type: 'text', text }], attachments: [] },
  delivery: { surface: 'chat', supports_streaming: streaming, max_message_size: limit },
});

export const resultStream = runnerArea({
  id: 'result-stream',
  runs: 560,
  stimulus: (chosen) => {
    const context = anyContext('run-0', anyGrants(chosen.runner));
    const any = fc
      .record({ context, world: anyWorld, answers: fc.array(ruleWith(anyAnswer), { maxLength: 2 }) })
      .map((plan): RunnerStimulus => ({ runs: [planFor(chosen, plan)] }));
    const sized = fc
      .record({
        limit: fc.integer({ min: 4, max: 80 }),
        edge: fc.constantFrom(...EDGES),
        times: fc.constantFrom(1, 1, 2, 5),
        character: fc.constantFrom(...CHARACTERS),
        streaming: fc.boolean(),
        chunks: fc.integer({ min: 1, max: 8 }),
      })
      .map(({ limit, edge, times, character, streaming, chunks }): RunnerStimulus => {
        const text = textOfBytes(limit * times + edge, character);
        const plain = plainContext('run-0', everything(chosen.runner));
        return {
          runs: [
            planFor(chosen, {
              context: withLimit(plain, limit, text, streaming),
              world: { model: [{ text }], chunks },
            }),
          ],
        };
      });
    const strange = context.map((one): RunnerStimulus => ({ runs: [{ runner: 'unknown', context: one }] }));
    return fc.oneof({ weight: 8, arbitrary: any }, { weight: 3, arbitrary: sized }, { weight: 1, arbitrary: strange });
  },
  corners: (chosen, info) => {
    const all = everything(chosen.runner);
    const tools: World = { model: [{ text: 'Let me see', tools: ['*'] }, { text: 'Grüße, 你好' }], chunks: 3 };
    const surface = (over: JsonObject): JsonObject => ({ delivery: { surface: 'chat', ...over } });
    const one = (over: JsonObject, world: World): RunnerStimulus => ({
      runs: [planFor(chosen, { context: plainContext('run-0', all, over), world })],
    });
    const attached = { input: { text: 'Read this', attachments: [{ artifact_id: 'artifact-1' }] } };
    return [
      one(surface({ supports_streaming: true, supports_reaction: true, supports_edit: true }), tools),
      one(surface({ supports_streaming: false, supports_reaction: true }), tools),
      one(surface({}), tools),
      one({}, { ...tools, usage: true }),
      // Tools and not a word.
      one({}, { model: [{ text: '', tools: ['*'] }, { text: 'Done' }] }),
      one({}, { ...tools, toolBytes: 40_000 }),
      one({}, { ...tools, toolBytes: 1_048_576 }),
      // A model that wants tools for as long as it is offered any.
      one({}, { model: Array.from({ length: 8 }, () => ({ text: 'More', tools: ['*'] })) }),
      one(attached, { ...tools, artifactBytes: 1_048_576 }),
      one({ input: {} }, tools),
      ...SPARE.map((rule) => ({
        runs: [planFor(chosen, { context: plainContext('run-0', all, attached), world: tools, answers: [rule] })],
      })),
      // What makes most runners fail: nothing is allowed, and no time is left.
      {
        runs: [
          planFor(chosen, {
            context: plainContext('run-0', all),
            answers: [{ answer: { kind: 'error', code: 'runtime_error' } }],
          }),
        ],
      },
      { runs: [planFor(chosen, { context: plainContext('run-0', all), deadline: -1000 })] },
      { runs: [planFor(chosen, { context: plainContext('run-0', { resources: {}, apis: {} }) })] },
      { runs: [{ runner: 'unknown', context: plainContext('run-0', all) }] },
      // Every runner that the target lists is run once.
      ...choices(info).map(({ runner, index }) => ({
        runs: [{ runner: index, context: plainContext('run-0', everything(runner)), world: tools }],
      })),
      ...CHARACTERS.flatMap((character) =>
        EDGES.map((edge): RunnerStimulus => {
          const text = textOfBytes(24 + edge, character);
          return {
            runs: [
              planFor(chosen, {
                context: withLimit(plainContext('run-0', all), 24, text, edge % 2 === 0),
                world: { model: [{ text }], chunks: 4 },
              }),
            ],
          };
        }),
      ),
    ];
  },
});
