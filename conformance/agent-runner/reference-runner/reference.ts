// The reference: every part as the specification asks for it.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { act } from './behaviour/act.ts';
import { gather, walk } from './behaviour/gather.ts';
import { recall, remember } from './behaviour/memory.ts';
import { behave } from './behaviour/run.ts';
import { completed, delta, fit, streams } from './behaviour/speak.ts';
import { think, useTool } from './behaviour/think.ts';
import { referenceManifest } from './manifest.ts';
import { failed, type RunnerParts } from './parts.ts';
import { type ApiError, errorOf } from './sdk/api-error.ts';
import { refuseLocally } from './sdk/local-check.ts';

export const referenceParts: RunnerParts = {
  // The Plugin Runtime
  listing: (manifests) => ({ runners: manifests }),
  identify: (identity, data) => ({ ...data, caller_plugin_identity: identity }),
  relay: (action, data) => [action, data],
  route: routeTo,
  forward: (result) => result,

  // The SDK
  manifests: [referenceManifest],
  request: (context, _action, data) => ({ run_id: context.runId, ...data }),
  patience: (context, usual, now) => Math.min(usual, (context.deadline ?? Number.POSITIVE_INFINITY) - now),
  refuse: refuseLocally,
  accept: (_action, data) => data,
  errorOf,
  seal: (context, { type, data, extra }, sequence) => ({ run_id: context.runId, type, data, sequence, ...extra }),
  ends: ({ type }) => type === 'run.completed' || type === 'run.failed',
  onError: (error) =>
    failed('runner.exception', `the runner failed: ${error instanceof Error ? error.message : error}`),
  onSilence: () => failed('runner.no_terminal', 'the runner stopped without a terminal result'),
  onDeadline: () => failed('deadline_exceeded', 'the deadline of the run has passed', true),
  onCancel: (reason) => failed('cancelled', `the run was cancelled: ${reason}`),
  late: (context, now) => context.deadline !== undefined && now >= context.deadline,
  cancelled: (runId, live) => live.filter((id) => id === runId),
  decline: (raw) =>
    spokenVersion(raw) === '1'
      ? undefined
      : failed('runner.protocol_unsupported', `this runner speaks protocol 1, the host ${spokenVersion(raw)}`),

  // The runner
  behave,
  recall,
  gather,
  walk,
  think,
  useTool,
  fit,
  streams,
  delta,
  completed,
  remember,
  act,
  finish: () => ({ type: 'run.completed', data: { finish_reason: 'stop' } }),
  fail: ({ code, message, retryable }: ApiError) => failed(code, message, retryable),
};

/** The host's major version; absent means "1" (§3). */
function spokenVersion(raw: JsonObject): string {
  const runtime = raw['runtime'];
  const version = isObject(runtime) ? runtime['protocol_version'] : undefined;
  return typeof version === 'string' ? (version.split('.')[0] ?? '') : '1';
}

/** `runner_id` where it is given; the transport's own three names do as well (§5.1). */
function routeTo(
  request: JsonObject,
  manifests: readonly JsonObject[],
): { identity: string; runner: string } | undefined {
  const { runner_id, plugin_author, plugin_name, runner_name } = request;
  const wanted =
    typeof runner_id === 'string'
      ? runner_id
      : `plugin:${String(plugin_author)}/${String(plugin_name)}/${String(runner_name)}`;
  const found = manifests.find((manifest) => manifest['id'] === wanted);
  const match = /^plugin:([^/]+\/[^/]+)\/(.+)$/.exec(String(found?.['id']));
  return match === null ? undefined : { identity: match[1]!, runner: match[2]! };
}
