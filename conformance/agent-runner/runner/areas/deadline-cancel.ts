// §10: deadlines long past, just now and soon; answers that come late or never; cancels at every point of a run.
import fc from 'fast-check';
import { anyAnswer, anyWorld, HANG, lateAnswer, ruleWith } from '../stimuli/answers.ts';
import { anyContext, plainContext } from '../stimuli/context.ts';
import { anyGrants, everything } from '../stimuli/grants.ts';
import type { CancelPoint, RunnerStimulus, RunPlan } from '../stimulus.ts';
import { planFor, runnerArea } from './area.ts';

const anyDeadline = fc.oneof(fc.constantFrom(-60_000, -1, 0, 1, 10), fc.integer({ min: 20, max: 400 }));

const anyPoint: fc.Arbitrary<CancelPoint> = fc.oneof(
  fc.record({ ms: fc.integer({ min: 0, max: 200 }) }),
  fc.record({ results: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ calls: fc.integer({ min: 1, max: 25 }) }),
  fc.constant<CancelPoint>({ end: true }),
);

export const deadlineCancel = runnerArea({
  id: 'deadline-cancel',
  runs: 260,
  stimulus: (chosen) => {
    const context = anyContext('run-0', anyGrants(chosen.runner));
    const common = { context, world: anyWorld };
    const late = fc.array(
      ruleWith(fc.oneof({ weight: 2, arbitrary: lateAnswer }, { weight: 3, arbitrary: fc.constant(HANG) })),
      { minLength: 1, maxLength: 3 },
    );
    const bounded = fc.record({
      ...common,
      deadline: anyDeadline,
      answers: fc.oneof(late, fc.array(ruleWith(anyAnswer), { maxLength: 2 })),
    });
    const slow = fc.record({ ...common, answers: fc.array(ruleWith(lateAnswer), { minLength: 1, maxLength: 2 }) });
    const cancelled = fc.record({
      ...common,
      cancel: fc.record({ after: anyPoint, reason: fc.constantFrom('cancel_requested', 'the user left') }),
      answers: fc.array(ruleWith(lateAnswer), { minLength: 1, maxLength: 2 }),
    });
    return fc
      .record({
        plan: fc.oneof(
          { weight: 4, arbitrary: bounded as fc.Arbitrary<RunPlan> },
          { weight: 1, arbitrary: slow as fc.Arbitrary<RunPlan> },
          { weight: 4, arbitrary: cancelled as fc.Arbitrary<RunPlan> },
        ),
        linger: fc.integer({ min: 0, max: 9 }).map((n) => n === 9),
        cancelUnknown: fc.integer({ min: 0, max: 9 }).map((n) => n === 9),
      })
      .map(
        ({ plan, linger, cancelUnknown }): RunnerStimulus => ({
          runs: [planFor(chosen, plan)],
          ...(linger && { linger }),
          ...(cancelUnknown && { cancelUnknown }),
        }),
      );
  },
  corners: (chosen) => {
    const context = plainContext('run-0', everything(chosen.runner));
    const one = (plan: Partial<RunPlan>, more: Partial<RunnerStimulus> = {}): RunnerStimulus => ({
      runs: [
        planFor(chosen, {
          context,
          world: { model: [{ text: 'Let me see', tools: ['*'] }, { text: 'Done' }] },
          ...plan,
        }),
      ],
      ...more,
    });
    const everySlow = [{ answer: { kind: 'host' as const, delay: 100 } }];
    return [
      one({ deadline: 200, answers: [{ answer: HANG }] }, { linger: true }),
      one({ deadline: 200, answers: everySlow }, { linger: true }),
      // So slow that whoever goes on calling behind a stream that is over is still at it after grace.
      one({ deadline: 200, answers: [{ answer: { kind: 'host', delay: 250 } }] }, { linger: true }),
      one({ deadline: -1000 }, { linger: true }),
      one({ deadline: 0 }),
      one({ deadline: 60_000 }),
      one({ answers: everySlow }),
      one({ deadline: 300, answers: [{ action: 'call_tool', answer: HANG }] }, { linger: true }),
      one({ deadline: 300, answers: [{ action: 'invoke_llm_stream', answer: HANG }] }, { linger: true }),
      one({ deadline: 300, answers: [{ call: 1, answer: HANG }] }, { linger: true }),
      one({ cancel: { after: { calls: 1 } }, answers: everySlow }, { linger: true }),
      one({ cancel: { after: { calls: 4 } }, answers: everySlow }, { linger: true }),
      one({ cancel: { after: { results: 1 } }, answers: everySlow }),
      one({ cancel: { after: { ms: 40 } }, answers: everySlow }, { linger: true }),
      one({ cancel: { after: { ms: 100 } }, deadline: 5000, answers: [{ call: 3, answer: HANG }] }, { linger: true }),
      // While it waits for a tool, for a model, and in the middle of what it says.
      ...['call_tool', 'invoke_llm_stream'].map((action) =>
        one({ cancel: { after: { ms: 100 } }, deadline: 5000, answers: [{ action, answer: HANG }] }, { linger: true }),
      ),
      one({ cancel: { after: { results: 3 } }, answers: everySlow }, { linger: true }),
      one({ cancel: { after: { end: true } } }),
      one({}, { cancelUnknown: true }),
    ];
  },
});
