// The Transcript: the conversation as people saw it, projected from the EventLog one entry at a time (HOST_SDK §4.7).
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import type { Input } from '../gateway.ts';
import type { RunStart } from '../shapes.ts';
import type { LogEntry } from './log.ts';

export interface TranscriptItem {
  readonly transcript_id: string;
  readonly event_id: string;
  readonly conversation_id: string;
  readonly thread_id: string | null;
  readonly run_id: string;
  readonly role: string;
  readonly item_type: 'message';
  readonly content: string | null;
  readonly content_json: JsonValue;
  readonly artifact_refs: readonly JsonObject[];
  /** The place in the log of the event that said it. */
  readonly seq: number;
  readonly created_at: number;
}

/** The item that an entry adds, if any: what a user said, and what a runner said in full. Deltas add none. */
export function projectTranscript(
  entry: LogEntry,
  run: RunStart | undefined,
  record: { readonly event_id: string; readonly seq: number; readonly created_at: number } | undefined,
): TranscriptItem | undefined {
  const conversation_id = run?.scope.conversation_id ?? null;
  if (run === undefined || record === undefined || conversation_id === null) return undefined;
  const said = entry.kind === 'submitted' ? userTurn(entry.event) : answer(entry);
  if (said === undefined) return undefined;
  return {
    transcript_id: `t-${record.seq}`,
    event_id: record.event_id,
    conversation_id,
    thread_id: run.scope.thread_id,
    run_id: run.run_id,
    item_type: 'message',
    seq: record.seq,
    created_at: record.created_at,
    ...said,
  };
}

type Said = Pick<TranscriptItem, 'role' | 'content' | 'content_json' | 'artifact_refs'>;

/** Text and structured content; the platform's own message chain is no part of the projection. */
function userTurn(event: JsonObject): Said | undefined {
  if (event['event_type'] !== 'message.received') return undefined;
  const { text, contents, attachments } = event['input'] as unknown as Input;
  return {
    role: 'user',
    content: textOf(text ?? contents),
    content_json: { text, contents },
    artifact_refs: attachments,
  };
}

function answer(entry: LogEntry): Said | undefined {
  if (entry.kind !== 'result' || entry.answer === undefined) return undefined;
  const { role, content = null } = entry.answer;
  return { role: String(role), content: textOf(content), content_json: { content }, artifact_refs: [] };
}

/** The plain text of a message: its string, or the text of its content elements. */
export function textOf(content: JsonValue | undefined): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((element) =>
    isObject(element) && typeof element['text'] === 'string' ? [element['text']] : [],
  );
  return texts.length === 0 ? null : texts.join('');
}
