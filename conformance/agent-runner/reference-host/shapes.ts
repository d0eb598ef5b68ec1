// The shapes the host works with. What crosses the wire stays open (unknown fields are kept or ignored, never refused).
import type { JsonObject, JsonValue } from '../../../common/json.ts';

export const STATE_SCOPES = ['conversation', 'actor', 'subject', 'runner'] as const;
export type StateScope = (typeof STATE_SCOPES)[number];
export const isStateScope = (value: unknown): value is StateScope => STATE_SCOPES.includes(value as StateScope);

export const STORAGE_AREAS = ['plugin', 'workspace', 'binding'] as const;
export type StorageArea = (typeof STORAGE_AREAS)[number];

/** What an event is about, as far as scopes hang on it. */
export interface Scope {
  readonly conversation_id: string | null;
  readonly thread_id: string | null;
  readonly bot_id: string | null;
  readonly workspace_id: string | null;
  readonly actor: string | null;
  readonly subject: string | null;
}

/** What a surface can do, every field filled in (§5.7). */
export type Surface = {
  readonly surface: string;
  readonly reply_target: JsonObject | null;
  readonly supports_streaming: boolean;
  readonly supports_edit: boolean;
  readonly supports_reaction: boolean;
  readonly max_message_size: number | null;
  readonly platform_capabilities: JsonObject;
};

export type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled' | 'timeout';

/** How a run ended; `code` and `message` where it failed. */
export interface RunEnd {
  readonly status: Exclude<RunStatus, 'running'>;
  readonly code?: string;
  readonly message?: string;
  readonly retryable?: boolean;
}

/** Whose state and whose storage a run works on, as opaque texts. */
export interface Owners {
  readonly state: Readonly<Record<StateScope, string>>;
  readonly storage: Readonly<Record<StorageArea, string>>;
}

export interface RunStart {
  readonly run_id: string;
  readonly runner_id: string;
  /** `author/name` of the plugin that the runner belongs to: who may call for this run. */
  readonly identity: string;
  readonly binding_id: string;
  readonly event_id: string;
  readonly scope: Scope;
  readonly owners: Owners;
  /** Epoch milliseconds, or null for a run without a deadline. */
  readonly deadline: number | null;
}

/** Where an artifact belongs, and what it holds. `content` is base64. */
export interface StoredArtifact {
  readonly artifact_id: string;
  readonly artifact_type: string;
  readonly mime_type: string | null;
  readonly name: string | null;
  readonly size_bytes: number | null;
  readonly sha256: string | null;
  readonly source: string;
  readonly run_id: string | null;
  readonly runner_id: string | null;
  readonly binding_id: string;
  readonly scope: Scope;
  /** Epoch seconds. */
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly metadata: JsonObject;
  readonly content: string;
}

export interface StateChange {
  readonly runner_id: string;
  readonly binding_id: string;
  readonly scope: StateScope;
  /** Whose state: what keeps runners, bindings and conversations apart. */
  readonly owner: string;
  readonly key: string;
  /** Undefined when the key was deleted. */
  readonly value: JsonValue | undefined;
}

export interface StorageChange {
  readonly area: StorageArea;
  readonly owner: string;
  readonly key: string;
  /** Base64; absent when the key was deleted. */
  readonly value?: string;
}

/** §11: who did what to which resource, in which scope, and how it ended. */
export interface AuditEntry {
  readonly run_id: string | null;
  readonly runner_id: string | null;
  readonly action: string;
  readonly resource: string | null;
  readonly scope: string | null;
  /** `ok`, or the code of the refusal. */
  readonly result: string;
}

export interface Warning {
  readonly run_id: string | null;
  readonly runner_id?: string;
  readonly code: string;
  readonly message: string;
}

export interface Delivery {
  readonly run_id: string;
  /** `action` is a platform action that was carried out. */
  readonly kind: 'delta' | 'message' | 'action';
  readonly content: JsonValue;
  readonly surface: string;
  readonly conversation_id: string | null;
  readonly reply_target: JsonValue;
}
