// Conversations that grow turn by turn; then walks through their pages at every size, while writes go on, and after restarts.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { limitOf } from '../../oracle/measure.ts';
import { say } from '../say.ts';
import { type Beat, contextOf, type HostStimulus, type Step, selfRun } from '../stimulus.ts';
import { offeringOf, rightArguments } from './authorization-kit.ts';
import { binding, declaredBy, event, hostArea, json, marked, quiet, scene, settle, submit } from './kit.ts';

interface Turn {
  readonly conversation?: number;
  readonly beats: readonly Beat[];
  readonly event?: JsonObject;
}

interface Play {
  readonly turns: readonly Turn[];
  /** What the last run, of the first conversation, does. */
  readonly last: readonly Beat[];
  /** Where the last run's event stands. */
  readonly place?: JsonObject;
  /** A restart before the last run. */
  readonly restart?: 'whole' | 'torn';
}

function play({ turns, last, place = {}, restart }: Play): HostStimulus {
  const look: Step = { do: 'observe' };
  const again: Step[] =
    restart === undefined
      ? []
      : [look, { do: 'restart', ...(restart === 'torn' ? { torn: true } : {}) }, look, { do: 'discover' }];
  return scene([
    ...turns.flatMap(({ conversation = 0, beats, event: change = {} }, index): Step[] => [
      submit(event(index, { conversation_id: `conversation-${conversation}`, ...change }), binding(), [...beats]),
      settle(index),
    ]),
    ...again,
    look,
    submit(event(turns.length, { conversation_id: 'conversation-0', ...place }), binding(), [...last, say.completed()]),
    settle(turns.length),
  ]);
}

/** Walks at a pace that no rate limit objects to. */
function walker(info: TargetInfo) {
  const { limits } = declaredBy(info);
  const rate = limitOf(limits, 'calls_per_second') ?? 100;
  const pace: Beat & { wait: number } = { wait: Math.ceil(1000 / Math.max(1, rate)) + 1 };
  const cap = (name: string): number => Math.min(limitOf(limits, name) ?? 50, 200);
  return {
    pace,
    caps: { history_page: cap('history_page_items'), event_page: cap('event_page_items') },
    walk: (
      walk: 'history_page' | 'event_page',
      limit: number,
      more: JsonObject = {},
      between: readonly Beat[] = [],
    ): Beat[] => [
      pace,
      {
        walk,
        data: { run_id: selfRun, limit, ...more },
        from: 'next_cursor',
        to: more['direction'] === 'forward' ? 'after_cursor' : 'before_cursor',
        most: 150,
        between: [pace, ...(between as { wait: number }[])],
      },
    ],
  };
}

const talk = (count: number, conversations = 1): Turn[] =>
  Array.from({ length: count }, (_, index) => ({
    conversation: index % conversations,
    beats: quiet(marked(`out${index}`, 'an answer')),
  }));

/** One conversation in two threads and outside of them. */
const threaded: readonly Turn[] = talk(6).map((turn, index) => ({
  ...turn,
  event: { thread_id: [null, 'thread-1', 'thread-2'][index % 3]! },
}));

const busy = (info: TargetInfo): readonly Turn[] => [
  {
    beats: [
      say.message(marked('one')),
      say.message(marked('two')),
      say.toolStarted('call-1', 'search'),
      say.toolCompleted('call-1', 'search', { hits: 1 }),
      say.completed(),
    ],
  },
  {
    beats: [
      say.state('conversation', 'key', marked('first')),
      say.state('actor', 'key', { deep: [1] }),
      say.state('conversation', 'gone', 1),
      { call: 'state_delete', data: { run_id: selfRun, scope: 'conversation', key: 'gone' } },
      say.completed(),
    ],
  },
  {
    beats: [
      say.delta('a'),
      say.delta('b'),
      say.message('ab'),
      say.artifact({ artifact_type: 'file', artifact_id: 'artifact-1', name: 'a', content_base64: 'aGk=' }),
      say.failed('runner.error', 'broke'),
    ],
  },
  {
    beats: [
      {
        call: 'call_tool',
        data: { run_id: selfRun, ...rightArguments(offeringOf(info), 'call_tool', 0) },
        times: 2,
      },
      say.action('message.edit', {}, {}),
      say.message(marked('last')),
      say.completed(),
    ],
  },
  { beats: [say.message(marked('half')), { end: 'error', message: 'RuntimeError: broke off' }] },
  { beats: [] },
  {
    beats: quiet(marked('joined')),
    event: { event_type: 'group.member_joined', input: { text: null, contents: [], attachments: [] } },
  },
  { beats: quiet(marked('elsewhere')), event: { conversation_id: null } },
];

const reads: readonly Beat[] = [
  { call: 'state_get', data: { run_id: selfRun, scope: 'conversation', key: 'key' } },
  { call: 'state_get', data: { run_id: selfRun, scope: 'actor', key: 'key' } },
  { call: 'history_page', data: { run_id: selfRun, before_cursor: contextOf('context', 'latest_cursor'), limit: 5 } },
  { call: 'history_page', data: { run_id: selfRun, before_cursor: contextOf('context', 'latest_cursor'), limit: 1 } },
];

/** State of each scope, written where all but the owner of the scope was another; what is the owner's is there for the last run. */
const shared: readonly Turn[] = [
  {
    conversation: 1,
    event: { subject: { subject_type: 'message', subject_id: 'subject-2' } },
    beats: [say.state('actor', 'shared', marked('by the actor')), say.completed()],
  },
  {
    conversation: 1,
    event: { actor: { actor_type: 'user', actor_id: 'actor-2' } },
    beats: [
      say.state('subject', 'shared', marked('of the subject')),
      say.state('runner', 'shared', marked('of the runner')),
      say.completed(),
    ],
  },
  {
    event: {
      actor: { actor_type: 'user', actor_id: 'actor-2' },
      subject: { subject_type: 'message', subject_id: 'subject-2' },
    },
    beats: [say.state('conversation', 'shared', marked('of the conversation')), say.completed()],
  },
];
const sharedReads: readonly Beat[] = ['conversation', 'actor', 'subject', 'runner'].map((scope) => ({
  call: 'state_get',
  data: { run_id: selfRun, scope, key: 'shared' },
}));
const readBack: Beat = {
  call: 'artifact_read',
  data: { run_id: selfRun, artifact_id: 'artifact-1', offset: 0, length: 2 },
};

const writing: readonly Beat[] = [say.message(marked('written', 'while it walks'))];

/** Another event of the conversation comes in while the last run walks: a host may page through nothing else. */
function cameBetween(turns: readonly Turn[], walk: readonly Beat[], pause: number): HostStimulus {
  const here = { conversation_id: 'conversation-0' };
  const [walking, other] = [turns.length, turns.length + 1];
  return scene([
    ...turns.flatMap(({ beats }, index): Step[] => [submit(event(index, here), binding(), [...beats]), settle(index)]),
    submit(event(walking, here), binding(), [...walk, say.completed()]),
    { do: 'wait', ms: pause },
    submit(event(other, here), binding(), quiet(marked('between', 'while it walks'))),
    settle(other),
    settle(walking),
  ]);
}

const anyTurn = (index: number): fc.Arbitrary<Turn> =>
  fc.record({
    conversation: fc.nat(1),
    beats: fc
      .tuple(
        fc.array(
          fc.oneof(
            fc.nat(99).map((n) => say.message(marked(`m${index}-${n}`))),
            fc.nat(99).map((n) => say.delta(marked(`d${index}-${n}`))),
            fc
              .tuple(
                fc.constantFrom('conversation', 'actor', 'subject', 'runner'),
                fc.constantFrom('key', 'other'),
                json,
              )
              .map(([scope, key, value]) => say.state(scope, key, value)),
            fc.tuple(fc.constantFrom('state_set', 'state_delete'), fc.constantFrom('key', 'other')).map(
              ([call, key]): Beat => ({
                call,
                data: {
                  run_id: selfRun,
                  scope: 'conversation',
                  key,
                  ...(call === 'state_set' ? { value: marked(`set${index}`) } : {}),
                },
              }),
            ),
            fc.constant(say.toolStarted(`call-${index}`, 'search')),
            fc.constant(say.artifact({ artifact_type: 'file', name: marked(`a${index}`) })),
          ),
          { maxLength: 4 },
        ),
        fc.constantFrom<readonly Beat[]>(
          [say.completed()],
          [say.completed()],
          [say.failed('x', 'y')],
          [],
          [{ end: 'error' }],
        ),
      )
      .map(([beats, end]) => [...beats, ...end]),
  });

export const readModel = hostArea({
  id: 'read-model',
  runs: 300,
  corners: (info) => {
    const { walk, caps, pace } = walker(info);
    const actions = ['history_page', 'event_page'] as const;
    const { features } = declaredBy(info);
    const restarts = (['whole', 'torn'] as const).filter((how) =>
      features.includes(how === 'whole' ? 'restart' : 'torn'),
    );
    return [
      play({ turns: busy(info), last: reads }),
      play({ turns: shared, last: sharedReads }),
      ...actions.map((action) =>
        play({ turns: talk(6, 2), last: [1, 2, 3, caps[action]].flatMap((limit) => walk(action, limit)) }),
      ),
      play({
        turns: talk(5),
        last: [
          ...walk('history_page', 2, { direction: 'forward' }),
          ...walk('history_page', 2, { direction: 'backward' }),
          ...walk('history_page', caps.history_page, { direction: 'forward' }),
        ],
      }),
      ...actions.flatMap((action) =>
        [1, 2, 3].map((limit) =>
          play({ turns: talk(4), last: [...walk(action, caps[action]), ...walk(action, limit, {}, writing)] }),
        ),
      ),
      play({ turns: talk(4), last: walk('history_page', 1, { direction: 'forward' }, writing) }),
      ...actions.map((action) => cameBetween(talk(4), walk(action, 1), pace.wait * 3)),
      ...[null, 'thread-1'].map((thread_id) =>
        play({ turns: threaded, last: actions.flatMap((action) => walk(action, 2)), place: { thread_id } }),
      ),
      ...actions.map((action) => play({ turns: talk(1), last: walk(action, 1) })),
      ...actions.map((action) => play({ turns: [], last: walk(action, 1) })),
      ...restarts.flatMap((restart) => [
        play({ turns: busy(info), last: [...reads, readBack], restart }),
        play({ turns: talk(3), last: [...walk('history_page', 2), ...walk('event_page', 3)], restart }),
      ]),
      // More than one page can hold.
      play({
        turns: talk(Math.min(caps.history_page, 24) / 2 + 2),
        last: [
          ...walk('history_page', caps.history_page),
          ...walk('history_page', 7),
          ...walk('event_page', caps.event_page),
        ],
      }),
    ];
  },
  stimulus: (info) => {
    const { walk, caps } = walker(info);
    const { features } = declaredBy(info);
    return fc
      .record({
        turns: fc
          .integer({ min: 0, max: 5 })
          .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => anyTurn(index)))),
        walks: fc.array(
          fc.record({
            action: fc.constantFrom('history_page' as const, 'event_page' as const),
            limit: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(0)),
            forward: fc.boolean(),
            writes: fc.boolean(),
          }),
          { maxLength: 2 },
        ),
        restart: fc.constantFrom(undefined, undefined, 'whole' as const, 'torn' as const),
      })
      .map(({ turns, walks, restart }) =>
        play({
          turns,
          last: [
            ...reads,
            ...walks.flatMap(({ action, limit, forward, writes }) =>
              walk(
                action,
                limit === 0 ? caps[action] : limit,
                action === 'history_page' && forward ? { direction: 'forward' } : {},
                writes ? writing : [],
              ),
            ),
          ],
          ...(restart !== undefined && features.includes(restart === 'whole' ? 'restart' : 'torn') ? { restart } : {}),
        }),
      );
  },
});
