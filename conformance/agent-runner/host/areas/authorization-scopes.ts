// What lies outside of a run’s reach: what it was not granted, and what belongs to another conversation, thread, binding or run.
import { APIS } from '../../oracle/calls.ts';
import { say } from '../say.ts';
import type { Beat, Call, HostStimulus } from '../stimulus.ts';
import {
  BYTES,
  call,
  ending,
  fileOf,
  inTurn,
  type Offering,
  type Part,
  prepare,
  right,
  rightArguments,
  runners,
} from './authorization-kit.ts';
import { marked, scene } from './kit.ts';

/** Ids that exist and are not granted, beside ids that do not exist. */
export function strangers(offering: Offering): readonly Beat[] {
  const ask = (field: string, actions: readonly string[], ids: readonly unknown[]): readonly Beat[] =>
    actions
      .filter((action) => offering.actions.includes(action))
      .flatMap((action) =>
        [...ids, `no-such-${field}`, ...FOUND_BY_MISTAKE].map((id) =>
          call(action, { ...rightArguments(offering, action, 0), [APIS[action]!.names!]: id as string }),
        ),
      );
  const tools = offering.tools.map((one) => one['tool_name']);
  return [
    ...ask(
      'model',
      ['invoke_llm', 'invoke_llm_stream', 'invoke_rerank'],
      offering.models.map((one) => one['model_id']),
    ),
    ...ask('tool', ['get_tool_detail', 'call_tool'], tools),
    ...ask('base', ['retrieve_knowledge_base'], offering.bases),
    ...ask('event', ['event_get'], ['event-0']),
    ...ask('artifact', ['artifact_metadata', 'artifact_read', 'artifact_open_stream'], [fileOf(0)]),
  ];
}

/** Names that nothing has, and that a careless look-up finds all the same: a member that every object has, a wildcard. */
const FOUND_BY_MISTAKE = ['constructor', '*', '%'] as const;

/** Two runs outside of any conversation: each has what is its own, and nothing of the other's. */
export const nowhere = (offering: Offering): HostStimulus =>
  offeredOnly(
    offering,
    [0, 1].map((run) => ({
      event: { conversation_id: null, thread_id: null },
      beats: [
        say.artifact({
          artifact_id: `nowhere-${run}`,
          artifact_type: 'file',
          mime_type: 'text/plain',
          name: 'nowhere.txt',
          content_base64: BYTES,
        }),
        { wait: 20 },
        ...[run, 0].flatMap((of) => [
          call('artifact_metadata', { artifact_id: `nowhere-${of}` }),
          call('artifact_read', { artifact_id: `nowhere-${of}`, offset: 0, length: 8 }),
        ]),
        call('event_get', { event_id: `event-${run}` }),
        call('event_page', { limit: 20 }),
        ...ending,
      ],
    })),
  );

/** Two bindings in one conversation: neither opens what a runner made under the other. */
export const twoBindings = (offering: Offering): HostStimulus =>
  offeredOnly(
    offering,
    [0, 1].map((run) => ({
      binding: `binding-${run}`,
      beats: [
        say.artifact({
          artifact_id: `bound-${run}`,
          artifact_type: 'file',
          mime_type: 'text/plain',
          name: 'bound.txt',
          content_base64: BYTES,
        }),
        { wait: 20 },
        ...[run, 0].flatMap((of) => [
          call('artifact_metadata', { artifact_id: `bound-${of}` }),
          call('artifact_read', { artifact_id: `bound-${of}`, offset: 0, length: 8 }),
          call('artifact_open_stream', { artifact_id: `bound-${of}` }),
        ]),
        ...ending,
      ],
    })),
  );

/** Another conversation with a history, events and an artifact; then a run that reaches for them. */
export function scopes(offering: Offering, change: Pick<Part, 'resource' | 'state' | 'event'> = {}): HostStimulus {
  const has = (action: string): boolean => offering.actions.includes(action);
  const wanted = offering.actions.filter((action) => /^(history|event|artifact|state)/.test(action));
  const other = {
    conversation_id: 'conversation-2',
    input: { text: marked('other-secret', 'what was said elsewhere'), contents: [], attachments: [] },
  };
  const reach: readonly Call[] = [
    call('history_page', { ...rightArguments(offering, 'history_page', 1), conversation_id: 'conversation-2' }),
    call('history_page', { ...rightArguments(offering, 'history_page', 1), conversation_id: 'no-such-conversation' }),
    call('history_page', { conversation_id: 'conversation-1', limit: 5 }),
    call('history_search', { query: 'what was said', filters: { conversation_id: 'conversation-2' }, top_k: 5 }),
    call('event_get', { event_id: 'event-0' }),
    call('event_get', { event_id: 'no-such-event' }),
    call('event_page', { ...rightArguments(offering, 'event_page', 1), conversation_id: 'conversation-2' }),
    call('event_page', { limit: 20 }),
    ...['artifact_metadata', 'artifact_read', 'artifact_open_stream'].flatMap((action) =>
      [fileOf(0), 'no-such-file'].map((id) => call(action, { artifact_id: id })),
    ),
    ...['subject', 'runner', 'workspace', 'binding', 'nonsense'].flatMap((scope) => [
      call('state_set', { scope, key: 'far', value: marked(`far-${scope}`) }),
      call('state_get', { scope, key: 'far' }),
      call('state_delete', { scope, key: 'far' }),
    ]),
  ].filter(({ call: action }) => has(action));
  const own = wanted.map((action) => right(offering, action, 1));
  return scene(
    inTurn(offering, [
      { beats: [...prepare(wanted, 0), ...ending], event: other },
      {
        beats: [
          ...prepare(wanted, 1),
          ...own,
          ...reach.flatMap((one) => [one, right(offering, one.call, 1)]),
          ...ending,
        ],
        state: { enable_state: true, state_scopes: ['conversation', 'actor'] },
        ...change,
      },
    ]),
    runners(offering),
  );
}

/** Two threads of one conversation, and a look at the history from one of them. */
export const threads = (offering: Offering, mine: string, theirs: string): HostStimulus =>
  offeredOnly(offering, [
    { beats: ending, event: { thread_id: theirs } },
    { beats: ending, event: { thread_id: mine } },
    {
      beats: [
        call('history_page', { limit: 10 }),
        call('history_page', { limit: 10, direction: 'forward' }),
        call('history_search', { query: 'what was said', top_k: 10 }),
        ...ending,
      ],
      event: { thread_id: mine },
    },
  ]);

/** An artifact that is read again after somebody else used its id for something of its own. */
export function sameId(offering: Offering, stranger: Pick<Part, 'event' | 'binding'>): HostStimulus {
  const made = (content_base64: string): Beat =>
    say.artifact({ artifact_id: 'the-same', artifact_type: 'file', name: 'a', content_base64 });
  const read = call('artifact_read', { artifact_id: 'the-same', offset: 0, length: 3 });
  const parts = [
    { beats: [made('b3du'), ...ending] },
    { beats: [read, ...ending] },
    { ...stranger, beats: [made('bmV3'), ...ending] },
    { beats: [read, ...ending] },
  ];
  return scene(inTurn(offering, parts), runners(offering));
}

/** Runs one after the other, without the calls that the host does not know. */
const offeredOnly = (offering: Offering, parts: readonly Part[]): HostStimulus =>
  scene(
    inTurn(
      offering,
      parts.map((one) => ({
        ...one,
        beats: one.beats.filter((beat) => !('call' in beat) || offering.actions.includes(beat.call)),
      })),
    ),
    runners(offering),
  );
