import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../common/json.ts';
import { VirtualClock } from '../driving/clock.ts';
import type { Generation } from './generation.ts';
import { bySchedule } from './interleaving.ts';
import { memoryLink } from './link.ts';
import { type Answer, Peer, type PeerOptions, Refusal } from './peer.ts';

interface Pair {
  readonly clock: VirtualClock;
  readonly near: Peer;
  readonly far: Peer;
  readonly faults: string[];
  readonly send: (frame: JsonObject) => Promise<void>;
  readonly interleave: (schedule: readonly number[]) => void;
}

function pair(options: Partial<PeerOptions> = {}): Pair {
  const clock = new VirtualClock();
  const faults: string[] = [];
  const [one, other] = memoryLink();
  const near = new Peer(one, { clock, watch: { fault: (code) => faults.push(code) }, ...options });
  const far = new Peer(other, { clock, firstSeq: 5000 });
  // Answered by hand, with `send`.
  for (const action of ['x', 'run']) far.handle(action, () => new Promise(() => {}));
  return {
    clock,
    near,
    far,
    faults,
    send: (frame) => far.send(frame),
    interleave: (schedule) =>
      one.interleave(bySchedule(schedule), ({ seq_id, code }) =>
        code === undefined ? `request ${seq_id}` : `answer ${seq_id}`,
      ),
  };
}

const all = async (stream: AsyncIterable<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for await (const answer of stream) answers.push(answer);
  return answers;
};

describe('calls', () => {
  test('many calls and streams at once, under any interleaving, each get their own answers in order', async () => {
    const work = fc.array(fc.record({ side: fc.boolean(), chunks: fc.nat({ max: 4 }), pause: fc.nat({ max: 3 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(work, fc.array(fc.nat({ max: 12 }), { maxLength: 40 }), async (tasks, schedule) => {
        const { clock, near, far, faults, interleave } = pair();
        interleave(schedule);
        for (const peer of [near, far]) {
          peer.handle('echo', async (data) => ({ ...data, echoed: true }));
          peer.handle('count', async function* (data) {
            for (let i = 0; i < Number(data['chunks']); i++) {
              await clock.sleep(Number(data['pause']));
              yield { ...data, i };
            }
          });
        }
        await clock.run(async () => {
          await Promise.all(
            tasks.map(async ({ side, ...data }, id) => {
              const peer = side ? near : far;
              const echoed = await peer.call('echo', { ...data, id });
              expect(echoed.data).toEqual({ ...data, id, echoed: true });
              const chunks = await all(peer.stream('count', { ...data, id }));
              expect(chunks.map((chunk) => chunk.data)).toEqual(
                Array.from({ length: data.chunks }, (_, i) => ({ ...data, id, i })),
              );
            }),
          );
        });
        expect(faults).toEqual([]);
        expect(near.quiet && far.quiet).toBe(true);
      }),
      { numRuns: 100, seed: 31 },
    );
  });

  test('the same schedule gives the same order of frames', async () => {
    const orderOf = async (schedule: readonly number[]): Promise<string> => {
      const order: string[] = [];
      const { clock, near, far, interleave } = pair();
      const tell = (name: string) => (): JsonObject => {
        order.push(name);
        return {};
      };
      near.handle('a', tell('a'));
      far.handle('b', tell('b'));
      interleave(schedule);
      await clock.run(() =>
        Promise.all([near.call('b', {}), far.call('a', {}), near.call('b', {}), far.call('a', {})]),
      );
      return order.join(' ');
    };
    expect(await orderOf([])).toBe('b a b a');
    expect(await orderOf([9])).toBe('b a a b');
    expect(await orderOf([9])).toBe(await orderOf([9]));
  });

  test('a lane keeps its order, others overtake it, and what has no lane keeps its place', async () => {
    const [one, other] = memoryLink();
    const came: unknown[] = [];
    other.open({ message: ({ name }) => came.push(name), close: () => {} });
    one.interleave(bySchedule([20, 0, 0, 0, 0]), ({ lane }) => lane as string | undefined);
    for (const [name, lane] of ['a1', 'b1', 'a2', '-', 'b2', 'b3'].map((name) => [name, name[0]] as const))
      one.send({ name, ...(lane === '-' ? {} : { lane: lane as string }) });
    await new Promise(setImmediate);
    expect(came).toEqual(['b1', 'a1', 'a2', '-', 'b2', 'b3']);
  });

  test('no answer, a closed link and a caller who gave up are told apart', async () => {
    const { clock, near, far } = pair();
    far.handle('never', () => new Promise(() => {}));
    const stop = new AbortController();
    const answers = await clock.run(async () => {
      const late = await near.call('never', {}, { timeout: 60_000 });
      const calls = [near.call('never', {}), near.call('never', {}, { signal: stop.signal })];
      void clock.sleep(10).then(() => stop.abort());
      void clock.sleep(20).then(() => near.close());
      return [late, ...(await Promise.all(calls)), await near.call('never', {})];
    });
    expect(answers.map(({ code, lost }) => [code, lost])).toEqual([
      [-1, 'timeout'],
      [-1, 'closed'],
      [-1, 'aborted'],
      [-1, 'closed'],
    ]);
  });

  test('a refusal carries data, an unknown action is answered, and a handler that throws does no harm', async () => {
    const { clock, near, far } = pair();
    far.handle('refuse', () => {
      throw new Refusal('no', { error: { code: 'not_found' } });
    });
    far.handle('break', async function* () {
      yield { i: 0 };
      throw new Error('broke');
    });
    await clock.run(async () => {
      expect(await near.call('refuse', {})).toEqual({ code: 1, message: 'no', data: { error: { code: 'not_found' } } });
      expect(await near.call('what', {})).toEqual({ code: 1, message: 'Action what not found', data: {} });
      expect((await all(near.stream('break', {}))).map(({ code, message }) => [code, message])).toEqual([
        [0, 'success'],
        [1, 'broke'],
      ]);
    });
  });
});

describe('streams', () => {
  test('the time limit is between two chunks, not over all', async () => {
    const { clock, near, far } = pair();
    far.handle('slow', async function* () {
      for (let i = 0; i < 5; i++) {
        await clock.sleep(900);
        yield { i };
      }
      await clock.sleep(1100);
    });
    const answers = await clock.run(() => all(near.stream('slow', {}, { timeout: 1000 })));
    expect(answers.map(({ lost }) => lost)).toEqual([undefined, undefined, undefined, undefined, undefined, 'timeout']);
  });

  test('a slow consumer does not use up the far side’s time', async () => {
    const { clock, near, far } = pair();
    far.handle('quick', async function* () {
      yield { i: 0 };
      yield { i: 1 };
    });
    await clock.run(async () => {
      const seen: Answer[] = [];
      for await (const answer of near.stream('quick', {}, { timeout: 1000 })) {
        seen.push(answer);
        await clock.sleep(5000);
      }
      expect(seen.map(({ code }) => code)).toEqual([0, 0]);
    });
  });

  test('the first error ends it, and a late end is no fault', async () => {
    const { clock, near, faults, send } = pair();
    await clock.run(async () => {
      const answers = all(near.stream('run', {}));
      await clock.sleep(1);
      await send({ seq_id: 1, code: 0, message: 'success', data: { i: 1 }, chunk_status: 'continue' });
      await send({ seq_id: 1, code: 1, message: 'bad', data: {}, chunk_status: 'continue' });
      await send({ seq_id: 1, code: 0, message: 'success', data: {}, chunk_status: 'end' });
      expect((await answers).map(({ code }) => code)).toEqual([0, 1]);
    });
    expect(faults).toEqual([]);
  });

  test('a consumer that leaves early leaves an unfinished request until the far side ends it', async () => {
    const { clock, near, send } = pair();
    await clock.run(async () => {
      void send({ seq_id: 1, code: 0, message: 'success', data: {}, chunk_status: 'continue' });
      for await (const _ of near.stream('run', {})) break;
      expect(near.quiet).toBe(false);
      await send({ seq_id: 1, code: 0, message: 'success', data: {}, chunk_status: 'end' });
      await clock.sleep(1);
      expect(near.quiet).toBe(true);
    });
  });
});

describe('rules and who broke them', () => {
  const success = { code: 0, message: 'success', chunk_status: 'continue', data: {} };
  test.each([
    ['an answer to a number never used', [{ seq_id: 99, ...success }], ['RUNCERT_FRAME_UNKNOWN_SEQ']],
    [
      'two answers to one call',
      [
        { seq_id: 1, ...success },
        { seq_id: 1, ...success },
      ],
      ['RUNCERT_FRAME_ANSWERED_TWICE'],
    ],
    [
      'an answer and then an end',
      [
        { seq_id: 1, ...success },
        { seq_id: 1, ...success, chunk_status: 'end' },
      ],
      [],
    ],
    ['a response without data', [{ seq_id: 1, code: 0, data: null }], ['RUNCERT_FRAME_SHAPE']],
    ['a code that is no number', [{ seq_id: 1, code: '0', data: {} }], ['RUNCERT_FRAME_SHAPE']],
    ['a seq_id that is no number', [{ seq_id: '1', ...success }], ['RUNCERT_FRAME_SHAPE']],
    ['neither request nor response', [{ hello: 1 }], ['RUNCERT_FRAME_SHAPE']],
    ['a request without data', [{ seq_id: 7, action: 'x' }], ['RUNCERT_FRAME_SHAPE']],
    ['an action that is no text', [{ seq_id: 7, action: 5, data: {} }], ['RUNCERT_FRAME_SHAPE']],
  ] as const)('%s', async (_name, frames, expected) => {
    const { clock, near, faults, send } = pair();
    await clock.run(async () => {
      const call = near.call('x', {}, { timeout: 50 });
      for (const frame of frames) await send(frame);
      await call;
      await clock.sleep(1);
    });
    expect(faults).toEqual(expected);
  });

  test('an A peer gets 128 answers at a time and is then told that we are busy', async () => {
    for (const [generation, busy] of [
      ['A', 2],
      ['J', 0],
    ] as [Generation, number][]) {
      const { clock, near, far } = pair({ generation });
      near.handle('wait', async () => {
        await clock.sleep(100);
        return {};
      });
      const answers = await clock.run(() => Promise.all(Array.from({ length: 130 }, () => far.call('wait', {}))));
      expect(
        answers.filter(({ message }) => message === 'Runtime connection is busy (max 128 concurrent actions)').length,
      ).toBe(busy);
    }
  });

  test('the generation is found out from register_plugin, and a frame with code and action is then read its way', async () => {
    for (const [extra, generation] of [
      [{ registration_capability: '' }, 'A'],
      [{}, 'J'],
    ] as const) {
      const { clock, near, far, send } = pair();
      const asked: string[] = [];
      near.handle('register_plugin', () => ({}));
      near.handle('both', () => {
        asked.push('both');
        return {};
      });
      await clock.run(async () => {
        await far.call('register_plugin', { ...extra });
        await send({ seq_id: 77, action: 'both', code: 0, data: {} });
        await clock.sleep(1);
      });
      expect(near.generation).toBe(generation);
      expect(asked.length).toBe(generation === 'A' ? 0 : 1);
    }
  });

  test('what we cannot send is our own fault', async () => {
    const by: (string | undefined)[] = [];
    const { clock, near } = pair({ watch: { fault: (_code, _message, who) => by.push(who) } });
    const round: Record<string, unknown> = {};
    round['round'] = round;
    await clock.run(() => near.send(round as JsonObject));
    expect(by).toEqual(['harness']);
  });
});
