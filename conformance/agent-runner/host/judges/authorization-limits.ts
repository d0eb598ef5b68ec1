// §8: payload sizes, page caps and rates. Where a host declares no number one is looked for.
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { jsonBytes, limitOf } from '../../oracle/measure.ts';
import { shownBy } from '../shown.ts';
import type { HostCase } from '../view.ts';
import { type Assessed, assess, FAR_TOO_LARGE, isGranted, isJust, isThrottled } from './authorization-assess.ts';
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
    if (isJust(one, 'large'))
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
    if (
      one.action !== action ||
      typeof asked !== 'number' ||
      asked < cap ||
      one.reply === undefined ||
      isThrottled(one)
    )
      continue;
    const items = itemsOf(one).length;
    const enough = items >= cap || one.reply.data['has_more'] === true;
    if (one.ok && items > cap)
      yield broken(proofOf(one), {
        expected: `at most ${cap} items${declared === undefined ? ' (no cap is declared; one must show)' : `, as ${limitName} declares`}`,
        found: `${items} items for limit ${asked}`,
      });
    else if (one.ok && enough) yield kept(proofOf(one));
  }
}

/** No more bytes than the cap in one answer. Where none is declared, one shows by an answer that stops short. */
function* readSize(view: HostCase): Iterable<Finding> {
  const declared = limitOf(view.limits, 'artifact_read_bytes');
  const cap = declared ?? IMMODEST_READ - 1;
  const answered = answeredIn(view).has('artifact_read');
  for (const one of assess(view)) {
    const asked = one.call.data['length'] ?? one.call.data['limit'];
    const size = one.artifact?.bytes?.length ?? 0;
    if (one.action !== 'artifact_read' || typeof asked !== 'number' || asked < cap || isThrottled(one)) continue;
    if (declared !== undefined && size <= cap) continue;
    const content = one.reply?.data['content_base64'];
    const bytes = typeof content === 'string' ? Buffer.from(content, 'base64').length : 0;
    if (one.ok && bytes > cap)
      yield broken(proofOf(one), {
        expected: `at most ${cap} bytes in one answer`,
        found: `${bytes} bytes for length ${asked}`,
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
}

function* withinRate(view: HostCase): Iterable<Finding> {
  const limit = limitOf(view.limits, 'calls_per_second');
  if (limit === undefined) return;
  for (const one of assess(view)) {
    if (one.busy || one.run === undefined || !(one.ok || one.code === 'rate_limited')) continue;
    yield hold(one.ok, proofOf(one), {
      expected: `no refusal for the rate: at most half of ${limit} calls came within a second`,
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
