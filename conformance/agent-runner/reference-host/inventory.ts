// What stands behind the Host APIs: models, tools, knowledge bases, platform actions. They are small and deterministic,
// so that the host shows how calls are granted, bounded and audited, not how clever a model is.
import type { JsonObject, JsonValue } from '../../../common/json.ts';

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
      run: (given) => given,
    },
    {
      name: 'tool-count',
      description: 'Counts its parameters.',
      parameters: takesText,
      example: { text: 'hello' },
      run: (given) => Object.keys(given).length,
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

/** What every model says, in the pieces in which it streams. */
export const WORDS: readonly string[] = ['That is ', 'all that ', 'this model ', 'ever says.'];

/** Positions with scores from 1 down to 0, best first: to this host what comes first is best. */
export const ranked = (texts: readonly string[]): { index: number; score: number }[] =>
  texts.map((_, index) => ({ index, score: 1 / (1 + index) }));
