// §3, §7.2: results of unknown type are ignored with a warning, and change nothing else.
import { isObject, type JsonObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { hold, judge } from '../../../judging/judge.ts';
import { brief, marksIn, traceOf } from '../effects.ts';
import { type Folded, type Settled, settledRuns } from '../folded.ts';
import { isStable } from '../say.ts';
import type { HostCase } from '../view.ts';
import { differing, sameTurn } from './discovery.ts';

export const unknownResultJudges = [
  judge<HostCase>('v1/7.2/unknown-type-ignored', function* (view) {
    for (const folded of settledRuns(view)) {
      const { settled, due, items } = folded;
      for (const item of items) {
        if (item.kind !== 'unknown' || (item.phase !== 'live' && item.phase !== 'shaky')) continue;
        const trace = traceOf(settled, folded, item);
        // How a stream without a terminal result ends is another clause's.
        const ended =
          due !== undefined &&
          folded.terminal !== undefined &&
          settled.status !== undefined &&
          (settled.status === 'completed') !== (due === 'completed');
        if (marksIn(item.value).length === 0 && folded.terminal === undefined) continue;
        yield hold(trace === undefined && !ended, [item.n, settled.n], () => ({
          expected: `a result of type “${brief(item.type, 40)}” has no effect`,
          found: trace ?? `status ${JSON.stringify(settled.status)} where the stream asks for ${due}`,
        }));
      }
    }
  }),

  judge<HostCase>('v1/7.2/unknown-type-warned', function* (view) {
    for (const { settled, items } of settledRuns(view)) {
      if (settled.warnings === undefined) continue;
      for (const type of new Set(
        items.filter(({ kind, phase }) => kind === 'unknown' && phase === 'live').map((item) => item.type),
      )) {
        const first = items.find((item) => item.type === type)!;
        const named = settled.warnings.some(
          (warning) => warning.includes(type) || warning.includes(JSON.stringify(type).slice(1, -1)),
        );
        yield hold(named, [first.n, settled.n], {
          expected: `a warning that names “${brief(type, 40)}”`,
          found: settled.warnings.length === 0 ? 'no warning' : brief(settled.warnings.join(' · ')),
        });
      }
    }
  }),

  judge<HostCase>('v1/7.2/unknown-type-inert', function* (view) {
    const all = settledRuns(view);
    for (const [index, one] of all.entries())
      for (const other of all.slice(index + 1)) {
        if (!areTwins(one, other)) continue;
        const [a, b] = [effectOf(one), effectOf(other)];
        yield hold(sameJson(a, b), [one.run.n, one.settled.n, other.run.n, other.settled.n], () => ({
          expected: 'the same to be seen with and without results of unknown type',
          found: `${differing(a, b).join(', ')} differ: ${brief(JSON.stringify(pick(a, b)), 200)}`,
        }));
      }
  }),
];

/** One turn, played with and without unknown results. */
function areTwins(one: Folded, other: Folded): boolean {
  const known = ({ items }: Folded): unknown[] =>
    items
      .filter(({ type }) => type === '' || isStable(type))
      // A result that one run must take and the other may refuse (no run_id, a number again) makes them no twins.
      .map(({ kind, value }) => [kind, strip(value)]);
  const strewn = (folded: Folded): number => folded.items.filter(({ kind }) => kind === 'unknown').length;
  return (
    strewn(one) !== strewn(other) &&
    one.run.end?.how === other.run.end?.how &&
    sameTurn(one.run.submission, other.run.submission) &&
    sameJson(known(one), known(other))
  );
}

const strip = (value: JsonValue | undefined): unknown => {
  if (!isObject(value)) return value;
  const { run_id: _, sequence: __, ...rest } = value;
  return rest;
};

/** All that can be seen of a run, ids and times aside. */
function effectOf({ run, settled }: Settled): JsonObject {
  const pluck = (list: readonly JsonObject[] | undefined, ...keys: readonly string[]): JsonValue[] | undefined =>
    list?.map((one) => keys.map((key) => one[key] ?? null));
  return {
    status: settled.status,
    deliveries: pluck(
      settled.deliveries?.filter(({ runId }) => runId === run.runId).map(({ raw }) => raw),
      'kind',
      'content',
    ),
    state: pluck(
      settled.state?.map(({ raw }) => raw),
      'scope',
      'key',
      'value',
    )?.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    transcript: pluck(settled.transcript, 'role', 'content'),
    artifacts: pluck(settled.artifacts, 'artifact_type', 'name', 'mime_type', 'size_bytes'),
    telemetry: pluck(
      settled.telemetry?.filter(({ type }) => isStable(type)),
      'type',
      'data',
    ),
  };
}

const pick = (a: JsonObject, b: JsonObject): JsonValue => {
  const [first] = differing(a, b);
  return first === undefined ? null : [a[first] ?? null, b[first] ?? null];
};
