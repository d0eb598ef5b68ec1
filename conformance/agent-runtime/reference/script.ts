// A turn as its script says: models stream, tools are decided on and run, people are asked. It goes on until it ends or waits.
import type { JsonObject } from '../../../common/json.ts';
import type { Desk } from './desk.ts';
import { isPlay, type Play } from './play.ts';
import { model } from './scenes/model.ts';
import { refuseCall, run, tool } from './scenes/tool.ts';
import { channel, job, task } from './scenes/work.ts';
import { type Ids, openActions, type WorldTurn } from './world.ts';

/** The steps of a turn: parts of its input that are plays; an input of mere text is answered by a model. */
export function scriptOf(turn: WorldTurn): readonly Play[] {
  const plays = turn.input.filter(isPlay);
  return plays.length > 0 || turn.input.length === 0 ? plays : [{ do: 'model', chunks: ['ok'] }];
}

/** Plays the steps that are left. */
export function carryOn(desk: Desk, turnId: string): void {
  const turn = desk.world.turns.get(turnId)!;
  const script = scriptOf(turn);
  for (let step = turn.step; step < script.length; step++) {
    const play = script[step]!;
    desk.say('run.status', turn.ids, {
      phase: play.do,
      title: `Step ${step + 1}`,
      status: 'running',
      metadata: { step: step + 1 },
    });
    perform(desk, turn, play, step);
    if (turn.waitsFor !== undefined || turn.status === 'ended') return;
  }
  if (turn.stopBlocked)
    desk.say('hook.completed', turn.ids, {
      hook_point: 'stop',
      decision: 'continue',
      status: 'completed',
      duration_ms: 1,
    });
  desk.say('turn.completed', turn.ids, { status: 'completed' });
}

interface Scene<P extends Play = Play> {
  readonly desk: Desk;
  readonly turn: WorldTurn;
  readonly ids: Ids;
  readonly play: P;
  say(type: string, payload?: JsonObject): void;
}

type Perform = { readonly [Do in Play['do']]: (scene: Scene<Extract<Play, { do: Do }>>) => void };

function perform(desk: Desk, turn: WorldTurn, play: Play, step: number): void {
  const ids: Ids = { ...turn.ids, step_id: `${turn.ids.turn_id}_${step}` };
  const say = (type: string, payload: JsonObject = {}): void => desk.say(type, ids, payload);
  (performers[play.do] as (scene: Scene) => void)({ desk, turn, ids, play, say });
}

/** Where facts about a thread, rather than a turn, belong. */
const threadOf = ({ session_id, thread_id }: Ids): Ids => ({ session_id: session_id!, thread_id: thread_id! });

const performers: Perform = {
  model: ({ desk, ids, play }) => model(desk, ids, play),
  tool: ({ desk, ids, play }) => tool(desk, ids, play),
  job: ({ desk, ids, play }) => job(desk, ids, play),
  channel: ({ desk, ids }) => channel(desk, ids),
  task: ({ desk, ids, play }) => task(desk, ids, play),
  policy: ({ desk, ids, say }) => {
    say('policy.changed', { level: 'workspace', mode: 'default', reason: 'edited by the owner' });
    desk.say('session.updated', { session_id: ids.session_id! }, { title: 'Renamed' });
    desk.say('thread.updated', threadOf(ids), { title: 'Renamed too' });
  },
  mishap: ({ desk, ids, say }) => {
    const hook_id = desk.fresh('hook');
    say('hook.started', { hook_id, hook_point: 'post_sampling', handler_ref: 'hook:2' });
    say('hook.failed', {
      hook_id,
      hook_point: 'post_sampling',
      error_category: 'timeout',
      retryable: true,
      failure_policy: 'open',
    });
    desk.say('context.compaction.started', threadOf(ids), { trigger: 'budget' });
    desk.say('context.compaction.failed', threadOf(ids), { trigger: 'budget', error: { message: 'no summary' } });
    const subagent_id = desk.fresh('subagent');
    say('subagent.spawned', { subagent_id, thread_id: `${subagent_id}_thread`, status: 'running' });
    say('subagent.failed', { subagent_id, error: { message: 'gave up' } });
    const job_id = desk.fresh('job');
    say('job.created', { job_id, status: 'pending', items: [] });
    say('job.failed', { job_id, reason: 'no items' });
    say('runtime.error', { code: 'crash', message: 'the worker crashed' });
    desk.say('history.reconstructed', threadOf(ids), {
      recovery_mode: 'degraded',
      missing: ['process output'],
      degraded: true,
    });
  },
  ask: ({ desk, ids }) => {
    const action_id = desk.fresh('action');
    desk.say(
      'action.required',
      { ...ids, action_id },
      {
        action_type: 'structured_input',
        prompt: 'Which one?',
        decisions: ['first', 'second'],
        scope: { turn_id: ids.turn_id! },
      },
    );
  },
  quota: ({ say }) => {
    say('quota.low', { kind: 'quota_low', limit_key: 'tokens', state: 'low', remaining: 10 });
    say('quota.blocked', { kind: 'quota_blocked', limit_key: 'tokens', state: 'blocked', reason: 'no tokens left' });
    say('limit.changed', { kind: 'quota', limit_key: 'tokens', state: 'ok', reason: 'topped up' });
  },
  no_candidate: ({ say }) => {
    say('routing.candidates.resolved', {
      candidate_count: 0,
      candidates: [],
      excluded: [{ model: 'large', reason: 'no credentials' }],
    });
    say('routing.not_possible', {
      routing_mode: 'no_candidate',
      decision_source: 'policy_auto',
      decision_reason: 'no candidate',
      candidate_count: 0,
      capability_gap: 'credentials',
    });
  },
  artifact: ({ desk, say, play }) =>
    say('artifact.changed', {
      artifact_id: `artifact_${play.artifact}`,
      read_ref: `artifact:${play.artifact}`,
      version_id: `v${desk.world.events}`,
      preview_ref: `preview:${play.artifact}`,
      media_type: 'text/plain',
      size_bytes: 12,
      validation_issues: 0,
    }),
  compact: ({ desk, ids }) => {
    const kept = openActions(desk.world).filter((id) => desk.world.actions.get(id)!.ids.thread_id === ids.thread_id);
    desk.say('context.compaction.started', threadOf(ids), { trigger: 'auto', tokens_before: 1000 });
    desk.say('context.compaction.completed', threadOf(ids), {
      trigger: 'auto',
      summary_ref: `summary:${ids.step_id}`,
      tokens_before: 1000,
      tokens_after: 100,
      preserved_action_ids: kept,
    });
  },
  vendor: ({ say }) => say('runcert.note', { note: 'a vendor type' }),
  spill: ({ say, ids }) => {
    const output_ref = `output:${ids.step_id}`;
    say('output.spilled', { output_ref, owner: 'tool', size_bytes: 100_000, encoding: 'utf-8', truncation: 'none' });
    say('output.truncated', { output_ref, truncation: 'tail' });
    say('output.redacted', { output_ref, redaction: 'secrets' });
    say('output.expired', { output_ref });
  },
  warn: ({ say }) => say('runtime.warning', { code: 'slow', message: 'slower than usual' }),
  stop_hook: ({ say, ids, play }) => {
    const hook_id = `${ids.step_id}_hook`;
    say('hook.started', { hook_id, hook_point: 'stop', handler_ref: 'hook:stop', timeout_ms: 1000 });
    say('hook.completed', {
      hook_id,
      hook_point: 'stop',
      status: 'completed',
      duration_ms: 1,
      decision: play.blocks ? 'block' : 'continue',
    });
  },
  rollback: ({ desk, ids }) => {
    desk.say('history.window.loaded', threadOf(ids), { has_more: true, cursor: `before:${ids.step_id}` });
    desk.say('history.rollback.started', threadOf(ids), { target: 'checkpoint:1' });
    desk.say('history.rollback.completed', threadOf(ids), { target: 'checkpoint:1', removed_turn_ids: [] });
  },
  fail: ({ desk, turn }) =>
    desk.say('turn.failed', turn.ids, {
      status: 'failed',
      failure_category: 'model_error',
      error: { message: 'the model gave up' },
      retryable: false,
    }),
};

/** The answer has come: what waited for it goes on, or is refused. */
export function finishAsked(desk: Desk, turnId: string, ids: Ids, decision: string): void {
  const turn = desk.world.turns.get(turnId)!;
  const play = scriptOf(turn)[turn.step - 1];
  if (ids.tool_call_id === undefined || play?.do !== 'tool') return;
  const { action_id, ...call } = ids;
  const allowed = decision === 'allow';
  desk.say(
    'permission.resolved',
    { ...call, ...(action_id === undefined ? {} : { action_id }) },
    { decision: allowed ? 'allow' : 'deny', decision_source: 'human', decision_reason: `action ${action_id}` },
  );
  if (allowed) run(desk, call, play);
  else refuseCall(desk, call, 'permission_denied');
}
