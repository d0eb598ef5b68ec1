// The context builder (§5): one event, as the runner gets to see it. Event-first: what happened, handles to the rest, and no history.
import { createHash } from 'node:crypto';
import { canonical, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { isAgentTrigger } from '../../../schemas/agent-runner/2026-06-03/validators.js';
import type { Binding } from './binding.ts';
import type { Descriptor } from './discovery.ts';
import type { Envelope } from './gateway.ts';
import type { RunStart, StateScope, Surface } from './shapes.ts';

export interface ContextParts {
  readonly run: RunStart;
  readonly event: Envelope;
  readonly binding: Binding;
  readonly descriptor: Descriptor;
  readonly resources: JsonObject;
  readonly availableApis: Readonly<Record<string, boolean>>;
  /** State that this run's scopes can see. */
  readonly state: Readonly<Record<StateScope, JsonObject>>;
  readonly handles: Handles;
}

/** Where the event stands, so that a runner can pull what came before it. */
export interface Handles {
  readonly latest_cursor: string;
  readonly event_seq: number;
  readonly has_history_before: boolean;
}

export function buildContext(parts: ContextParts): JsonObject {
  const { run, event, binding, resources, state } = parts;
  return {
    run_id: run.run_id,
    trigger: triggerOf(event),
    event: eventOf(event),
    conversation: conversationOf(event),
    actor: event.actor,
    subject: event.subject,
    input: inputOf(event),
    delivery: deliveryOf(event, binding),
    resources,
    context: accessOf(parts),
    state,
    runtime: runtimeOf(parts),
    config: binding.runner_config,
  };
}

/** A source of the host's own making is an entry adapter to the protocol. */
function triggerOf({ event_type: type, source, event_time: timestamp }: Envelope): JsonObject {
  const trigger: JsonObject = { type, source, timestamp };
  return isAgentTrigger(trigger) ? trigger : { ...trigger, source: 'host_adapter' };
}

const eventOf = (event: Envelope): JsonObject => ({
  event_id: event.event_id,
  event_type: event.event_type,
  event_time: event.event_time,
  source: event.source,
  source_event_type: event.source_event_type,
  raw_ref: event.raw_ref,
  data: event.data,
});

const conversationOf = ({ conversation_id, thread_id, bot_id, workspace_id }: Envelope): JsonObject => ({
  conversation_id,
  thread_id,
  bot_id,
  workspace_id,
});

const inputOf = ({ input }: Envelope): JsonObject => ({
  text: input.text,
  contents: input.contents,
  attachments: input.attachments,
  message_chain: input.message_chain,
});

/** What the surface can do, narrowed by the binding's delivery policy. */
export function deliveryOf({ delivery }: Envelope, { delivery: policy }: Binding): Surface {
  const sizes = [delivery.max_message_size, policy.max_message_size].filter((size) => size !== null);
  return {
    surface: delivery.surface,
    reply_target: policy.reply ? delivery.reply_target : null,
    supports_streaming: delivery.supports_streaming && policy.streaming,
    supports_edit: delivery.supports_edit,
    supports_reaction: delivery.supports_reaction,
    max_message_size: sizes.length === 0 ? null : Math.min(...sizes),
    platform_capabilities: delivery.platform_capabilities,
  };
}

/** Nothing but the current event is inlined, and the policy says so (§4.5, §5.8). */
const accessOf = ({ run, handles, availableApis }: ContextParts): JsonObject => ({
  conversation_id: run.scope.conversation_id,
  thread_id: run.scope.thread_id,
  ...handles,
  inline_policy: {
    mode: 'current_event',
    delivered_count: 0,
    messages_complete: false,
    reason: 'history is pulled, not pushed',
  },
  available_apis: availableApis,
});

const runtimeOf = ({ run, resources }: ContextParts): JsonObject => ({
  host: 'runcert-reference-host',
  protocol_version: '1',
  trace_id: `trace-${run.run_id}`,
  deadline_at: run.deadline === null ? null : run.deadline / 1000,
  static_refs: { resources: { hash: digest(resources) } },
});

/** The same content has the same hash, run after run: a runner may keep what it built from it (AGENT_CONTEXT §6). */
const digest = (value: JsonValue): string => createHash('sha256').update(canonical(value)).digest('hex');
