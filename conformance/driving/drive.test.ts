// The engine on a protocol of one rule: answer `echo` with what was said. Honest, broken, dying and silent targets.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RuncertError } from '../../common/error.ts';
import type { JsonObject } from '../../common/json.ts';
import { hold, judge, open } from '../judging/judge.ts';
import type { Fact, FactOf } from '../recording/fact.ts';
import type { Target } from '../targets/target.ts';
import { memoryLink } from '../wire/link.ts';
import { type Handler, Peer } from '../wire/peer.ts';
import { type Driven, drive } from './drive.ts';
import type { Suite } from './suite.ts';

interface Echo {
  readonly said: string;
  readonly n: number;
  readonly heard: string | undefined;
}

const words = (stimulus: unknown): readonly string[] => (stimulus as { words: string[] }).words;

const suite: Suite<readonly Echo[]> = {
  protocol: 'echo',
  revision: '1',
  party: 'runner',
  clauses: [
    {
      id: 'echo/1/same',
      section: '1',
      level: 'MUST',
      party: 'runner',
      area: 'echo',
      text: 'Echo what was said.',
      source: 'test',
    },
    {
      id: 'echo/1/never',
      section: '1',
      level: 'SHOULD',
      party: 'runner',
      area: 'echo',
      text: 'Needs what nobody declares.',
      source: 'test',
      requires: ['capability:x'],
    },
    {
      id: 'echo/1/loud',
      section: '1',
      level: 'SHOULD',
      party: 'runner',
      area: 'echo',
      text: 'Rests on the first.',
      source: 'test',
      after: ['echo/1/same'],
    },
  ],
  areas: [
    {
      id: 'echo',
      runs: 50,
      valid: (stimulus) => Array.isArray((stimulus as { words?: unknown }).words),
      stimulus: () => fc.record({ words: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }) }),
      async play(stimulus, { session, did }) {
        did('speak');
        for (const word of words(stimulus)) await session.peer.call('echo', { word }, { timeout: 1000 });
      },
    },
  ],
  judges: [
    judge('echo/1/same', function* (echoes) {
      for (const { said, heard, n } of echoes) {
        yield heard === undefined ? open(n, 'no answer') : hold(said === heard, n, { expected: said, found: heard });
      }
    }),
    judge('echo/1/loud', function* (echoes) {
      for (const { said, heard, n } of echoes)
        if (heard !== undefined) yield hold(said === heard, n, { expected: said, found: heard });
    }),
  ],
  assemble: (_head, facts) =>
    facts.filter(isSent).map((sent) => ({ said: wordOf(sent.frame), n: sent.n, heard: answerTo(sent, facts) })),
  reference: () => echoTarget((data) => ({ word: data['word'] })),
  mutants: [],
  variants: [],
};

const isSent = (fact: Fact): fact is FactOf<'sent'> => fact.fact === 'sent';
const wordOf = (frame: Record<string, unknown>): string => String((frame['data'] as JsonObject)['word']);
const answerTo = (sent: FactOf<'sent'>, facts: readonly Fact[]): string | undefined => {
  const answer = facts.find((fact) => fact.fact === 'received' && fact.frame['seq_id'] === sent.frame['seq_id']) as
    | FactOf<'received'>
    | undefined;
  return answer === undefined ? undefined : wordOf(answer.frame);
};

function echoTarget(handler: Handler, onOpen: () => void = () => {}): Target {
  return {
    kind: 'module',
    party: 'runner',
    time: 'virtual',
    async open({ clock, recorder }) {
      onOpen();
      const [near, far] = memoryLink();
      const server = new Peer(far, { clock }).handle('echo', (data, request) => {
        const answer = handler(data, request);
        if (data['word'] === 'die') void server.close();
        return answer;
      });
      const peer = new Peer(near, {
        clock,
        watch: { sent: (frame) => recorder().sent(frame), received: (frame) => recorder().received(frame) },
      });
      return {
        info: { kind: 'module', seat: 'module', name: 'echo', declared: {}, traits: [] },
        peer,
        reset: async () => false,
        close: () => peer.close(),
      };
    },
  };
}

/** A process that goes on from case to case, and echoes wrongly once it has heard something. */
function rememberingTarget(had: (heard: readonly string[]) => boolean): { target: Target; starts: () => number } {
  let heard: string[] = [];
  let started = 0;
  const echo = echoTarget(
    ({ word }) => {
      heard.push(String(word));
      return { word: had(heard) ? 'nothing' : word };
    },
    () => {
      heard = [];
      started++;
    },
  );
  const target: Target = {
    ...echo,
    time: 'real',
    startable: true,
    open: async (harness) => ({ ...(await echo.open(harness)), reset: async () => true }),
  };
  return { target, starts: () => started };
}

const run = (target: Target, more = {}): Promise<Driven> => drive(suite, target, { seed: 7, version: 'test', ...more });
const verdictOf = ({ outcome }: Driven, id: string): string | undefined =>
  outcome.clauses.find((clause) => clause.id === id)?.verdict;

describe('drive', () => {
  it('passes an honest target, with occasions', async () => {
    const driven = await run(suite.reference());
    expect(driven.outcome.verdict).toBe('conformant');
    expect(driven.outcome.clauses[0]!.occasions).toBeGreaterThan(50);
    expect(verdictOf(driven, 'echo/1/never')).toBe('not-applicable');
  });

  it('fails a broken one with the smallest case, and does not blame what rests on it', async () => {
    const driven = await run(echoTarget((data) => ({ word: String(data['word']).replace('a', 'b') })));
    expect(driven.outcome.verdict).toBe('not-conformant');
    expect(verdictOf(driven, 'echo/1/loud')).toBe('inconclusive');
    const example = driven.counterexamples.find(({ clause }) => clause === 'echo/1/same')!;
    expect(example.stimulus).toEqual({ words: ['a'] });
    expect(example.minimal).toBe(true);
    expect([example.expected, example.found]).toEqual(['a', 'b']);
  });

  it('saves a case that breaks a target just started, though it was broken for what came before', async () => {
    // One word since it was started, whenever that was, and it echoes no more; each word of the smallest case is needed by itself.
    const { target, starts } = rememberingTarget((heard) => heard.length > 1);
    const driven = await run(target);
    const { stimulus, minimal } = driven.counterexamples.find(({ clause }) => clause === 'echo/1/same')!;
    expect(words(stimulus)).toHaveLength(2);
    expect(minimal).toBe(true);
    expect(starts()).toBeGreaterThan(1);
    expect(driven.outcome.notes).toEqual([]);
  });

  it('says so where a saved case does not break a target just started', async () => {
    const driven = await run(rememberingTarget((heard) => heard.length > 20).target);
    expect(driven.outcome.verdict).toBe('not-conformant');
    expect(driven.outcome.notes).toMatchObject([
      { kind: 'remembered', text: expect.stringContaining('echo/1/same was not broken again') },
      { kind: 'remembered', text: expect.stringContaining('echo/1/loud') },
    ]);
  });

  it('calls a target that never answers inconclusive, never a pass, and minutes of waiting take no time', async () => {
    const driven = await run(echoTarget(() => new Promise(() => {})));
    expect(driven.outcome.verdict).toBe('inconclusive');
    expect(verdictOf(driven, 'echo/1/same')).toBe('inconclusive');
  });

  it('stops waiting for a target on real time once several cases in a row hung', async () => {
    const hanging: Target = { ...echoTarget(() => new Promise(() => {})), time: 'real' };
    const impatient: typeof suite = { ...suite, areas: suite.areas.map((area) => ({ ...area, timeOf: () => 5 })) };
    const spoken = { generated: 50, seed: 3, version: 'test', shrinkPlays: 0 };
    const { outcome } = await drive(impatient, hanging, spoken);
    expect(outcome.counts.stimuli).toBeLessThan(20);
    expect(outcome.verdict).toBe('inconclusive');
  });

  it('goes on with fewer workers where the target takes one connection at a time', async () => {
    const told: string[] = [];
    const echo = suite.reference();
    let taken = false;
    const target: Target = {
      ...echo,
      time: 'real',
      async open(harness) {
        if (taken) throw new RuncertError('RUNCERT_TARGET_CONNECT', 'one at a time');
        taken = true;
        return { ...(await echo.open(harness)), reset: async () => true };
      },
    };
    const options = { seed: 7, version: 'test', parallel: 2 };
    const { outcome } = await drive(suite, target, options, { tell: (text) => told.push(text) });
    expect(outcome).toEqual((await run(echo)).outcome);
    expect(told).toEqual([expect.stringContaining('one at a time')]);
  });

  it('says that a target which cannot be reached could not be reached', async () => {
    const driven = await run(
      echoTarget(
        () => ({}),
        () => {
          throw new RuncertError('RUNCERT_TARGET_NOT_STARTED', 'no such file');
        },
      ),
    );
    expect(driven.outcome.verdict).toBe('inconclusive');
    expect(driven.outcome.reason).toContain('no such file');
    expect(driven.outcome.clauses.every(({ verdict }) => verdict === 'inconclusive')).toBe(true);
  });

  it('gives the same outcome for the same seed, whatever the number of workers, and shards add up to it', async () => {
    const target = (): Target => echoTarget((data) => ({ word: String(data['word']).replace('e', 'f') }));
    const once = await run(target());
    expect((await run(target())).outcome).toEqual(once.outcome);
    expect((await run(target(), { parallel: 4 })).outcome).toEqual(once.outcome);
    const shards = await Promise.all([1, 2, 3].map((index) => run(target(), { shard: { index, of: 3 } })));
    const occasions = shards.reduce((sum, { outcome }) => sum + outcome.counts.occasions, 0);
    expect(occasions).toBe(once.outcome.counts.occasions);
  });

  it('stops when interrupted or out of time, and keeps what it has', async () => {
    const stop = new AbortController();
    let cases = 0;
    const driven = await drive(
      suite,
      suite.reference(),
      { seed: 1, version: 'test', signal: stop.signal },
      { case: () => void (++cases === 5 && stop.abort()) },
    );
    expect(driven.outcome.counts.stimuli).toBeLessThan(50);
    const late = await drive(suite, suite.reference(), { seed: 1, version: 'test', outOfTime: () => true });
    expect(late.outcome.verdict).toBe('inconclusive');
  });

  it('cuts the case under way when the time is over, and holds nothing against the target', async () => {
    const hanging: Target = { ...echoTarget(() => new Promise(() => {})), time: 'real' };
    const timeLimit = AbortSignal.timeout(200);
    const ends: unknown[] = [];
    const { outcome } = await drive(
      suite,
      hanging,
      { seed: 1, version: 'test', timeLimit, outOfTime: () => timeLimit.aborted },
      { case: (facts) => void ends.push(facts.at(-1)) },
    );
    expect(outcome.verdict).toBe('inconclusive');
    expect(ends.at(-1)).toMatchObject({ fact: 'end', how: 'interrupted' });
    expect(JSON.stringify(outcome.clauses)).toContain('the time limit of the run was reached');
  });
});
