// A tool call: decided on by a rule, a mode, a hook or a person; then run in its bounds, or refused.
import type { JsonObject } from '../../../../common/json.ts';
import type { Desk } from '../desk.ts';
import type { Play } from '../play.ts';
import type { Ids } from '../world.ts';

export function tool(desk: Desk, ids: Ids, play: Extract<Play, { do: 'tool' }>): void {
  const tool_call_id = desk.fresh('call');
  const call: Ids = { ...ids, step_id: `${tool_call_id}_step`, tool_call_id };
  const say = (type: string, payload: JsonObject = {}): void => desk.say(type, call, payload);
  say('tool.started', { tool_name: 'shell', input_ref: `args:${tool_call_id}` });
  if (play.rewritten) {
    hook(desk, call, 'pre_tool_use', {
      decision: 'continue',
      original_input_ref: `args:${tool_call_id}`,
      updated_input_ref: `args:${tool_call_id}:2`,
    });
    say('tool.args', { input_ref: `args:${tool_call_id}:2` });
  } else say('tool.args', { input_ref: `args:${tool_call_id}` });
  deciders[play.decision](desk, call, play);
}

type Tool = Extract<Play, { do: 'tool' }>;

const deciders: { readonly [Decision in Tool['decision']]: (desk: Desk, call: Ids, play: Tool) => void } = {
  allow: (desk, call, play) => {
    evaluated(desk, call, 'allow', 'rule', 'read only', ['rule:1']);
    run(desk, call, play);
  },
  sandboxed: (desk, call, play) => {
    evaluated(desk, call, 'sandboxed', 'mode', 'write in the workspace');
    desk.say('sandbox.applied', call, {
      mode: 'workspace_write',
      cwd: '/workspace',
      write_roots: ['/workspace'],
      network: 'restricted',
    });
    run(desk, call, play);
  },
  deny: (desk, call) => {
    evaluated(desk, call, 'deny', 'rule', 'not in this workspace', ['rule:7']);
    refuseCall(desk, call, 'permission_denied');
  },
  rule_deny_hook_allow: (desk, call) => {
    evaluated(desk, call, 'deny', 'rule', 'never', ['rule:8']);
    evaluated(desk, call, 'allow', 'hook', 'the hook would allow it');
    refuseCall(desk, call, 'permission_denied');
  },
  hook_block: (desk, call) => {
    hook(desk, call, 'pre_tool_use', { decision: 'block' });
    refuseCall(desk, call, 'blocked_by_hook');
  },
  ask: (desk, call) => {
    const action_id = desk.fresh('action');
    evaluated(desk, call, 'ask', 'rule', 'destructive', ['rule:9']);
    desk.say('permission.requested', { ...call, action_id }, { decision: 'ask', approval_action_id: action_id });
    desk.say(
      'action.required',
      { ...call, action_id },
      {
        action_type: 'tool_permission',
        tool_name: 'shell',
        prompt: 'Run it?',
        decisions: ['allow', 'deny'],
        scope: { tool_call_id: call.tool_call_id! },
      },
    );
  },
};

const evaluated = (
  desk: Desk,
  call: Ids,
  decision: string,
  decision_source: string,
  decision_reason: string,
  rule_refs?: readonly string[],
): void =>
  desk.say('permission.evaluated', call, {
    decision,
    decision_source,
    decision_reason,
    ...(rule_refs === undefined ? {} : { rule_refs }),
    mode: 'default',
  });

function hook(desk: Desk, ids: Ids, point: string, outcome: JsonObject): void {
  const hook_id = desk.fresh('hook');
  desk.say('hook.started', ids, { hook_id, hook_point: point, handler_ref: 'hook:1', timeout_ms: 1000 });
  desk.say('hook.completed', ids, { hook_id, hook_point: point, status: 'completed', duration_ms: 2, ...outcome });
}

export const refuseCall = (desk: Desk, call: Ids, error_category: string): void =>
  desk.say('tool.failed', call, { error_category, retryable: false, advice: 'ask for permission' });

export function run(desk: Desk, call: Ids, play: Extract<Play, { do: 'tool' }>): void {
  const process_id = play.process === undefined ? undefined : desk.fresh('process');
  const process: Ids = { ...call, ...(process_id === undefined ? {} : { process_id }) };
  if (process_id !== undefined) {
    desk.say('process.started', process, { command: 'make', cwd: '/workspace', tty: false });
    desk.say('process.output', process, { stream: 'stdout', preview: 'building', output_ref: `output:${process_id}` });
  }
  desk.say('tool.progress', call, { progress: 'half-way' });
  if (play.outcome === 'violates') {
    desk.say('sandbox.violation', process, {
      violation_ref: `violation:${call.tool_call_id}`,
      boundary: 'network',
      detail: 'tried to reach the network',
    });
    if (process_id !== undefined)
      desk.say('process.failed', process, { category: 'sandbox', reason: 'stopped by the sandbox' });
    desk.say('tool.failed', call, { error_category: 'sandbox_violation', retryable: false });
    return;
  }
  if (process_id !== undefined && play.process === 'ends') {
    desk.say('process.completed', process, {
      exit_code: play.outcome === 'ok' ? 0 : 1,
      duration_ms: 5,
      output_ref: `output:${process_id}`,
    });
  }
  if (play.outcome === 'ok')
    desk.say('tool.result', call, { output_ref: `output:${call.tool_call_id}`, preview: 'done' });
  else desk.say('tool.failed', call, { error_category: 'exit_code', retryable: true, error: { message: 'exit 1' } });
}
