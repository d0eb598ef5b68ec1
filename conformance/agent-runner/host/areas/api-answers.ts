// Every API call as it should be, over what was said, stored and made before: do the answers fit their models and the facts?
import fc from 'fast-check';
import { isObject, type JsonObject } from '../../../../common/json.ts';
import type { Area } from '../../../driving/suite.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { limitOf } from '../../oracle/measure.ts';
import { say } from '../say.ts';
import { type Beat, type Call, type HostStimulus, repeat } from '../stimulus.ts';
import {
  BYTES,
  base64,
  call,
  ending,
  inTurn,
  modelFor,
  type Offering,
  offeringOf,
  type Part,
  right,
  runners,
} from './authorization-kit.ts';
import { hostArea, json, marked, scene, text } from './kit.ts';

const LARGE = 70 * 1024;

const play = (offering: Offering, parts: readonly Part[]): HostStimulus =>
  scene(
    inTurn(
      offering,
      parts.map((one) => ({ ...one, beats: one.beats.filter((beat) => isOffered(offering, beat)) })),
    ),
    runners(offering),
  );
const isOffered = ({ actions }: Offering, beat: Beat): boolean =>
  'call' in beat ? actions.includes(beat.call) : 'walk' in beat ? actions.includes(beat.walk) : true;
const one = (offering: Offering, beats: readonly Beat[]): HostStimulus =>
  play(offering, [{ beats: [...beats, ...ending] }]);

/** Models, with what was said and how many are wanted. */
function models(
  offering: Offering,
  said: readonly unknown[],
  documents: readonly string[],
  top: number | undefined,
): readonly Call[] {
  const ranked = {
    rerank_model_uuid: modelFor(offering, 'rerank'),
    query: 'the harbour pilot',
    documents,
    ...(top === undefined ? {} : { top_k: top }),
  } as unknown as JsonObject;
  return [
    ...['invoke', 'stream'].map((operation) =>
      call(operation === 'invoke' ? 'invoke_llm' : 'invoke_llm_stream', {
        llm_model_uuid: modelFor(offering, operation),
        messages: said,
      } as unknown as JsonObject),
    ),
    call('invoke_rerank', ranked),
  ];
}

/** Every tool that works, looked up and called; every knowledge base, searched. */
const lookups = (offering: Offering, query: string, top: number | undefined): readonly Call[] => [
  ...offering.tools
    .filter((tool) => tool['fails'] !== true)
    .flatMap((tool) => [
      call('get_tool_detail', { tool_name: tool['tool_name'] as string }),
      call('call_tool', {
        tool_name: tool['tool_name'] as string,
        parameters: isObject(tool['example']) ? tool['example'] : {},
      }),
    ]),
  ...(offering.tools.length === 0 ? ['get_tool_detail', 'call_tool'].map((action) => right(offering, action, 0)) : []),
  ...offering.bases.map((kb_id) =>
    call('retrieve_knowledge_base', { kb_id, query_text: query, ...(top === undefined ? {} : { top_k: top }) }),
  ),
  ...(offering.bases.length === 0 ? [right(offering, 'retrieve_knowledge_base', 0)] : []),
];

/** A turn with everything that must not come back as it is: raw data, the platform's own message, an attachment's bytes. */
const turn = (number: number, words: string, extra: JsonObject = {}): JsonObject => ({
  data: { raw: marked(`raw-data${number}`), nested: { payload: marked(`raw-nested${number}`) } },
  input: {
    text: marked(`said${number}`, words),
    contents: [],
    attachments: [
      {
        artifact_id: `attached-${number}`,
        artifact_type: 'file',
        mime_type: 'text/plain',
        name: `a${number}.txt`,
        content: BYTES,
      },
    ],
    message_chain: { platform: marked(`raw-chain${number}`) },
  },
  ...extra,
});

interface Past {
  readonly turns: readonly string[];
  readonly limit: number;
  readonly forward: boolean;
  readonly artifacts: boolean;
  readonly top: number;
}

/** Some turns, and then a look back at them. */
function history(offering: Offering, { turns, limit, forward, artifacts, top }: Past): HostStimulus {
  const look = { limit, direction: forward ? 'forward' : 'backward', include_artifacts: artifacts };
  return play(offering, [
    ...turns.map((words, number) => ({
      event: turn(number, words),
      beats: [say.message(marked(`answer${number}`)), say.completed()],
    })),
    {
      beats: [
        {
          walk: 'history_page',
          data: call('history_page', look).data,
          from: 'next_cursor',
          to: forward ? 'after_cursor' : 'before_cursor',
          most: 4,
        },
        call('history_page', { limit: 20, include_artifacts: true }),
        call('history_page', { limit: 20 }),
        call('history_search', { query: `said${turns.length - 1}`, top_k: top }),
        call('history_search', { query: 'said', top_k: 1 }),
        call('history_search', { query: 'no such words anywhere', top_k: top }),
        call('event_get', { event_id: `event-${turns.length}` }),
        call('event_page', { limit }),
        ...ending,
      ],
      event: turn(turns.length, 'and now'),
    },
  ]);
}

/** An event too large to be handed around, asked for. */
const largeEvent = (offering: Offering, character: string): HostStimulus =>
  play(offering, [
    {
      event: { data: { raw: repeat(character, LARGE) as unknown as string } },
      beats: [call('event_get', { event_id: 'event-0' }), call('event_page', { limit: 5 }), ...ending],
    },
  ]);

interface Made {
  readonly bytes: Uint8Array;
  readonly ranges: readonly (readonly [offset: number, length: number])[];
  readonly mime: string;
}

/** An artifact, then its metadata, ranges of it, and all of it. */
const artifact = (offering: Offering, { bytes, ranges, mime }: Made): HostStimulus =>
  one(offering, [
    say.artifact({
      artifact_id: 'made',
      artifact_type: 'file',
      mime_type: mime,
      name: 'made.bin',
      content_base64: Buffer.from(bytes).toString('base64'),
    }),
    { wait: 20 },
    call('artifact_metadata', { artifact_id: 'made' }),
    ...ranges.map(([offset, length]) => call('artifact_read', { artifact_id: 'made', offset, length })),
    call('artifact_read', { artifact_id: 'made' }),
    call('artifact_open_stream', { artifact_id: 'made' }),
  ]);

/** Asked for in the same breath as the results before it: a host that hears both at once must have taken them first. */
const askedAtOnce = (offering: Offering): HostStimulus =>
  one(offering, [
    ...Array.from({ length: 24 }, (_, index) => say.message(`Note ${index}.`)),
    say.artifact({ artifact_id: 'just-made', artifact_type: 'file', content_base64: 'YQ==' }),
    call('artifact_metadata', { artifact_id: 'just-made' }),
  ]);

/** An artifact of more than one answer can hold: read up to the cap, then without a length, and streamed. */
function largeArtifact(offering: Offering): HostStimulus {
  const cap = limitOf(offering.limits, 'artifact_read_bytes') ?? 4096;
  const room = Math.floor((limitOf(offering.limits, 'result_bytes') ?? 128 * 1024) * 0.7);
  const size = Math.min(2 * cap + 10, room);
  return artifact(offering, {
    bytes: Buffer.from(Array.from({ length: size }, (_, index) => index % 253)),
    mime: 'application/octet-stream',
    ranges: [
      [0, Math.min(cap, size)],
      [cap, Math.min(cap, size)],
    ],
  });
}

/** Threads of one conversation, people and subjects of many kinds, a picture; then every way to say which page is meant. */
function ways(offering: Offering, thread: string | null): HostStimulus {
  const picture = { type: 'image_url', image_url: { url: 'https://example.invalid/a.png' } };
  const who = [
    { actor: null, subject: null, thread_id: thread, input: { text: null, contents: [picture], attachments: [] } },
    { actor: { actor_type: 'system' }, subject: { subject_type: 'schedule' } },
    { actor: { actor_type: 'user', actor_id: 'ada', actor_name: 'Ada' }, thread_id: 'thread-1' },
    { event_type: 'message.edited', thread_id: thread },
    { thread_id: thread },
  ];
  const ids = who.map((_, number) => `event-${number}`);
  return play(offering, [
    ...who.map((extra, number) => ({
      event: turn(number, 'said', extra),
      beats: [say.message(marked(`answer${number}`)), say.completed()],
    })),
    {
      event: turn(who.length, 'and now', { thread_id: thread }),
      beats: [
        call('history_page', { limit: 20, conversation_id: null, before_cursor: null, after_cursor: null }),
        call('history_page', { limit: 20, direction: 'backward' }),
        call('event_page', { limit: 20, conversation_id: null, before_cursor: null, event_types: null }),
        call('event_page', { limit: 20, conversation_id: 'conversation-1' }),
        call('event_page', { limit: 20, event_types: ['message.edited'] }),
        call('event_page', { limit: 20, event_types: [] }),
        ...['user', 'assistant'].flatMap((role) =>
          ['said', 'answer'].map((query) => call('history_search', { query, filters: { roles: [role] } })),
        ),
        ...['message', 'note'].map((type) => call('history_search', { query: 'a', filters: { item_types: [type] } })),
        ...['message.received', 'message.completed'].flatMap((type) =>
          ['said', 'answer'].map((query) => call('history_search', { query, filters: { event_types: [type] } })),
        ),
        ...['(said', 'said1)?', '[a-', '%', "said'1"].map((query) => call('history_search', { query })),
        call('history_search', { query: 'SAID1', filters: { conversation_id: 'conversation-1' } }),
        ...ids.map((event_id) => call('event_get', { event_id })),
        ...ending,
      ],
    },
  ]);
}

/** Gone after a while, though its run goes on. */
const expiring = (offering: Offering): HostStimulus =>
  play(offering, [
    {
      // Seconds that the run gets, and its artifact: the deadline is the one time of the host that a runner knows.
      config: { timeout: 60 },
      beats: [
        say.artifact({
          artifact_id: 'fleeting',
          artifact_type: 'file',
          mime_type: 'text/plain',
          name: 'fleeting.txt',
          content_base64: BYTES,
          expires_at: { $context: ['runtime', 'deadline_at'], plus: -55 },
        } as unknown as JsonObject),
        { wait: 20 },
        call('artifact_read', { artifact_id: 'fleeting', offset: 0, length: 8 }),
        call('artifact_metadata', { artifact_id: 'fleeting' }),
        { wait: 5300, graces: 1 },
        call('artifact_read', { artifact_id: 'fleeting', offset: 0, length: 8 }),
        call('artifact_open_stream', { artifact_id: 'fleeting' }),
        call('artifact_metadata', { artifact_id: 'fleeting' }),
        ...ending,
      ],
    },
  ]);

const badMime = (offering: Offering, types: readonly string[]): HostStimulus =>
  one(
    offering,
    types.flatMap((mime_type, index): Beat[] => [
      say.artifact({
        artifact_id: `odd-${index}`,
        artifact_type: 'file',
        mime_type,
        name: `odd-${index}`,
        content_base64: BYTES,
      }),
      { wait: 20 },
      call('artifact_metadata', { artifact_id: `odd-${index}` }),
    ]),
  );

/** One above what a result may hold, and a small one beside it. */
const tooLarge = (offering: Offering): HostStimulus => {
  const limit = limitOf(offering.limits, 'result_bytes') ?? 4 * 1024 * 1024;
  const file = (name: string, content: unknown) =>
    say.artifact({
      artifact_id: name,
      artifact_type: 'file',
      mime_type: 'text/plain',
      name,
      content_base64: content,
    } as unknown as JsonObject);
  return one(offering, [file('small', BYTES), file('too-large', repeat('QUJD', Math.ceil(limit / 4))), { wait: 50 }]);
};

/** One thing done to state or storage. */
type Deed = readonly [what: 'set' | 'get' | 'delete' | 'list', where: string, key: string, value: unknown];

function deed([what, where, key, value]: Deed): Call {
  if (SCOPES.includes(where))
    return call(what === 'list' ? 'state_get' : `state_${what}`, {
      scope: where,
      key,
      ...(what === 'set' ? { value: value as string } : {}),
    });
  if (what === 'list') return call(`get_${where}_storage_keys`, key === '' ? {} : { prefix: key.slice(0, 1) });
  return call(`${what}_${where}_storage`, {
    key,
    ...(what === 'set' ? { value_base64: base64(JSON.stringify(value)) } : {}),
  });
}
const SCOPES: readonly string[] = ['conversation', 'actor', 'subject', 'runner'];
const AREAS: readonly string[] = ['plugin', 'workspace', 'binding'];

const deeds = (offering: Offering, all: readonly Deed[]): HostStimulus => one(offering, all.map(deed));

/** Set, read, changed, deleted, read again; in every scope and area. */
const wholeLife: readonly Deed[] = [...SCOPES, ...AREAS].flatMap((where): readonly Deed[] => [
  ['get', where, 'never', null],
  ['set', where, `${where}'s own`, 'only here'],
  ['set', where, 'key', { first: [1, 'é', null] }],
  ['get', where, 'key', null],
  ['set', where, 'key', -1],
  ['set', where, 'key', marked('second')],
  ['set', where, 'other', ''],
  ['get', where, 'key', null],
  ['list', where, '', null],
  ['list', where, 'key', null],
  ['delete', where, 'key', null],
  ['get', where, 'key', null],
  ['list', where, '', null],
  ['get', where, 'other', null],
]);

/** Keys that differ, and that a host which folds, trims or normalises them takes for one. */
const ALIKE = ['key', 'Key', ' key', 'key ', 'é', 'e\u0301', 'ß', 'ss'] as const;

/** Each of them set to something of its own, then read; each state and each storage by itself. */
const alike: readonly Deed[] = ['conversation', ...AREAS].flatMap((where): readonly Deed[] => [
  ...ALIKE.map((key, index): Deed => ['set', where, key, `value ${index}`]),
  ...ALIKE.map((key): Deed => ['get', where, key, null]),
]);

/** What one run has stored the next finds, for nothing tells the two apart. */
const fromRunToRun = (offering: Offering): HostStimulus => {
  const set = AREAS.map((area): Deed => ['set', area, 'from before', `of ${area}`]);
  const get = AREAS.map((area): Deed => ['get', area, 'from before', null]);
  return play(
    offering,
    [set, get].map((all): Part => ({ beats: [...all.map(deed), ...ending] })),
  );
};

const platformCalls = (offering: Offering): HostStimulus =>
  one(
    offering,
    offering.platform.map((action) =>
      call('platform_request_action', { action, target: { message_id: 'm-1' }, payload: { text: marked('edited') } }),
    ),
  );

const BAD_TYPES = ['no slash', 'a/b\r\nc', '', 'text/', '/plain', 'text/plain\nX: y'] as const;

function corners(info: TargetInfo): readonly HostStimulus[] {
  const offering = offeringOf(info);
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
  return [
    one(
      offering,
      models(
        offering,
        [{ role: 'user', content: 'Is anybody there?' }],
        ['a garden', 'the harbour pilot', 'the harbour', 'a pilot'],
        2,
      ),
    ),
    one(
      offering,
      models(offering, [{ role: 'user', content: [{ type: 'text', text: '你好 🤖' }] }], ['one'], undefined),
    ),
    one(offering, lookups(offering, 'harbour pilot', 2)),
    one(offering, lookups(offering, 'harbour', undefined)),
    // Each question to each base: one of them answers it.
    one(
      offering,
      offering.questions.flatMap((query_text) =>
        offering.bases.map((kb_id) => call('retrieve_knowledge_base', { kb_id, query_text, top_k: 5 })),
      ),
    ),
    history(offering, { turns: ['first', 'second'], limit: 2, forward: false, artifacts: false, top: 10 }),
    history(offering, { turns: ['first', 'second', 'third'], limit: 3, forward: true, artifacts: true, top: 3 }),
    largeEvent(offering, 'x'),
    largeEvent(offering, '你'),
    artifact(offering, {
      bytes,
      mime: 'application/octet-stream',
      ranges: [
        [0, 10],
        [10, 990],
        [10, 991],
        [990, 100],
        [999, 1],
        [1000, 1],
        [5000, 10],
        [0, 0],
        [0, 1000],
        [0, 1001],
      ],
    }),
    artifact(offering, { bytes: Buffer.from('a'), mime: 'text/plain; charset=utf-8', ranges: [[0, 1]] }),
    askedAtOnce(offering),
    largeArtifact(offering),
    ways(offering, null),
    ways(offering, 'thread-1'),
    expiring(offering),
    badMime(offering, BAD_TYPES),
    tooLarge(offering),
    deeds(offering, wholeLife),
    deeds(offering, alike),
    fromRunToRun(offering),
    platformCalls(offering),
  ];
}

function stimulus(info: TargetInfo): fc.Arbitrary<HostStimulus> {
  const offering = offeringOf(info);
  const said = fc.array(fc.record({ role: fc.constantFrom('user', 'assistant', 'system'), content: text }), {
    minLength: 1,
    maxLength: 4,
  });
  const top = fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined });
  const key = fc.constantFrom('a', 'ab', 'b', 'ключ', 'a key', '你好', 'a/b', '__proto__', 'constructor');
  const aDeed: fc.Arbitrary<Deed> = fc.tuple(
    fc.constantFrom('set', 'set', 'get', 'get', 'delete', 'list'),
    fc.constantFrom(...SCOPES, ...AREAS),
    key,
    json,
  );
  const range = fc.tuple(fc.nat(80), fc.nat(80));
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .tuple(said, fc.array(text, { minLength: 1, maxLength: 6 }), top)
        .map(([said, documents, top]) => one(offering, models(offering, said, documents, top))),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(text, top).map(([query, top]) => one(offering, lookups(offering, `harbour ${query}`, top))),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          turns: fc.array(text, { minLength: 1, maxLength: 4 }),
          limit: fc.integer({ min: 1, max: 8 }),
          forward: fc.boolean(),
          artifacts: fc.boolean(),
          top: fc.integer({ min: 1, max: 10 }),
        })
        .map((past) => history(offering, past)),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          bytes: fc.uint8Array({ minLength: 1, maxLength: 64 }),
          ranges: fc.array(range, { maxLength: 6 }),
          mime: fc.constantFrom('text/plain', 'image/png', 'application/x-thing+json'),
        })
        .map((made) => artifact(offering, made)),
    },
    { weight: 1, arbitrary: fc.subarray([...BAD_TYPES], { minLength: 1 }).map((types) => badMime(offering, types)) },
    { weight: 5, arbitrary: fc.array(aDeed, { minLength: 2, maxLength: 16 }).map((all) => deeds(offering, all)) },
  );
}

const apiAnswers = hostArea({ id: 'api-answers', runs: 300, corners, stimulus });
export const apiAnswersAreas: readonly Area[] = [apiAnswers];
