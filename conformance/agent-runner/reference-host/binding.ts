// Bindings (HOST_SDK §4.2): which event calls which runner, with what configuration and under which policies.
// The host keeps them to itself; a runner sees only what they made of its context.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { flag, list, misfit, name, object, oneOf, shape, text, whole } from './fields.ts';
import { STATE_SCOPES, type StateScope } from './shapes.ts';

export interface Binding {
  readonly binding_id: string;
  readonly runner_id: string;
  readonly scope: { readonly scope_type: string; readonly scope_id: string | null };
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

/** Reads a binding, or names the field that does not fit. */
export function readBinding(value: JsonValue | undefined): Binding | { readonly problem: string } {
  const wrong = isObject(value) ? misfit(value, required, optional) : 'binding';
  if (wrong !== undefined || !isObject(value)) return { problem: wrong ?? 'binding' };
  const resource = memberOf(value, 'resource_policy');
  const state = memberOf(value, 'state_policy');
  const delivery = memberOf(value, 'delivery_policy');
  const scope = memberOf(value, 'scope');
  return {
    binding_id: value['binding_id'] as string,
    runner_id: value['runner_id'] as string,
    scope: { scope_type: (scope['scope_type'] as string) ?? 'global', scope_id: (scope['scope_id'] as string) ?? null },
    event_types: (value['event_types'] as string[]) ?? [],
    runner_config: memberOf(value, 'runner_config'),
    models: (resource['allowed_model_uuids'] as string[]) ?? null,
    tools: (resource['allowed_tool_names'] as string[]) ?? null,
    knowledge: (resource['allowed_kb_uuids'] as string[]) ?? null,
    storage: {
      plugin: (resource['allow_plugin_storage'] as boolean) ?? true,
      workspace: (resource['allow_workspace_storage'] as boolean) ?? false,
      binding: (resource['allow_binding_storage'] as boolean) ?? false,
    },
    conversations: (resource['allowed_conversation_ids'] as string[]) ?? [],
    platform: {
      allowed: (resource['allowed_platform_actions'] as string[]) ?? [],
      approved: (resource['approved_platform_actions'] as string[]) ?? [],
    },
    state_scopes:
      state['enable_state'] === false ? [] : ((state['state_scopes'] as StateScope[]) ?? ['conversation', 'actor']),
    delivery: {
      streaming: (delivery['enable_streaming'] as boolean) ?? true,
      reply: (delivery['enable_reply'] as boolean) ?? true,
      max_message_size: (delivery['max_message_size'] as number) ?? null,
    },
    enabled: (value['enabled'] as boolean) ?? true,
  };
}

/** Why an event is not run under a binding; undefined when it is. */
export function whyNotBound(binding: Binding, event: { readonly event_type: string } & BoundBy): string | undefined {
  if (!binding.enabled) return 'the binding is disabled';
  if (binding.event_types.length > 0 && !binding.event_types.includes(event.event_type))
    return 'the binding does not name this type of event';
  const { scope_type, scope_id } = binding.scope;
  const held = { bot: event.bot_id, workspace: event.workspace_id, conversation: event.conversation_id }[scope_type];
  return held !== undefined && scope_id !== null && held !== scope_id
    ? `the binding is for another ${scope_type}`
    : undefined;
}

interface BoundBy {
  readonly bot_id: string | null;
  readonly workspace_id: string | null;
  readonly conversation_id: string | null;
}

const names = list(text);
const required = { binding_id: name, runner_id: name };
const optional = {
  scope: shape({}, { scope_type: text, scope_id: text }),
  event_types: names,
  runner_config: object,
  resource_policy: shape(
    {},
    {
      allowed_model_uuids: names,
      allowed_tool_names: names,
      allowed_kb_uuids: names,
      allow_plugin_storage: flag,
      allow_workspace_storage: flag,
      allow_binding_storage: flag,
      allowed_conversation_ids: names,
      allowed_platform_actions: names,
      approved_platform_actions: names,
    },
  ),
  state_policy: shape({}, { enable_state: flag, state_scopes: list(oneOf(...STATE_SCOPES)) }),
  delivery_policy: shape({}, { enable_streaming: flag, enable_reply: flag, max_message_size: whole(0) }),
  enabled: flag,
};

const memberOf = (value: JsonObject, member: string): JsonObject => {
  const found = value[member];
  return isObject(found) ? found : {};
};
