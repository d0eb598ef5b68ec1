// What stands behind the Host APIs: models, tools, knowledge bases, platform actions. They are small and deterministic,
// so that the host shows how calls are granted, bounded and audited, not how clever a model is.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { textOf } from './stores/transcript.ts';

export interface Model {
  readonly id: string;
  readonly operations: readonly string[];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** Parameters that it takes. */
  readonly example: JsonObject;
  /** True for the one that always fails, so that a failure behind the host can be seen. */
  readonly fails?: true;
  readonly run: (parameters: JsonObject) => JsonValue;
}

export interface KnowledgeBase {
  readonly id: string;
  readonly name: string;
  readonly passages: readonly string[];
}

export interface Inventory {
  readonly models: readonly Model[];
  readonly tools: readonly Tool[];
  readonly knowledge: readonly KnowledgeBase[];
  readonly platform: readonly string[];
}

const takesText: JsonObject = { type: 'object', properties: { text: { type: 'string' } } };

export const DEFAULT_INVENTORY: Inventory = {
  models: [
    { id: 'model-echo', operations: ['invoke', 'stream'] },
    { id: 'model-all', operations: ['invoke', 'stream', 'rerank'] },
    { id: 'model-rank', operations: ['rerank'] },
  ],
  tools: [
    {
      name: 'tool-echo',
      description: 'Gives its parameters back.',
      parameters: takesText,
      example: { text: 'hello' },
      run: (given) => ({ given }),
    },
    {
      name: 'tool-count',
      description: 'Counts the characters of a text.',
      parameters: takesText,
      example: { text: 'hello' },
      run: ({ text }) => ({ characters: typeof text === 'string' ? [...text].length : 0 }),
    },
    {
      name: 'tool-broken',
      description: 'Always fails.',
      parameters: takesText,
      example: {},
      fails: true,
      run: () => {
        throw new Error('this tool always fails');
      },
    },
  ],
  knowledge: [
    {
      id: 'kb-harbour',
      name: 'Harbour',
      passages: [
        'The harbour opens at dawn.',
        'Boats longer than twenty metres need a pilot.',
        'The lighthouse was built of granite.',
        'Fishing is forbidden inside the harbour.',
        'A pilot must be ordered the day before.',
        'The harbour master speaks three languages.',
      ],
    },
    { id: 'kb-garden', name: 'Garden', passages: ['Roses want sun.', 'Ferns want shade.', 'Water them at dusk.'] },
  ],
  platform: ['message.edit', 'message.delete', 'member.mute'],
};

/** What the user said last in a list of messages. */
export function lastSaid(messages: readonly JsonValue[]): string {
  const last = messages.findLast((message) => isObject(message) && message['role'] === 'user');
  return (isObject(last) ? textOf(last['content']) : null) ?? '';
}

/** A text in a few pieces, never through the middle of a character. */
export function piecesOf(text: string, pieces = 4): string[] {
  const all = [...text];
  const size = Math.max(1, Math.ceil(all.length / pieces));
  return Array.from({ length: Math.max(1, Math.ceil(all.length / size)) }, (_, index) =>
    all.slice(index * size, (index + 1) * size).join(''),
  );
}

/** Positions with scores from 0 to 1, best first; equals keep their order. */
export const ranked = (query: string, texts: readonly string[]): { index: number; score: number }[] =>
  texts
    .map((text, index) => ({ index, score: relevance(query, text) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);

/** How many of the query's words a text holds. */
function relevance(query: string, text: string): number {
  const wanted = new Set(wordsOf(query));
  const held = new Set(wordsOf(text));
  return wanted.size === 0 ? 0 : [...wanted].filter((word) => held.has(word)).length / wanted.size;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
