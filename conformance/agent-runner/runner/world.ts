// The simulated host of one run: it answers API calls from what the context grants and from a small world.
// It plays fair: what is not granted is refused as a real host would refuse it.
import { Buffer } from 'node:buffer';
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { Refusal } from '../../wire/peer.ts';
import { apiAction, plainName } from './api.ts';
import { currentConversation, excess, listAt, objectAt } from './grants.ts';
import type { RunPlan, World } from './stimulus.ts';

/** A refusal that carries an AgentAPIError (§9). */
export const refuse = (code: string, message: string, retryable = false): Refusal =>
  new Refusal(message, { error: { code, message, retryable, details: {} } });

export interface SimulatedHost {
  /** One object, or the chunks of a stream. */
  answer(action: string, data: JsonObject): JsonObject | readonly JsonObject[];
}

export function simulatedHost(plan: RunPlan, context: JsonObject, manifest?: JsonObject): SimulatedHost {
  const world = plan.world ?? {};
  const state = new Map<string, JsonValue>();
  const storage = new Map<string, string>();
  for (const scope of ['conversation', 'actor', 'subject', 'runner'])
    for (const [key, value] of Object.entries(objectAt(objectAt(context, 'state'), scope)))
      state.set(`${scope}/${key}`, value ?? null);
  let turns = 0;

  const turn = (data: JsonObject): { text: string; tools: readonly string[] } => {
    const script = world.model ?? [{ text: 'Noted.' }];
    const step = script[Math.min(turns, script.length - 1)] ?? {};
    const offered = listAt(data, 'funcs').map((tool) => String(tool['name']));
    const wanted = turns < script.length ? (step.tools ?? []) : [];
    const tools = wanted.includes('*') ? offered : wanted.filter((name) => offered.includes(name));
    turns++;
    const said = step.text ?? '';
    return { text: world.marker === undefined ? said : `${said} ${world.marker}`, tools };
  };
  const message = (text: string, tools: readonly string[], id: number): JsonObject => ({
    role: 'assistant',
    // Whoever only asks for tools need not say anything.
    content: text === '' && tools.length > 0 ? null : text,
    ...(tools.length > 0 && {
      tool_calls: tools.map((name, i) => ({
        id: `call-${id}-${i}`,
        type: 'function',
        function: { name, arguments: '{"q":"x"}' },
      })),
    }),
  });

  const handlers: Record<string, (data: JsonObject) => JsonObject | readonly JsonObject[]> = {
    invoke_llm: (data) => {
      const { text, tools } = turn(data);
      return { message: message(text, tools, turns) };
    },
    invoke_llm_stream: (data) => {
      const { text, tools } = turn(data);
      const pieces = cut(text, world.chunks ?? 3);
      const chunks = pieces.map((piece, i) => ({
        chunk: {
          ...message(piece, i === pieces.length - 1 ? tools : [], turns),
          is_final: i === pieces.length - 1,
          msg_sequence: i,
        },
      }));
      return world.usage === true ? [...chunks, { chunk: null, usage: { total_tokens: pieces.length } }] : chunks;
    },
    invoke_rerank: (data) => ({
      results: (Array.isArray(data['documents']) ? data['documents'] : []).map((_, index, all) => ({
        index: all.length - 1 - index,
        relevance_score: 1 / (index + 1),
      })),
    }),
    get_tool_detail: (data) => ({
      tool: {
        name: data['tool_name'],
        description: 'A tool of the simulated host.',
        human_desc: 'A tool',
        parameters: { type: 'object', properties: { q: { type: 'string' } } },
      },
    }),
    call_tool: (data) => ({
      result: { of: data['tool_name'], text: 'r'.repeat(world.toolBytes ?? 8), note: world.marker ?? '' },
    }),
    retrieve_knowledge_base: (data) => ({
      results: [0, 1].map((i) => ({
        id: `${data['kb_id']}-${i}`,
        content: [{ type: 'text', text: `fact ${i} ${world.marker ?? ''}` }],
        metadata: {},
        distance: 0.1 * i,
        score: 1 - 0.1 * i,
      })),
    }),
    history_page: (data) => page(data, world, (i) => transcriptItem(context, world, i)),
    history_search: (data) => {
      const items = span(1, Math.min(world.history ?? 0, 3)).map((i) => transcriptItem(context, world, i));
      return { items, total_count: items.length, query: data['query'] };
    },
    event_get: (data) => ({
      event_id: data['event_id'],
      event_type: objectAt(context, 'event')['event_type'],
      source: objectAt(context, 'event')['source'],
      metadata: {},
    }),
    event_page: (data) =>
      page(data, world, (i) => ({
        event_id: `event-${i}`,
        event_type: 'message.received',
        source: 'platform',
        seq: i,
        cursor: cursorOf(world, i),
      })),
    artifact_metadata: (data) => ({
      artifact_id: data['artifact_id'],
      artifact_type: 'file',
      source: 'platform',
      mime_type: 'text/plain',
      size_bytes: world.artifactBytes ?? 64,
    }),
    artifact_read: (data) => {
      const size = world.artifactBytes ?? 64;
      const offset = integer(data['offset'], 0);
      const length = Math.max(0, Math.min(integer(data['length'] ?? data['limit'], 65_536), size - offset, 65_536));
      return {
        artifact_id: data['artifact_id'],
        mime_type: 'text/plain',
        size_bytes: size,
        offset,
        length,
        content_base64: Buffer.alloc(length, 'a').toString('base64'),
        has_more: offset + length < size,
      };
    },
    artifact_open_stream: (data) => {
      const size = world.artifactBytes ?? 64;
      const chunks: JsonObject[] = [];
      for (let offset = 0; offset < size; offset += 65_536) {
        const length = Math.min(65_536, size - offset);
        chunks.push({
          artifact_id: data['artifact_id'],
          offset,
          content_base64: Buffer.alloc(length, 'a').toString('base64'),
        });
      }
      return chunks;
    },
    state_get: (data) => ({ value: state.get(`${data['scope']}/${data['key']}`) ?? null }),
    state_set: (data) => {
      state.set(`${data['scope']}/${data['key']}`, data['value'] ?? null);
      return { success: true };
    },
    state_delete: (data) => ({ success: state.delete(`${data['scope']}/${data['key']}`) }),
    platform_request_action: () => ({ accepted: true }),
  };

  const stored = (operation: string, area: string, data: JsonObject): JsonObject => {
    const key = `${area}/${data['key']}`;
    switch (operation) {
      case 'get': {
        const value = storage.get(key);
        if (value === undefined) throw refuse('not_found', `Storage with key ${data['key']} not found`);
        return { value_base64: value };
      }
      case 'set':
        storage.set(key, String(data['value_base64'] ?? ''));
        return {};
      case 'delete':
        storage.delete(key);
        return {};
      default:
        return {
          keys: [...storage.keys()].filter((k) => k.startsWith(`${area}/`)).map((k) => k.slice(area.length + 1)),
        };
    }
  };

  return {
    answer(action, data) {
      const api = apiAction(action, data);
      if (api === undefined) throw new Refusal(`Action ${action} not found`);
      const beyond = excess(context, action, data, manifest);
      if (beyond !== undefined) throw refuse('unauthorized', `not authorized: ${beyond.why}`);
      if (api.family === 'history') {
        const wanted = data['conversation_id'] ?? objectAt(data, 'filters')['conversation_id'];
        if (typeof wanted === 'string' && wanted !== currentConversation(context))
          throw refuse('unauthorized', 'another conversation is not accessible by this run');
      }
      const answer =
        api.area === undefined ? handlers[plainName(action, data)]!(data) : stored(api.operation, api.area, data);
      const extras = world.extras as JsonObject | undefined;
      if (extras === undefined) return answer;
      return Array.isArray(answer)
        ? answer.map((piece) => extended(piece, extras))
        : extended(answer as JsonObject, extras);
    },
  };
}

/** Where an answer holds other models, fields may be added there too. */
const INNER = ['message', 'chunk', 'tool', 'items', 'results'] as const;

function extended(answer: JsonObject, extras: JsonObject): JsonObject {
  const grown = (value: JsonValue): JsonValue =>
    Array.isArray(value) ? value.map(grown) : isObject(value) ? { ...value, ...extras } : value;
  const inner = INNER.flatMap((name) => (answer[name] == null ? [] : [[name, grown(answer[name])]]));
  return { ...answer, ...(Object.fromEntries(inner) as JsonObject), ...extras };
}

/** A page of items numbered 1…total, newest last. Cursors are opaque to the runner; here they hold the number. */
function page(data: JsonObject, world: World, item: (i: number) => JsonObject): JsonObject {
  const total = world.history ?? 0;
  const limit = Math.max(1, Math.min(integer(data['limit'], 50), world.pageCap ?? 100));
  const next = (i: number, more: boolean): JsonObject => ({
    next_cursor: more || world.lastCursor ? cursorOf(world, i) : null,
    has_more: more,
  });
  if (data['direction'] === 'forward' && data['after_cursor'] != null) {
    const from = numberIn(world, data['after_cursor']) + 1;
    const to = Math.min(total, from + limit - 1);
    return { items: span(from, to).map(item), prev_cursor: cursorOf(world, from), ...next(to, to < total) };
  }
  const last = data['before_cursor'] == null ? total : Math.min(total, numberIn(world, data['before_cursor']) - 1);
  const first = Math.max(1, last - limit + 1);
  return {
    items: span(first, last).reverse().map(item),
    prev_cursor: cursorOf(world, last),
    ...next(first, first > 1),
  };
}

const cursorOf = (world: World, i: number): string => `${world.cursor ?? ''}${i}`;

/** The number in one of our cursors, or in `latest_cursor` of the context; any other text is no cursor. */
function numberIn(world: World, cursor: unknown): number {
  const text = String(cursor);
  const number = text.startsWith(world.cursor ?? '') ? Number(text.slice((world.cursor ?? '').length)) : Number.NaN;
  if (!Number.isInteger(number)) throw refuse('invalid_argument', 'this cursor was never given');
  return number;
}

const span = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

const transcriptItem = (context: JsonObject, world: World, i: number): JsonObject => ({
  transcript_id: `transcript-${i}`,
  event_id: `event-${i}`,
  conversation_id: currentConversation(context) ?? null,
  role: i % 2 === 0 ? 'assistant' : 'user',
  item_type: 'message',
  content: `message ${i} ${world.marker ?? ''}`,
  seq: i,
  cursor: cursorOf(world, i),
  metadata: {},
});

const integer = (value: unknown, fallback: number): number => {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : fallback;
};

/** Cuts text into at most `count` pieces, never through a code point. */
function cut(text: string, count: number): string[] {
  const points = [...text];
  const size = Math.max(1, Math.ceil(points.length / count));
  const pieces: string[] = [];
  for (let i = 0; i < points.length; i += size) pieces.push(points.slice(i, i + size).join(''));
  return pieces.length === 0 ? [''] : pieces;
}
