// Bindings (HOST_SDK §4.2): which event calls which runner, with what configuration and under which policies.
// The host keeps them to itself; a runner sees only what they made of its context.
import type { JsonObject, JsonValue } from '../../../common/json.ts';
import type { AgentBinding } from '../../../schemas/agent-runner/2026-06-03/types.ts';
import { checkAgentBinding, readAgentBinding } from '../../../schemas/agent-runner/2026-06-03/validators.js';
import type { StateScope } from './shapes.ts';

export interface Binding {
  readonly binding_id: string;
  readonly runner_id: string;
  readonly event_types: readonly string[];
  readonly runner_config: JsonObject;
  /** A list cuts what the host has to what it names; null cuts nothing. */
  readonly models: readonly string[] | null;
  readonly tools: readonly string[] | null;
  readonly knowledge: readonly string[] | null;
  readonly storage: { readonly plugin: boolean; readonly workspace: boolean; readonly binding: boolean };
  /** Conversations beside the current one whose history may be read. */
  readonly conversations: readonly string[];
  readonly platform: { readonly allowed: readonly string[]; readonly approved: readonly string[] };
  readonly state_scopes: readonly StateScope[];
  readonly delivery: { readonly streaming: boolean; readonly reply: boolean; readonly max_message_size: number | null };
  readonly enabled: boolean;
}

/** Reads a binding, or says where it does not fit. */
export function readBinding(value: JsonValue | undefined): Binding | { readonly problem: string } {
  const [wrong] = checkAgentBinding(value);
  if (wrong !== undefined) return { problem: `binding${wrong.path}` };
  const read = readAgentBinding(value as unknown as AgentBinding);
  const { resource_policy: resource, state_policy: state, delivery_policy: delivery } = read;
  return {
    binding_id: read.binding_id,
    runner_id: read.runner_id,
    event_types: read.event_types,
    runner_config: read.runner_config as JsonObject,
    models: resource.allowed_model_uuids,
    tools: resource.allowed_tool_names,
    knowledge: resource.allowed_kb_uuids,
    storage: {
      plugin: resource.allow_plugin_storage,
      workspace: resource.allow_workspace_storage,
      binding: resource.allow_binding_storage,
    },
    conversations: resource.allowed_conversation_ids,
    platform: { allowed: resource.allowed_platform_actions, approved: resource.approved_platform_actions },
    state_scopes: state.enable_state ? state.state_scopes : [],
    delivery: {
      streaming: delivery.enable_streaming,
      reply: delivery.enable_reply,
      max_message_size: delivery.max_message_size,
    },
    enabled: read.enabled,
  };
}

/** Why an event is not run under a binding; undefined when it is. */
export function whyNotBound(binding: Binding, event: { readonly event_type: string }): string | undefined {
  if (!binding.enabled) return 'the binding is disabled';
  if (binding.event_types.length > 0 && !binding.event_types.includes(event.event_type))
    return 'the binding does not name this type of event';
  return undefined;
}
