// Whole sessions that go somewhere: threads of a story (a task that fails and is retried, a queue that is reordered, a subagent that is
// asked and closed) whose steps follow each other, told through one another. At any length: more threads, longer logs.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../common/json.ts';
import { type Play, playScript } from '../reference/play.ts';
import type { Op } from './op.ts';

/** The names that one thread of the story uses, so that threads do not take each other's things. */
interface Names {
  readonly session_id: string;
  readonly thread_id: string;
  readonly turn: (n: number) => string;
  readonly task: (n: number) => string;
  readonly subagent: string;
}

const op = (command: string, input: JsonObject): Op => ({ command, input });
const maybe = (arbitrary: fc.Arbitrary<readonly Op[]>): fc.Arbitrary<readonly Op[]> =>
  fc.oneof(fc.constant([]), arbitrary);
const pick = (...choices: readonly (readonly Op[])[]): fc.Arbitrary<readonly Op[]> => fc.constantFrom(...choices);
const inOrder = (...parts: readonly fc.Arbitrary<readonly Op[]>[]): fc.Arbitrary<readonly Op[]> =>
  fc.tuple(...parts).map((all) => all.flat());

const submit = ({ session_id, thread_id, turn }: Names, n: number, plays: readonly Play[]): Op =>
  op('submit_turn', { session_id, thread_id, turn_id: turn(n), input: plays as unknown as JsonValue });
const answer = [op('respond_action', { action_id: '$action', decision: 'allow' })];
const refuse = [op('respond_action', { action_id: '$action', decision: 'deny' })];
const restart: readonly Op[] = [{ restart: true }];
const say: Play = { do: 'model', chunks: ['Well', ', well.'], candidates: 2, priced: true };

const turns = (names: Names): fc.Arbitrary<readonly Op[]> =>
  inOrder(
    playScript.map((plays) => [submit(names, 1, plays)]),
    maybe(pick(answer, refuse)),
    maybe(playScript.map((plays) => [submit(names, 2, plays)])),
  );

const queue = (names: Names): fc.Arbitrary<readonly Op[]> =>
  inOrder(
    pick([submit(names, 1, [{ do: 'ask' }]), submit(names, 2, [say]), submit(names, 3, [say])]),
    maybe(pick([op('promote_queued_turn', { queued_turn_id: names.turn(3) })])),
    maybe(pick(restart)),
    maybe(pick([op('remove_queued_turn', { queued_turn_id: names.turn(2) })])),
    pick(
      answer,
      refuse,
      [],
      [op('interrupt_turn', { session_id: names.session_id, thread_id: names.thread_id, reason: 'enough' })],
    ),
  );

const task = ({ session_id, task: id }: Names): fc.Arbitrary<readonly Op[]> => {
  const task_id = id(1);
  const why = { task_id, reason: 'because' };
  const fails = [op('fail_task', why), op('retry_task', why)];
  return inOrder(
    pick([op('create_task', { task_id, session_id, objective: 'do it' }), op('start_task', { task_id })]),
    maybe(
      pick([op('append_task_progress', { task_id, percent: 40 }), op('update_task', { task_id, title: 'renamed' })]),
    ),
    maybe(pick([op('pause_task', why), op('resume_task', why)], [op('pause_task', why)])),
    maybe(pick(fails, [...fails, ...fails], restart)),
    pick([op('complete_task', { task_id })], [op('fail_task', why)], [op('cancel_task', why)], []),
  );
};

const family = ({ session_id, task: id }: Names): fc.Arbitrary<readonly Op[]> => {
  const [parent, child, other] = [id(1), id(2), id(3)];
  const edge = (kind: string): JsonObject => ({ task_id: child, kind, target_id: other });
  const make = (task_id: string, more: JsonObject = {}): Op =>
    op('create_task', { task_id, session_id, objective: 'help', ...more });
  return inOrder(
    pick([make(parent), make(child, { parent_task_id: parent }), make(other), op('start_task', { task_id: child })]),
    pick(
      [op('link_tasks', edge('blocks'))],
      [op('link_tasks', edge('blocked_by')), op('link_tasks', edge('source_task'))],
    ),
    pick([op('unlink_tasks', edge('blocks'))], [op('unlink_tasks', edge('blocked_by'))], restart, []),
    maybe(pick([op('cancel_task', { task_id: parent, reason: 'because' })], [op('complete_task', { task_id: child })])),
  );
};

const subagent = (names: Names): fc.Arbitrary<readonly Op[]> => {
  const { session_id, thread_id, turn, subagent: subagent_id } = names;
  return inOrder(
    pick([
      submit(names, 1, [{ do: 'ask' }]),
      op('spawn_subagent', { session_id, thread_id, turn_id: turn(1), subagent_id }),
      op('send_subagent_input', { subagent_id, input: 'more' }),
    ]),
    maybe(pick([op('resume_subagent', { subagent_id })], restart)),
    maybe(pick([op('close_subagent', { subagent_id, reason: 'over' })])),
    maybe(pick(answer)),
  );
};

/** What runs beside a turn: jobs, processes, channels. */
const beside = (names: Names): fc.Arbitrary<readonly Op[]> =>
  fc.oneof(
    inOrder(
      fc
        .record({ retried: fc.boolean(), ends: fc.boolean() })
        .map((how) => [submit(names, 1, [{ do: 'job', items: 2, ...how }])]),
      maybe(pick([op('cancel_job', { job_id: '$job', reason: 'enough' })])),
    ),
    inOrder(
      pick([
        submit(names, 1, [{ do: 'tool', decision: 'sandboxed', outcome: 'ok', process: 'stays', rewritten: true }]),
        op('write_process_stdin', { process_id: '$process', input: 'y\n' }),
      ]),
      maybe(pick(restart, [op('terminate_process', { process_id: '$process', reason: 'enough' })])),
    ),
    inOrder(
      pick([submit(names, 1, [{ do: 'channel' }]), op('ack_events', { channel_id: '$channel', cursor: 1 })]),
      fc.constantFrom(1, 999_999).map((cursor) => [op('reconnect_channel', { channel_id: '$channel', cursor })]),
    ),
  );

/** Turns in which one rare thing happens. */
const RARE: readonly (readonly Play[])[] = [
  [{ do: 'quota' }],
  [{ do: 'no_candidate' }],
  [{ do: 'compact' }],
  [{ do: 'policy' }],
  [{ do: 'mishap' }],
  [{ do: 'spill' }],
  [{ do: 'warn' }],
  [{ do: 'rollback' }],
  [{ do: 'fail' }],
  [{ do: 'vendor' }],
  [{ do: 'stop_hook', blocks: true }],
  [{ do: 'artifact', artifact: 1 }],
  [{ do: 'task', how: 'retried' }],
  [{ do: 'task', how: 'lost' }],
  [{ do: 'task', how: 'timed_out' }],
  [{ do: 'task', how: 'blocked' }],
  [{ do: 'task', how: 'asks' }],
  [{ do: 'tool', decision: 'rule_deny_hook_allow', outcome: 'ok' }],
  [{ do: 'tool', decision: 'sandboxed', outcome: 'violates', process: 'ends' }],
  [{ do: 'model', chunks: ['x'], candidates: 2, fallback: true }],
  // A question that stays open while its turn goes on, or while somebody exports it.
  [{ do: 'task', how: 'asks' }, { do: 'compact' }],
  [{ do: 'ask' }],
];

const rare = (names: Names): fc.Arbitrary<readonly Op[]> =>
  inOrder(
    fc.constantFrom(...RARE).map((plays) => [submit(names, 1, [say, ...plays, say])]),
    maybe(pick(answer)),
    maybe(
      pick(
        [op('export_evidence', { session_id: names.session_id, thread_id: names.thread_id, turn_id: names.turn(1) })],
        [op('export_replay', { session_id: names.session_id })],
        [op('resume_thread', { session_id: names.session_id, thread_id: names.thread_id })],
      ),
    ),
  );

const STORIES = [turns, queue, task, family, subagent, beside, rare, rare] as const;

function namesOf(n: number): Names {
  const session_id = n % 3 === 2 ? 's2' : 's1';
  return {
    session_id,
    thread_id: `${session_id}_${n % 2 === 0 ? 'a' : 'b'}`,
    turn: (k) => `t${n}_${k}`,
    task: (k) => `k${n}_${k}`,
    subagent: `a${n}`,
  };
}

/** Steps of several lists, each list in its order; `order` says whose turn it is. */
function toldTogether(lists: readonly (readonly Op[])[], order: readonly number[]): Op[] {
  const rest = lists.map((list) => [...list]).filter((list) => list.length > 0);
  const told: Op[] = [];
  for (let i = 0; rest.length > 0; i++) {
    const at = (order[i % Math.max(1, order.length)] ?? 0) % rest.length;
    told.push(rest[at]!.shift()!);
    if (rest[at]!.length === 0) rest.splice(at, 1);
  }
  return told;
}

/** Sessions of so many threads of a story at most. */
export const lives = (most = 5): fc.Arbitrary<Op[]> =>
  fc
    .tuple(
      fc.tuple(
        ...Array.from({ length: most }, (_, n) => {
          const stories = STORIES.map((story) => story(namesOf(n)));
          return n === 0 ? fc.oneof(...stories) : fc.oneof(fc.constant([]), ...stories);
        }),
      ),
      fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 12, size: 'max' }),
    )
    .map(([lists, order]) => toldTogether(lists, order));
