// How a host may answer: as it should, with every refusal, late, broken, or not at all.
import fc from 'fast-check';
import { API } from '../api.ts';
import type { AnswerRule, ApiAnswer, World } from '../stimulus.ts';
import { anyText } from './context.ts';

/** The codes of §9, and one that nobody knows. */
export const ERROR_CODES = [
  'unauthorized',
  'not_found',
  'deadline_exceeded',
  'payload_too_large',
  'rate_limited',
  'invalid_argument',
  'runtime_error',
  'vendor.unheard_of',
] as const;

const MALFORMED = ['empty', 'wrong-types', 'null-data', 'array-data', 'no-data', 'no-code', 'error-shape'] as const;

const delay: fc.Arbitrary<number> = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constantFrom(20, 100, 250));

export const refusal: fc.Arbitrary<ApiAnswer> = fc.record({
  kind: fc.constant('error' as const),
  code: fc.constantFrom(...ERROR_CODES),
  retryable: fc.boolean(),
});

export const malformedAnswer: fc.Arbitrary<ApiAnswer> = fc.oneof(
  fc.record({ kind: fc.constant('malformed' as const), how: fc.constantFrom(...MALFORMED) }),
  fc.constant<ApiAnswer>({ kind: 'text', message: 'KeyError: something' }),
  fc.record({ kind: fc.constant('broken-stream' as const), chunks: fc.nat({ max: 2 }) }),
);

export const lateAnswer: fc.Arbitrary<ApiAnswer> = delay.map((ms) => ({ kind: 'host', delay: ms }));
export const HANG: ApiAnswer = { kind: 'hang' };

export const anyAnswer: fc.Arbitrary<ApiAnswer> = fc.oneof(
  { weight: 4, arbitrary: refusal },
  { weight: 3, arbitrary: malformedAnswer },
  { weight: 3, arbitrary: lateAnswer },
  { weight: 1, arbitrary: fc.constant(HANG) },
);

const actions = Object.keys(API);

/** A rule for one action, for every action, or for the n-th call whatever it is: no runner's habits are assumed. */
export const ruleWith = (answer: fc.Arbitrary<ApiAnswer>): fc.Arbitrary<AnswerRule> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ action: fc.constantFrom(...actions), answer }) },
    {
      weight: 1,
      arbitrary: fc.record({ action: fc.constantFrom(...actions), nth: fc.integer({ min: 1, max: 3 }), answer }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ call: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 25 })), answer }),
    },
    { weight: 1, arbitrary: fc.record({ answer }) },
  );

/** What a host may answer at the edge of the models: next to nothing, null, or in another of the forms that they allow. */
export const SPARE: readonly AnswerRule[] = (
  [
    ['history_page', { items: [{ transcript_id: 't-1', event_id: 'e-1', role: 'user', content: null }] }],
    ['history_page', { items: [], next_cursor: null, has_more: false }],
    ['history_search', { items: [{ transcript_id: 't-1', event_id: 'e-1', role: 'system' }] }],
    ['event_get', { event_id: 'event-1', event_type: 'message.received', source: 'platform' }],
    ['event_page', { items: [] }],
    ['invoke_rerank', { results: [] }],
    ['get_tool_detail', { tool: { name: 'tool' } }],
    ['call_tool', { result: null }],
    ['call_tool', { result: [1, 'two'] }],
    ['retrieve_knowledge_base', { results: [{ content: 'a bare text' }, {}] }],
    ['artifact_metadata', { artifact_id: 'artifact-1', artifact_type: 'file', source: 'event', mime_type: null }],
    ['artifact_read', { artifact_id: 'artifact-1', file_key: 'elsewhere', content_base64: null }],
    ['state_get', { value: [null, { a: 1 }] }],
    ['platform_request_action', {}],
  ] as const
).map(([action, data]) => ({ action, answer: { kind: 'success', data } }) as AnswerRule);

/** An answer that never comes, or that cannot be read and so never came. */
export const neverComes = (answer: ApiAnswer): boolean =>
  answer.kind === 'hang' ||
  (answer.kind === 'malformed' && ['null-data', 'array-data', 'no-data', 'no-code'].includes(answer.how));

export const anyWorld: fc.Arbitrary<World> = fc.record(
  {
    model: fc.array(fc.record({ text: anyText, tools: fc.constantFrom([], [], ['*']) }), {
      minLength: 1,
      maxLength: 3,
    }),
    chunks: fc.integer({ min: 1, max: 6 }),
    history: fc.nat({ max: 40 }),
    pageCap: fc.integer({ min: 1, max: 20 }),
    lastCursor: fc.boolean(),
    usage: fc.boolean(),
    cursor: fc.constantFrom('', 'c:', 'Cursor ', '游标/'),
    artifactBytes: fc.constantFrom(0, 1, 64, 65_536, 65_537),
    toolBytes: fc.constantFrom(0, 10, 1000, 40_000),
  },
  { requiredKeys: [] },
);
