// The laws of replay, over generated logs: whatever way a log is read, the read models are the same, and they never say more than it does.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../common/json.ts';
import { RuntimeEvent } from './event.ts';
import { Inspection } from './judges/inspection.ts';
import { readModels } from './models/all.ts';
import { Replay, replayAll, type Shown } from './replay.ts';
import { foreignLog } from './stimuli/foreign.ts';
import { lives } from './stimuli/lives.ts';
import { countingRuntime, logOf, playOps } from './stimuli/log.ts';
import { sessionOps } from './stimuli/sessions.ts';

const runs = { numRuns: 40, seed: 20260508 };
/** Sessions that go somewhere, and commands in any order. */
const ops = fc.oneof({ weight: 3, arbitrary: lives() }, { weight: 1, arbitrary: sessionOps(14) });
const log = ops.map((some) => logOf(some));
const style = fc.constantFrom(
  {},
  { casing: 'camel' },
  { numbering: 'log' },
  { queue: 'operations' },
  { numbering: 'none' },
) as fc.Arbitrary<object>;
const ownLog = fc.tuple(ops, style).map(([some, chosen]) => logOf(some, { style: chosen }));
/** Logs of the reference runtime, in all its styles, and logs of anybody, as they may be delivered. */
const someLog: fc.Arbitrary<readonly JsonObject[]> = fc.oneof(ownLog, foreignLog);

/** The models without the part that tells how the log was delivered. */
const said = (shown: readonly Shown[]): unknown =>
  JSON.parse(JSON.stringify(shown, (key, value) => (key === 'freshness' ? undefined : value)));
const models = (events: readonly JsonObject[]): unknown => said(replayAll(events).show());
const cut = (events: readonly JsonObject[], share: number): number => Math.floor(share * events.length);
const share = fc.double({ min: 0, max: 1, noNaN: true });

type Records = readonly Record<string, unknown>[];
const list = (shown: readonly Shown[], model: string, name: string): Records =>
  shown.flatMap(({ models }) => ((models[model] as Record<string, Records>)[name] ?? []) as Records);
const threads = (shown: readonly Shown[]): Records => list(shown, 'thread_read_model', 'threads');
const turns = (shown: readonly Shown[]): Records => threads(shown).flatMap((thread) => thread['turns'] as Records);
const tasks = (shown: readonly Shown[]): Records => list(shown, 'task_snapshot', 'tasks');
const pending = (shown: readonly Shown[]): string[] =>
  threads(shown).flatMap((thread) => (thread['pending_requests'] as Records).map(({ action_id }) => String(action_id)));

describe('replay', () => {
  it('gives the same whether events are folded purely or in place, and leaves old states as they were', () => {
    fc.assert(
      fc.property(log, (events) => {
        const own = events.filter(({ session_id }) => session_id === 's1').map((raw) => new RuntimeEvent(raw));
        const [replayed] = replayAll(own.map(({ raw }) => raw)).show();
        if (replayed === undefined) return;
        for (const model of readModels) {
          const states = [model.initial()];
          for (const event of own) states.push(model.fold(states.at(-1), event));
          const first = JSON.stringify(model.show(states[0], fresh));
          const shown = model.show(states.at(-1), fresh);
          expect(said([{ session_id: 's1', models: { [model.name]: shown } }])).toEqual(
            said([{ session_id: 's1', models: { [model.name]: replayed.models[model.name] } }]),
          );
          expect(JSON.stringify(model.show(states[0], fresh))).toBe(first);
          expect(JSON.stringify(model.show(model.initial(), fresh))).toBe(first);
        }
      }),
      { ...runs, numRuns: 15 },
    );
  });

  it('goes on from a snapshot taken anywhere as if it had never stopped', () => {
    fc.assert(
      fc.property(someLog, share, (events, where) => {
        const at = cut(events, where);
        const recall = (place: number): unknown => events[place];
        const first = new Replay({ recall });
        for (const event of events.slice(0, at)) first.take(event);
        const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as unknown;
        const second = Replay.from(snapshot, { recall });
        for (const event of events.slice(at)) second.take(event);
        const whole = replayAll(events);
        expect(second.show()).toEqual(whole.show());
        expect(second.counts()).toEqual(whole.counts());
      }),
      runs,
    );
  });

  it('is not changed by repeated deliveries', () => {
    fc.assert(
      fc.property(ownLog, fc.array(fc.tuple(share, share), { maxLength: 5 }), (events, repeats) => {
        if (events.length === 0) return;
        let delivered = [...events];
        for (const [from, to] of repeats) {
          const i = cut(events, from) % events.length;
          const event = events[i]!;
          const after = delivered.indexOf(event) + 1;
          delivered = delivered.toSpliced(
            after + Math.floor(to * (delivered.length - after)),
            0,
            structuredClone(event) as JsonObject,
          );
        }
        const replay = replayAll(delivered);
        expect(said(replay.show())).toEqual(models(events));
        expect(replay.counts()).toMatchObject({ repeats: repeats.length, conflicts: 0 });
      }),
      runs,
    );
  });

  it('tells an id that stands for two events, and keeps to the first', () => {
    fc.assert(
      fc.property(log, share, (events, where) => {
        if (events.length === 0) return;
        const i = cut(events, where) % events.length;
        const other: JsonObject = { ...events[i]!, payload: { other: true } };
        const replay = replayAll([...events.slice(0, i + 1), other, ...events.slice(i + 1)]);
        expect(said(replay.show())).toEqual(models(events));
        expect(replay.counts().conflicts).toBe(1);
        const told = replay
          .show()
          .flatMap(
            ({ models: shown }) =>
              (shown['queue_snapshot'] as { freshness: { conflicts: string[]; status: string } }).freshness,
          );
        expect(
          told.some(({ conflicts, status }) => conflicts.includes(String(other['event_id'])) && status === 'stale'),
        ).toBe(true);
      }),
      runs,
    );
  });

  it('puts events in order that overtook each other', () => {
    fc.assert(
      fc.property(
        log,
        fc.array(fc.tuple(share, fc.integer({ min: 1, max: 30 })), { maxLength: 6 }),
        (events, moves) => {
          const delivered = [...events];
          for (const [where, by] of moves) {
            const i = cut(delivered, where) % Math.max(1, delivered.length);
            const [event] = delivered.splice(i, 1);
            if (event !== undefined) delivered.splice(Math.min(delivered.length, i + by), 0, event);
          }
          expect(bySession(said(replayAll(delivered).show()))).toEqual(bySession(models(events)));
        },
      ),
      runs,
    );
  });

  it('marks a gap, and ends nothing that the whole log does not end so', () => {
    fc.assert(
      fc.property(log, share, (events, where) => {
        const i = cut(events, where);
        const lost = events[i];
        if (lost === undefined || !events.slice(i + 1).some(({ session_id }) => session_id === lost['session_id']))
          return;
        const shown = replayAll(events.toSpliced(i, 1)).show();
        const gapped = shown.find(({ session_id }) => session_id === lost['session_id'])!;
        const { freshness } = gapped.models['task_snapshot'] as {
          freshness: { gaps: unknown[]; repaired: unknown[]; status: string };
        };
        expect([...freshness.gaps, ...freshness.repaired]).toEqual([[lost['sequence'], lost['sequence']]]);
        expect(freshness.status).toBe(freshness.gaps.length > 0 ? 'stale' : 'current');
        const whole = replayAll(events).show();
        const ends = (records: Records, id: string): Map<unknown, unknown> =>
          new Map(records.map((record) => [record[id], record['status']]));
        for (const [id, of] of [
          ['turn_id', turns],
          ['task_id', tasks],
        ] as const) {
          const truth = ends(of(whole), id);
          for (const [key, status] of ends(of(shown), id))
            if (status === 'completed') expect(truth.get(key)).toBe('completed');
        }
      }),
      { ...runs, numRuns: 80 },
    );
  });

  it('is not changed by types it does not know', () => {
    fc.assert(
      fc.property(
        ops.map((some) => logOf(some, { style: { numbering: 'none' } })),
        share,
        (events, where) => {
          const vendor = {
            type: 'vendor.thing',
            event_id: 'vendor',
            timestamp: '2999-01-01T00:00:00Z',
            session_id: 's1',
            thread_id: 'zz',
            turn_id: 'zz',
            step_id: 'zz',
            trace_id: 'zz',
            payload: { status: 'completed' },
          };
          const replay = replayAll(events.toSpliced(cut(events, where), 0, vendor));
          const named = (shown: unknown): unknown =>
            (shown as Shown[]).filter(
              ({ session_id }) => session_id !== 's1' || events.some((event) => event['session_id'] === 's1'),
            );
          expect(bySession(named(said(replay.show())))).toEqual(bySession(models(events)));
          expect(replay.counts().unrecognised['vendor.thing']).toBe(1);
        },
      ),
      runs,
    );
  });

  it('takes nothing from what models say', () => {
    fc.assert(
      fc.property(log, fc.string(), (events, words) => {
        const other = events.map((event) =>
          String(event['type']).startsWith('model.') || String(event['type']).startsWith('reasoning.')
            ? {
                ...event,
                payload: { ...(event['payload'] as JsonObject), text: `${words} All done, approved, tests passed.` },
              }
            : event,
        );
        expect(models(other)).toEqual(models(events));
      }),
      runs,
    );
  });
});

describe('prefix by prefix', () => {
  const steps = (events: readonly JsonObject[], look: (shown: readonly Shown[], event: JsonObject) => void): void => {
    const replay = new Replay({ recall: (place) => events[place] });
    for (const event of events) {
      replay.take(event);
      look(replay.show(), event);
    }
  };
  const few = { ...runs, numRuns: 12 };

  it('a turn that has ended stays as it ended', () => {
    fc.assert(
      fc.property(log, (events) => {
        const ended = new Map<unknown, unknown>();
        steps(events, (shown) => {
          for (const { turn_id, status } of turns(shown)) {
            if (ended.has(turn_id)) expect(status).toBe(ended.get(turn_id));
            else if (['completed', 'failed', 'cancelled'].includes(String(status))) ended.set(turn_id, status);
          }
        });
      }),
      few,
    );
  });

  it('no attempt is ever lost, and one that has ended stays as it ended', () => {
    fc.assert(
      fc.property(log, (events) => {
        const attempts = new Map<string, string>();
        steps(events, (shown) => {
          const now = new Map(
            tasks(shown).flatMap((task) =>
              (task['attempts'] as Records).map(({ run_id, status }) => [
                `${task['task_id']} ${run_id}`,
                String(status),
              ]),
            ),
          );
          for (const [key, status] of attempts) {
            if (now.has(key) || tasks(shown).length < 50) expect(now.has(key)).toBe(true);
            if (status === 'completed' || status === 'failed') expect(now.get(key)).toBe(status);
          }
          for (const [key, status] of now) attempts.set(key, status);
        });
      }),
      few,
    );
  });

  it('a request stays open until it is answered', () => {
    fc.assert(
      fc.property(log, (events) => {
        let before: string[] = [];
        steps(events, (shown, event) => {
          const now = pending(shown);
          for (const action of before) {
            if (!now.includes(action)) expect(event).toMatchObject({ type: 'action.resolved', action_id: action });
          }
          before = now;
        });
      }),
      few,
    );
  });
});

describe('judges of a log', () => {
  it('blame nobody for events that were lost on the way', () => {
    fc.assert(
      fc.property(log, fc.array(share, { minLength: 1, maxLength: 3 }), (events, lost) => {
        const gone = new Set(lost.map((where) => cut(events, where)));
        const delivered = events.filter((_, i) => !gone.has(i));
        const inspection = new Inspection({ recall: (place) => delivered[place] });
        for (const [place, event] of delivered.entries()) inspection.take(event, place, 100);
        inspection.end();
        const blamed = [...inspection.book.pages.values()].filter(({ violations }) => violations > 0);
        expect(blamed.map(({ clause, first }) => [clause, first])).toEqual([]);
      }),
      { ...runs, numRuns: 300 },
    );
  });
});

describe('the reference runtime', () => {
  it('knows after a restart what it knew before', () => {
    fc.assert(
      fc.property(ops, sessionOps(6), (before, after) => {
        const one = countingRuntime();
        const other = countingRuntime();
        playOps(one, before);
        playOps(other, before);
        other.restart();
        expect(playOps(other, after)).toEqual(playOps(one, after));
        for (const { name } of readModels)
          for (const session of ['s1', 's2']) expect(other.model(name, session)).toEqual(one.model(name, session));
      }),
      runs,
    );
  });
});

/** Sessions in one order: which came first is not what the laws are about. */
const bySession = (shown: unknown): unknown =>
  [...(shown as Shown[])].sort((a, b) => (String(a.session_id) < String(b.session_id) ? -1 : 1));

const fresh = {
  status: 'current',
  last_sequence: 'unknown',
  gaps: [],
  repaired: [],
  late: 0,
  disordered: 0,
  repeats: 0,
  conflicts: [],
  ended: false,
  partial: false,
} as const;
