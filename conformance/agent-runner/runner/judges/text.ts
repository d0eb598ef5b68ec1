// The text of a message's content: a string, or content elements.
import { isObject } from '../../../../common/json.ts';

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((element) => (isObject(element) && typeof element['text'] === 'string' ? element['text'] : ''))
    .join('');
}
