// AgentRunContext (§5.2) as the runner reads it: tolerant. Absent, null and unknown are all met with the defaults
// of the specification, so that a newer host never breaks it.
import { isObject, type JsonObject } from '../../../common/json.ts';

export interface RunContext {
  readonly raw: JsonObject;
  readonly runId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly text: string;
  /** Content elements that are no text. */
  readonly media: number;
  /** Artifacts that came with the input. */
  readonly attachments: readonly string[];
  readonly conversationId: string | undefined;
  readonly latestCursor: string | undefined;
  readonly delivery: { readonly streaming: boolean; readonly reaction: boolean; readonly maxBytes: number | undefined };
  /** `context.available_apis`: only what is true is granted. */
  readonly may: (api: string) => boolean;
  readonly models: readonly Resource[];
  readonly tools: readonly Resource[];
  readonly knowledgeBases: readonly Resource[];
  /** Storage areas that are granted. */
  readonly storage: readonly StorageArea[];
  /** Platform actions that are granted. */
  readonly platformActions: readonly string[];
  readonly state: JsonObject;
  readonly config: JsonObject;
  readonly protocolVersion: string;
  /** Epoch milliseconds. */
  readonly deadline: number | undefined;
}

export interface Resource {
  readonly id: string;
  readonly kind: string | undefined;
  readonly description: string;
  readonly parameters: JsonObject | undefined;
  readonly can: (operation: string) => boolean;
  /** True where the operation is named, not merely left open. */
  readonly names: (operation: string) => boolean;
}

export type StorageArea = 'plugin' | 'workspace' | 'binding';

/** `permissions` are the manifest's: an empty list of operations grants what the manifest asks for, and storage needs it too. */
export function readContext(raw: JsonObject, permissions: JsonObject): RunContext {
  const event = member(raw, 'event');
  const input = member(raw, 'input');
  const delivery = member(raw, 'delivery');
  const resources = member(raw, 'resources');
  const access = member(raw, 'context');
  const apis = member(access, 'available_apis');
  const runtime = member(raw, 'runtime');
  const storage = member(resources, 'storage');
  const contents = list(input, 'contents');
  const deadline = runtime['deadline_at'];
  const operations = (kind: string): readonly unknown[] => {
    const asked = permissions[kind];
    return Array.isArray(asked) ? asked : [];
  };
  return {
    raw,
    runId: text(raw['run_id']) ?? '',
    eventId: text(event['event_id']) ?? '',
    eventType: text(event['event_type']) ?? '',
    text:
      text(input['text']) ??
      contents
        .filter((element) => element['type'] === 'text')
        .map((element) => text(element['text']) ?? '')
        .join(''),
    media: contents.filter((element) => element['type'] !== 'text').length,
    attachments: list(input, 'attachments').flatMap((ref) => text(ref['artifact_id']) ?? []),
    conversationId: text(access['conversation_id']) ?? text(member(raw, 'conversation')['conversation_id']),
    latestCursor: text(access['latest_cursor']),
    delivery: {
      streaming: delivery['supports_streaming'] === true,
      reaction: delivery['supports_reaction'] === true,
      maxBytes: typeof delivery['max_message_size'] === 'number' ? delivery['max_message_size'] : undefined,
    },
    may: (api) => apis[api] === true,
    models: list(resources, 'models').map((entry) => resource(entry, 'model_id', 'model_type', operations('models'))),
    tools: list(resources, 'tools').map((entry) => resource(entry, 'tool_name', 'tool_type', operations('tools'))),
    knowledgeBases: list(resources, 'knowledge_bases').map((entry) =>
      resource(entry, 'kb_id', 'kb_type', operations('knowledge_bases')),
    ),
    storage:
      apis['storage'] === true
        ? (['plugin', 'workspace', 'binding'] as const).filter(
            (area) => storage[`${area}_storage`] === true && operations('storage').includes(area),
          )
        : [],
    platformActions: Object.entries(member(resources, 'platform_capabilities'))
      .filter(([, granted]) => granted !== false)
      .map(([action]) => action),
    state: member(raw, 'state'),
    config: member(raw, 'config'),
    protocolVersion: text(runtime['protocol_version']) ?? '1',
    deadline: typeof deadline === 'number' && Number.isFinite(deadline) ? deadline * 1000 : undefined,
  };
}

function resource(entry: JsonObject, idField: string, kindField: string, asked: readonly unknown[]): Resource {
  const operations = Array.isArray(entry['operations']) ? entry['operations'] : [];
  return {
    id: text(entry[idField]) ?? '',
    kind: text(entry[kindField]),
    description: text(entry['description']) ?? '',
    parameters: isObject(entry['parameters']) ? entry['parameters'] : undefined,
    can: (operation) => (operations.length === 0 ? asked : operations).includes(operation),
    names: (operation) => operations.includes(operation),
  };
}

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export function member(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isObject(found) ? found : {};
}

export function list(value: JsonObject, key: string): readonly JsonObject[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter(isObject) : [];
}
