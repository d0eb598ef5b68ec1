// §7.3: which state.updated a host stores and which it refuses, and that a refusal does nothing else.
import { isObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { type Finding, hold, judge, open } from '../../../judging/judge.ts';
import { characters, jsonBytes, limitOf } from '../../oracle/measure.ts';
import { textOf } from '../../oracle/payload.ts';
import type { Ruling } from '../../oracle/state.ts';
import type { Item } from '../../oracle/stream.ts';
import { brief, isTelling, messagesOf, timesDelivered } from '../effects.ts';
import { type Folded, foldAll } from '../folded.ts';
import { observationsOf, type Shown } from '../shown.ts';
import { ownerOf, stateDue, type Written } from '../stored.ts';
import type { HostCase } from '../view.ts';

/** Where a value of state can be read: what the run shows, and what state_get answers in a later run of the same owner. */
interface Evidence {
  readonly n: number;
  readonly value: JsonValue | undefined;
}

function evidence(view: HostCase, folded: Folded, scope: string, key: string): readonly Evidence[] {
  const { run, settled } = folded;
  const shown = settled?.state === undefined ? [] : [{ n: settled.n, value: valueIn(settled, scope, key) }];
  const asked = view.runs.filter(
    (other) => other.n > (run.end?.n ?? run.n) && ownerOf(other, scope) === ownerOf(run, scope),
  );
  const got = asked.flatMap(({ calls, identity }) =>
    calls.flatMap((call) =>
      call.action === 'state_get' &&
      call.data['scope'] === scope &&
      call.data['key'] === key &&
      call.identity === identity &&
      call.reply?.code === 0
        ? [{ n: call.reply.n, value: call.reply.data['value'] }]
        : [],
    ),
  );
  return [...shown, ...got];
}

const valueIn = (shown: Shown, scope: string, key: string): JsonValue | undefined =>
  shown.state?.find((entry) => entry.scope === scope && entry.key === key)?.value;

/** Each last write of a result that must be seen, with what was seen of it. */
function* accepted(view: HostCase): Iterable<{ folded: Folded; write: Written; item: Item; seen: Evidence }> {
  const all = foldAll(view);
  for (const folded of all) {
    for (const item of folded.items) {
      if (item.ruling?.ruling !== 'stored' || !folded.counts(item)) continue;
      const { scope, key } = item.ruling;
      for (const seen of evidence(view, folded, scope, key)) {
        const write = stateDue(view, all, folded.run, seen.n).find((one) => one.scope === scope && one.key === key);
        if (write?.n === item.n) yield { folded, write, item, seen };
      }
    }
  }
}

type Refused = Extract<Ruling, { ruling: 'refused' }>;

/** Each refused update in a run that was looked at afterwards. */
function* refused(
  view: HostCase,
  ...whys: readonly Refused['why'][]
): Iterable<{ folded: Folded; item: Item; settled: Shown; why: Refused['why'] }> {
  for (const folded of foldAll(view)) {
    const { settled } = folded;
    if (settled === undefined) continue;
    for (const item of folded.items) {
      if (item.ruling?.ruling !== 'refused' || (item.phase !== 'live' && item.phase !== 'shaky')) continue;
      if (whys.length === 0 || whys.includes(item.ruling.why)) yield { folded, item, settled, why: item.ruling.why };
    }
  }
}

/** A refused update has left its key or its value somewhere in the state. */
function leftIn(settled: Shown, { data }: Item, stands: JsonValue | undefined): string | undefined {
  const { key, value } = data;
  const found = settled.state?.find(
    (entry) =>
      (typeof key === 'string' &&
        key !== '' &&
        entry.key === key &&
        !(stands !== undefined && sameJson(entry.value, stands)) &&
        value !== undefined &&
        sameJson(entry.value, value)) ||
      (isTelling(value) && sameJson(entry.value, value)),
  );
  return found === undefined
    ? undefined
    : `${found.scope}/${brief(found.key, 40)} = ${brief(JSON.stringify(found.value) ?? '')}`;
}

function* keptOut(view: HostCase, words: string, ...whys: readonly Refused['why'][]): Iterable<Finding> {
  for (const { item, settled } of refused(view, ...whys)) {
    if (settled.state === undefined) continue;
    const found = leftIn(settled, item, undefined);
    yield hold(found === undefined, [item.n, settled.n], {
      expected: `${words} is refused`,
      found: `state shows ${found}`,
    });
  }
}

/** Around the edge of a limit: what lies within is stored, what lies above is not. */
function* edge(
  view: HostCase,
  why: Refused['why'],
  size: (ruling: Extract<Ruling, { ruling: 'stored' }>) => number,
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
  for (const { item, settled } of refused(view, why)) {
    if (settled.state === undefined) continue;
    const found = settled.state.find(
      (entry) => entry.key === item.data['key'] && sameJson(entry.value, item.data['value']),
    );
    yield hold(found === undefined, [item.n, settled.n], {
      expected: `${words} above the limit${limit === undefined ? ' that a host must have' : ` of ${limit}`} is refused`,
      found: 'state shows it',
    });
  }
}

export const stateLimitJudges = [
  judge<HostCase>('v1/7.3/state-accepted', function* (view) {
    for (const { write, item, seen } of accepted(view)) {
      // A value that was never written belongs to the clause on round trips.
      const stale =
        seen.value === undefined || seen.value === null
          ? !sameJson(write.value, null)
          : isOlder(view, item, seen.value);
      yield hold(!stale, [item.n, seen.n], {
        expected: `${write.scope}/${brief(write.key, 40)} holds the last value`,
        found: seen.value === undefined ? 'nothing under that key' : brief(JSON.stringify(seen.value)),
      });
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
    for (const { item, settled, folded } of refused(view, 'no-value')) {
      if (settled.state === undefined) continue;
      const due = stateDue(view, foldAll(view), folded.run, settled.n);
      if (due.some(({ key }) => key === item.data['key'])) continue;
      const found = settled.state.find(({ key }) => key === item.data['key']);
      yield hold(found === undefined, [item.n, settled.n], {
        expected: 'an update without a value is refused',
        found: `state shows ${brief(JSON.stringify(found?.raw) ?? '')}`,
      });
    }
  }),

  judge<HostCase>('v1/7.3/state-round-trip', function* (view) {
    for (const { write, item, seen } of accepted(view)) {
      if (seen.value === undefined || isOlder(view, item, seen.value)) continue;
      yield hold(sameJson(seen.value, write.value), [item.n, seen.n], {
        expected: brief(JSON.stringify(write.value) ?? ''),
        found: brief(JSON.stringify(seen.value)),
      });
    }
  }),

  judge<HostCase>('v1/7.3/refused-changes-nothing', function* (view) {
    const all = foldAll(view);
    for (const { folded, item, settled } of refused(view)) {
      const { scope, key } = item.data;
      if (
        settled.state === undefined ||
        typeof key !== 'string' ||
        key === '' ||
        typeof scope !== 'string' ||
        !folded.scopes.has(scope as never)
      )
        continue;
      const touched = folded.items.some(
        (other) =>
          other !== item &&
          other.data['key'] === key &&
          other.data['scope'] === scope &&
          other.ruling?.ruling !== 'stored' &&
          other.ruling?.ruling !== 'refused',
      );
      if (touched) continue;
      const due = stateDue(view, all, folded.run, settled.n).find((one) => one.scope === scope && one.key === key);
      const shown = valueIn(settled, scope, key);
      if (
        due === undefined &&
        all.some((other) => other.items.some((one) => one.data['key'] === key && one.ruling?.ruling === 'stored'))
      )
        continue;
      yield hold(due === undefined ? shown === undefined : sameJson(shown, due.value), [item.n, settled.n], {
        expected:
          due === undefined ? 'nothing under that key, as before' : `still ${brief(JSON.stringify(due.value) ?? '')}`,
        found: shown === undefined ? 'nothing' : brief(JSON.stringify(shown)),
      });
    }
  }),

  judge<HostCase>('v1/7.3/refused-stops-nothing', function* (view) {
    for (const folded of foldAll(view)) {
      const { items, settled, terminal, run } = folded;
      const first = items.find(
        ({ ruling, phase }) => ruling?.ruling === 'refused' && (phase === 'live' || phase === 'shaky'),
      );
      const others = items.some(
        ({ kind, ruling }) =>
          ['malformed', 'unsure', 'foreign', 'oversized', 'again'].includes(kind) || ruling?.ruling === 'unsure',
      );
      if (first === undefined || others || terminal?.kind !== 'completed' || run.cancels.length > 0) continue;
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
      yield hold(!failed && lost === undefined, [first.n, settled.n], {
        expected: 'the run goes on after a refused update',
        found: failed ? `status ${JSON.stringify(settled.status)}` : 'a later message was not delivered',
      });
    }
  }),

  judge<HostCase>('v1/7.3/refused-warned', function* (view) {
    for (const { item, settled } of refused(view))
      if (settled.warnings !== undefined)
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
        const due = stateDue(view, all, run, restart.n).filter((write) =>
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
            yield hold(sameJson(value, write.value), [write.n, restart.n, n], {
              expected: `${write.scope}/${brief(write.key, 40)} is there after the restart`,
              found: value === undefined ? 'nothing' : brief(JSON.stringify(value)),
            });
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
