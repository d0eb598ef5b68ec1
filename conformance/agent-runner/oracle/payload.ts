// What a result carries (§7.2, MODELS §4), and whether it fits. Where a tolerant reader could make sense of it, it is unsure.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';

export type Fits = 'fits' | 'unfit' | 'unsure';

const isText = (value: unknown): value is string => typeof value === 'string';
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export function messageFits(message: JsonValue | undefined): Fits {
  if (!isObject(message)) return 'unfit';
  const { role, content } = message;
  const right = isText(content) || isAbsent(content) || (Array.isArray(content) && content.every(isElement));
  return right && isText(role) ? 'fits' : 'unfit';
}

const isElement = (element: JsonValue): boolean => isObject(element) && isText(element['type']);

export function payloadFits(type: string, data: JsonObject): Fits {
  switch (type) {
    case 'message.delta': {
      // A piece may leave the role to the pieces before it.
      const chunk = data['chunk'];
      const pieced =
        isObject(chunk) && isAbsent(chunk['role']) ? messageFits({ ...chunk, role: '' }) : messageFits(chunk);
      return pieced === 'fits' && isObject(chunk) && isAbsent(chunk['role']) ? 'unsure' : pieced;
    }
    case 'message.completed':
      return messageFits(data['message']);
    case 'tool.call.started':
    case 'tool.call.completed':
      return isText(data['tool_call_id']) && isText(data['tool_name']) ? 'fits' : 'unfit';
    case 'artifact.created':
      return artifactFits(data);
    case 'action.requested':
      return isText(data['action']) ? 'fits' : 'unfit';
    case 'run.completed':
      return isAbsent(data['message']) ? 'fits' : messageFits(data['message']) === 'fits' ? 'fits' : 'unsure';
    case 'run.failed':
      return isText(data['code']) && (isText(data['message']) || isText(data['error'])) ? 'fits' : 'unsure';
    default:
      return 'fits';
  }
}

const MIME = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function artifactFits(data: JsonObject): Fits {
  const { artifact_type, artifact_id, mime_type, name, content_base64, size_bytes, sha256, expires_at } = data;
  if (!isText(artifact_type) || artifact_type === '') return 'unfit';
  if (![artifact_id, mime_type, name, content_base64, sha256].every((one) => isAbsent(one) || isText(one)))
    return 'unfit';
  const sure =
    artifact_id !== '' &&
    (isAbsent(mime_type) || MIME.test(String(mime_type))) &&
    (isAbsent(content_base64) || (BASE64.test(String(content_base64)) && String(content_base64).length % 4 === 0)) &&
    (isAbsent(size_bytes) || size_bytes === bytesOf(content_base64)) &&
    isAbsent(sha256) &&
    isAbsent(expires_at);
  return sure ? 'fits' : 'unsure';
}

const bytesOf = (base64: unknown): number => Buffer.from(isText(base64) ? base64 : '', 'base64').length;

/** The content of the message that a result carries, if it carries one. */
export function contentOf(type: string, data: JsonObject): JsonValue | undefined {
  const holder = type === 'message.delta' ? data['chunk'] : data['message'];
  return isObject(holder) ? holder['content'] : undefined;
}

/** The plain text of a content: its string, or the texts of its elements. */
export function textOf(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((element) => (isObject(element) && isText(element['text']) ? element['text'] : '')).join('');
}
