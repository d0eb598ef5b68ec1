// Several runs at once, each with words of its own: none shows in another, none waits for another, none dies with another.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { holds } from '../../holds.ts';
import { HANG, lateAnswer, ruleWith } from '../stimuli/answers.ts';
import { plainContext } from '../stimuli/context.ts';
import { everything } from '../stimuli/grants.ts';
import type { AnswerRule, RunnerStimulus, RunPlan } from '../stimulus.ts';
import { type Chosen, planFor, runnerArea } from './area.ts';

/** A context in which every text and id carries the run's marker. */
function marked(chosen: Chosen, runId: string, marker: string, over: JsonObject = {}): JsonObject {
  const grants = everything(chosen.runner, (name) => `${name}-${marker}`);
  const text = `Hello from ${marker}`;
  return plainContext(runId, grants, {
    event: { event_id: `event-${marker}`, event_type: 'message.received', source: 'platform', data: {} },
    conversation: { conversation_id: `conversation-${marker}` },
    input: { text, contents: [{ type: 'text', text }], attachments: [{ artifact_id: `artifact-${marker}` }] },
    context: {
      conversation_id: `conversation-${marker}`,
      inline_policy: { mode: 'current_event' },
      available_apis: grants.apis,
    },
    state: { conversation: { note: marker }, actor: {}, subject: {}, runner: {} },
    config: { prompt: `You are ${marker}` },
    ...over,
  });
}

const plan = (chosen: Chosen, i: number, salt: string, more: Partial<RunPlan> = {}): RunPlan => {
  const marker = `marker-${salt}${i}x`;
  return planFor(chosen, {
    context: marked(chosen, `run-${salt}-${i}`, marker),
    world: { marker, model: [{ text: 'I think', tools: ['*'] }, { text: 'Done' }], history: 3 },
    ...more,
  });
};

const slow = (delay: number): AnswerRule[] => [{ answer: { kind: 'host', delay } }];

/** One run, and others that begin every few turns while it is at work. */
const staggered = (chosen: Chosen, salt: string, first: number): RunnerStimulus => ({
  runs: Array.from({ length: 9 }, (_, i) => plan(chosen, i, salt)),
  holds: [0, ...Array.from({ length: 8 }, (_, i) => first + 4 * i)],
});

export const isolation = runnerArea({
  id: 'isolation',
  runs: 160,
  stimulus: (chosen) => {
    const run = fc.record({
      at: fc.oneof(fc.constant(0), fc.nat({ max: 30 })),
      answers: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 1, max: 9 }).map(slow) },
        { weight: 1, arbitrary: fc.array(ruleWith(lateAnswer), { maxLength: 2 }) },
      ),
      fate: fc.constantFrom('none', 'none', 'none', 'cancel', 'hang'),
      calls: fc.integer({ min: 1, max: 10 }),
    });
    const salts = fc.integer({ min: 0x10000, max: 0xfffff });
    const mixedByTime = fc.tuple(fc.array(run, { minLength: 2, maxLength: 4 }), salts).map(
      ([runs, salt]): RunnerStimulus => ({
        runs: runs.map(({ at, answers, fate, calls }, i) =>
          plan(chosen, i, salt.toString(36), {
            at,
            answers: fate === 'hang' ? [{ call: calls, answer: HANG }, ...answers] : answers,
            ...(fate === 'cancel' && { cancel: { after: { calls } } }),
            ...(fate === 'hang' && { deadline: 600 }),
          }),
        ),
      }),
    );
    // No time goes by between them: which comes first is for the schedule alone.
    const calm = fc.record({ cancelled: fc.constantFrom(false, false, true), calls: fc.integer({ min: 1, max: 10 }) });
    const mixedByTurns = fc.tuple(fc.array(calm, { minLength: 2, maxLength: 5 }), salts, holds).map(
      ([runs, salt, held]): RunnerStimulus => ({
        runs: runs.map(({ cancelled, calls }, i) =>
          plan(chosen, i, salt.toString(36), cancelled ? { cancel: { after: { calls } } } : {}),
        ),
        holds: held,
      }),
    );
    return fc.oneof({ weight: 3, arbitrary: mixedByTime }, { weight: 2, arbitrary: mixedByTurns });
  },
  corners: (chosen) => [
    // All at once: even runs that take no time are under way together.
    { runs: [plan(chosen, 0, 'aa0'), plan(chosen, 1, 'aa0'), plan(chosen, 2, 'aa0')] },
    {
      runs: [plan(chosen, 0, 'bb0', { cancel: { after: { ms: 0 } } }), plan(chosen, 1, 'bb0'), plan(chosen, 2, 'bb0')],
    },
    { runs: [plan(chosen, 0, 'ab1', { answers: slow(5) }), plan(chosen, 1, 'ab1', { answers: slow(7) })] },
    { runs: [0, 1, 2, 3].map((i) => plan(chosen, i, 'cd2', { at: i * 3, answers: slow(4 + i) })) },
    {
      runs: [
        plan(chosen, 0, 'ef3', { deadline: 2000, answers: [{ call: 1, answer: HANG }] }),
        plan(chosen, 1, 'ef3', { at: 20 }),
      ],
    },
    {
      runs: [
        plan(chosen, 0, 'gh4', { cancel: { after: { calls: 2 } }, answers: slow(10) }),
        plan(chosen, 1, 'gh4', { answers: slow(12) }),
        plan(chosen, 2, 'gh4', { at: 5, answers: slow(6) }),
      ],
    },
    {
      runs: [
        plan(chosen, 0, 'ij5', { cancel: { after: { ms: 15 } }, answers: slow(10) }),
        plan(chosen, 1, 'ij5', { answers: slow(3) }),
      ],
    },
    ...[0, 32, 64, 96].map((first) => staggered(chosen, `kl${first}t`, first)),
  ],
});
