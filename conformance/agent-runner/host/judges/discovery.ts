// §4.1, §4.2: how a host asks for runners, and what a broken entry or odd metadata may do.
import { isObject, type JsonObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { hold, judge } from '../../../judging/judge.ts';
import { part } from '../../oracle/context.ts';
import { type Offered, offeredIn } from '../../oracle/manifest.ts';
import { brief } from '../effects.ts';
import { offeredFor } from '../folded.ts';
import { isText } from '../turns.ts';
import type { Discovery, HostCase, Listing } from '../view.ts';
import { entriesOf, listsOthers, names, warningsAfter } from './version.ts';

export const discoveryJudges = [
  judge<HostCase>('v1/4.1/host-asks-runtime', function* ({ discoveries, listings, restarts, resets }) {
    for (const { n, reply } of discoveries) {
      if (reply?.code !== 0) continue;
      const anew = Math.max(-1, ...[...restarts, ...resets].map((one) => one.n).filter((one) => one < n));
      const asked = listings.find((listing) => listing.n > anew && listing.n < reply.n);
      yield hold(asked !== undefined, [n, reply.n], {
        expected: 'a list_agent_runners request to the Runtime',
        found: 'driver_discover was answered and none had come',
      });
    }
  }),

  judge<HostCase>('v1/4.1/host-asks-without-payload', function* ({ listings }) {
    for (const { n, data } of listings) {
      const more = Object.keys(data).filter((key) => key !== 'include_plugins');
      yield hold(more.length === 0, n, () => ({ expected: 'no payload', found: `data has ${more.join(', ')}` }));
    }
  }),

  judge<HostCase>('v1/4.1/broken-entry-left-out', function* (view) {
    for (const discovery of view.discoveries) {
      const entries = entriesOf(view).filter((entry) => entry.discovery === discovery);
      if (!entries.some(({ negotiated }) => negotiated === 'broken')) continue;
      for (const { offered, negotiated, proof } of entries) {
        const listed = discovery.listed?.includes(offered.id ?? '') === true;
        const found =
          discovery.listed === undefined ? `an error: ${discovery.reply?.message}` : `[${discovery.listed.join(', ')}]`;
        if (
          negotiated === 'broken' &&
          (listed || discovery.listed === undefined || entries.some((other) => listsOthers(view, other)))
        )
          yield hold(!listed && discovery.listed !== undefined, proof, () => ({
            expected: `the broken entry ${brief(JSON.stringify(offered.entry) ?? '')} is left out`,
            found,
          }));
        if (negotiated === 'listed')
          yield hold(listed, proof, { expected: `${offered.id} stays beside a broken entry`, found });
      }
    }
  }),

  judge<HostCase>('v1/4.1/broken-entry-warned', function* (view) {
    for (const discovery of view.discoveries) {
      const entries = entriesOf(view).filter((entry) => entry.discovery === discovery);
      const unusable = entries.filter(({ negotiated }) => negotiated === 'broken');
      if (unusable.length === 0 || discovery.listed === undefined) continue;
      const warnings = warningsAfter(view, discovery);
      // What has no id that could be told is warned of by whatever words there are.
      const untold = unusable.find(({ offered }) => isNamed(offered) && !warnings.some((one) => names(one, offered)));
      yield hold(warnings.length > 0 && untold === undefined, (untold ?? unusable[0]!).proof, () => ({
        expected: `a warning about ${untold === undefined ? 'the entry that was left out' : `${untold.offered.id}, which was left out`}`,
        found: warnings.length === 0 ? 'no warning' : brief(warnings.join(' · '), 200),
      }));
    }
  }),

  judge<HostCase>('v1/4.1/failed-listing-survived', function* (view) {
    for (const { discovery, proof } of failuresIn(view)) {
      const { n, reply, listed } = discovery;
      if (reply === undefined) {
        if (view.end?.how === 'done')
          yield hold(false, proof, {
            expected: 'driver_discover to be answered though the Runtime told no runners',
            found: 'no answer',
          });
        continue;
      }
      // Runners that were known before may be kept or dropped; none may come from nowhere.
      const known = new Set(
        view.listings.flatMap(({ answer }) =>
          answer?.code === 0 && answer.n < reply.n ? (offeredIn(answer.data) ?? []).map(({ id }) => id) : [],
        ),
      );
      const invented = listed?.find((id) => !known.has(id));
      if (invented !== undefined)
        yield hold(false, [...proof, reply.n], { expected: 'no runner that was never offered', found: invented });
      const again = view.discoveries.find((one) => one.n > n && one.reply !== undefined);
      if (
        again !== undefined &&
        (again.listed ?? []).length === 0 &&
        !view.listings.some((one) => one.n > reply.n && one.n < again.reply!.n)
      )
        yield hold(false, [...proof, again.n, again.reply!.n], {
          expected: 'the Runtime to be asked again',
          found: 'driver_discover was answered, with no runners, and nobody had asked',
        });
      const after = entriesOf(view).filter((entry) => entry.negotiated === 'listed' && entry.discovery.n > n);
      for (const { discovery: next, offered, proof: later } of after.slice(0, 1))
        yield hold(next.listed?.includes(offered.id ?? '') === true, [...proof, ...later], () => ({
          expected: `${offered.id} is offered once the Runtime tells of it again`,
          found: next.listed === undefined ? `an error: ${next.reply?.message}` : `[${next.listed.join(', ')}]`,
        }));
    }
  }),

  judge<HostCase>('v1/4.1/failed-listing-told', function* (view) {
    for (const { discovery, proof } of failuresIn(view)) {
      const { reply, warnings } = discovery;
      if (reply !== undefined)
        yield hold(reply.code !== 0 || warnings.length > 0, [...proof, reply.n], {
          expected: 'a warning or an error: the Runtime told no runners',
          found: 'an answer as if there were none',
        });
    }
  }),

  judge<HostCase>('v1/4.2/metadata-not-core', function* (view) {
    // One runner, discovered twice with other metadata: it is listed both times, or neither.
    const found = entriesOf(view);
    for (const one of found) {
      for (const other of found) {
        if (other.discovery.n <= one.discovery.n || !differInMetadata(one.offered, other.offered)) continue;
        const [first, second] = [one, other].map(({ discovery, offered }) =>
          discovery.listed?.includes(offered.id ?? ''),
        );
        if (first || second)
          yield hold(first === second, [...one.proof, ...other.proof], () => ({
            expected: `${one.offered.id} is offered whatever stands in its metadata`,
            found: `it is with ${brief(JSON.stringify((first ? one : other).offered.metadata))} only`,
          }));
      }
    }
    // And the same event under the same binding makes the same context.
    for (const [index, run] of view.runs.entries()) {
      const first = offeredFor(view, run.runnerId, run.n);
      for (const other of view.runs.slice(index + 1)) {
        const second = offeredFor(view, other.runnerId, other.n);
        if (first === undefined || second === undefined || !differInMetadata(first, second)) continue;
        if (!sameTurn(run.submission, other.submission)) continue;
        const [a, b] = [comparable(run.context), comparable(other.context)];
        yield hold(sameJson(a, b), [run.n, other.n], () => ({
          expected: 'the same context whatever stands in metadata',
          found: `${differing(a, b).join(', ')} differ`,
        }));
      }
    }
  }),
];

/** Discoveries in which the Runtime was asked, and answered with an error or with something that is no list of runners. */
const failuresIn = ({
  discoveries,
  listings,
}: HostCase): readonly { discovery: Discovery; proof: readonly number[] }[] =>
  discoveries.flatMap((discovery) => {
    const next = discoveries.find(({ n }) => n > discovery.n)?.n ?? Number.POSITIVE_INFINITY;
    const until = discovery.reply?.n ?? next;
    const asked = listings.filter(({ n, answer }) => n > discovery.n && n < until && answer !== undefined);
    const failed = ({ answer }: Listing): boolean => answer!.code !== 0 || offeredIn(answer!.data) === undefined;
    return asked.length > 0 && asked.every((one) => failed(one) && one.answer!.n < until)
      ? [{ discovery, proof: [discovery.n, asked.at(-1)!.answer!.n] }]
      : [];
  });

/** The same runner but for its metadata. */
const differInMetadata = (one: Offered, other: Offered): boolean =>
  one.id === other.id && !sameJson(one.metadata, other.metadata) && sameJson(bare(one.entry), bare(other.entry));

/** Does it go by an id that is one? */
const isNamed = ({ id, author, plugin, name }: Offered): boolean =>
  id !== undefined && author !== undefined && plugin !== undefined && name !== undefined;

const bare = (entry: unknown): unknown => {
  if (!isObject(entry)) return entry;
  const { metadata: _, ...rest } = entry;
  return isObject(rest['manifest']) ? { ...rest, manifest: bare(rest['manifest']) } : rest;
};

interface Turn {
  readonly event: JsonObject;
  readonly binding: JsonObject;
}

/** The same envelope but for its ids, in conversations that are both new. */
export function sameTurn(a: Turn | undefined, b: Turn | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const strip = ({ event_id: _, conversation_id: __, ...rest }: JsonObject): JsonObject => rest;
  return (
    sameJson(a.binding, b.binding) &&
    sameJson(strip(a.event), strip(b.event)) &&
    isText(a.event['conversation_id']) === isText(b.event['conversation_id']) &&
    a.event['conversation_id'] !== b.event['conversation_id']
  );
}

/** What of a context may not hang on ids, clocks and counters. */
export function comparable(context: JsonObject): JsonObject {
  const { event, conversation, actor, subject, input, delivery, resources, config, context: access } = context;
  const { available_apis, inline_policy } = part(access);
  const { event_id, ...about } = part(event);
  const { conversation_id, ...where } = part(conversation);
  const runtime = part(context, 'runtime');
  const ids = [context['run_id'], event_id, conversation_id, runtime['trace_id']];
  const metadata = [context['metadata'], runtime['metadata']].map((value) => scrubbed(value, ids));
  return {
    ...{ event: about, conversation: where, actor, subject, input, delivery, resources, config },
    ...{ available_apis, inline_policy, metadata },
  };
}

/** Without these ids, and without what may be a time. */
function scrubbed(value: JsonValue | undefined, ids: readonly unknown[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, ids));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, scrubbed(member, ids)]));
  return value === undefined || ids.includes(value) || (typeof value === 'number' && value > 1e9) ? null : value;
}

export const differing = (a: JsonObject, b: JsonObject): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !sameJson(a[key], b[key]));
