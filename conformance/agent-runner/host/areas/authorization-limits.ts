// Both sides of every declared limit on calls: bytes, items, calls a second; and where none is declared, far beyond any.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { limitOf } from '../../oracle/measure.ts';
import { say } from '../say.ts';
import { type Beat, type HostStimulus, repeat } from '../stimulus.ts';
import { call, ending, inTurn, type Offering, prepare, right, runners } from './authorization-kit.ts';
import { marked, scene } from './kit.ts';

const MIB = 1024 * 1024;
/** Above what any host should take in one call. */
const FAR = 12 * MIB;
/** Where no cap on pages is declared, more items than a page should ever hold. */
const MANY = 240;
const BURST = 2000;
/** A rate above this is not gone to call by call. */
const MOST = 2000;

const ofOneRun = (offering: Offering, beats: readonly Beat[]): HostStimulus =>
  scene(inTurn(offering, [{ beats: [...beats, ...ending] }]), runners(offering));

/** A JSON value of exactly so many bytes, of characters of one to four bytes each. */
export function sized(bytes: number, character: string): unknown {
  const width = Buffer.byteLength(character);
  // ["…","…"]: seven bytes around the two texts.
  const times = Math.max(0, Math.floor((bytes - 7) / width));
  return bytes < 7 ? 0 : [repeat(character, times), 'x'.repeat(bytes - 7 - times * width)];
}

const stateSizes = (offering: Offering, sizes: readonly number[], character: string): HostStimulus =>
  ofOneRun(
    offering,
    sizes.flatMap((bytes, index) => [
      call('state_set', { scope: 'conversation', key: `sized-${index}`, value: sized(bytes, character) as string }),
      call('state_get', { scope: 'conversation', key: `sized-${index}` }),
    ]),
  );

const stateKeys = (offering: Offering, lengths: readonly number[], character: string): HostStimulus =>
  ofOneRun(
    offering,
    lengths.map((length) =>
      call('state_set', {
        scope: 'conversation',
        key: repeat(character, length) as unknown as string,
        value: marked('by a long key'),
      }),
    ),
  );

/** More said than a page may hold, then pages at and around the cap. */
/**
 * More items than one page may hold, and pages at and around that cap. A host may page through its whole log or through the events
 * that came in alone, so that there are enough of both, as far as so many runs can be borne.
 */
const pages = (offering: Offering, action: string, cap: number, asked: readonly number[]): HostStimulus =>
  scene(
    inTurn(offering, [
      { beats: [{ ...(say.message(marked('one of many')) as { say: unknown }), times: cap + 5 }, say.completed()] },
      ...(action === 'event_page' && cap <= MANY_RUNS
        ? Array.from({ length: cap }, () => ({ beats: [say.completed()] }))
        : []),
      {
        beats: [
          ...asked.map((limit) => call(action, { limit })),
          call(action, {}),
          ...(action === 'history_page' ? [call(action, { limit: Math.max(...asked), direction: 'forward' })] : []),
          ...ending,
        ],
      },
    ]),
    runners(offering),
  );
const MANY_RUNS = 50;

/** An artifact larger than one answer may be, read at and around the cap. */
function reads(offering: Offering, cap: number, asked: readonly number[]): HostStimulus {
  const quarters = Math.ceil((cap + 30) / 3);
  const file = {
    artifact_id: 'large-file',
    artifact_type: 'file',
    mime_type: 'application/octet-stream',
    name: 'large.bin',
    content_base64: repeat('QUJD', quarters) as unknown as string,
  };
  return ofOneRun(offering, [
    say.artifact(file),
    { wait: 50 },
    call('artifact_read', { artifact_id: 'large-file', offset: 0, length: 16 }),
    ...asked.flatMap((length) => [
      call('artifact_read', { artifact_id: 'large-file', offset: 0, length }),
      call('artifact_read', { artifact_id: 'large-file', offset: 0, limit: length }),
    ]),
    // Whoever names no length gets no more than whoever does.
    call('artifact_read', { artifact_id: 'large-file', offset: 0 }),
    call('artifact_read', { artifact_id: 'large-file' }),
  ]);
}

/** For each way in which a call can carry much: one with far too much in it, and a right one after it. */
function hugeCalls(offering: Offering): readonly HostStimulus[] {
  const much = repeat('x', FAR) as unknown as string;
  const huge: Readonly<Record<string, JsonObject>> = {
    set_plugin_storage: { key: 'huge', value_base64: repeat('QUJD', FAR / 4) as unknown as string },
    call_tool: { parameters: { text: much } },
    invoke_llm: { messages: [{ role: 'user', content: much }] },
    platform_request_action: { payload: { text: much } },
  };
  return Object.entries(huge).flatMap(([action, data]) => {
    if (!offering.actions.includes(action)) return [];
    const fit = right(offering, action, 0);
    return [ofOneRun(offering, [{ ...fit, data: { ...fit.data, ...data } }, fit])];
  });
}

/** The cheapest call there is, to be made often. */
export const cheapest = ({ actions }: Offering): string =>
  ['state_get', 'history_page', 'event_page', 'get_tool_detail'].find((action) => actions.includes(action)) ??
  actions[0]!;

const burst = (offering: Offering, times: number): HostStimulus => {
  const one = right(offering, cheapest(offering), 0);
  return ofOneRun(offering, [{ ...one, times }, { wait: 1500 }, one]);
};

/** After a second in which nothing was called: as many calls at once as the rate allows, one fewer, one more. */
const atRate = (offering: Offering, times: number): HostStimulus => {
  const one = right(offering, cheapest(offering), 0);
  return ofOneRun(offering, [{ wait: 1500 }, { ...one, times }]);
};

/**
 * As many of one call as the rate allows, and in the same breath each other call: the rate is that of them all. On real time a
 * window may begin anew in between, so that each comes often enough to be too many by far where they are not counted together.
 */
const atRateTogether = (offering: Offering, rate: number): HostStimulus => {
  const { actions, pace } = offering;
  const one = right(offering, cheapest(offering), 0);
  const others = actions.filter((action) => action !== one.call);
  const times = Math.ceil((rate + 1) / Math.max(1, others.length));
  const prepared = prepare(actions, 0).flatMap((beat, index) =>
    index > 0 && index % pace === 0 ? [{ wait: 1100 }, beat] : [beat],
  );
  return ofOneRun(offering, [
    ...prepared,
    { wait: 1500 },
    { ...one, times: rate },
    ...others.map((action) => ({ ...right(offering, action, 0), times })),
  ]);
};

export function limitCorners(offering: Offering): readonly HostStimulus[] {
  const { limits, rate } = offering;
  const has = (action: string): boolean => offering.actions.includes(action);
  const bytes = limitOf(limits, 'state_value_bytes');
  const chars = limitOf(limits, 'state_key_chars');
  const history = limitOf(limits, 'history_page_items');
  const events = limitOf(limits, 'event_page_items');
  const read = limitOf(limits, 'artifact_read_bytes');
  const around = (limit: number): readonly number[] => [limit, limit + 1, 100_000];
  return [
    ...(has('state_set')
      ? [
          ...(bytes === undefined
            ? [stateSizes(offering, [100, 4 * MIB + 1], 'x')]
            : ['x', 'é', '你', '🤖'].map((character) =>
                stateSizes(offering, [bytes - 1, bytes, bytes + 1, bytes + 2], character),
              )),
          ...(chars === undefined
            ? []
            : [stateKeys(offering, [chars - 1, chars, chars + 1], 'k'), stateKeys(offering, [chars, chars + 1], '🤖')]),
        ]
      : []),
    ...(has('history_page')
      ? [pages(offering, 'history_page', Math.min(history ?? MANY, 2000), around(history ?? MANY))]
      : []),
    ...(has('event_page')
      ? [pages(offering, 'event_page', Math.min(events ?? MANY, 2000), around(events ?? MANY))]
      : []),
    ...(has('artifact_read')
      ? read === undefined
        ? // From one that any host takes to one that none should give in one piece.
          [30 * 1024, 180 * 1024, 4 * MIB - 1].map((size) => reads(offering, size, [4 * MIB, 100 * MIB]))
        : [reads(offering, read, [read, read + 1, 100 * MIB])]
      : []),
    ...hugeCalls(offering),
    burst(offering, Math.ceil(4 * (rate ?? BURST / 4))),
    ...(rate === undefined ? [] : [burst(offering, Math.max(1, Math.floor(rate / 2)))]),
    ...(rate === undefined || !Number.isInteger(rate) || rate > MOST
      ? []
      : [
          ...[rate - 1, rate, rate + 1, 2 * rate + 1]
            .filter((times) => times > 0)
            .map((times) => atRate(offering, times)),
          atRateTogether(offering, rate),
        ]),
  ];
}

export function limits(offering: Offering): fc.Arbitrary<HostStimulus> {
  const { rate } = offering;
  const bytes = limitOf(offering.limits, 'state_value_bytes');
  const history = limitOf(offering.limits, 'history_page_items');
  const characters = fc.constantFrom('x', 'é', '你', '🤖');
  const sizes = (limit: number) =>
    fc.array(
      fc.integer({ min: -3, max: 3 }).map((off) => Math.max(0, limit + off)),
      { minLength: 1, maxLength: 4 },
    );
  return fc.oneof(
    fc
      .tuple(sizes(Math.min(bytes ?? 4096, 256 * 1024)), characters)
      .map(([sizes, character]) => stateSizes(offering, sizes, character)),
    fc
      .array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 })
      .map((asked) => pages(offering, 'history_page', Math.min(history ?? 20, 40), asked)),
    fc
      .integer({ min: 2, max: Math.max(2, Math.min(200, Math.floor((rate ?? 40) / 2))) })
      .map((times) => burst(offering, times)),
  );
}
