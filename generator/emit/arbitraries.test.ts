import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { committed } from '../testing/engines.ts';

const { arbitraries, validators } = await committed('agent-runner/2026-06-03');
type Context = Record<string, unknown>;
const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns = 600): T[] => fc.sample(arbitrary, { numRuns, seed: 7 });

describe('spread', () => {
  const contexts = sample(arbitraries.valid('AgentRunContext')) as Context[];
  const share = (holds: (context: Context) => boolean): number => contexts.filter(holds).length / contexts.length;

  it.each(['conversation', 'actor', 'subject', 'config', 'adapter', 'metadata'])(
    '%s is there about as often as not',
    (field) => {
      expect(share((context) => field in context)).toBeGreaterThan(0.4);
      expect(share((context) => field in context)).toBeLessThan(0.6);
    },
  );

  it('null, empty and full all occur', () => {
    expect(share((context) => context['conversation'] === null)).toBeGreaterThan(0.05);
    const config = (context: Context): number => Object.keys((context['config'] ?? {}) as object).length;
    expect(share((context) => 'config' in context && config(context) === 0)).toBeGreaterThan(0.1);
    expect(share((context) => config(context) > 1)).toBeGreaterThan(0.1);
  });

  it('every listed value occurs', () => {
    const sources = new Set(contexts.map((context) => (context['trigger'] as Context)['source']));
    expect([...sources].sort()).toEqual(['api', 'host_adapter', 'platform', 'scheduler', 'system', 'webui']);
    const types = sample(arbitraries.valid('AgentRunResult')).map((result) => (result as Context)['type']);
    const listed = [
      'message.delta',
      'message.completed',
      'tool.call.started',
      'tool.call.completed',
      'artifact.created',
      'state.updated',
      'action.requested',
      'run.completed',
      'run.failed',
    ];
    expect(listed.filter((type) => !types.includes(type))).toEqual([]);
    const strange = types.filter((type) => !listed.includes(type as string)).length / types.length;
    expect(strange).toBeGreaterThan(0.1);
    expect(strange).toBeLessThan(0.3);
  });

  it('unknown fields occur, unless they are turned off', () => {
    const known = new Set([
      'run_id',
      'trigger',
      'event',
      'conversation',
      'actor',
      'subject',
      'input',
      'delivery',
      'resources',
      'context',
      'state',
      'runtime',
      'config',
      'adapter',
      'metadata',
    ]);
    const extra = (context: Context): boolean => Object.keys(context).some((key) => !known.has(key));
    expect(share(extra)).toBeGreaterThan(0.04);
    expect((sample(arbitraries.valid('AgentRunContext', { extras: false })) as Context[]).some(extra)).toBe(false);
  });

  it('strings hold more than ASCII, and every value survives JSON', () => {
    const ids = contexts.map((context) => context['run_id'] as string);
    expect(ids.some((id) => [...id].some((char) => (char.codePointAt(0) ?? 0) > 0xff))).toBe(true);
    expect(ids.some((id) => id === '')).toBe(true);
    expect(ids.some((id) => id.length > 50)).toBe(true);
    expect(new Set(ids).size).toBeGreaterThan(300);
    for (const context of contexts) {
      expect(JSON.parse(JSON.stringify(context))).toEqual(context);
      expect(Buffer.from(JSON.stringify(context)).toString()).toBe(JSON.stringify(context));
    }
  });

  it('options bound what is made', () => {
    const small = sample(
      arbitraries.valid('AgentResources', { maxItems: 1, maxDepth: 1, extras: false }),
      200,
    ) as Context[];
    expect(small.every((resources) => ((resources['models'] ?? []) as unknown[]).length <= 1)).toBe(true);
  });
});

describe('near misses', () => {
  const misses = sample(arbitraries.nearMiss('AgentRunContext'), 1500);

  it('are wrong in one place each, in every way there is, and in many places', () => {
    for (const { value, path } of misses)
      expect(validators.check('AgentRunContext', value).map((error) => error.path)).toEqual([path]);
    const kinds = new Set(misses.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['missing', 'type', 'value']);
    expect(new Set(misses.map(({ path }) => path.replace(/\/\d+/gu, '/#'))).size).toBeGreaterThan(60);
    expect(
      sample(arbitraries.nearMiss('AgentRunContext'), 1500).filter(({ path }) => path.split('/').length > 3).length,
    ).toBeGreaterThan(100);
  });

  it('put a field into a closed model', () => {
    const closed = Object.entries(validators.shapes).filter(([, shape]) => 'closed' in shape);
    for (const [name] of closed)
      expect(sample(arbitraries.nearMiss(name), 300).some(({ kind }) => kind === 'extra')).toBe(true);
  });

  it('are refused where nothing can be wrong', () => {
    const open = Object.keys(validators.shapes).filter(
      (name) => (validators.shapes[name] as { alias?: unknown }).alias === 'any',
    );
    for (const name of open) expect(() => arbitraries.nearMiss(name)).toThrow(RangeError);
  });
});

describe('shrinking', () => {
  it('leaves little more than what fails', () => {
    const fails = (context: unknown): boolean =>
      ((((context as Context)['delivery'] as Context)['max_message_size'] as number | null | undefined) ?? 0) > 500;
    const { failed, counterexample } = fc.check(
      fc.property(arbitraries.valid('AgentRunContext'), (context) => !fails(context)),
      { seed: 3, numRuns: 2000, endOnFailure: false },
    );
    expect(failed).toBe(true);
    const smallest = counterexample?.[0] as Context;
    expect((smallest['delivery'] as Context)['max_message_size']).toBe(501);
    expect(Object.keys(smallest).sort()).toEqual([
      'context',
      'delivery',
      'event',
      'input',
      'resources',
      'run_id',
      'runtime',
      'state',
      'trigger',
    ]);
    expect(JSON.stringify(smallest).length).toBeLessThan(450);
    expect(validators.check('AgentRunContext', smallest)).toEqual([]);
  });

  it('keeps every smaller value valid', () => {
    let seen = 0;
    fc.check(
      fc.property(arbitraries.valid('AgentRunContext'), (result) => {
        seen += 1;
        if (validators.check('AgentRunContext', result).length > 0) throw new Error(JSON.stringify(result));
        return JSON.stringify(result).length < 420;
      }),
      { seed: 5 },
    );
    expect(seen).toBeGreaterThan(20);
  });
});

it('the same seed makes the same values', () => {
  const twice = [1, 2].map(() =>
    JSON.stringify(fc.sample(arbitraries.valid('AgentRunContext'), { seed: 11, numRuns: 20 })),
  );
  expect(twice[0]).toBe(twice[1]);
});
