// What the calls answer (MODELS §5): does a value fit its model? Members that no model names are welcome (§3).
import { isObject, type JsonValue } from '../../../common/json.ts';

/** The first misfit in words, or undefined. */
export type Model = (value: JsonValue | undefined, path: string) => string | undefined;

const of =
  (what: string, holds: (value: JsonValue | undefined) => boolean): Model =>
  (value, path) =>
    holds(value) ? undefined : `${path || 'it'} is not ${what}: ${short(value)}`;
const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
};

const text = of('a text', (value) => typeof value === 'string');
const number = of('a number', (value) => typeof value === 'number');
const whole = of('a whole number', Number.isInteger);
const flag = of('true or false', (value) => typeof value === 'boolean');
const object = of('an object', isObject);
const present = of('there', (value) => value !== undefined);
/** May be absent or null. */
const maybe =
  (model: Model): Model =>
  (value, path) =>
    value === undefined || value === null ? undefined : model(value, path);
/** May be absent, but not null. */
const lax =
  (model: Model): Model =>
  (value, path) =>
    value === undefined ? undefined : model(value, path);
const list =
  (item: Model): Model =>
  (value, path) => {
    if (!Array.isArray(value)) return `${path || 'it'} is not a list: ${short(value)}`;
    for (const [index, one] of value.entries()) {
      const wrong = item(one, `${path}[${index}]`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
const either =
  (...models: readonly Model[]): Model =>
  (value, path) =>
    models.some((model) => model(value, path) === undefined) ? undefined : models.at(-1)!(value, path);
const model =
  (members: Readonly<Record<string, Model>>): Model =>
  (value, path) => {
    if (!isObject(value)) return `${path || 'it'} is not an object: ${short(value)}`;
    for (const [name, member] of Object.entries(members)) {
      const wrong = member(value[name], path === '' ? name : `${path}.${name}`);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };

const element = model({
  type: text,
  text: maybe(text),
  image_url: maybe(model({ url: text })),
  image_base64: maybe(text),
  file_url: maybe(text),
  file_base64: maybe(text),
  file_name: maybe(text),
});
const artifactRef = model({
  artifact_id: text,
  artifact_type: maybe(text),
  mime_type: maybe(text),
  size: maybe(whole),
  name: maybe(text),
});
const messageMembers = {
  role: text,
  name: maybe(text),
  content: maybe(either(text, list(element))),
  tool_calls: maybe(list(model({ id: text, type: text, function: model({ name: text, arguments: text }) }))),
  tool_call_id: maybe(text),
};
export const Message = model(messageMembers);
export const MessageChunk = model({
  ...messageMembers,
  all_content: maybe(text),
  is_final: lax(flag),
  msg_sequence: lax(whole),
});
export const Usage = model({
  prompt_tokens: maybe(whole),
  completion_tokens: maybe(whole),
  total_tokens: maybe(whole),
});
export const RerankResults = list(model({ index: whole, relevance_score: number }));
export const ToolDetail = model({
  name: text,
  description: maybe(text),
  human_desc: maybe(text),
  parameters: lax(object),
});
export const CallToolAnswer = model({ result: present });
export const KnowledgeResults = list(
  model({
    id: maybe(text),
    content: lax(either(text, list(element))),
    metadata: lax(object),
    distance: maybe(number),
    score: maybe(number),
  }),
);
export const TranscriptItem = model({
  transcript_id: text,
  event_id: text,
  role: text,
  conversation_id: maybe(text),
  thread_id: maybe(text),
  item_type: lax(text),
  content: maybe(text),
  artifact_refs: lax(list(artifactRef)),
  seq: maybe(whole),
  cursor: maybe(text),
  created_at: maybe(number),
  metadata: lax(object),
});
const pageOf = (item: Model): Model =>
  model({
    items: list(item),
    next_cursor: maybe(text),
    prev_cursor: maybe(text),
    has_more: lax(flag),
    total_count: maybe(whole),
  });
export const HistoryPage = pageOf(TranscriptItem);
export const HistorySearchResult = model({
  items: list(TranscriptItem),
  total_count: maybe(whole),
  query: maybe(text),
});
export const AgentEventRecord = model({
  event_id: text,
  event_type: text,
  source: text,
  event_time: maybe(number),
  bot_id: maybe(text),
  workspace_id: maybe(text),
  conversation_id: maybe(text),
  thread_id: maybe(text),
  actor_type: maybe(text),
  actor_id: maybe(text),
  actor_name: maybe(text),
  subject_type: maybe(text),
  subject_id: maybe(text),
  input_summary: maybe(text),
  raw_ref: maybe(model({ artifact_id: maybe(text), storage_key: maybe(text) })),
  seq: maybe(whole),
  cursor: maybe(text),
  created_at: maybe(number),
  metadata: lax(object),
});
export const EventPage = pageOf(AgentEventRecord);
export const ArtifactMetadata = model({
  artifact_id: text,
  artifact_type: text,
  source: text,
  mime_type: maybe(text),
  name: maybe(text),
  size_bytes: maybe(whole),
  sha256: maybe(text),
  conversation_id: maybe(text),
  run_id: maybe(text),
  runner_id: maybe(text),
  created_at: maybe(number),
  expires_at: maybe(number),
  metadata: lax(object),
});
export const ArtifactReadResult = model({
  artifact_id: text,
  offset: lax(whole),
  mime_type: maybe(text),
  size_bytes: maybe(whole),
  length: maybe(whole),
  content_base64: maybe(text),
  file_key: maybe(text),
  has_more: lax(flag),
});
export const ArtifactStreamChunk = model({ artifact_id: maybe(text), offset: lax(whole), content_base64: text });
export const StorageKeys = model({ keys: list(text) });

/** Is it a MIME type as it stands in headers? */
export const isMimeType = (value: string): boolean => /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[^\r\n]*)?$/.test(value);
