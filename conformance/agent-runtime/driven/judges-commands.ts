// §6: a command that is accepted leaves its facts; one that is refused, or that only asks, leaves none.
import type { JsonObject } from '../../../common/json.ts';
import { broken, hold, type Judge, judge, kept } from '../../judging/judge.ts';
import { commands } from '../catalogue.ts';
import type { IdName } from '../event.ts';
import type { Commanded, RuntimeCase, Told } from './view.ts';

/** Event classes of which an accepted command leaves at least one of each inner list. */
const LEAVES: Readonly<
  Record<string, (command: Commanded, before: readonly Told[]) => readonly (readonly string[])[]>
> = {
  submit_turn: ({ answer, fresh, input }, before) =>
    names(before, 'turn.submitted', 'turnId', input['turn_id'])
      ? []
      : [['turn.submitted'], ...(answer['status'] === 'queued' || isQueued(fresh) ? [['queue.changed']] : [])],
  interrupt_turn: ({ input }, before) => (atWork(before, input) ? [['turn.failed']] : []),
  resume_thread: () => [['history.reconstructed', 'snapshot.repaired', 'thread.updated']],
  respond_action: () => [['action.resolved']],
  remove_queued_turn: () => [['queue.changed']],
  promote_queued_turn: () => [['queue.changed']],
  create_task: ({ input }, before) =>
    names(before, 'task.created', 'taskId', input['task_id']) ? [] : [['task.created']],
  update_task: () => [['task.updated']],
  start_task: () => [['task.started'], ['task.attempt.started']],
  append_task_progress: () => [['task.progress']],
  pause_task: () => [['task.paused']],
  resume_task: () => [['task.resumed']],
  cancel_task: () => [['task.cancel_requested'], ['task.cancelled']],
  retry_task: () => [['task.retrying'], ['task.attempt.started']],
  complete_task: () => [['task.completed']],
  fail_task: () => [['task.failed']],
  link_tasks: () => [['task.dependency.updated', 'task.delegated']],
  unlink_tasks: () => [['task.dependency.updated']],
  spawn_subagent: ({ input }, before) =>
    names(before, 'subagent.spawned', 'subagentId', input['subagent_id']) ? [] : [['subagent.spawned']],
  send_subagent_input: () => [['subagent.input']],
  resume_subagent: () => [['subagent.status']],
  close_subagent: () => [['subagent.closed']],
  evaluate_permission: () => [['permission.evaluated']],
  resolve_permission: () => [['permission.resolved']],
  write_process_stdin: () => [['process.input']],
  terminate_process: () => [['process.terminated']],
  cancel_job: ({ input }, before) =>
    ['job.completed', 'job.failed', 'job.cancelled'].some((end) => names(before, end, 'jobId', input['job_id']))
      ? []
      : [['job.cancelled']],
  reconnect_channel: () => [['channel.resumed', 'snapshot.repaired']],
  export_evidence: () => [['evidence.changed']],
  export_replay: () => [['evidence.changed']],
  export_review: () => [['evidence.changed']],
};

/** Has an event of the class named this id already? Then the command was given again, and makes nothing new. */
const names = (before: readonly Told[], type: string, id: IdName, value: unknown): boolean =>
  value !== undefined && before.some(({ event }) => event.type === type && event.id(id) === value);

/** Is there a turn that an interrupt could end? */
function atWork(before: readonly Told[], input: JsonObject): boolean {
  const open = new Set<string>();
  for (const { event } of before) {
    const { type, turnId, sessionId, threadId } = event;
    if (turnId === undefined || sessionId !== input['session_id']) continue;
    if ((input['thread_id'] ?? threadId) !== threadId || (input['turn_id'] ?? turnId) !== turnId) continue;
    if (type === 'turn.started') open.add(turnId);
    else if (type === 'turn.completed' || type === 'turn.failed') open.delete(turnId);
  }
  return open.size > 0;
}

const isQueued = (fresh: readonly Told[]): boolean =>
  fresh.some(({ event }) => event.type === 'turn.submitted' && event.text('status') === 'queued');

/** Which clause a command's events are judged under. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'ar/6/turn-commands-leave-events': ['submit_turn', 'interrupt_turn', 'resume_thread', 'respond_action'],
  'ar/6/queue-commands-leave-events': ['remove_queued_turn', 'promote_queued_turn'],
  'ar/6/task-commands-leave-events': [
    'create_task',
    'update_task',
    'start_task',
    'append_task_progress',
    'pause_task',
    'resume_task',
    'cancel_task',
    'retry_task',
    'complete_task',
    'fail_task',
    'link_tasks',
    'unlink_tasks',
  ],
  'ar/6/subagent-commands-leave-events': ['spawn_subagent', 'send_subagent_input', 'resume_subagent', 'close_subagent'],
  'ar/6/permission-commands-leave-events': ['evaluate_permission', 'resolve_permission'],
  'ar/6/process-commands-leave-events': ['write_process_stdin', 'terminate_process'],
  'ar/6/job-commands-leave-events': ['cancel_job'],
  'ar/6/channel-commands-leave-events': ['reconnect_channel'],
  'ar/6/export-commands-leave-events': ['export_evidence', 'export_replay', 'export_review'],
};

const types = (fresh: readonly Told[]): string[] => fresh.map(({ event }) => event.type);

const leaveEvents: Judge<RuntimeCase>[] = Object.entries(GROUPS).map(([clause, group]) =>
  judge<RuntimeCase>(clause, function* ({ commands: given, told }) {
    for (const command of given) {
      if (!command.accepted || !group.includes(command.command)) continue;
      for (const wanted of LEAVES[command.command]!(command, told.slice(0, command.before))) {
        yield hold(
          types(command.fresh).some((type) => wanted.includes(type)),
          command.n,
          {
            expected: `${wanted.join(' or ')} after ${command.command}`,
            found: types(command.fresh).join(', ') || 'no event',
          },
        );
      }
    }
  }),
);

const of = (command: Commanded, ...names: readonly string[]): boolean => names.includes(command.command);

export const commandJudges: readonly Judge<RuntimeCase>[] = [
  ...leaveEvents,

  judge<RuntimeCase>('ar/6/queries-write-nothing', function* ({ commands: given }) {
    for (const command of given) {
      if (commands.get(command.command)?.kind !== 'query') continue;
      yield hold(command.fresh.length === 0, command.n, {
        expected: `no event after ${command.command}`,
        found: types(command.fresh).join(', '),
      });
    }
  }),

  judge<RuntimeCase>('ar/6/refused-writes-nothing', function* ({ commands: given }) {
    for (const command of given) {
      if (command.accepted) continue;
      yield hold(command.fresh.length === 0, command.n, {
        expected: `no event after a refused ${command.command}`,
        found: types(command.fresh).join(', '),
      });
    }
  }),

  judge<RuntimeCase>('ar/6/repeated-submit-makes-no-turn', function* ({ commands: given }) {
    const submitted = new Set<unknown>();
    for (const command of given) {
      if (!of(command, 'submit_turn')) continue;
      const turn = command.input['turn_id'];
      if (turn !== undefined && submitted.has(turn)) {
        const again = command.fresh.filter(({ event }) => event.turnId === turn && event.type === 'turn.submitted');
        yield hold(again.length === 0, command.n, {
          expected: `no second turn for turn_id ${String(turn)}`,
          found: 'turn.submitted again',
        });
      }
      if (command.fresh.some(({ event }) => event.type === 'turn.submitted' && event.turnId === turn))
        submitted.add(turn);
    }
  }),

  judge<RuntimeCase>('ar/9.4/only-respond-action-answers', function* ({ commands: given }) {
    for (const command of given) {
      for (const { n, event } of command.fresh) {
        if (event.type !== 'action.resolved') continue;
        const answers = of(command, 'respond_action') && command.input['action_id'] === event.actionId;
        const settles = of(command, 'resolve_permission', 'interrupt_turn', 'cancel_task');
        yield hold(answers || settles, [command.n, n], {
          expected: `action ${event.actionId} to be answered by respond_action alone`,
          found: `action.resolved after ${command.command}`,
        });
      }
    }
  }),

  judge<RuntimeCase>('ar/9.4/answer-as-given', function* ({ commands: given }) {
    for (const command of given) {
      if (!command.accepted || !of(command, 'respond_action')) continue;
      const resolved = command.fresh.find(
        ({ event }) => event.type === 'action.resolved' && event.actionId === command.input['action_id'],
      );
      if (resolved === undefined) continue;
      yield hold(resolved.event.text('decision') === command.input['decision'], [command.n, resolved.n], {
        expected: `decision ${String(command.input['decision'])}`,
        found: String(resolved.event.text('decision')),
      });
    }
  }),

  judge<RuntimeCase>('ar/6/unknown-process-refused', function* ({ commands: given, told }) {
    for (const command of given) {
      if (!of(command, 'write_process_stdin', 'terminate_process')) continue;
      const id = command.input['process_id'];
      const known = told
        .slice(0, command.before)
        .some(({ event }) => event.type === 'process.started' && event.id('processId') === id);
      if (known) continue;
      yield hold(!command.accepted, command.n, {
        expected: `${command.command} of process ${String(id)}, which is not known, to be refused`,
        found: 'accepted',
      });
    }
  }),

  judge<RuntimeCase>('ar/6/cancel-reaches-children', function* ({ commands: given, told }) {
    for (const command of given) {
      if (
        !command.accepted ||
        !of(command, 'cancel_task') ||
        (command.input['propagation'] ?? 'children') !== 'children'
      )
        continue;
      const earlier = told.slice(0, command.before);
      const parent = command.input['task_id'];
      const children = earlier
        .filter(({ event }) => event.type === 'task.created' && event.id('parentTaskId') === parent)
        .map(({ event }) => event.taskId);
      for (const child of children) {
        const over = earlier.some(
          ({ event }) =>
            event.taskId === child &&
            ['task.completed', 'task.failed', 'task.cancelled', 'task.timed_out'].includes(event.type),
        );
        if (over) continue;
        const reached = command.fresh.some(({ event }) => event.taskId === child && event.type === 'task.cancelled');
        yield hold(reached, command.n, {
          expected: `child ${child} of ${String(parent)} to be cancelled with it`,
          found: 'no task.cancelled',
        });
      }
    }
  }),

  judge<RuntimeCase>('ar/6/retry-keeps-task', function* ({ commands: given }) {
    for (const command of given) {
      if (!command.accepted || !of(command, 'retry_task')) continue;
      const started = command.fresh.find(({ event }) => event.type === 'task.attempt.started');
      if (started === undefined) continue;
      yield hold(started.event.taskId === command.input['task_id'], [command.n, started.n], {
        expected: `an attempt of task ${String(command.input['task_id'])}`,
        found: `of task ${started.event.taskId}`,
      });
    }
  }),

  judge<RuntimeCase>('ar/6/interrupt-ends-the-turn', function* ({ commands: given }) {
    for (const command of given) {
      if (!command.accepted || !of(command, 'interrupt_turn')) continue;
      const ended = command.fresh.filter(({ event }) => event.type === 'turn.failed');
      if (command.answer['interrupted'] === false) {
        if (command.fresh.length > 0)
          yield broken(command.n, {
            expected: 'no event when nothing was interrupted',
            found: types(command.fresh).join(', '),
          });
        else yield kept(command.n);
        continue;
      }
      const how = ended[0]?.event.text('status') ?? ended[0]?.event.text('failureCategory');
      if (ended[0] !== undefined)
        yield hold(how === 'cancelled' || how === 'interrupted', [command.n, ended[0].n], {
          expected: 'turn.failed as cancelled or interrupted',
          found: String(how),
        });
    }
  }),

  judge<RuntimeCase>('ar/6/removed-turn-never-starts', function* ({ commands: given, told }) {
    for (const command of given) {
      if (!command.accepted || !of(command, 'remove_queued_turn')) continue;
      const turn = command.input['queued_turn_id'];
      const started = told
        .slice(command.before)
        .find(({ event }) => event.type === 'turn.started' && event.turnId === turn);
      yield hold(started === undefined, [command.n, ...(started === undefined ? [] : [started.n])], {
        expected: `turn ${String(turn)}, which was removed, not to start`,
        found: 'turn.started',
      });
    }
  }),

  judge<RuntimeCase>('ar/6/promoted-turn-is-first', function* ({ commands: given, expected }) {
    for (const command of given) {
      if (!command.accepted || !of(command, 'promote_queued_turn')) continue;
      const change = command.fresh.find(({ event }) => event.type === 'queue.changed');
      if (change === undefined) continue;
      const turn = command.input['queued_turn_id'];
      const { threads = [] } = (expected({
        model: 'queue_snapshot',
        session: change.event.sessionId ?? '',
        at: command.before + command.fresh.length,
        ended: false,
      }) ?? {}) as { threads?: { thread_id: string; queued_turns: { turn_id: string }[] }[] };
      const queue =
        threads
          .find(({ thread_id }) => thread_id === change.event.threadId)
          ?.queued_turns.map(({ turn_id }) => turn_id) ?? [];
      yield hold(queue[0] === turn, [command.n, change.n], {
        expected: `${String(turn)} first in the queue`,
        found: queue.join(', ') || 'an empty queue',
      });
    }
  }),

  judge<RuntimeCase>('ar/9.7/pages-cover-the-history', function* ({ commands: given, told, cut }) {
    if (cut !== undefined) return;
    for (const [session, pages] of walks(given)) {
      const steps = [
        ...new Set(
          told.flatMap(({ event }) =>
            event.sessionId === session && event.stepId !== undefined ? [event.stepId] : [],
          ),
        ),
      ];
      const walked = pages
        .toReversed()
        .flatMap(({ answer }) => (Array.isArray(answer['step_ids']) ? (answer['step_ids'] as string[]) : []));
      if (steps.length === 0) continue;
      yield hold(
        walked.length === steps.length && walked.every((step, i) => step === steps[i]),
        pages.map(({ n }) => n),
        {
          expected: `every step of session ${session} once and in order: ${steps.length}`,
          found: `${walked.length} steps, ${new Set(walked).size} of them different${walked.length === steps.length ? ', in another order or others' : ''}`,
        },
      );
    }
  }),
];

/** The last walk through the history of each session, newest page first, where it came to its end. */
function walks(given: readonly Commanded[]): Map<string, Commanded[]> {
  const found = new Map<string, Commanded[]>();
  for (const command of given) {
    if (!command.accepted || !of(command, 'get_session') || command.input['limit'] === undefined) continue;
    const session = String(command.input['session_id']);
    const pages = command.input['cursor'] === undefined ? [] : (found.get(session) ?? []);
    found.set(session, [...pages, command]);
  }
  for (const [session, pages] of found) if (pages.at(-1)?.answer['cursor'] != null) found.delete(session);
  return found;
}
