// Results as a runner says them (§7), ready to stand in a script. Each carries the run's own id unless told otherwise.
import type { JsonObject } from '../../../common/json.ts';
import { type Beat, selfRun } from './stimulus.ts';

/** The result types that the specification names; every other is unknown. */
export const STABLE_TYPES = [
  'message.delta',
  'message.completed',
  'tool.call.started',
  'tool.call.completed',
  'artifact.created',
  'state.updated',
  'action.requested',
  'run.completed',
  'run.failed',
] as const;

export const isStable = (type: unknown): boolean => STABLE_TYPES.includes(type as (typeof STABLE_TYPES)[number]);

type Extra = JsonObject | { readonly run_id?: unknown; readonly sequence?: unknown };

const result = (type: string, data: unknown, extra: Extra = {}): Beat => ({
  say: { run_id: selfRun, type, data, ...extra },
});

const text = (role: string, content: unknown) => ({ role, content });

export const say = {
  result,
  delta: (content: unknown, extra?: Extra) => result('message.delta', { chunk: text('assistant', content) }, extra),
  message: (content: unknown, extra?: Extra) =>
    result('message.completed', { message: text('assistant', content) }, extra),
  toolStarted: (id: string, tool: string, parameters: JsonObject = {}) =>
    result('tool.call.started', { tool_call_id: id, tool_name: tool, parameters }),
  toolCompleted: (id: string, tool: string, outcome: JsonObject = {}) =>
    result('tool.call.completed', { tool_call_id: id, tool_name: tool, result: outcome, error: null }),
  state: (scope: unknown, key: unknown, value: unknown, extra?: Extra) =>
    result('state.updated', { scope, key, value }, extra),
  artifact: (data: JsonObject) => result('artifact.created', data),
  action: (action: string, target: JsonObject = {}, payload: JsonObject = {}) =>
    result('action.requested', { action, target, payload }),
  completed: (data: JsonObject = { finish_reason: 'stop' }, extra?: Extra) => result('run.completed', data, extra),
  failed: (code: string, message: string, extra?: Extra) =>
    result('run.failed', { code, message, retryable: false }, extra),
} as const;
