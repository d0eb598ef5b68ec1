// §8: payload sizes, page caps and rates. Where a host declares no number one is looked for.
import type { JsonValue } from '../../../../common/json.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { characters, jsonBytes, limitOf } from '../../oracle/measure.ts';
import { shownBy } from '../shown.ts';
import type { HostCase } from '../view.ts';
import {
  type Assessed,
  assess,
  FAR_TOO_LARGE,
  isGranted,
  isJust,
  isThrottled,
  LONG_KEY,
} from './authorization-assess.ts';
import { answeredIn, brief, itemsOf, proofOf, told } from './authorization-refusals.ts';

/** Where no cap is declared, an answer with more items than this has none. */
const IMMODEST_ITEMS = 200;
const IMMODEST_READ = 4 * 1024 * 1024;
/** A burst where no rate is declared. */
const UNDECLARED_BURST = 2000;

function* stateSize(view: HostCase): Iterable<Finding> {
  const limit = limitOf(view.limits, 'state_value_bytes');
  for (const one of assess(view)) {
    if (one.action !== 'state_set' || isThrottled(one) || one.reply === undefined) continue;
    const bytes = jsonBytes(one.call.data['value']);
    const words = { limit: limit === undefined ? 'some limit up to 4 MiB' : `the declared ${limit} bytes` };
    if (isJustLongKey(view, one))
      yield hold(!one.ok && !isStored(view, one), proofOf(one), {
        expected: `a key of more than the declared ${limitOf(view.limits, 'state_key_chars')} characters to be refused`,
        found: one.ok ? 'it was answered with code 0' : 'it was refused and stored all the same',
      });
    else if (isJust(one, 'large'))
      yield hold(!one.ok && !isStored(view, one), proofOf(one), {
        expected: `a value of ${bytes} bytes to be refused: it is above ${words.limit}`,
        found: one.ok ? 'it was answered with code 0' : 'it was refused and stored all the same',
      });
    // Within the limit: only near the edge could the size be the reason for a refusal.
    else if (isGranted(one) && limit !== undefined && bytes > limit / 2)
      yield hold(one.ok, proofOf(one), () => ({
        expected: `a value of ${bytes} bytes to be taken: it is within ${words.limit}`,
        found: told(one.refusal),
      }));
  }
}

/** Right but for a key above the declared length: without one, what is too long for a key is not known. */
function isJustLongKey(view: HostCase, { call, wrongs, doubts }: Assessed): boolean {
  const limit = limitOf(view.limits, 'state_key_chars');
  const { key } = call.data;
  const long = limit !== undefined && typeof key === 'string' && characters(key) > limit;
  return long && wrongs.length === 0 && doubts.every((doubt) => doubt === LONG_KEY);
}

const isStored = (view: HostCase, one: Assessed): boolean =>
  view.observations.some(
    (observation) =>
      observation.n > one.call.n &&
      shownBy(view, observation).state?.some(
        ({ scope, key, value }) =>
          scope === one.call.data['scope'] &&
          key === one.call.data['key'] &&
          jsonBytes(value) === jsonBytes(one.call.data['value']),
      ),
  );

/** A page never holds more than the cap; refusing to give so many is legal. */
function* pageSize(view: HostCase, action: string, limitName: string): Iterable<Finding> {
  const declared = limitOf(view.limits, limitName);
  const cap = declared ?? IMMODEST_ITEMS;
  for (const one of assess(view)) {
    const asked = one.call.data['limit'];
    if (one.action !== action || !reaches(asked, cap) || one.reply === undefined || isThrottled(one)) continue;
    const items = itemsOf(one).length;
    const enough = items >= cap || one.reply.data['has_more'] === true;
    if (one.ok && items > cap)
      yield broken(proofOf(one), {
        expected: `at most ${cap} items${declared === undefined ? ' (no cap is declared; one must show)' : `, as ${limitName} declares`}`,
        found: `${items} items for ${asked == null ? 'no limit' : `limit ${asked}`}`,
      });
    else if (one.ok && enough) yield kept(proofOf(one));
  }
}

/** Does it ask for as much as the cap, or for whatever a host gives unasked? */
const reaches = (asked: JsonValue | undefined, cap: number): boolean =>
  asked === undefined || asked === null || (typeof asked === 'number' && asked >= cap);

/** No more bytes than the cap in one answer. Where none is declared, one shows by an answer that stops short. */
function* readSize(view: HostCase): Iterable<Finding> {
  const declared = limitOf(view.limits, 'artifact_read_bytes');
  const cap = declared ?? IMMODEST_READ - 1;
  const answered = answeredIn(view).has('artifact_read');
  for (const one of assess(view)) {
    const asked = one.call.data['length'] ?? one.call.data['limit'];
    const size = one.artifact?.bytes?.length ?? 0;
    if (one.action !== 'artifact_read' || !reaches(asked, cap) || isThrottled(one)) continue;
    if (declared !== undefined && size <= cap) continue;
    const content = one.reply?.data['content_base64'];
    const bytes = typeof content === 'string' ? Buffer.from(content, 'base64').length : 0;
    if (one.ok && bytes > cap)
      yield broken(proofOf(one), {
        expected: `at most ${cap} bytes in one answer`,
        found: `${bytes} bytes for ${asked == null ? 'no length' : `length ${asked}`}`,
      });
    else if ((one.ok && bytes > 0 && bytes < size) || (one.refusal !== undefined && one.artifact?.stored && answered))
      yield kept(proofOf(one));
  }
}

function* callSize(view: HostCase): Iterable<Finding> {
  const answered = answeredIn(view);
  for (const one of assess(view)) {
    if (!one.wrongs.includes('large') || one.api.family === 'state') continue;
    if (one.ok)
      yield broken(proofOf(one), {
        expected: `${one.action} with ${FAR_TOO_LARGE} bytes or more to be refused`,
        found: 'it was answered with code 0',
      });
    else if (isJust(one, 'large') && one.refusal !== undefined && answered.has(one.action)) yield kept(proofOf(one));
  }
}

/** Bursts of calls that are right but for their number: at least four times the rate within one second, in one run. */
function burstsOf(view: HostCase): readonly (readonly Assessed[])[] {
  const declared = limitOf(view.limits, 'calls_per_second');
  const size = declared === undefined ? UNDECLARED_BURST : Math.max(4, Math.ceil(4 * declared));
  const bursts: Assessed[][] = [];
  for (const run of view.runs) {
    const calls = assess(view).filter((one) => one.run === run && isGranted(one) && one.reply !== undefined);
    for (let from = 0; from + size <= calls.length; ) {
      if (calls[from + size - 1]!.call.at - calls[from]!.call.at < 1000) {
        bursts.push(calls.slice(from, from + size));
        from += size;
      } else from++;
    }
  }
  return bursts;
}

function* rate(view: HostCase): Iterable<Finding> {
  for (const burst of burstsOf(view)) {
    const refused = burst.find((one) => !one.ok);
    if (!burst.some((one) => one.ok)) continue;
    yield hold(
      refused !== undefined,
      refused === undefined ? [burst[0]!.call.n, burst.at(-1)!.call.n] : proofOf(refused),
      {
        expected: `some of ${burst.length} calls within one second to be refused`,
        found: 'all were answered with code 0',
      },
    );
  }
  yield* rateEdge(view);
}

/**
 * How many calls of one run can be answered with code 0 between a first call and a last answer. At one instant a sliding window, a
 * fixed one and a bucket that fills up with time all end at the limit; a real second may hold the end of one fixed window and the
 * beginning of the next.
 */
function* rateEdge(view: HostCase): Iterable<Finding> {
  const limit = limitOf(view.limits, 'calls_per_second');
  if (limit === undefined || !Number.isInteger(limit) || limit < 1) return;
  for (const run of view.runs) {
    const calls = assess(view).filter((one) => one.run === run && isGranted(one) && one.reply !== undefined);
    for (const flock of flocksOf(view, calls)) {
      const most = view.head.clock === 'virtual' && span(flock) === 0 ? limit : 2 * limit;
      const served = flock.filter((one) => one.ok);
      if (flock.length <= most || served.length === 0) continue;
      yield hold(served.length <= most, [flock[0]!.call.n, (served[most] ?? flock.at(-1)!).reply!.n], {
        expected: `at most ${most} of ${flock.length} calls ${most === limit ? 'at one instant' : 'within one second'} to be answered: calls_per_second is ${limit}`,
        found: `${served.length} were answered with code 0`,
      });
    }
  }
}

const answeredAt = (one: Assessed): number => one.call.replies.at(-1)?.at ?? one.call.at;
const span = (calls: readonly Assessed[]): number => Math.max(...calls.map(answeredAt)) - calls[0]!.call.at;

/** Calls that were made, and answered, at one instant of virtual time or within one second of real time. */
function flocksOf(view: HostCase, calls: readonly Assessed[]): readonly (readonly Assessed[])[] {
  const within = view.head.clock === 'virtual' ? 0 : 999;
  const flocks: Assessed[][] = [];
  for (const one of calls) {
    const flock = flocks.at(-1);
    if (flock !== undefined && answeredAt(one) - flock[0]!.call.at <= within) flock.push(one);
    else flocks.push([one]);
  }
  return flocks;
}

/** Milliseconds of silence on the link after which every way to count a second has forgotten what was before. */
const QUIET = 1250;

/** How many calls the link had seen, this one among them, since it was last quiet; undefined where that is not known. */
function sinceQuiet(view: HostCase): ReadonlyMap<unknown, number> {
  const counts = new Map<unknown, number>();
  // Whatever was called before this case may have been called just before.
  let stirred = 0;
  let count: number | undefined;
  for (const call of view.calls) {
    count = call.at - stirred >= QUIET ? 1 : count === undefined ? undefined : count + 1;
    if (count !== undefined) counts.set(call, count);
    stirred = Math.max(
      stirred,
      ...(call.replies.length === 0 ? [Number.POSITIVE_INFINITY] : call.replies.map(({ at }) => at)),
    );
  }
  return counts;
}

function* withinRate(view: HostCase): Iterable<Finding> {
  const limit = limitOf(view.limits, 'calls_per_second');
  if (limit === undefined) return;
  const counts = sinceQuiet(view);
  for (const one of assess(view)) {
    if (one.run === undefined || !(one.ok || one.code === 'rate_limited')) continue;
    const count = counts.get(one.call);
    const few = count !== undefined && count <= limit;
    if (one.busy && !few) continue;
    yield hold(one.ok, proofOf(one), {
      expected: few
        ? `no refusal for the rate: it is call ${count} of ${limit} since a second without any`
        : `no refusal for the rate: at most half of ${limit} calls came within a second`,
      found: 'rate_limited',
    });
  }
}

/** Each refusal within a burst of calls that are right but for their number. */
export function* rateCodes(view: HostCase): Iterable<Finding> {
  for (const burst of burstsOf(view))
    for (const one of burst)
      if (one.refusal !== undefined && one.error !== undefined)
        yield hold(one.code === 'rate_limited', proofOf(one), () => ({
          expected: 'rate_limited',
          found: brief(one.code),
        }));
}

export const limitJudges: readonly Judge<HostCase>[] = [
  judge<HostCase>('v1/8/size-state', stateSize),
  judge<HostCase>('v1/8/size-history-page', (view) => pageSize(view, 'history_page', 'history_page_items')),
  judge<HostCase>('v1/8/size-event-page', (view) => pageSize(view, 'event_page', 'event_page_items')),
  judge<HostCase>('v1/8/size-artifact-read', readSize),
  judge<HostCase>('v1/8/size-call', callSize),
  judge<HostCase>('v1/8/rate-limited', rate),
  judge<HostCase>('v1/8/rate-within-served', withinRate),
];
