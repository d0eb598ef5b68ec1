// §4.1, §4.2: how a host asks for runners, and what a broken entry or odd metadata may do.
import { isObject, type JsonObject, sameJson } from '../../../../common/json.ts';
import { hold, judge } from '../../../judging/judge.ts';
import { brief } from '../effects.ts';
import { offeredFor } from '../folded.ts';
import type { HostCase } from '../view.ts';
import { entriesOf } from './version.ts';

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
      yield hold(more.length === 0, n, { expected: 'no payload', found: `data has ${more.join(', ')}` });
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
        if (negotiated === 'broken')
          yield hold(!listed && discovery.listed !== undefined, proof, {
            expected: `the broken entry ${brief(JSON.stringify(offered.entry) ?? '')} is left out`,
            found,
          });
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
      yield hold(discovery.warnings.length > 0, unusable[0]!.proof, {
        expected: 'a warning about the entry that was left out',
        found: 'no warning',
      });
    }
  }),

  judge<HostCase>('v1/4.2/metadata-not-core', function* (view) {
    // One event under one binding, for one runner that came once with and once without metadata.
    for (const [index, run] of view.runs.entries()) {
      const first = offeredFor(view, run.runnerId, run.n);
      if (first === undefined || run.submission === undefined) continue;
      for (const other of view.runs.slice(index + 1)) {
        const second = offeredFor(view, other.runnerId, other.n);
        if (second === undefined || other.runnerId !== run.runnerId || sameJson(first.metadata, second.metadata))
          continue;
        if (!sameJson(bare(first.entry), bare(second.entry)) || !sameTurn(run.submission, other.submission)) continue;
        yield hold(sameJson(comparable(run.context), comparable(other.context)), [run.n, other.n], {
          expected: 'the same context whatever stands in metadata',
          found: `${differing(comparable(run.context), comparable(other.context)).join(', ')} differ`,
        });
      }
    }
  }),
];

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
    a.event['conversation_id'] !== b.event['conversation_id']
  );
}

/** What of a context may not hang on ids, clocks and counters. */
export function comparable(context: JsonObject): JsonObject {
  const { event, conversation, actor, subject, input, delivery, resources, config, context: access } = context;
  const { available_apis, inline_policy } = isObject(access) ? access : {};
  const { event_id: _, ...about } = isObject(event) ? event : {};
  const { conversation_id: __, ...where } = isObject(conversation) ? conversation : {};
  return {
    event: about,
    conversation: where,
    actor,
    subject,
    input,
    delivery,
    resources,
    config,
    available_apis,
    inline_policy,
  };
}

export const differing = (a: JsonObject, b: JsonObject): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !sameJson(a[key], b[key]));
