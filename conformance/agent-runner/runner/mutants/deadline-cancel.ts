// §10: no sense of time, and no ear for a cancel.
import type { Mutant } from '../../../driving/suite.ts';
import { Refusal } from '../../../wire/peer.ts';
import { failed } from '../../reference-runner/parts.ts';
import { referenceParts } from '../../reference-runner/reference.ts';
import { mutant, SILENT } from './mutant.ts';

export const deadlineMutants: readonly Mutant[] = [
  mutant(
    'deaf-to-deadlines',
    [
      '10/stream-over-at-deadline',
      '10/no-result-after-deadline',
      '10/no-call-after-deadline',
      '10/sdk-bounds-calls',
      '9/runner-survives-delays',
      '7.2/run-ends',
    ],
    'Takes no notice of deadlines.',
    {
      deadline: () => undefined,
    },
  ),
  mutant(
    'deadline-in-milliseconds',
    ['10/stream-over-at-deadline', '10/sdk-bounds-calls'],
    'Reads the deadline as milliseconds of its own.',
    {
      deadline: ({ runtime }) => (runtime.deadline_at === null ? undefined : runtime.deadline_at * 1000 + 10_000),
    },
  ),
  mutant('impatient', ['9/runner-survives-delays'], 'Stops without a word when an answer takes long.', {
    patience: () => 15,
    ...SILENT,
  }),
  mutant('deaf-to-cancel', ['10/runtime-interrupts'], 'Answers a cancel and goes on as before.', {
    cancelled: () => [],
  }),
  mutant(
    'goes-on-after-cancel',
    ['10/quiet-after-cancel', '10/runtime-interrupts'],
    'Hears a cancel, and finishes its work all the same.',
    { cancelled: () => [] },
    'module',
  ),
  mutant(
    'other-code',
    ['10/cancelled-code'],
    'Ends a cancelled run with a code of its own.',
    {
      onCancel: (reason) => [failed('user_abort', reason)],
    },
    'module',
  ),
  mutant(
    'cancelled-is-completed',
    ['10/cancelled-code'],
    'Ends a cancelled run as if it were complete.',
    {
      onCancel: () => [{ type: 'run.completed', data: {} }],
    },
    'module',
  ),
  mutant('cancel-of-none', ['10/cancel-answered'], 'Answers a cancel of a run that is over with an error.', {
    cancelled: (runId, live) => {
      if (!live.includes(runId)) throw new Refusal(`KeyError: ${runId}`);
      return [runId];
    },
  }),
  mutant(
    'deaf-while-it-thinks',
    ['10/runtime-interrupts'],
    'Does not hear a cancel while it waits for a model.',
    () => {
      let last = '';
      return {
        request: (context, action, data) => {
          last = action;
          return referenceParts.request(context, action, data);
        },
        cancelled: (runId, live) => (last === 'invoke_llm_stream' ? [] : referenceParts.cancelled(runId, live)),
      };
    },
  ),
  mutant('cancels-all', ['10/cancel-spares-others'], 'Cancels every run when one is cancelled.', {
    cancelled: (_runId, live) => live,
  }),
];
