// Plausible whole sessions: turns with models, tools and questions, queues, tasks with retries, subagents, jobs, channels, exports, restarts.
import fc from 'fast-check';
import type { JsonObject } from '../../../common/json.ts';
import { playScript } from '../reference/play.ts';
import type { Op } from './op.ts';

const session = fc.constantFrom('s1', 's2');
const thread = fc
  .tuple(session, fc.constantFrom('a', 'b'))
  .map(([id, name]) => ({ session_id: id, thread_id: `${id}_${name}` }));
const turn = fc.integer({ min: 1, max: 8 }).map((n) => `t${n}`);
const task = fc.integer({ min: 1, max: 4 }).map((n) => `k${n}`);
const subagent = fc.constantFrom('a1', 'a2');

const op = (command: string, input: fc.Arbitrary<JsonObject>): fc.Arbitrary<Op> =>
  input.map((filled) => ({ command, input: filled }));
const withReason = (record: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<JsonObject> =>
  fc.record({ ...record, reason: fc.constant('because') });
/** A turn belongs to one thread, as the stimulus names it: the thread follows from the turn's number. */
const turnOnThread = fc.tuple(turn, playScript).map(([turn_id, input]): JsonObject => {
  const n = Number(turn_id.slice(1));
  const session_id = n % 3 === 0 ? 's2' : 's1';
  return { session_id, thread_id: `${session_id}_${n % 2 === 0 ? 'a' : 'b'}`, turn_id, input: input as never };
});
const ofTurn = turnOnThread.map(
  ({ session_id, thread_id, turn_id }): JsonObject => ({
    session_id: session_id!,
    thread_id: thread_id!,
    turn_id: turn_id!,
  }),
);

/** The families of commands; an area takes those it is about more often. */
export const groups = {
  turns: fc.oneof(
    { weight: 6, arbitrary: op('submit_turn', turnOnThread) },
    {
      weight: 4,
      arbitrary: op(
        'respond_action',
        fc.record({ action_id: fc.constant('$action'), decision: fc.constantFrom('allow', 'deny', 'allow') }),
      ),
    },
    { weight: 1, arbitrary: op('interrupt_turn', withReason({ session_id: session })) },
    { weight: 1, arbitrary: op('write_process_stdin', fc.constant({ process_id: '$process', input: 'y\n' })) },
    { weight: 1, arbitrary: op('terminate_process', withReason({ process_id: fc.constant('$process') })) },
    {
      weight: 1,
      arbitrary: op(
        'evaluate_permission',
        fc.constant({
          process_id: '$process',
          decision: 'allow',
          decision_source: 'host_policy',
          decision_reason: 'known command',
        }),
      ),
    },
    {
      weight: 1,
      arbitrary: op(
        'resolve_permission',
        fc.constant({ process_id: '$process', decision: 'allow', decision_reason: 'asked' }),
      ),
    },
  ),
  queue: fc.oneof(
    { weight: 5, arbitrary: op('submit_turn', turnOnThread) },
    { weight: 2, arbitrary: op('remove_queued_turn', fc.record({ queued_turn_id: turn })) },
    { weight: 2, arbitrary: op('promote_queued_turn', fc.record({ queued_turn_id: turn })) },
    { weight: 2, arbitrary: op('respond_action', fc.constant({ action_id: '$action', decision: 'allow' })) },
  ),
  tasks: fc.oneof(
    {
      weight: 4,
      arbitrary: op(
        'create_task',
        fc.record({ task_id: task, objective: fc.constant('do it'), session_id: fc.constant('s1') }),
      ),
    },
    {
      weight: 2,
      arbitrary: op(
        'create_task',
        fc.record({
          task_id: task,
          parent_task_id: task,
          objective: fc.constant('help'),
          session_id: fc.constant('s1'),
        }),
      ),
    },
    { weight: 4, arbitrary: op('start_task', fc.record({ task_id: task })) },
    {
      weight: 2,
      arbitrary: op('append_task_progress', fc.record({ task_id: task, percent: fc.integer({ min: 0, max: 100 }) })),
    },
    op('update_task', fc.record({ task_id: task, title: fc.constant('renamed') })),
    op('pause_task', withReason({ task_id: task })),
    op('resume_task', withReason({ task_id: task })),
    op('cancel_task', withReason({ task_id: task })),
    { weight: 2, arbitrary: op('retry_task', withReason({ task_id: task })) },
    { weight: 2, arbitrary: op('complete_task', fc.record({ task_id: task })) },
    { weight: 2, arbitrary: op('fail_task', withReason({ task_id: task })) },
    op(
      'link_tasks',
      fc.record({ task_id: task, kind: fc.constantFrom('blocks', 'blocked_by', 'source_task'), target_id: task }),
    ),
    op(
      'unlink_tasks',
      fc.record({ task_id: task, kind: fc.constantFrom('blocks', 'blocked_by', 'source_task'), target_id: task }),
    ),
  ),
  children: fc.oneof(
    { weight: 3, arbitrary: op('submit_turn', turnOnThread) },
    {
      weight: 3,
      arbitrary: op(
        'spawn_subagent',
        fc.tuple(ofTurn, subagent).map(([ids, subagent_id]) => ({ ...ids, subagent_id })),
      ),
    },
    op('send_subagent_input', fc.record({ subagent_id: subagent, input: fc.constant('more') })),
    op('resume_subagent', fc.record({ subagent_id: subagent })),
    op('close_subagent', withReason({ subagent_id: subagent })),
    op('cancel_job', withReason({ job_id: fc.constant('$job') })),
    op('reconnect_channel', fc.record({ channel_id: fc.constant('$channel'), cursor: fc.constantFrom(1, 999_999) })),
    op('ack_events', fc.record({ channel_id: fc.constant('$channel'), cursor: fc.constantFrom(1, 2) })),
  ),
  recovery: fc.oneof(
    { weight: 3, arbitrary: op('submit_turn', turnOnThread) },
    { weight: 2, arbitrary: fc.constant<Op>({ restart: true }) },
    op('resume_thread', thread),
    op('export_evidence', ofTurn),
    op('export_replay', fc.record({ session_id: session })),
    op('export_review', ofTurn),
    op('reconnect_channel', fc.record({ channel_id: fc.constant('$channel'), cursor: fc.constantFrom(1, 999_999) })),
  ),
  queries: fc.oneof(
    op('get_session', fc.record({ session_id: session })),
    op('get_thread_read', thread),
    op('get_task', fc.record({ task_id: task })),
    op('get_job', fc.constant({ job_id: '$job' })),
    op('wait_subagents', fc.constant({ subagent_ids: ['a1', 'a2'] })),
    ...['list_tasks', 'get_tool_inventory', 'get_execution_environment', 'list_subagents', 'list_jobs'].map((name) =>
      op(name, fc.record({ session_id: session })),
    ),
  ),
} as const;

export type Group = keyof typeof groups;

/** Sessions in which everything happens. */
export const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 5, arbitrary: groups.turns },
  { weight: 3, arbitrary: groups.queue },
  { weight: 4, arbitrary: groups.tasks },
  { weight: 2, arbitrary: groups.children },
  { weight: 2, arbitrary: groups.recovery },
);

export const sessionOps = (maxLength = 20): fc.Arbitrary<Op[]> =>
  fc.array(anyOp, { minLength: 1, maxLength, size: 'max' });
