// §8: what one plugin, workspace or binding keeps in its storage is not seen, and not removed, by another.
import type { JsonValue } from '../../../../common/json.ts';
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { brief } from '../effects.ts';
import type { ApiCall, HostCase, HostRun } from '../view.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');

/** Whose each area is. */
const OWNER: Readonly<Record<string, (run: HostRun) => JsonValue | undefined>> = {
  plugin: ({ identity }) => identity,
  workspace: ({ submission }) => submission?.event['workspace_id'],
  binding: ({ submission }) => submission?.binding['binding_id'],
};

type Owned = ApiCall & { readonly owner: JsonValue };

/** The calls of an area that were answered, each with the one on whose behalf it came. */
const ownedIn = (view: HostCase, area: string): readonly Owned[] =>
  view.calls.flatMap((call) => {
    const run = view.runs.find(({ runId, identity }) => runId === call.runId && identity === call.identity);
    const owner = run && OWNER[area]!(run);
    return call.reply === undefined || owner == null || !call.action.includes(`_${area}_storage`)
      ? []
      : [{ ...call, owner }];
  });

function* kept(view: HostCase, area: string): Iterable<Finding> {
  const calls = ownedIn(view, area);
  const isSet = ({ action }: Owned): boolean => action === `set_${area}_storage`;
  for (const set of calls) {
    if (!isSet(set) || set.reply!.code !== 0) continue;
    const { key, value_base64: value } = set.data;
    for (const call of calls) {
      const own = (other: Owned): boolean => other.owner === call.owner && other.data['key'] === key;
      if (call.n < set.reply!.n || call.owner === set.owner || calls.some((other) => isSet(other) && own(other)))
        continue;
      const proof = [set.n, call.n, call.reply!.n];
      const { data, code } = call.reply!;
      if (call.action === `get_${area}_storage` && call.data['key'] === key)
        yield hold(code !== 0 || data['value_base64'] !== value, proof, () => ({
          expected: `${show(key)} stays with ${area} ${show(set.owner)}`,
          found: `${area} ${show(call.owner)} reads it`,
        }));
      if (call.action === `get_${area}_storage_keys` && code === 0)
        yield hold(!(Array.isArray(data['keys']) && data['keys'].includes(key ?? null)), proof, () => ({
          expected: `no key of another ${area}`,
          found: show(data['keys']),
        }));
      if (call.action === `delete_${area}_storage` && call.data['key'] === key) {
        const again = calls.find(
          (other) =>
            other.n > call.reply!.n &&
            other.action === `get_${area}_storage` &&
            other.owner === set.owner &&
            other.data['key'] === key,
        );
        if (again !== undefined)
          yield hold(
            again.reply!.code === 0 && again.reply!.data['value_base64'] === value,
            [...proof, again.reply!.n],
            () => ({
              expected: `${show(key)} survives the delete of another ${area}`,
              found: again.reply!.code === 0 ? show(again.reply!.data) : again.reply!.message,
            }),
          );
      }
    }
  }
}

export const isolationStorageJudges = [
  judge<HostCase>('v1/8/scope-storage', (view) => kept(view, 'plugin')),
  judge<HostCase>('v1/8/scope-storage-workspace', (view) => kept(view, 'workspace')),
  judge<HostCase>('v1/8/scope-storage-binding', (view) => kept(view, 'binding')),
];
