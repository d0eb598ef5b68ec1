// What was granted works (§5.8, §6, §11), a refusal changes nothing and ends nothing (§8).
import { isObject, type JsonValue, sameJson } from '../../../../common/json.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { currentConversation } from '../../oracle/authorization.ts';
import { conversationOf, type Family } from '../../oracle/calls.ts';
import { jsonBytes } from '../../oracle/measure.ts';
import { settledOf, shownBy } from '../shown.ts';
import type { HostCase } from '../view.ts';
import { type Assessed, assess, FOR_THE_CALL, isGranted, isThrottled } from './authorization-assess.ts';
import { brief, itemsOf, proofOf, told } from './authorization-refusals.ts';

/** A call that waits longer than this for its answer, and gets none, was not served. */
const PATIENCE = 5000;

/** Each granted call is answered; only a fault of the host's own, which is no refusal, is another matter. */
function* served(
  view: HostCase,
  concerns: (one: Assessed) => boolean,
  refusedBy: ReadonlySet<unknown>,
): Iterable<Finding> {
  for (const one of assess(view)) {
    if (!isGranted(one) || !concerns(one) || isThrottled(one)) continue;
    if (one.ok) yield kept(proofOf(one));
    else if (one.refusal !== undefined) {
      if ((one.error === undefined ? isPlain(one) : refusedBy.has(one.code)) && !isJustMade(view, one))
        yield broken(proofOf(one), {
          expected: `${one.action} to be answered: it was granted to this run`,
          found: told(one.refusal),
        });
    } else if (view.end?.how === 'done' && view.end.at - one.call.at > PATIENCE)
      yield broken(one.call.n, {
        expected: `${one.action} to be answered: it was granted to this run`,
        found: `no answer within ${PATIENCE} ms`,
      });
  }
}

/** A bare text tells no reason; of a call with much in it that may be its size. */
const isPlain = ({ call }: Assessed): boolean => jsonBytes(call.data) <= PLAIN_BYTES;
const PLAIN_BYTES = 4096;

/** Results and calls are two ways into a host: what a result made a moment ago may not be there yet for a call. */
const isJustMade = (view: HostCase, { api, call, run }: Assessed): boolean =>
  api.family === 'artifacts' &&
  run !== undefined &&
  run.pushed.some(
    ({ n, at, value }) =>
      n < call.n &&
      call.at - at < view.head.grace &&
      isObject(value) &&
      isObject(value['data']) &&
      value['data']['artifact_id'] === call.data['artifact_id'],
  );

const NOT_GRANTED: ReadonlySet<unknown> = new Set(['unauthorized', 'not_found', 'invalid_argument']);
/** A key that is not there may be answered with not_found. */
const NOT_FOR_STORAGE: ReadonlySet<unknown> = new Set([...FOR_THE_CALL].filter((code) => code !== 'not_found'));
const FLAGGED: ReadonlySet<Family> = new Set(['history', 'events', 'artifacts', 'state', 'storage']);

function* crossConversation(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    const asked = conversationOf(one.action, one.call.data);
    if (
      one.action !== 'history_page' ||
      asked === undefined ||
      !isGranted(one) ||
      isThrottled(one) ||
      one.reply === undefined
    )
      continue;
    if (asked === (currentConversation(one.run?.context ?? {}) ?? one.standing?.event['conversation_id'])) continue;
    const stray = itemsOf(one).find((item) => isObject(item) && (item['conversation_id'] ?? asked) !== asked);
    const empty = one.ok && itemsOf(one).length === 0;
    if (empty && !isTranscribed(view, asked, one.call.n)) continue;
    yield hold(one.ok && !empty && stray === undefined, proofOf(one), () => ({
      expected: `the history of ${asked}, which the binding's policy and the manifest grant`,
      found: one.ok ? (empty ? 'an empty page' : brief(stray)) : told(one.refusal),
    }));
  }
}

/** Did the host show that this conversation has a transcript? */
const isTranscribed = (view: HostCase, conversation: JsonValue, before: number): boolean =>
  view.observations
    .filter(({ n }) => n < before)
    .some((one) => shownBy(view, one).transcript?.some((item) => item['conversation_id'] === conversation));

/** After a refusal the next granted call of the run works, and so does its end. */
function* goesOn(view: HostCase): Iterable<Finding> {
  for (const run of view.runs) {
    const calls = assess(view).filter((one) => one.run === run);
    const refused = calls.filter(
      (one) => one.refusal !== undefined && !one.wrongs.includes('run-ended') && !one.wrongs.includes('deadline'),
    );
    for (const one of refused) {
      const next = calls.find(
        (other) =>
          other.call.n > (one.reply?.n ?? 0) && isGranted(other) && !isThrottled(other) && other.reply !== undefined,
      );
      if (next !== undefined)
        yield hold(next.ok, [...proofOf(one), ...proofOf(next)], () => ({
          expected: `${next.action} to be answered, though ${one.action} was refused before it`,
          found: told(next.refusal),
        }));
    }
    const last = refused.at(-1);
    const end = run.pushed.find(
      ({ value }) => isObject(value) && (value['type'] === 'run.completed' || value['type'] === 'run.failed'),
    );
    const settled = settledOf(view, run);
    const cut = run.deadline !== undefined && end !== undefined && end.at > run.deadline - view.head.grace;
    const sound = run.pushed.every(({ value }) => isObject(value) && value['run_id'] === run.runId);
    const stirred = view.cancels.length > 0 || view.restarts.length > 0;
    if (
      last === undefined ||
      end === undefined ||
      settled?.status === undefined ||
      cut ||
      !sound ||
      stirred ||
      end.n < last.call.n
    )
      continue;
    if (isObject(end.value) && end.value['type'] === 'run.completed' && sameJson(end.value['run_id'], run.runId))
      yield hold(settled.status === 'completed', [last.call.n, end.n, settled.n], () => ({
        expected: 'the run to complete: a refused call does not end it',
        found: `status ${brief(settled.status)}`,
      }));
  }
}

/** What was asked for and refused shows nowhere afterwards. */
function* changesNothing(view: HostCase): Iterable<Finding> {
  const all = assess(view);
  const works = new Set(all.flatMap((one) => (one.ok && one.api.changes ? [one.api.family] : [])));
  for (const one of all) {
    if (one.refusal === undefined || !one.api.changes) continue;
    // Where nothing of the family ever works, that nothing changed says nothing.
    if (!works.has(one.api.family)) continue;
    switch (one.api.family) {
      case 'state':
        if (one.action === 'state_set') yield* stateSet(view, all, one);
        yield* stateKept(view, all, one);
        break;
      case 'storage':
        yield* storage(all, one);
        break;
      case 'platform':
      case 'tools':
        yield* noAction(view, all, one);
        break;
      default:
        break;
    }
  }
}

const sameKey = (a: Assessed, b: Assessed): boolean =>
  a.api.operation === b.api.operation &&
  a.call.data['key'] === b.call.data['key'] &&
  sameJson(a.call.data['scope'] ?? null, b.call.data['scope'] ?? null);

/** A refused value must not be there: neither in what the host shows nor in what it answers. */
function* stateSet(view: HostCase, all: readonly Assessed[], one: Assessed): Iterable<Finding> {
  const { scope, key, value } = one.call.data;
  if (value === undefined || value === null || typeof key !== 'string') return;
  const writtenElse =
    all.some(
      (other) =>
        other.action === 'state_set' &&
        other.refusal === undefined &&
        other.call.data['key'] === key &&
        sameJson(other.call.data['value'], value),
    ) ||
    view.runs.some((run) =>
      run.pushed.some(
        ({ value: said }) =>
          isObject(said) &&
          isObject(said['data']) &&
          said['data']['key'] === key &&
          sameJson(said['data']['value'], value),
      ),
    );
  if (writtenElse) return;
  const shown = view.observations.filter(({ n }) => n > one.call.n).map((observation) => shownBy(view, observation));
  const stray = shown.find((look) => look.state?.some((entry) => entry.key === key && sameJson(entry.value, value)));
  const read = all.find(
    (other) =>
      other.action === 'state_get' &&
      other.call.n > one.call.n &&
      other.ok &&
      other.call.data['key'] === key &&
      sameJson(other.reply?.data['value'], value),
  );
  if (stray !== undefined || read !== undefined)
    yield broken([...proofOf(one), stray?.n ?? read!.reply!.n], {
      expected: `nothing under ${brief(scope)} ${brief(key)}: the call was refused`,
      found: `the refused value ${brief(value)} is there`,
    });
  else if (
    shown.some((look) => look.state !== undefined) ||
    all.some((other) => other.action === 'state_get' && other.call.n > one.call.n && other.ok && sameKey(other, one))
  )
    yield kept(proofOf(one));
}

/** What a refused call named is still there, as it was. */
function* stateKept(view: HostCase, all: readonly Assessed[], one: Assessed): Iterable<Finding> {
  const written = all.filter(
    (other) =>
      (other.action === 'state_set' || other.action === 'state_delete') &&
      sameKey(other, one) &&
      other.refusal === undefined,
  );
  const before = written.findLast((other) => other.call.n < one.call.n);
  const after = written.find((other) => other.call.n > one.call.n);
  const said = view.runs.some((run) =>
    run.pushed.some(({ value }) => isObject(value) && value['type'] === 'state.updated'),
  );
  if (before?.action !== 'state_set' || !before.ok || said || before.reply!.n > one.call.n) return;
  const until = after?.call.n ?? Number.POSITIVE_INFINITY;
  const read = all.find(
    (other) =>
      other.action === 'state_get' &&
      other.run === before.run &&
      other.call.n > (one.reply?.n ?? 0) &&
      other.call.n < until &&
      other.ok &&
      sameKey(other, one),
  );
  if (read !== undefined)
    yield hold(
      sameJson(read.reply?.data['value'], before.call.data['value']),
      [...proofOf(one), ...proofOf(read)],
      () => ({
        expected: `${brief(before.call.data['value'])} still there: ${one.action} was refused`,
        found: brief(read.reply?.data),
      }),
    );
}

function* storage(all: readonly Assessed[], one: Assessed): Iterable<Finding> {
  const { key, value_base64: refusedValue } = one.call.data;
  const area = one.api.operation;
  const written = all.filter(
    (other) =>
      other.api.changes && sameKey(other, one) && other.api.family === 'storage' && other.refusal === undefined,
  );
  const next = written.find((other) => other.call.n > one.call.n)?.call.n ?? Number.POSITIVE_INFINITY;
  const reads = all.filter(
    (other) =>
      other.action === `get_${area}_storage` &&
      other.call.data['key'] === key &&
      other.call.n > (one.reply?.n ?? 0) &&
      other.call.n < next &&
      other.reply !== undefined,
  );
  const before = written.findLast((other) => other.call.n < one.call.n);
  for (const read of reads.slice(0, 1)) {
    const value = read.reply?.data['value_base64'];
    if (one.action.startsWith('set_')) {
      if (typeof refusedValue !== 'string' || refusedValue === '' || before?.call.data['value_base64'] === refusedValue)
        continue;
      yield hold(!(read.ok && value === refusedValue), [...proofOf(one), ...proofOf(read)], () => ({
        expected: `no ${brief(refusedValue)} under ${brief(key)}: the call was refused`,
        found: 'it is there',
      }));
    } else if (before?.action.startsWith('set_') && before.run === read.run && before.ok && isGranted(read))
      yield hold(read.ok && value === before.call.data['value_base64'], [...proofOf(one), ...proofOf(read)], () => ({
        expected: `${brief(before.call.data['value_base64'])} still there: the delete was refused`,
        found: brief(read.reply?.data),
      }));
  }
}

/** No platform action of this run was carried out, unless another call of it was answered. */
function* noAction(view: HostCase, all: readonly Assessed[], one: Assessed): Iterable<Finding> {
  if (
    one.run === undefined ||
    all.some(
      (other) => other.run === one.run && other.ok && (other.api.family === 'platform' || other.api.family === 'tools'),
    )
  )
    return;
  const { runId } = one.run;
  const look = view.observations
    .filter(({ n }) => n > one.call.n)
    .map((observation) => shownBy(view, observation))
    .findLast(({ deliveries }) => deliveries !== undefined);
  if (look === undefined) return;
  const action = look.deliveries?.find((delivery) => delivery.kind === 'action' && delivery.runId === runId);
  yield hold(action === undefined, [...proofOf(one), look.n], () => ({
    expected: `nothing carried out: ${one.action} was refused`,
    found: `deliveries shows ${brief(action?.raw as JsonValue)}`,
  }));
}

export const grantJudges: readonly Judge<HostCase>[] = [
  judge<HostCase>('v1/5.8/api-flag-true-works', (view) =>
    served(view, ({ api }) => FLAGGED.has(api.family), NOT_GRANTED),
  ),
  judge<HostCase>('v1/6/granted-model-works', (view) =>
    served(view, ({ api }) => api.family === 'models', FOR_THE_CALL),
  ),
  judge<HostCase>('v1/6/granted-tool-works', (view) => served(view, ({ api }) => api.family === 'tools', FOR_THE_CALL)),
  judge<HostCase>('v1/6/granted-knowledge-works', (view) =>
    served(view, ({ api }) => api.family === 'knowledge', FOR_THE_CALL),
  ),
  judge<HostCase>('v1/6/granted-storage-works', (view) =>
    served(view, ({ api }) => api.family === 'storage', NOT_FOR_STORAGE),
  ),
  judge<HostCase>('v1/8/refused-changes-nothing', changesNothing),
  judge<HostCase>('v1/8/refused-run-goes-on', goesOn),
  judge<HostCase>('v1/11/cross-conversation-granted', crossConversation),
];
