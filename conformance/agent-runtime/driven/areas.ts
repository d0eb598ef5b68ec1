// The areas of a runtime's suite. Each takes its own commands more often; corners are the cases that no run leaves to chance.
import fc from 'fast-check';
import type { JsonObject } from '../../../common/json.ts';
import type { Area } from '../../driving/suite.ts';
import type { Play } from '../reference/play.ts';
import { otherLogs } from '../stimuli/corner-logs/others.ts';
import { permissionLogs } from '../stimuli/corner-logs/permissions.ts';
import { taskLogs } from '../stimuli/corner-logs/tasks.ts';
import { threadLogs } from '../stimuli/corner-logs/threads.ts';
import { foreignLog, foreignLogs } from '../stimuli/foreign.ts';
import type { Op } from '../stimuli/op.ts';
import { type Group, groups } from '../stimuli/sessions.ts';
import { isStimulus, playStimulus, type Stimulus } from './play.ts';

const RESTART: Op = { restart: true };
const say = (command: string, input: object): Op => ({ command, input: input as never });
const turn = (turn_id: string, ...input: readonly Play[]): Op =>
  say('submit_turn', { session_id: 's1', thread_id: 's1_a', turn_id, input });
const answer = (decision: string): Op => say('respond_action', { action_id: '$action', decision });
const task = (command: string, task_id: string, more: object = {}): Op => say(command, { task_id, ...more });
const reason = { reason: 'because' };
const inTurn = { session_id: 's1', thread_id: 's1_a', turn_id: 't1' };

const tool = (decision: Extract<Play, { do: 'tool' }>['decision'], more: object = {}): Play =>
  ({ do: 'tool', decision, outcome: 'ok', ...more }) as Play;
const model: Play = {
  do: 'model',
  chunks: ['Hel', 'lo'],
  reasoning: 'hm',
  candidates: 2,
  fallback: true,
  priced: true,
};

const corners: Readonly<Record<string, readonly (readonly Op[])[]>> = {
  turns: [
    [turn('t1', model, { do: 'model', chunks: ['x'], candidates: 1 }), turn('t1', model)],
    [
      turn(
        't1',
        tool('allow', { process: 'ends', rewritten: true }),
        tool('sandboxed', { process: 'ends' }),
        tool('allow', { outcome: 'fails' }),
      ),
    ],
    [
      turn(
        't1',
        tool('deny'),
        tool('hook_block'),
        tool('rule_deny_hook_allow'),
        tool('sandboxed', { outcome: 'violates', process: 'ends' }),
      ),
    ],
    [turn('t1', tool('ask')), answer('allow'), turn('t2', tool('ask')), answer('deny'), answer('allow')],
    [turn('t1', { do: 'ask' }, model), RESTART, answer('first')],
    [
      turn('t1', tool('allow', { process: 'stays' })),
      say('write_process_stdin', { process_id: '$process', input: 'y' }),
      say('evaluate_permission', { process_id: '$process', decision: 'allow' }),
      say('resolve_permission', { process_id: '$process', decision: 'allow' }),
      say('terminate_process', { process_id: '$process', ...reason }),
      say('write_process_stdin', { process_id: 'nobody', input: 'y' }),
    ],
    [turn('t1', { do: 'vendor' }, { do: 'stop_hook', blocks: true }, model, { do: 'quota' }, { do: 'no_candidate' })],
    [
      turn('t1', { do: 'fail' }),
      turn('t2', { do: 'ask' }),
      say('interrupt_turn', { session_id: 's1', ...reason }),
      say('interrupt_turn', { session_id: 's1', ...reason }),
    ],
    [
      turn('t1', { do: 'ask' }),
      turn('t2', tool('ask')),
      answer('first'),
      answer('deny'),
      say('get_thread_read', { session_id: 's1', thread_id: 's1_a' }),
    ],
    [turn('t1', { do: 'spill' }, { do: 'warn' }, { do: 'policy' }, { do: 'mishap' }, { do: 'artifact', artifact: 1 })],
  ],
  queue: [
    [
      turn('t1', { do: 'ask' }),
      turn('t2', model),
      turn('t3', model),
      turn('t4', model),
      say('promote_queued_turn', { queued_turn_id: 't4' }),
      RESTART,
      say('remove_queued_turn', { queued_turn_id: 't3' }),
      answer('first'),
    ],
    [
      turn('t1', { do: 'ask' }),
      turn('t2'),
      turn('t3'),
      say('remove_queued_turn', { queued_turn_id: 't2' }),
      answer('first'),
      RESTART,
    ],
  ],
  tasks: [
    [
      task('create_task', 'k1', { objective: 'o', session_id: 's1' }),
      task('start_task', 'k1'),
      task('append_task_progress', 'k1', { percent: 10 }),
      task('fail_task', 'k1', reason),
      task('retry_task', 'k1', reason),
      RESTART,
      task('complete_task', 'k1'),
    ],
    [
      task('create_task', 'k1', { objective: 'o', session_id: 's1' }),
      task('create_task', 'k2', { objective: 'o', session_id: 's1', parent_task_id: 'k1' }),
      task('start_task', 'k1'),
      task('start_task', 'k2'),
      task('link_tasks', 'k1', { kind: 'blocked_by', target_id: 'k2' }),
      RESTART,
      task('cancel_task', 'k1', reason),
      task('retry_task', 'k2', reason),
    ],
    [
      task('create_task', 'k1', { objective: 'o', session_id: 's1' }),
      task('update_task', 'k1', { title: 'T' }),
      task('start_task', 'k1'),
      task('pause_task', 'k1', reason),
      task('resume_task', 'k1', reason),
      task('link_tasks', 'k1', { kind: 'source_task', target_id: 'k9' }),
      task('unlink_tasks', 'k1', { kind: 'source_task', target_id: 'k9' }),
      task('get_task', 'k1'),
      say('list_tasks', { session_id: 's1' }),
    ],
    [
      turn(
        't1',
        { do: 'task', how: 'lost' },
        { do: 'task', how: 'retried' },
        { do: 'task', how: 'blocked' },
        { do: 'task', how: 'timed_out' },
      ),
    ],
    [turn('t1', { do: 'task', how: 'asks' }), RESTART, answer('first')],
  ],
  children: [
    [
      turn('t1', { do: 'ask' }),
      say('spawn_subagent', { ...inTurn, subagent_id: 'a1' }),
      say('send_subagent_input', { subagent_id: 'a1', input: 'x' }),
      say('resume_subagent', { subagent_id: 'a1' }),
      say('list_subagents', { session_id: 's1' }),
      say('close_subagent', { subagent_id: 'a1', ...reason }),
      say('send_subagent_input', { subagent_id: 'a1' }),
      say('wait_subagents', { subagent_ids: ['a1'] }),
    ],
    [
      turn(
        't1',
        { do: 'job', items: 3, retried: true, ends: false },
        { do: 'job', items: 1, retried: false, ends: true },
      ),
      say('get_job', { job_id: '$job' }),
      say('cancel_job', { job_id: '$job', ...reason }),
      say('list_jobs', { session_id: 's1' }),
    ],
    [
      turn('t1', { do: 'channel' }),
      say('ack_events', { channel_id: '$channel', cursor: 2 }),
      say('reconnect_channel', { channel_id: '$channel', cursor: 3 }),
      turn('t2', model),
    ],
  ],
  recovery: [
    [
      turn('t1', { do: 'task', how: 'asks' }, { do: 'compact' }, tool('deny'), { do: 'channel' }, { do: 'rollback' }),
      say('reconnect_channel', { channel_id: '$channel', cursor: 999_999 }),
      say('resume_thread', { session_id: 's1', thread_id: 's1_a' }),
      RESTART,
      say('export_evidence', inTurn),
    ],
    [
      turn('t1', tool('allow'), tool('deny')),
      say('export_evidence', inTurn),
      say('export_replay', { session_id: 's1' }),
      say('export_review', inTurn),
      say('resume_thread', { session_id: 's1', thread_id: 's1_a' }),
    ],
    [
      turn('t1', { do: 'ask' }),
      say('export_evidence', inTurn),
      say('resume_thread', { session_id: 's1', thread_id: 's1_a' }),
      RESTART,
      say('get_execution_environment', { session_id: 's1' }),
      say('get_tool_inventory', { session_id: 's1' }),
      say('get_session', { session_id: 's1' }),
    ],
    [turn('t1', { do: 'mishap' }, { do: 'mishap' }, model, model, model), turn('t2', model, model, model)],
  ],
};

const area = (id: Exclude<Group, 'queries'>, runs: number): Area<Stimulus> => ({
  id,
  runs: runs + corners[id]!.length,
  stimulus: () =>
    fc.record({
      ops: fc.array(
        fc.oneof(
          { weight: 8, arbitrary: groups[id] },
          { weight: 1, arbitrary: groups.queries },
          { weight: 1, arbitrary: fc.constant(RESTART) },
        ),
        { minLength: 1, maxLength: 8 },
      ),
    }),
  corners: () => corners[id]!.map((ops) => ({ ops })),
  play: playStimulus,
  valid: isStimulus,
});

/** Logs that no run leaves to chance: those written by hand, and so many of anything about each read model. */
const written: readonly JsonObject[][] = [...threadLogs, ...taskLogs, ...permissionLogs, ...otherLogs];
const LOGS = 8;
/** Made once: they are the same for every seed, and take longer to make than to play. */
let sureLogs: readonly Stimulus[] | undefined;
const makeSureLogs = (): readonly Stimulus[] =>
  [...written, ...[...foreignLogs.values()].flatMap((log) => fc.sample(log, { seed: 7, numRuns: LOGS }))].map(
    (load) => ({ ops: [{ load }] }),
  );

/** Logs of others: what the read models of a runtime that takes them say. */
const reading: Area<Stimulus> = {
  id: 'reading',
  runs: 16 + written.length + LOGS * foreignLogs.size,
  stimulus: () => fc.record({ ops: fc.tuple(fc.record({ load: foreignLog })) }),
  corners: () => {
    sureLogs ??= makeSureLogs();
    return sureLogs;
  },
  play: playStimulus,
  valid: isStimulus,
};

export const areas: readonly Area<Stimulus>[] = [
  area('turns', 12),
  area('queue', 6),
  area('tasks', 10),
  area('children', 6),
  area('recovery', 6),
  reading,
];
