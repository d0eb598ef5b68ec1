// §7.3: which state.updated a host stores and which it refuses, and that a refusal does nothing else.
import { isObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { type Finding, hold, judge, open } from '../../../judging/judge.ts';
import { characters, jsonBytes, limitOf } from '../../oracle/measure.ts';
import { textOf } from '../../oracle/payload.ts';
import { type Ruling, SCOPES, type StateScope } from '../../oracle/state.ts';
import type { Item } from '../../oracle/stream.ts';
import { brief, FAILURES, isTelling, messagesOf, timesDelivered } from '../effects.ts';
import { foldAll } from '../folded.ts';
import { observationsOf } from '../shown.ts';
import { accepted, looksAfter, refused, type Seen, seenOf, valueIn, type Why } from '../state-evidence.ts';
import { lastWrites, ownerOf, stateDue, writesOf } from '../stored.ts';
import type { HostCase } from '../view.ts';

/** A refused update whose key or value shows all the same. */
function leftIn(seen: readonly Seen[], { data }: Item): Seen | undefined {
  const { key, value } = data;
  const sameKey = (one: Seen): boolean => typeof key === 'string' && key !== '' && one.key === key;
  // A key that is not there reads as null too, so null proves nothing.
  if (value === undefined || value === null) return undefined;
  return seen.find((one) => sameJson(one.value, value) && (sameKey(one) || isTelling(value)));
}

const show = ({ scope, key, value }: Seen): string =>
  `${scope}/${brief(key, 40)} = ${brief(JSON.stringify(value) ?? '')}`;

function* keptOut(view: HostCase, words: string, ...whys: readonly Why[]): Iterable<Finding> {
  for (const { item, folded, settled } of refused(view, ...whys)) {
    const seen = looksAfter(view, folded, item);
    if (seen === undefined) continue;
    const found = leftIn(seen, item);
    yield hold(found === undefined, [item.n, found?.n ?? settled.n], () => ({
      expected: `${words} is refused`,
      found: `state shows ${found && show(found)}`,
    }));
  }
}

type Stored = Extract<Ruling, { ruling: 'stored' }>;

/** Around the edge of a limit: what lies within is stored, what lies above is not. */
function* edge(
  view: HostCase,
  why: Why,
  size: (ruling: Stored) => number,
  limit: number | undefined,
  words: string,
): Iterable<Finding> {
  for (const { item, seen } of accepted(view)) {
    if (limit === undefined || item.ruling?.ruling !== 'stored') continue;
    const measured = size(item.ruling);
    if (measured >= limit - 1)
      yield hold(seen.value !== undefined, [item.n, seen.n], {
        expected: `${words} of ${measured}, the limit being ${limit}, is stored`,
        found: 'state does not show it',
      });
  }
  yield* keptOut(
    view,
    `${words} above the limit${limit === undefined ? ' that a host must have' : ` of ${limit}`}`,
    why,
  );
}

/** Does the update fit StateUpdatedData? One that does not is a malformed result too, over which a host may let the run fail. */
const fits = ({ data }: Item): boolean =>
  SCOPES.includes(data['scope'] as StateScope) &&
  typeof data['key'] === 'string' &&
  data['key'] !== '' &&
  data['value'] !== undefined;

export const stateLimitJudges = [
  judge<HostCase>('v1/7.3/state-accepted', function* (view) {
    for (const { write, item, seen } of accepted(view)) {
      // A value that was never written belongs to the clause on round trips.
      const stale =
        seen.value === undefined || seen.value === null
          ? !sameJson(write.value, null)
          : isOlder(view, item, seen.value);
      yield hold(!stale, [item.n, seen.n], () => ({
        expected: `${write.scope}/${brief(write.key, 40)} holds the last value`,
        found: seen.value === undefined ? 'nothing under that key' : brief(JSON.stringify(seen.value)),
      }));
    }
  }),

  judge<HostCase>('v1/7.3/state-scope-checked', (view) =>
    keptOut(view, 'an update in a scope that does not exist', 'scope'),
  ),
  judge<HostCase>('v1/7.3/state-scope-policy', (view) =>
    keptOut(view, 'an update in a scope that is not open', 'policy'),
  ),
  judge<HostCase>('v1/7.3/state-key-checked', (view) => keptOut(view, 'an update without a proper key', 'key')),

  judge<HostCase>('v1/7.3/state-key-length', (view) =>
    edge(view, 'key-length', ({ key }) => characters(key), limitOf(view.limits, 'state_key_chars'), 'a key'),
  ),
  judge<HostCase>('v1/7.3/state-value-bytes', (view) =>
    edge(view, 'value-bytes', ({ value }) => jsonBytes(value), limitOf(view.limits, 'state_value_bytes'), 'a value'),
  ),

  judge<HostCase>('v1/7.3/state-value-json', function* (view) {
    for (const { item, folded, settled } of refused(view, 'no-value')) {
      const { key } = item.data;
      const seen = looksAfter(view, folded, item);
      if (seen === undefined || stateDue(view, foldAll(view), folded.run, settled.n).some((one) => one.key === key))
        continue;
      const found = seen.find((one) => one.key === key && one.value !== undefined);
      yield hold(found === undefined, [item.n, found?.n ?? settled.n], () => ({
        expected: 'an update without a value is refused',
        found: `state shows ${found && show(found)}`,
      }));
    }
  }),

  judge<HostCase>('v1/7.3/state-round-trip', function* (view) {
    for (const { write, item, seen } of accepted(view)) {
      if (seen.value === undefined || isOlder(view, item, seen.value)) continue;
      yield hold(sameJson(seen.value, write.value), [item.n, seen.n], () => ({
        expected: brief(JSON.stringify(write.value) ?? ''),
        found: brief(JSON.stringify(seen.value)),
      }));
    }
  }),

  judge<HostCase>('v1/7.3/refused-changes-nothing', function* (view) {
    const all = foldAll(view);
    for (const { folded, item } of refused(view)) {
      const { scope, key } = item.data;
      if (typeof key !== 'string' || key === '' || !folded.scopes.has(scope as StateScope)) continue;
      const writes = all.flatMap(writesOf).filter((one) => one.scope === scope && one.key === key);
      if (writes.some(({ unsure }) => unsure)) continue;
      for (const seen of seenOf(view, folded, String(scope), key)) {
        const due = stateDue(view, all, folded.run, seen.n).find((one) => one.scope === scope && one.key === key);
        if (due === undefined && writes.length > 0) continue;
        yield hold(
          sameJson(seen.value, due?.value) ||
            (due !== undefined && sameJson(due.value, null) && seen.value === undefined),
          [item.n, seen.n],
          () => ({
            expected:
              due === undefined
                ? 'nothing under that key, as before'
                : `still ${brief(JSON.stringify(due.value) ?? '')}`,
            found: seen.value === undefined ? 'nothing' : brief(JSON.stringify(seen.value)),
          }),
        );
      }
    }
  }),

  judge<HostCase>('v1/7.3/refused-stops-nothing', function* (view) {
    for (const folded of foldAll(view)) {
      const { items, settled, terminal, run } = folded;
      const refusals = items.filter(
        ({ ruling, phase }) => ruling?.ruling === 'refused' && (phase === 'live' || phase === 'shaky'),
      );
      const [first] = refusals;
      const others = items.some(
        ({ kind, ruling }) =>
          ['malformed', 'unsure', 'foreign', 'oversized', 'again'].includes(kind) || ruling?.ruling === 'unsure',
      );
      if (
        first === undefined ||
        others ||
        !refusals.every(fits) ||
        terminal?.kind !== 'completed' ||
        run.cancels.length > 0
      )
        continue;
      if (settled === undefined) {
        yield open(first.n, 'the run was not looked at after its end');
        continue;
      }
      const delivered = messagesOf(settled, folded);
      const lost = items.find(
        (item) =>
          item.kind === 'message' &&
          item.n > first.n &&
          item.n < terminal.n &&
          textOf(item.content) !== '' &&
          delivered !== undefined &&
          timesDelivered(delivered, item.content) === 0,
      );
      const failed = settled.status !== undefined && settled.status !== 'completed';
      yield hold(!failed && lost === undefined, [first.n, settled.n], () => ({
        expected: 'the run goes on after a refused update',
        found: failed ? `status ${JSON.stringify(settled.status)}` : 'a later message was not delivered',
      }));
    }
  }),

  judge<HostCase>('v1/7.3/refused-warned', function* (view) {
    for (const { item, settled } of refused(view))
      if (settled.warnings !== undefined && (fits(item) || !FAILURES.has(settled.status)))
        yield hold(settled.warnings.length > 0, [item.n, settled.n], {
          expected: 'a warning about the refused update',
          found: 'no warning',
        });
  }),

  judge<HostCase>('v1/7.3/state-durable', function* (view) {
    const all = foldAll(view);
    for (const restart of view.restarts) {
      if (restart.reply?.code !== 0) continue;
      for (const { run } of all) {
        const before = observationsOf(view, run).findLast(({ n }) => n < restart.n);
        if (before?.state === undefined || run.n > restart.n) continue;
        const due = lastWrites(view, all, run, restart.n).filter((write) =>
          sameJson(valueIn(before, write.scope, write.key), write.value),
        );
        const after = observationsOf(view, run).find(({ n, state }) => n > restart.n && state !== undefined);
        const asked = view.runs.filter((other) => other.n > restart.n);
        for (const write of due) {
          const got = asked
            .filter((other) => ownerOf(other, write.scope) === ownerOf(run, write.scope))
            .flatMap(({ calls }) => calls)
            .find(
              (call) =>
                call.action === 'state_get' &&
                call.data['scope'] === write.scope &&
                call.data['key'] === write.key &&
                call.reply?.code === 0,
            );
          const values = [
            ...(after === undefined ? [] : [{ n: after.n, value: valueIn(after, write.scope, write.key) }]),
            ...(got === undefined ? [] : [{ n: got.reply!.n, value: got.reply!.data['value'] }]),
          ];
          for (const { n, value } of values)
            yield hold(sameJson(value ?? null, write.value ?? null), [write.n, restart.n, n], () => ({
              expected: `${write.scope}/${brief(write.key, 40)} is ${write.value === undefined ? 'not ' : ''}there after the restart`,
              found: value === undefined ? 'nothing' : brief(JSON.stringify(value)),
            }));
        }
      }
    }
  }),
];

/** Is this what an earlier update of the same key had brought? */
const isOlder = (view: HostCase, item: Item, value: JsonValue): boolean =>
  !sameJson(item.data['value'], value) &&
  foldAll(view).some(({ items }) =>
    items.some(
      (one) =>
        one.n < item.n &&
        one.data['key'] === item.data['key'] &&
        isObject(one.data) &&
        sameJson(one.data['value'], value),
    ),
  );
