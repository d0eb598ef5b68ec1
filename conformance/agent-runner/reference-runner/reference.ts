// The reference: every part as the specification asks for it.
import type { JsonObject } from '../../../common/json.ts';
import { act } from './behaviour/act.ts';
import { gather, walk } from './behaviour/gather.ts';
import { recall, remember } from './behaviour/memory.ts';
import { behave } from './behaviour/run.ts';
import { completed, delta, fit, streams } from './behaviour/speak.ts';
import { think, useTool } from './behaviour/think.ts';
import { referenceManifest } from './manifest.ts';
import { failed, type RunnerParts } from './parts.ts';
import { errorOf } from './sdk/api-error.ts';
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
  request: (context, _action, data) => ({ run_id: context.run_id, ...data }),
  patience: (usual) => usual,
  bound: (runIsOver) => runIsOver,
  refuse: refuseLocally,
  accept: (_action, data) => data,
  errorOf,
  seal: (context, { type, data, extra }, sequence) => ({ run_id: context.run_id, type, data, sequence, ...extra }),
  ends: ({ type }) => type.startsWith('run.'),
  onError: (error) => [failed('runner.exception', String(error))],
  onDeadline: () => [failed('deadline_exceeded', 'the deadline of the run has passed')],
  onCancel: (reason) => [failed('cancelled', `the run was cancelled: ${reason}`)],
  deadline: ({ runtime }) => (runtime.deadline_at === null ? undefined : runtime.deadline_at * 1000),
  cancelled: (runId, live) => live.filter((id) => id === runId),
  decline: ({ runtime: { protocol_version } }) =>
    protocol_version === '1'
      ? []
      : [failed('runner.protocol_unsupported', `this runner speaks protocol 1, the host ${protocol_version}`)],

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
  finish: () => ({ type: 'run.completed', data: {} }),
};

/** By `runner_id` (§5.1). */
function routeTo({ runner_id }: JsonObject, manifests: readonly JsonObject[]): string | undefined {
  return manifests.find(({ id }) => id === runner_id)?.['name'] as string | undefined;
}
