// State, storage and platform: what was put in comes out again (§8, MODELS §5.5).
import { canonical, isObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { StorageKeys } from '../../oracle/answers.ts';
import { settledOf } from '../shown.ts';
import type { HostCase, HostRun } from '../view.ts';
import { unanswered, verdict } from './api-answers-base.ts';
import { type Assessed, assess, isGranted, isThrottled } from './authorization-assess.ts';
import { brief, proofOf, told } from './authorization-refusals.ts';

/** What a read must find: a value, nothing, or unknown where writes of others may have come between. */
type Due = { readonly value: JsonValue } | 'nothing' | 'unknown';

interface Slot {
  readonly set: string;
  readonly delete: string;
  readonly field: string;
  readonly same: (a: Assessed, b: Assessed) => boolean;
  /** What one run has set, another finds whose owner is this too. */
  readonly owner?: (run: HostRun) => string;
}

/** The last write of this run that was over before the read began; none may overlap it, and no other run may have written there. */
function dueFor(all: readonly Assessed[], read: Assessed, slot: Slot): Due {
  const writes = all.filter(
    (one) =>
      (one.action === slot.set || one.action === slot.delete) && slot.same(one, read) && one.call.n < read.reply!.n,
  );
  const sure = writes.filter((one) => one.refusal === undefined);
  if (sure.some((one) => one.reply === undefined || one.reply.n > read.call.n || !isShared(slot, one.run, read.run)))
    return 'unknown';
  if (writes.some((one) => one.refusal !== undefined && one.error === undefined)) return 'unknown';
  const last = sure.at(-1);
  if (last === undefined || last.action === slot.delete) return 'nothing';
  // Writes at once may take hold in any order.
  if (sure.some((one) => one !== last && one.reply!.n > last.call.n)) return 'unknown';
  return { value: last.call.data[slot.field] ?? null };
}

const isShared = ({ owner }: Slot, writer: HostRun | undefined, reader: HostRun | undefined): boolean =>
  writer === reader ||
  (owner !== undefined && writer !== undefined && reader !== undefined && owner(writer) === owner(reader));

/** Two runs that nothing tells apart but their time: whatever an area of storage hangs on, it is the same for both. */
const surelyOne = ({ identity, runnerId, submission }: HostRun): string => {
  const { event = {}, binding = {} } = submission ?? {};
  const places = ['bot_id', 'workspace_id', 'conversation_id', 'thread_id', 'actor', 'subject'];
  return canonical([identity, runnerId, binding['binding_id'] ?? null, ...places.map((name) => event[name] ?? null)]);
};

const STATE: Slot = {
  set: 'state_set',
  delete: 'state_delete',
  field: 'value',
  same: (a, b) => a.call.data['scope'] === b.call.data['scope'] && a.call.data['key'] === b.call.data['key'],
};

/** Could something else than calls have put a value there: a result, or another run before? */
const isTouched = (view: HostCase, read: Assessed): boolean =>
  view.restarts.length > 0 ||
  view.runs.some((run) =>
    run.pushed.some(
      ({ value }) =>
        isObject(value) &&
        value['type'] === 'state.updated' &&
        isObject(value['data']) &&
        value['data']['key'] === read.call.data['key'],
    ),
  );

function* state(view: HostCase): Iterable<Finding> {
  const all = assess(view);
  for (const one of all) {
    if (one.api.family !== 'state' || !one.ok || one.wrongs.length > 0) continue;
    const { data } = one.reply!;
    if (one.action !== 'state_get') {
      // A delete may say that there was nothing to delete.
      const free = one.action === 'state_delete' && !wasSet(all, one);
      const right = data['success'] === true || (free && data['success'] === false);
      yield verdict(one, `success${free ? ', true or false' : ''}`, right ? undefined : brief(data));
      continue;
    }
    const due = dueFor(all, one, STATE);
    if (due === 'unknown' || isTouched(view, one) || wasTouchedBefore(all, one)) continue;
    const value = data['value'] ?? null;
    yield due === 'nothing'
      ? hold(value === null, proofOf(one), () => ({
          expected: `null: nothing is set under ${brief(one.call.data['key'])}`,
          found: brief(value),
        }))
      : hold(sameJson(value, due.value), proofOf(one), () => ({
          expected: `what was set last: ${brief(due.value)}`,
          found: brief(value),
        }));
  }
  yield* unanswered(view, 'an answer', ({ api }) => api.family === 'state');
}

/** Did this run set the key, and has nobody touched it since? */
function wasSet(all: readonly Assessed[], one: Assessed): boolean {
  const last = all.findLast(
    (other) => other.api.family === 'state' && other.api.changes && other.call.n < one.call.n && STATE.same(other, one),
  );
  return last?.action === 'state_set' && last.run === one.run && last.ok && last.reply!.n < one.call.n;
}

/** A write of another run under the same key, whoever its owner is. */
const wasTouchedBefore = (all: readonly Assessed[], read: Assessed): boolean =>
  all.some(
    (one) =>
      one.run !== read.run &&
      one.api.family === 'state' &&
      one.api.changes &&
      one.ok &&
      one.call.n < read.reply!.n &&
      STATE.same(one, read),
  );

function* storage(view: HostCase): Iterable<Finding> {
  const all = assess(view);
  if (view.restarts.length > 0) return;
  for (const one of all) {
    const area = one.api.operation;
    if (one.action !== `get_${area}_storage` || one.wrongs.length > 0 || one.reply === undefined || isThrottled(one))
      continue;
    if (one.doubts.some((doubt) => doubt !== 'a key that is not there')) continue;
    const slot: Slot = {
      set: `set_${area}_storage`,
      delete: `delete_${area}_storage`,
      field: 'value_base64',
      same: (a, b) => a.call.data['key'] === b.call.data['key'],
      owner: surelyOne,
    };
    const due = dueFor(all, one, slot);
    if (due === 'unknown') continue;
    // A host that answers no set at all keeps nothing by giving nothing back.
    if (!one.ok && due === 'nothing' && !all.some((other) => other.ok && other.action === slot.set)) continue;
    const value = one.ok ? (one.reply.data['value_base64'] ?? null) : undefined;
    if (due === 'nothing')
      yield hold(value === null || value === undefined || value === '', proofOf(one), () => ({
        expected: `nothing: no such key ${brief(one.call.data['key'])}`,
        found: brief(value),
      }));
    else
      yield hold(typeof value === 'string' && bytes(value).equals(bytes(due.value)), proofOf(one), () => ({
        expected: `the bytes that were set last: ${brief(due.value)}`,
        found: one.ok ? brief(value) : told(one.refusal),
      }));
  }
}
const bytes = (value: JsonValue): Buffer => Buffer.from(String(value), 'base64');

function* storageList(view: HostCase): Iterable<Finding> {
  const all = assess(view);
  if (view.restarts.length > 0) return;
  for (const one of all) {
    const area = one.api.operation;
    if (one.action !== `get_${area}_storage_keys` || !one.ok || one.wrongs.length > 0) continue;
    const { data } = one.reply!;
    const unfit = StorageKeys(data, '');
    const keys = unfit === undefined ? (data['keys'] as readonly string[]) : [];
    const prefix = typeof one.call.data['prefix'] === 'string' ? one.call.data['prefix'] : '';
    const writes = all.filter(
      (other) =>
        (other.action === `set_${area}_storage` || other.action === `delete_${area}_storage`) &&
        other.call.n < one.reply!.n &&
        other.refusal === undefined,
    );
    const settled = writes.every((other) => other.reply !== undefined && other.reply.n < one.call.n);
    const ever = new Set(writes.map((other) => other.call.data['key']));
    const mine = new Map<string, boolean>();
    for (const other of writes) {
      const { key } = other.call.data;
      if (typeof key !== 'string') continue;
      // What another run did to the key may or may not be this run's business.
      if (other.run !== one.run) mine.delete(key);
      else mine.set(key, other.action.startsWith('set_'));
    }
    const wrong =
      unfit ??
      keys
        .filter((key) => !key.startsWith(prefix))
        .map((key) => `${brief(key)} does not begin with ${brief(prefix)}`)[0] ??
      keys.filter((key) => !ever.has(key)).map((key) => `${brief(key)}, which nobody set`)[0] ??
      (settled
        ? ([...mine]
            .filter(([key, there]) => there && key.startsWith(prefix) && !keys.includes(key))
            .map(([key]) => `${brief(key)} is missing`)[0] ??
          [...mine]
            .filter(
              ([key, there]) =>
                !there &&
                keys.includes(key) &&
                !writes.some((other) => other.run !== one.run && other.call.data['key'] === key),
            )
            .map(([key]) => `${brief(key)}, which was deleted`)[0])
        : undefined);
    if (wrong === undefined && ever.size === 0) continue;
    yield wrong === undefined
      ? kept(proofOf(one))
      : broken(proofOf(one), {
          expected: `the keys of the ${area} area${prefix && ` that begin with ${brief(prefix)}`}`,
          found: wrong,
        });
  }
}

function* platform(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    if (one.action !== 'platform_request_action' || !isGranted(one) || isThrottled(one) || one.reply === undefined)
      continue;
    yield hold(one.ok, proofOf(one), () => ({
      expected: 'a result: the action was granted and approved',
      found: told(one.refusal),
    }));
    const shown = one.ok ? one.run && settledOf(view, one.run) : undefined;
    if (shown?.deliveries !== undefined)
      yield hold(
        shown.deliveries.some(({ kind, runId }) => kind === 'action' && runId === one.run!.runId),
        [...proofOf(one), shown.n],
        { expected: `${brief(one.call.data['action'])} among the deliveries`, found: 'no action of this run' },
      );
  }
}

export const storeJudges: readonly Judge<HostCase>[] = [
  judge<HostCase>('v1/8/answer-state', state),
  judge<HostCase>('v1/8/answer-storage', storage),
  judge<HostCase>('v1/8/answer-storage-list', storageList),
  judge<HostCase>('v1/8/answer-platform', platform),
];
