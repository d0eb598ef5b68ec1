// Commands about subagents, permissions, processes, jobs, channels and exports.
import type { JsonObject } from '../../../common/json.ts';
import { type Command, type Desk, found, must, refuse, text } from './desk.ts';
import { callsOf, failedCalls, type Ids } from './world.ts';

const spawn_subagent: Command = (desk, input) => {
  const ids: Ids = {
    session_id: must(input, 'session_id'),
    thread_id: must(input, 'thread_id'),
    turn_id: must(input, 'turn_id'),
  };
  found(desk.world.turns, ids.turn_id!, 'turn');
  const subagent_id = text(input, 'subagent_id') ?? desk.fresh('subagent');
  if (desk.world.subagents.has(subagent_id)) return { subagent_id, repeated: true };
  desk.say('subagent.spawned', ids, {
    subagent_id,
    parent_session_id: ids.session_id!,
    parent_thread_id: ids.thread_id!,
    parent_turn_id: ids.turn_id!,
    thread_id: `${subagent_id}_thread`,
    role: text(input, 'role') ?? 'helper',
    status: 'running',
  });
  return { subagent_id };
};

const subagent = (desk: Desk, input: JsonObject): { id: string; ids: Ids; ended: boolean } => {
  const id = must(input, 'subagent_id');
  return { id, ...found(desk.world.subagents, id, 'subagent') };
};

const send_subagent_input: Command = (desk, input) => {
  const { id, ids, ended } = subagent(desk, input);
  if (ended) refuse('conflict', `subagent ${id} has ended`);
  desk.say('subagent.input', ids, { subagent_id: id, input_ref: `input:${id}` });
  return { subagent_id: id };
};

const resume_subagent: Command = (desk, input) => {
  const { id, ids, ended } = subagent(desk, input);
  if (ended) refuse('conflict', `subagent ${id} has ended`);
  desk.say('subagent.status', ids, { subagent_id: id, status: 'running' });
  return { subagent_id: id, status: 'running' };
};

const close_subagent: Command = (desk, input) => {
  const { id, ids, ended } = subagent(desk, input);
  if (ended) refuse('conflict', `subagent ${id} has ended`);
  desk.say('subagent.completed', ids, { subagent_id: id, last_message_ref: `message:${id}` });
  desk.say('subagent.closed', ids, { subagent_id: id, reason: text(input, 'reason') ?? 'closed' });
  return { subagent_id: id, status: 'closed' };
};

const wait_subagents: Command = (desk, input) => {
  const ids = Array.isArray(input['subagent_ids'])
    ? input['subagent_ids']
    : refuse('invalid_input', 'subagent_ids is required');
  return {
    subagents: ids.map((id) => ({
      subagent_id: String(id),
      ended: desk.world.subagents.get(String(id))?.ended ?? 'unknown',
    })),
  };
};

/** What an export says follows from the log alone. */
const exported =
  (kind: 'pack' | 'replay' | 'review'): Command =>
  (desk, input) => {
    const turn_id = text(input, 'turn_id');
    const session_id = must(input, 'session_id');
    const turn = turn_id === undefined ? undefined : found(desk.world.turns, turn_id, 'turn');
    const evidence_id = desk.fresh('evidence');
    const ids: Ids = { session_id, ...(turn?.ids ?? {}) };
    const { step_id: _, ...scope } = ids;
    desk.say('evidence.changed', scope, {
      evidence_id,
      kind,
      scope: { ...scope },
      [`${kind}_ref`]: `${kind}:${evidence_id}`,
      ...(turn_id === undefined
        ? {}
        : {
            tool_call_ids: callsOf(desk.world, turn_id),
            failed_tool_call_ids: failedCalls(desk.world, turn_id),
            status: turn!.outcome ?? 'running',
          }),
      known_gaps: [],
    });
    return { evidence_id };
  };

const permission =
  (type: 'permission.evaluated' | 'permission.resolved'): Command =>
  (desk, input) => {
    const decision = must(input, 'decision');
    const call = text(input, 'tool_call_id');
    const process = text(input, 'process_id');
    const action = text(input, 'action_id');
    const about = process === undefined ? undefined : desk.world.processes.get(process)?.ids;
    const turnId = call === undefined ? undefined : desk.world.calls.get(call)?.turnId;
    const ids =
      about ??
      (turnId === undefined ? undefined : { ...desk.world.turns.get(turnId)!.ids, tool_call_id: call! }) ??
      (action === undefined ? undefined : desk.world.actions.get(action)?.ids);
    if (ids === undefined) refuse('not_found', 'there is no such tool call, process or action');
    const { step_id: _, ...scope } = ids!;
    desk.say(
      type,
      { ...scope, ...(process === undefined ? {} : { process_id: process }) },
      {
        decision,
        decision_source: text(input, 'decision_source') ?? (type === 'permission.resolved' ? 'human' : 'host_policy'),
        decision_reason: text(input, 'decision_reason') ?? 'asked by the host',
      },
    );
    return { decision };
  };

const process = (desk: Desk, input: JsonObject): { ids: Ids; id: string } => {
  const id = must(input, 'process_id');
  const { ids, alive } = found(desk.world.processes, id, 'process');
  if (!alive) refuse('unavailable', `process ${id} has ended`);
  return { ids: { ...ids, process_id: id }, id };
};

const write_process_stdin: Command = (desk, input) => {
  const { ids, id } = process(desk, input);
  desk.say('process.input', ids, {
    input_ref: `stdin:${id}`,
    ...(text(input, 'input') === undefined ? {} : { input: text(input, 'input')! }),
  });
  return { process_id: id };
};

const terminate_process: Command = (desk, input) => {
  const { ids, id } = process(desk, input);
  desk.say('process.terminated', ids, { reason: text(input, 'reason') ?? 'user' });
  return { process_id: id };
};

const cancel_job: Command = (desk, input) => {
  const job_id = must(input, 'job_id');
  const { ids, ended } = found(desk.world.jobs, job_id, 'job');
  if (ended) return { job_id, cancelled: false };
  desk.say('job.cancelled', ids, { job_id, reason: text(input, 'reason') ?? 'cancelled' });
  return { job_id, cancelled: true };
};

/** A cursor that the log still has is resumed from; of any other the gap is marked. */
const reconnect_channel: Command = (desk, input) => {
  const channel_id = must(input, 'channel_id');
  const { ids } = found(desk.world.channels, channel_id, 'channel');
  const cursor = typeof input['cursor'] === 'number' ? input['cursor'] : undefined;
  const last = desk.world.sequences.get(ids.session_id ?? '') ?? 0;
  const { step_id: _, turn_id: __, ...where } = ids;
  if (cursor === undefined || cursor > last) {
    desk.say('snapshot.repaired', where, {
      model: 'channel_summary',
      recovery_mode: 'snapshot',
      covers_from: 0,
      covers_to: last,
      stale: [],
      unavailable: ['channel cursor'],
    });
    return { channel_id, resumed: false };
  }
  desk.say('channel.resumed', where, { channel_id, cursor, last_acknowledged_sequence: cursor });
  return { channel_id, resumed: true, cursor };
};

const ack_events: Command = (desk, input) => {
  const channel_id = must(input, 'channel_id');
  const channel = found(desk.world.channels, channel_id, 'channel');
  const cursor =
    typeof input['cursor'] === 'number' ? input['cursor'] : refuse('invalid_input', 'cursor must be a number');
  channel.acknowledged = Math.max(channel.acknowledged, cursor);
  return { channel_id, last_acknowledged_sequence: channel.acknowledged };
};

export const otherCommands = {
  spawn_subagent,
  send_subagent_input,
  resume_subagent,
  close_subagent,
  wait_subagents,
  export_evidence: exported('pack'),
  export_replay: exported('replay'),
  export_review: exported('review'),
  evaluate_permission: permission('permission.evaluated'),
  resolve_permission: permission('permission.resolved'),
  write_process_stdin,
  terminate_process,
  cancel_job,
  reconnect_channel,
  ack_events,
};
