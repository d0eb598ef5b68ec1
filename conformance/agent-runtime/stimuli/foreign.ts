// Logs as other runtimes may write them: any class with any facts about few things, so that events meet; facts in the payload, in a record
// in it or beside it, in either spelling; and delivered with gaps, repeats, conflicts and overtaking. A reader takes them all.
import fc from 'fast-check';
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import * as arbitraries from '../../../schemas/agent-runtime/0.3.9/arbitraries.ts';
import { catalogue, eventClasses } from '../catalogue.ts';
import { readModels } from '../models/all.ts';
import { camelled } from '../reference/spelling.ts';

/** Words that mean something to a reader; any other text is as good as none of them. */
const WORDS: Readonly<Record<string, readonly JsonValue[]>> = {
  action_type: ['structured_input', 'tool_permission', 'approval'],
  amount: [1, 2.5],
  candidate_count: [0, 1, 2],
  currency: ['EUR', 'USD'],
  decision: ['allow', 'deny', 'ask', 'block', 'approve', 'unknown', 'unavailable', 'sandboxed', 'continue'],
  decision_source: ['rule', 'mode', 'hook', 'classifier', 'human', 'host_policy'],
  delivery_state: ['pending', 'queued', 'failed', 'delivered'],
  failure_category: ['interrupted', 'model_error', 'timed_out'],
  hook_point: ['stop', 'pre_tool_use'],
  input_tokens: [1, 10],
  kind: ['parent', 'child', 'blocks', 'blocked_by', 'source_task', 'replay'],
  limit_key: ['tokens', 'requests'],
  op: ['add', 'remove', 'promote', 'reorder', 'policy'],
  order: [0, 1, 2],
  output_tokens: [1, 10],
  percent: [0, 50, 100],
  policy: ['allowed', 'denied', 'ask', 'fifo'],
  position: [0, 1, 2],
  routing_mode: ['single', 'auto', 'no_candidate'],
  status: ['queued', 'running', 'waiting_input', 'waiting_permission', 'blocked', 'cancelled', 'removed', 'completed'],
  version_id: ['v1', 'v2'],
  waiting_for: ['input', 'permission', 'dependency', 'worker'],
};

/** Where the published schemas also let the facts of a class stand: in a record of their own. */
const RECORDS: readonly (readonly [beginning: string, record: string])[] = [
  ['task.attempt', 'task_attempt'],
  ['task.dependency', 'task_relationship'],
  ['task.profile', 'task_profile'],
  ['hook', 'hook_run'],
  ['permission', 'permission_decision'],
  ['sandbox.applied', 'sandbox_profile'],
  ['routing.candidates', 'candidate_model_set'],
  ['routing', 'routing_decision'],
  ['cost', 'cost_state'],
  ['limit', 'limit_state'],
  ['quota', 'limit_state'],
  ['rate_limit', 'limit_state'],
  ['channel', 'channel'],
  ['job.item', 'job_item'],
  ['job', 'job'],
];
const recordOf = (type: string): string | undefined => RECORDS.find(([beginning]) => type.startsWith(beginning))?.[1];

/** Few things of each kind: an id says what it names. */
const some = (kind: string): fc.Arbitrary<string> =>
  fc.integer({ min: 1, max: kind === 'thread' ? 2 : 3 }).map((n) => `${kind}${n}`);
/** Left out once in so many times. */
const often = (kind: string, absent = 6): fc.Arbitrary<string | undefined> =>
  fc.option(some(kind), { freq: absent, nil: undefined });

const ids = {
  thread_id: often('thread'),
  turn_id: often('turn'),
  task_id: often('task'),
  run_id: often('run', 3),
  attempt_id: often('attempt', 2),
  step_id: often('step', 2),
  tool_call_id: often('call'),
  action_id: often('action', 3),
  trace_id: often('trace', 2),
};

/** What a class is about beside turns and tasks. */
const subjects = {
  subagent_id: often('subagent'),
  job_id: often('job'),
  job_item_id: often('item'),
  process_id: often('process', 2),
  channel_id: often('channel'),
  artifact_id: often('artifact'),
  evidence_id: often('evidence'),
  child_task_id: often('task', 2),
  target_id: often('task'),
  queued_turn_id: often('turn'),
  parent_task_id: often('task', 2),
};
const NAMED = new Set([...Object.keys(ids), ...Object.keys(subjects)]);

type Place = 'payload' | 'inside' | 'beside';

const payloadOf = (type: string): fc.Arbitrary<JsonObject> =>
  arbitraries
    .valid(catalogue.get(type)!.payload as never, { extras: false, maxItems: 2, maxDepth: 1 })
    .map((payload: unknown) => (isObject(payload) ? payload : {}));

function event(type: string): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      envelope: fc.record(ids),
      about: fc.record(subjects),
      // Two together leave out less than one alone.
      payload: fc.tuple(payloadOf(type), payloadOf(type)).map(([one, other]) => ({ ...one, ...other })),
      words: fc.record(
        Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, fc.constantFrom(...words)])),
      ),
      queue: fc.array(queueEntry, { maxLength: 3 }),
      dice: fc.array(fc.nat({ max: 99 }), { minLength: 12, maxLength: 12 }),
      place: fc.constantFrom<Place>('payload', 'payload', 'payload', 'inside', 'beside'),
      minute: fc.integer({ min: 0, max: 59 }),
    })
    .map(({ envelope, about, payload, words, queue, dice, place, minute }) => {
      const facts = meaningful(payload, words as JsonObject, queue, dice);
      const record = recordOf(type);
      // What it is about stands beside the record: a record without it would be about nothing.
      const named = pickAbout(type, about);
      const held = place === 'payload' || record === undefined ? { ...named, ...facts } : { ...named, [record]: facts };
      return without({
        type,
        timestamp: `2026-05-08T00:${String(minute).padStart(2, '0')}:00Z`,
        session_id: 's1',
        ...envelope,
        ...(place === 'beside' && record !== undefined ? { ...held, payload: named } : { payload: held }),
      });
    });
}

/** Texts and numbers that mean something, where the class has a place for them; some facts are left out, and few are of the wrong kind. */
function meaningful(
  payload: JsonObject,
  words: JsonObject,
  queue: readonly JsonValue[],
  dice: readonly number[],
): JsonObject {
  const facts: Record<string, JsonValue> = {};
  for (const [i, [name, value]] of Object.entries(payload).entries()) {
    const die = dice[i % dice.length]!;
    if (NAMED.has(name) || value === undefined || die < 30 || (name === 'queued_turns' && die < 60)) continue;
    if (die < 36) facts[name] = ODD[die - 30]!;
    else if (name === 'queued_turns') facts[name] = queue;
    else if (/turn_ids$/.test(name)) facts[name] = ['turn1'];
    else facts[name] = words[name] ?? value;
  }
  return facts;
}

/** Values of a kind that no field of the payload has. */
const ODD: readonly JsonValue[] = [null, 7, 'odd', true, { odd: 1 }, ['odd', 7]];

const queueEntry: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 1, arbitrary: some('turn') },
  { weight: 1, arbitrary: fc.constantFrom<JsonValue>(7, {}) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        turn_id: often('turn', 3),
        queued_turn_id: often('turn', 2),
        order: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
        source: fc.option(fc.constantFrom<JsonValue>('user', 'api', 7), { freq: 2, nil: undefined }),
        policy: fc.option(fc.constantFrom<JsonValue>('fifo', 'next'), { freq: 2, nil: undefined }),
        status: fc.option(fc.constantFrom<JsonValue>('queued', 'held', 7), { freq: 2, nil: undefined }),
      })
      .map((entry) => without(entry)),
  },
);

/** Only what the family of the class speaks of; an edge needs both ends. */
function pickAbout(type: string, about: Record<string, string | undefined>): JsonObject {
  const wanted: Readonly<Record<string, readonly string[]>> = {
    subagent: ['subagent_id'],
    job: ['job_id', 'job_item_id'],
    process: ['process_id'],
    channel: ['channel_id'],
    permission: ['process_id'],
    hook: ['process_id'],
    sandbox: ['process_id'],
    artifact: ['artifact_id'],
    evidence: ['evidence_id'],
    queue: ['queued_turn_id'],
    orchestration: ['child_task_id', 'target_id', 'subagent_id', 'job_id'],
    task: ['parent_task_id'],
  };
  const names = wanted[catalogue.get(type)!.family] ?? [];
  return Object.fromEntries(names.flatMap((name) => (about[name] === undefined ? [] : [[name, about[name]]])));
}

const without = (object: Record<string, unknown>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject;

/** What may happen to a log on its way to a reader. */
type Mishap = { readonly at: number; readonly how: 'lose' | 'repeat' | 'overtake' | 'other' };

const mishap: fc.Arbitrary<Mishap> = fc.record({
  at: fc.nat({ max: 30 }),
  how: fc.constantFrom('lose', 'repeat', 'overtake', 'other'),
});

function delivered(events: readonly JsonObject[], mishaps: readonly Mishap[]): JsonObject[] {
  const log = [...events];
  for (const { at, how } of mishaps) {
    const one = log[at];
    if (one === undefined) continue;
    if (how === 'lose') log.splice(at, 1);
    else if (how === 'repeat') log.splice(at + 2, 0, one);
    else if (how === 'other') log.splice(at + 1, 0, { ...one, payload: { reason: 'other' } });
    else if (at > 0) log.splice(at - 1, 2, one, log[at - 1]!);
  }
  return log;
}

/** A log that is mostly about what one read model folds. */
const logAbout = (classes: readonly string[]): fc.Arbitrary<JsonObject[]> =>
  fc
    .record({
      events: fc.array(
        fc
          .oneof(
            { weight: 12, arbitrary: fc.constantFrom(...classes) },
            { weight: 1, arbitrary: fc.constantFrom(...eventClasses) },
          )
          .chain(event),
        { minLength: 8, maxLength: 32, size: 'max' },
      ),
      numbered: fc.constantFrom(true, true, true, false),
      camel: fc.constantFrom(false, false, true),
      mishaps: fc.oneof(fc.constant([]), fc.array(mishap, { maxLength: 3 })),
    })
    .map(({ events, numbered, camel, mishaps }) =>
      delivered(
        events
          .map((one, i) => ({ ...one, event_id: `evt_${i + 1}`, ...(numbered ? { sequence: i + 1 } : {}) }))
          .map((one) => (camel ? camelled(one) : one)),
        mishaps,
      ),
    );

export const foreignLogs: ReadonlyMap<string, fc.Arbitrary<JsonObject[]>> = new Map(
  readModels.map(({ name, steps }) => [name, logAbout([...steps.keys()])]),
);
export const foreignLog: fc.Arbitrary<JsonObject[]> = fc.oneof(...foreignLogs.values());
