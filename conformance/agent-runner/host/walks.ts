// Walks through pages: calls that each begin where the one before left off.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { ApiCall, HostCase, HostRun, Placed } from './view.ts';

export interface Walk {
  readonly run: HostRun;
  readonly calls: readonly ApiCall[];
  readonly items: readonly JsonObject[];
  readonly direction: 'backward' | 'forward';
  /** The last page said that there is no more. */
  readonly whole: boolean;
  /** Where the first page was asked for, and the last one answered. */
  readonly from: Placed;
  readonly until: Placed;
}

/** Every walk of a run through its own conversation that began without a cursor and was never refused. */
export function walksOf({ runs }: HostCase, action: 'history_page' | 'event_page'): readonly Walk[] {
  return runs.flatMap((run) => {
    const own = [undefined, null, run.submission?.event['conversation_id']];
    const calls = run.calls.filter(
      ({ action: name, identity, data }) =>
        name === action &&
        identity === run.identity &&
        own.includes(data['conversation_id'] as string) &&
        data['event_types'] == null,
    );
    return calls.flatMap((call, index) => {
      if (cursorOf(call) !== undefined || call.reply?.code !== 0) return [];
      const walk = [call];
      for (const next of calls.slice(index + 1)) {
        const last = walk.at(-1)!;
        if (last.reply?.data['has_more'] !== true) break;
        if (
          cursorOf(next) === undefined ||
          cursorOf(next) !== last.reply.data['next_cursor'] ||
          !sameQuestion(last, next)
        )
          continue;
        if (next.reply?.code !== 0) return [];
        walk.push(next);
      }
      const last = walk.at(-1)!;
      const forward = call.data['direction'] === 'forward';
      return [
        {
          run,
          calls: walk,
          items: walk.flatMap(({ reply }) => itemsIn(reply!.data)),
          direction: forward ? ('forward' as const) : ('backward' as const),
          whole: last.reply!.data['has_more'] !== true,
          from: call,
          until: last.reply!,
        },
      ];
    });
  });
}

export const itemsIn = (page: JsonObject): readonly JsonObject[] =>
  Array.isArray(page['items']) ? page['items'].filter(isObject) : [];

const cursorOf = ({ data }: ApiCall): unknown => data['before_cursor'] ?? data['after_cursor'] ?? undefined;

const sameQuestion = (a: ApiCall, b: ApiCall): boolean =>
  ['limit', 'direction', 'conversation_id', 'include_artifacts'].every(
    (field) => (a.data[field] ?? null) === (b.data[field] ?? null),
  );
