// The laws of replay, over generated logs: whatever way a log is read, the read models are the same, and they never say more than it does.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../common/json.ts';
import { eventClasses } from './catalogue.ts';
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

  it('shows what stays as it was shown, whatever comes after', () => {
    fc.assert(
      fc.property(someLog, share, (events, where) => {
        const at = cut(events, where);
        const replay = new Replay({ recall: (place) => events[place] });
        for (const event of events.slice(0, at)) replay.take(event);
        const shown = replay.show();
        const then = JSON.stringify(shown);
        for (const event of events.slice(at)) replay.take(event);
        expect(JSON.stringify(shown)).toBe(then);
      }),
      { ...runs, numRuns: 200 },
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

describe('what was told comes back', () => {
  const count = (events: readonly JsonObject[], type: string): number =>
    events.filter((event) => event['type'] === type).length;
  const payloadOf = (event: JsonObject): JsonObject => event['payload'] as JsonObject;

  it('edges between tasks, from the log and from a snapshot anywhere in it', () => {
    let edges = 0;
    let removed = 0;
    fc.assert(
      fc.property(log, share, (events, where) => {
        const told = new Set<string>();
        const gone = new Set<string>();
        for (const event of events) {
          const { kind, target_id, op, parent_task_id, child_task_id } = payloadOf(event);
          const edge = (from: unknown, name: unknown, to: unknown): string => `${from} ${name} ${to}`;
          const task = event['task_id'];
          if (event['type'] === 'task.dependency.updated') {
            const one = edge(task, kind, target_id);
            const [to, from] = op === 'remove' ? [gone, told] : [told, gone];
            to.add(one);
            from.delete(one);
          }
          if (event['type'] === 'task.created' && parent_task_id !== undefined)
            told.add(edge(task, 'parent', parent_task_id));
          if (event['type'] === 'task.delegated' && child_task_id !== undefined)
            told.add(edge(task, 'child', child_task_id));
        }
        edges += told.size;
        removed += gone.size;
        const recall = (place: number): unknown => events[place];
        const first = new Replay({ recall });
        const at = cut(events, where);
        for (const event of events.slice(0, at)) first.take(event);
        const second = Replay.from(JSON.parse(JSON.stringify(first.snapshot())), { recall });
        for (const event of events.slice(at)) second.take(event);
        for (const replay of [replayAll(events), second]) {
          const graph = list(replay.show(), 'task_snapshot', 'task_graph').map(
            ({ task_id, kind, target_id }) => `${task_id} ${kind} ${target_id}`,
          );
          for (const edge of told) expect(graph).toContain(edge);
          for (const edge of gone) expect(graph).not.toContain(edge);
        }
      }),
      runs,
    );
    expect([edges > 10, removed > 0]).toEqual([true, true]);
  });

  it('the queue, whether it is told as lists or as changes', () => {
    let queues = 0;
    fc.assert(
      fc.property(ops, (some) => {
        const told = logOf(some);
        queues += count(told, 'queue.changed') > 1 ? 1 : 0;
        const lasts = new Map<unknown, unknown>();
        for (const event of told)
          if (event['type'] === 'queue.changed')
            lasts.set(
              event['thread_id'],
              (payloadOf(event)['queued_turns'] as JsonObject[]).map(({ turn_id }) => turn_id),
            );
        const queuesOf = (events: readonly JsonObject[]): Map<unknown, unknown> =>
          new Map(
            list(replayAll(events).show(), 'queue_snapshot', 'threads').map(({ thread_id, queued_turns }) => [
              thread_id,
              (queued_turns as Records).map(({ turn_id }) => turn_id),
            ]),
          );
        for (const style of [{}, { queue: 'operations' }, { casing: 'camel' }] as const) {
          const queue = queuesOf(logOf(some, { style }));
          for (const [thread, turnIds] of lasts) expect(queue.get(thread), JSON.stringify(style)).toEqual(turnIds);
        }
      }),
      runs,
    );
    expect(queues).toBeGreaterThan(5);
  });

  it('why a call or a command ran, was blocked or failed', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(log, (events) => {
        const shown = replayAll(events).show();
        const explained = list(shown, 'permission_sandbox_summary', 'explained');
        const ended = events.filter(({ type }) => type === 'tool.result' || type === 'tool.failed').slice(-20);
        for (const { type, tool_call_id } of ended) {
          const why = explained.find((one) => one['tool_call_id'] === tool_call_id && !('process_id' in one))!;
          expect(why['name']).not.toBe('unknown');
          expect(why['status']).toBe(type === 'tool.result' ? 'completed' : 'failed');
          if (type === 'tool.result') expect(why['permitted']).toBe('allowed');
          else expect(why['failed_because']).not.toBe('unknown');
          const decided = why['because'] !== 'unknown' || (why['hooks'] as Records).length > 0;
          expect(decided, JSON.stringify(why)).toBe(true);
          const kind = `${why['permitted']} ${why['status']}`;
          seen.set(kind, (seen.get(kind) ?? 0) + 1);
        }
        for (const one of explained.filter((record) => 'process_id' in record)) {
          expect(explained.some((call) => call['tool_call_id'] === one['tool_call_id'] && call !== one)).toBe(true);
          seen.set('process', (seen.get('process') ?? 0) + 1);
        }
      }),
      runs,
    );
    expect([...seen.keys()].sort()).toEqual(['allowed completed', 'allowed failed', 'blocked failed', 'process']);
  });

  it('why a model was chosen, what it cost, and which limit stood in the way', () => {
    let fallbacks = 0;
    let impossible = 0;
    fc.assert(
      fc.property(log, (events) => {
        const shown = replayAll(events).show();
        const routed = new Map(list(shown, 'routing_limit_summary', 'turns').map((one) => [one['turn_id'], one]));
        for (const event of events.filter(({ type }) => type === 'model.requested')) {
          const why = routed.get(event['turn_id'])!;
          const chosen = [
            why['selected_model'],
            ...(why['fallbacks'] as Records).flatMap(({ from, to }) => [from, to]),
          ];
          expect(chosen).toContain(payloadOf(event)['model']);
          expect(why['decision_reason']).not.toBe('unknown');
        }
        for (const event of events.filter(({ type }) => type === 'routing.fallback.applied')) {
          const { from_model, to_model, reason } = payloadOf(event);
          expect(routed.get(event['turn_id'])!['fallbacks']).toContainEqual({ from: from_model, to: to_model, reason });
          fallbacks++;
        }
        impossible += count(events, 'routing.not_possible');
        for (const { models: of } of shown) {
          const { cost } = of['routing_limit_summary'] as {
            cost: { actual: { unpriced_records: number; amount: unknown } };
          };
          if (cost.actual.unpriced_records > 0) expect(cost.actual.amount).toBe('unknown');
        }
        const limits = new Set(list(shown, 'routing_limit_summary', 'limit_events').map(({ type }) => type));
        for (const type of ['quota.low', 'quota.blocked', 'rate_limit.hit'])
          if (count(events, type) > 0) expect(limits).toContain(type);
      }),
      runs,
    );
    expect([fallbacks > 0, impossible > 0]).toEqual([true, true]);
  });

  it('exports, as the read models of the same moment have it', () => {
    let exports = 0;
    fc.assert(
      fc.property(log, (events) => {
        for (const [i, event] of events.entries()) {
          if (event['type'] !== 'evidence.changed') continue;
          exports++;
          const shown = replayAll(events.slice(0, i + 1)).show();
          const { evidence_id, tool_call_ids, failed_tool_call_ids, status } = payloadOf(event);
          expect(list(shown, 'evidence_summary', 'evidence').map((one) => one['evidence_id'])).toContain(evidence_id);
          const own = (one: JsonObject | Record<string, unknown>): boolean => one['turn_id'] === event['turn_id'];
          if (tool_call_ids !== undefined) {
            const called = events.slice(0, i).filter((one) => own(one) && one['type'] === 'tool.started');
            expect([...(tool_call_ids as string[])].sort()).toEqual(called.map((one) => one['tool_call_id']).sort());
            const failed = threads(shown)
              .flatMap((thread) => (thread['diagnostics'] as { failed_tool_calls: Records }).failed_tool_calls)
              .filter(own);
            expect([...(failed_tool_call_ids as string[])].sort()).toEqual(
              failed.map(({ tool_call_id }) => tool_call_id).sort(),
            );
          }
          if (status !== undefined) expect(turns(shown).find(own)?.['status']).toBe(status);
        }
      }),
      runs,
    );
    expect(exports).toBeGreaterThan(5);
  });
});

it('the generator reaches every class, and what the laws are about', () => {
  const logs = fc.sample(lives(), { seed: runs.seed, numRuns: 60 }).map((some) => logOf(some));
  const reached = new Map<string, number>();
  const note = (what: string): void => void reached.set(what, (reached.get(what) ?? 0) + 1);
  for (const events of logs) {
    for (const type of new Set(events.map((event) => String(event['type'])))) note(type);
    const shown = replayAll(events).show();
    if (tasks(shown).some(({ attempts }) => (attempts as Records).length > 1)) note('a task with two attempts');
    if (pending(shown).length > 0) note('an open request');
    if (list(shown, 'queue_snapshot', 'threads').some((one) => (one['queued_turns'] as Records).length > 0))
      note('a queue');
    if (list(shown, 'task_snapshot', 'task_graph').length > 2) note('a graph of tasks');
    if (shown.length > 1) note('two sessions');
  }
  expect(eventClasses.filter((type) => !reached.has(type))).toEqual([]);
  for (const what of ['a task with two attempts', 'an open request', 'a queue', 'a graph of tasks', 'two sessions'])
    expect(reached.get(what), what).toBeGreaterThan(5);
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

  /** What ends, by model and list, with what may open it again. */
  const ENDING = [
    { model: 'task_snapshot', list: 'tasks', id: 'task_id', reopened: ['task.retrying', 'task.archived'] },
    { model: 'permission_sandbox_summary', list: 'explained', id: 'tool_call_id', reopened: [] },
    { model: 'permission_sandbox_summary', list: 'explained', id: 'process_id', reopened: [] },
    { model: 'execution_environment_snapshot', list: 'recent_processes', id: 'process_id', reopened: [] },
    { model: 'subagent_job_summary', list: 'jobs', id: 'job_id', reopened: [] },
    {
      model: 'subagent_job_summary',
      list: 'subagents',
      id: 'subagent_id',
      reopened: ['subagent.closed', 'subagent.status'],
    },
  ] as const;
  const ENDS = ['completed', 'failed', 'cancelled', 'timed_out', 'terminated', 'closed', 'archived'];

  it('what has ended stays ended', () => {
    const ends = new Map<string, number>();
    fc.assert(
      fc.property(log, (events) => {
        const ended = new Map<string, unknown>();
        steps(events, (shown, { type, payload, ...event }) => {
          for (const { model, list: of, id, reopened } of ENDING) {
            for (const record of list(shown, model, of)) {
              if (record[id] === undefined || (id === 'tool_call_id' && 'process_id' in record)) continue;
              const key = `${model} ${id} ${record[id]}`;
              const { status } = record;
              if (ended.has(key) && ended.get(key) !== status) {
                const about = event[id] ?? (payload as JsonObject)[id];
                const may = (reopened as readonly unknown[]).includes(type) && about === record[id];
                expect(may, `${key}: ${ended.get(key)} became ${status} by ${type}`).toBe(true);
                ended.delete(key);
              }
              if (ended.has(key) || !ENDS.includes(String(status))) continue;
              ended.set(key, status);
              ends.set(`${model} ${id}`, (ends.get(`${model} ${id}`) ?? 0) + 1);
            }
          }
        });
      }),
      { ...runs, numRuns: 30 },
    );
    for (const { model, id } of ENDING) expect(ends.get(`${model} ${id}`), `${model} ${id}`).toBeGreaterThan(2);
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
