// What happens in a turn is up to models, tools and people. A script says what they do, so that a runtime can be driven through all of it.
import fc from 'fast-check';

/** How a decision about a tool call comes about. */
export const DECISIONS = ['allow', 'deny', 'ask', 'sandboxed', 'hook_block', 'rule_deny_hook_allow'] as const;

export type Play =
  | {
      readonly do: 'model';
      readonly chunks: readonly string[];
      readonly reasoning?: string;
      readonly candidates?: 1 | 2;
      readonly fallback?: boolean;
      readonly priced?: boolean;
    }
  | {
      readonly do: 'tool';
      readonly decision: (typeof DECISIONS)[number];
      readonly outcome: 'ok' | 'fails' | 'violates';
      readonly process?: 'ends' | 'stays';
      readonly rewritten?: boolean;
    }
  | { readonly do: 'ask' }
  | { readonly do: 'quota' }
  | { readonly do: 'no_candidate' }
  | { readonly do: 'artifact'; readonly artifact: number }
  | { readonly do: 'compact' }
  | { readonly do: 'job'; readonly items: number; readonly retried: boolean; readonly ends: boolean }
  | { readonly do: 'channel' }
  | { readonly do: 'task'; readonly how: 'retried' | 'lost' | 'timed_out' | 'blocked' | 'asks' }
  | { readonly do: 'policy' }
  | { readonly do: 'mishap' }
  | { readonly do: 'vendor' }
  | { readonly do: 'spill' }
  | { readonly do: 'warn' }
  | { readonly do: 'stop_hook'; readonly blocks: boolean }
  | { readonly do: 'rollback' }
  | { readonly do: 'fail' };

const text = fc.string({ maxLength: 12, unit: 'grapheme' });
const flag = fc.option(fc.boolean(), { nil: undefined });

const some = <T extends object>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;

const modelPlay = fc
  .record({
    chunks: fc.array(text, { maxLength: 4 }),
    reasoning: fc.option(text, { nil: undefined }),
    candidates: fc.option(fc.constantFrom(1 as const, 2 as const), { nil: undefined }),
    fallback: flag,
    priced: flag,
  })
  .map((play): Play => some({ do: 'model' as const, ...play }) as Play);

const toolPlay = fc
  .record({
    decision: fc.constantFrom(...DECISIONS),
    outcome: fc.constantFrom('ok' as const, 'ok' as const, 'fails' as const, 'violates' as const),
    process: fc.option(fc.constantFrom('ends' as const, 'stays' as const), { nil: undefined }),
    rewritten: flag,
  })
  .map((play): Play => some({ do: 'tool' as const, ...play }) as Play);

const otherPlay: fc.Arbitrary<Play> = fc.oneof(
  fc.constantFrom<Play>(
    { do: 'ask' },
    { do: 'quota' },
    { do: 'no_candidate' },
    { do: 'compact' },
    { do: 'channel' },
    { do: 'vendor' },
    { do: 'spill' },
    { do: 'warn' },
    { do: 'policy' },
    { do: 'mishap' },
    { do: 'rollback' },
  ),
  fc.record({
    do: fc.constant('task' as const),
    how: fc.constantFrom(
      'retried' as const,
      'lost' as const,
      'timed_out' as const,
      'blocked' as const,
      'asks' as const,
    ),
  }),
  fc.record({ do: fc.constant('artifact' as const), artifact: fc.nat({ max: 3 }) }),
  fc.record({ do: fc.constant('stop_hook' as const), blocks: fc.boolean() }),
  fc.record({
    do: fc.constant('job' as const),
    items: fc.integer({ min: 1, max: 4 }),
    retried: fc.boolean(),
    ends: fc.boolean(),
  }),
);

/** A whole turn, most of them ending well. */
export const playScript: fc.Arbitrary<readonly Play[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: modelPlay },
        { weight: 3, arbitrary: toolPlay },
        { weight: 3, arbitrary: otherPlay },
      ),
      { maxLength: 5 },
    ),
    fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  )
  .map(([plays, fails]) => (fails ? [...plays, { do: 'fail' as const }] : plays));

const KINDS = new Set([
  'model',
  'tool',
  'ask',
  'quota',
  'no_candidate',
  'artifact',
  'compact',
  'job',
  'channel',
  'task',
  'policy',
  'mishap',
  'vendor',
  'spill',
  'warn',
  'stop_hook',
  'rollback',
  'fail',
]);
export const isPlay = (value: unknown): value is Play =>
  typeof value === 'object' && value !== null && KINDS.has(String((value as { do?: unknown }).do));
