// Every mutant of the reference runtime: faults in its log, commands it does wrongly, read models it folds wrongly, restarts it does not survive.
import type { JsonObject } from '../../../common/json.ts';
import type { Mutant } from '../../driving/suite.ts';
import { clauseOfModel } from '../driven/judges-models.ts';
import type { Command } from '../reference/desk.ts';
import type { RuntimeOptions } from '../reference/runtime.ts';
import { referenceRuntimeTarget } from '../reference/target.ts';
import { envelopeFaults } from './faults-envelope.ts';
import { explainedFaults } from './faults-explained.ts';
import { workFaults } from './faults-work.ts';
import { foldMutants, misshown } from './folds.ts';
import { changed, decidesOnProcesses, dropped, fault, has, payload, withPayload } from './tamper.ts';

/** Faults that a log alone shows; each with the clause that must notice. */
export const logFaults = [...envelopeFaults, ...workFaults, ...explainedFaults];

/** Faults that only show beside the command that was given. */
const commandFaults = [
  fault(
    'ar/6/turn-commands-leave-events',
    'resumes a thread without a fact about it',
    dropped('history.reconstructed'),
  ),
  fault(
    'ar/6/queue-commands-leave-events',
    'does not tell that a turn was promoted',
    dropped(has('queue.changed', 'reason', 'promoted')),
  ),
  fault('ar/6/task-commands-leave-events', 'does not tell that a task was updated', dropped('task.updated')),
  fault('ar/6/subagent-commands-leave-events', 'does not tell that a subagent was resumed', dropped('subagent.status')),
  fault(
    'ar/6/permission-commands-leave-events',
    'does not tell that a permission was resolved',
    dropped('permission.resolved'),
  ),
  fault('ar/6/process-commands-leave-events', 'does not tell what it wrote to a process', dropped('process.input')),
  fault('ar/6/job-commands-leave-events', 'does not tell that a job was cancelled', dropped('job.cancelled')),
  fault('ar/6/channel-commands-leave-events', 'does not tell that a channel was resumed', dropped('channel.resumed')),
  fault(
    'ar/6/export-commands-leave-events',
    'does not tell what it exported',
    dropped(has('evidence.changed', 'kind', 'replay')),
  ),
  fault(
    'ar/6/interrupt-ends-the-turn',
    'calls what a user stopped a failure',
    changed(has('turn.failed', 'failure_category', 'interrupted'), (event) =>
      withPayload(event, { status: 'failed', failure_category: 'model_error' }),
    ),
  ),
  fault(
    'ar/6/promoted-turn-is-first',
    'promotes to the end',
    changed(has('queue.changed', 'reason', 'promoted'), (event) =>
      withPayload(event, {
        queued_turns: [...((payload(event)['queued_turns'] ?? []) as JsonObject[])]
          .reverse()
          .map((entry, order) => ({ ...entry, order })),
      }),
    ),
  ),
  fault(
    'ar/9.4/answer-as-given',
    'takes every answer for a yes',
    changed('action.resolved', (event) => withPayload(event, { decision: 'allow' })),
  ),
];

const mutant = (
  clauses: string | readonly string[],
  what: string,
  options: Partial<RuntimeOptions>,
  suffix = '',
): Mutant => {
  const list = typeof clauses === 'string' ? [clauses] : clauses;
  return {
    id: `runtime-${list[0]!.split('/').slice(1).join('-').replaceAll('.', '-')}${suffix}`,
    what,
    clauses: list,
    target: () => referenceRuntimeTarget(options),
  };
};

const then =
  (more: (...parts: Parameters<Command>) => void) =>
  (usual: Command): Command =>
  (desk, input) => {
    const answer = usual(desk, input);
    more(desk, input);
    return answer;
  };

const commandMutants: readonly Mutant[] = [
  mutant('ar/6/queries-write-nothing', 'writes down that somebody looked', {
    overrides: {
      get_thread_read: then((desk, { session_id }) =>
        desk.say('runtime.warning', { session_id: String(session_id) }, { message: 'looked at' }),
      ),
    },
  }),
  mutant('ar/6/refused-writes-nothing', 'tells what it then refused', {
    keepRefused: true,
    overrides: {
      write_process_stdin: (usual) => (desk, input) => {
        if (!desk.world.processes.has(String(input['process_id'])))
          desk.say('runtime.warning', { session_id: 's1' }, { message: 'no such process' });
        return usual(desk, input);
      },
    },
  }),
  mutant('ar/6/repeated-submit-makes-no-turn', 'submits a repeated turn again', {
    overrides: {
      submit_turn: (usual) => (desk, input) => {
        const known = desk.world.turns.get(String(input['turn_id']));
        if (known !== undefined) desk.say('turn.submitted', known.ids, { status: 'accepted', input: [] });
        return usual(desk, input);
      },
    },
  }),
  mutant('ar/6/unknown-process-refused', 'takes input for any process', {
    overrides: {
      write_process_stdin: (usual) => (desk, input) =>
        desk.world.processes.has(String(input['process_id'])) ? usual(desk, input) : {},
    },
  }),
  mutant('ar/6/cancel-reaches-children', 'leaves children of a cancelled task alone', {
    overrides: { cancel_task: (usual) => (desk, input) => usual(desk, { ...input, propagation: 'none' }) },
  }),
  mutant('ar/6/retry-keeps-task', 'retries as another task', {
    overrides: {
      retry_task: () => (desk, input) => {
        const ids = { session_id: 's1', thread_id: 's1_tasks', task_id: `${String(input['task_id'])}_again` };
        desk.say('task.created', ids, { objective: 'again' });
        desk.say('task.retrying', ids, { reason: 'again' });
        desk.say('task.attempt.started', { ...ids, run_id: `${ids.task_id}_run` }, { status: 'running' });
        return { task_id: ids.task_id };
      },
    },
  }),
  mutant('ar/6/removed-turn-never-starts', 'starts removed turns all the same', {
    overrides: {
      remove_queued_turn: then((desk, input) => {
        const turn = desk.world.turns.get(String(input['queued_turn_id']));
        if (turn !== undefined) desk.say('turn.started', turn.ids, { status: 'running' });
      }),
    },
  }),
  mutant('ar/9.4/only-respond-action-answers', 'takes a new turn for an approval', {
    overrides: {
      submit_turn: then((desk) => {
        for (const [action_id, action] of [...desk.world.actions])
          if (action.decision === undefined)
            desk.say('action.resolved', { ...action.ids, action_id }, { decision: 'allow', decided_by: 'human' });
      }),
    },
  }),
  mutant('ar/9.7/pages-cover-the-history', 'loses a step at the edge of every window', {
    overrides: {
      get_session: (usual) => (desk, input) => ({
        ...usual(desk, input),
        ...(input['limit'] === undefined ? {} : { step_ids: (usual(desk, input)['step_ids'] as string[]).slice(1) }),
      }),
    },
  }),
];

const forgets = (where: (event: JsonObject) => boolean): Partial<RuntimeOptions> => ({
  afterRestart: (events) => events.filter((event) => !where(event)),
});
const isOneOf =
  (...types: readonly string[]) =>
  ({ type }: JsonObject): boolean =>
    types.includes(String(type));

const restartMutants: readonly Mutant[] = [
  mutant('ar/9.1/log-survives-restart', 'loses the last event in a restart', {
    afterRestart: (events) => events.slice(0, -1),
  }),
  mutant(
    'ar/9.4/open-actions-survive-restart',
    'forgets open actions in a restart',
    forgets(isOneOf('action.required')),
  ),
  mutant('ar/9.5/queue-survives-restart', 'forgets the queue in a restart', forgets(isOneOf('queue.changed'))),
  mutant(
    'ar/9.6/task-status-survives-restart',
    'forgets that tasks were retried in a restart',
    forgets(isOneOf('task.retrying', 'task.started', 'task.attempt.started', 'task.waiting')),
  ),
  mutant(
    'ar/9.6/attempts-survive-restart',
    'forgets attempts that failed in a restart',
    forgets(isOneOf('task.attempt.failed')),
  ),
  mutant(
    'ar/9.6/edges-survive-restart',
    'forgets edges in a restart',
    forgets(isOneOf('task.dependency.updated', 'task.delegated')),
  ),
];

const modelMutants: readonly Mutant[] = [
  ...foldMutants.map(({ model, what, models }) => mutant(clauseOfModel(model), what, { models })),
  mutant('ar/7/declared-models-are-shown', 'cannot show channels once there is one', {
    models: misshown('channel_summary', (shown) => {
      if (shown['status'] === 'known') throw new Error('no');
      return shown;
    }),
  }),
  mutant('ar/7/told-facts-are-shown', 'does not say what a tool call was about', {
    models: misshown('permission_sandbox_summary', (shown) => ({
      ...shown,
      explained: (shown['explained'] as object[]).map((one) => ({ ...one, name: 'unknown' })),
    })),
  }),
  mutant('ar/7/reads-foreign-logs', 'does not see that events of a log are missing', {
    reads: ({ sequence: _, ...event }) => event,
  }),
  mutant(
    'ar/7/reads-foreign-logs',
    'refuses a log with an event that has no thread',
    {
      reads: (event) => {
        if (!('thread_id' in event) && !('threadId' in event)) throw new Error('no');
        return event;
      },
    },
    '-refused',
  ),
  mutant('ar/7/foreign-facts-are-shown', 'leaves out what went wrong with a thread', {
    models: misshown('thread_read_model', ({ threads, ...shown }) => ({
      ...shown,
      threads: (threads as Record<string, unknown>[]).map(({ diagnostics: _, ...thread }) => thread),
    })),
  }),
  mutant('ar/9.11/nothing-is-guessed', 'takes silence for success', {
    models: misshown('thread_read_model', (shown) => ({
      ...shown,
      threads: (shown['threads'] as { last_outcome: unknown }[]).map((thread) =>
        thread.last_outcome === 'unknown' ? { ...thread, last_outcome: { outcome: 'completed' } } : thread,
      ),
    })),
  }),
];

/** The same clause from another side. */
const processMutant = mutant(
  'ar/9.8/run-was-allowed',
  'starts processes that are denied',
  { tamper: decidesOnProcesses('deny') },
  '-process',
);

export const mutants: readonly Mutant[] = [
  processMutant,
  ...[...logFaults, ...commandFaults].map(({ clauses, what, make }) => mutant(clauses, what, { tamper: make })),
  ...commandMutants,
  ...restartMutants,
  ...modelMutants,
];
