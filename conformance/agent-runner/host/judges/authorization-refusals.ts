// §8: which calls a host must refuse. A refusal counts as kept only where the same action was answered in the same case:
// a host that refuses everything keeps none of these.
import { isObject, type JsonValue } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { broken, type Finding, type Judge, judge, kept } from '../../../judging/judge.ts';
import { manifestAllows, type Wrong } from '../../oracle/authorization.ts';
import { conversationOf, FAMILIES, type Family } from '../../oracle/calls.ts';
import { shownBy } from '../shown.ts';
import type { HostCase, Reply } from '../view.ts';
import { type Assessed, assess, isJust, isThrottled } from './authorization-assess.ts';
import { takenOver } from './authorization-takeover.ts';

const FAMILY_WORDS: Readonly<Record<Family, string>> = {
  models: 'model',
  tools: 'tool',
  knowledge: 'knowledge',
  history: 'history',
  events: 'event',
  artifacts: 'artifact',
  state: 'state',
  storage: 'storage',
  platform: 'platform',
};

/** The actions that were answered in this case: whoever refuses one of them now has a reason. */
export const answeredIn = memo(
  (view: HostCase): ReadonlySet<string> => new Set(assess(view).flatMap((one) => (one.ok ? [one.action] : []))),
);

/** Each call that is wrong in one of these ways must be refused. */
function* refused(
  view: HostCase,
  wrongs: readonly Wrong[],
  why: string,
  concerns: (one: Assessed) => boolean = () => true,
): Iterable<Finding> {
  const answered = answeredIn(view);
  for (const one of assess(view)) {
    if (!one.wrongs.some((wrong) => wrongs.includes(wrong)) || !concerns(one) || isThrottled(one)) continue;
    const proof = proofOf(one);
    if (one.ok)
      yield broken(proof, {
        expected: `${one.action} to be refused: ${why}`,
        found: `it was answered with code 0: ${brief(one.reply?.data)}`,
      });
    else if (one.refusal !== undefined && answered.has(one.action) && isNoOther(one.wrongs, wrongs)) yield kept(proof);
  }
}

/** Nothing else is wrong; a run past its deadline is likely over, and one that is over may be past its deadline. */
const isNoOther = (wrongs: readonly Wrong[], these: readonly Wrong[]): boolean =>
  wrongs.every((wrong) => these.includes(wrong) || (LATE.has(wrong) && these.some((one) => LATE.has(one))));
const LATE: ReadonlySet<Wrong> = new Set(['run-ended', 'deadline']);

export const proofOf = (one: Assessed): readonly number[] =>
  one.reply === undefined ? [one.call.n] : [one.call.n, (one.refusal ?? one.reply).n];

export const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 160 ? text : `${text.slice(0, 159)}…`;
};

/** What a refusal says: its error, or the bare text of a host that sends nothing else. */
export const told = (refusal: Reply | undefined): string =>
  refusal === undefined || Object.keys(refusal.data).length > 0
    ? brief(refusal?.data)
    : `a refusal that says ${brief(refusal.message)} and no more`;

const byFamily = (
  clause: (family: Family) => string,
  families: readonly Family[],
  wrongs: readonly Wrong[],
  why: (family: Family) => string,
): Judge<HostCase>[] =>
  families.map((family) =>
    judge<HostCase>(clause(family), (view) => refused(view, wrongs, why(family), ({ api }) => api.family === family)),
  );

const inGeneral = (clause: string, wrongs: readonly Wrong[], why: string): Judge<HostCase> =>
  judge<HostCase>(clause, (view) => refused(view, wrongs, why));

/** The items of a page. */
export const itemsOf = (one: Assessed): readonly JsonValue[] => {
  const items = one.reply?.data['items'];
  return Array.isArray(items) ? items : [];
};

/** The actions that showed something in this case: a record, or a page with items. */
const showingIn = memo(
  (view: HostCase): ReadonlySet<string> =>
    new Set(
      assess(view).flatMap((one) =>
        one.ok && (itemsOf(one).length > 0 || one.reply?.data['event_id'] !== undefined) ? [one.action] : [],
      ),
    ),
);

/** History of another conversation: an item of it in the answer is what must not be; an empty page shows nothing. */
function* otherHistory(view: HostCase): Iterable<Finding> {
  const showing = showingIn(view);
  for (const one of assess(view)) {
    if (one.api.family !== 'history' || !one.wrongs.includes('conversation') || isThrottled(one)) continue;
    const asked = conversationOf(one.action, one.call.data);
    const items = itemsOf(one).filter(
      (item) => isObject(item) && (item['conversation_id'] ?? asked) !== currentOf(one),
    );
    if (one.ok && items.length > 0)
      yield broken(proofOf(one), {
        expected: `no item of ${asked}, another conversation than the run's own`,
        found: `${items.length} of them, first ${brief(items[0])}`,
      });
    else if (isJust(one, 'conversation') && (one.ok || one.refusal !== undefined) && showing.has(one.action))
      yield kept(proofOf(one));
  }
}

function* otherEvents(view: HostCase): Iterable<Finding> {
  const showing = showingIn(view);
  for (const one of assess(view)) {
    if (one.api.family !== 'events' || !one.wrongs.includes('conversation') || isThrottled(one)) continue;
    const shows = one.action === 'event_get' ? one.ok : one.ok && itemsOf(one).some((item) => isOther(item, one));
    if (shows)
      yield broken(proofOf(one), {
        expected: 'no event of another conversation',
        found: brief(one.reply?.data),
      });
    else if (isJust(one, 'conversation') && (one.ok || one.refusal !== undefined) && showing.has(one.action))
      yield kept(proofOf(one));
  }
  yield* pagesOfOthers(view);
}

/** A page that names no conversation is of the current one; where there is none, of the run itself. */
function* pagesOfOthers(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    if (one.action !== 'event_page' || !one.ok || one.wrongs.length > 0) continue;
    const others = view.submissions.filter(
      ({ n, event, run }) =>
        n < one.call.n &&
        run !== one.run &&
        ((event['conversation_id'] ?? null) !== (currentOf(one) ?? null) || currentOf(one) == null),
    );
    const ids = new Set(others.map(({ event }) => event['event_id']));
    const own = view.submissions.filter(({ event }) => !others.some((other) => other.event === event));
    for (const { event } of own) ids.delete(event['event_id']);
    if (ids.size === 0 || itemsOf(one).length === 0) continue;
    const stray = itemsOf(one).find((item) => isObject(item) && ids.has(item['event_id']));
    yield stray === undefined
      ? kept(proofOf(one))
      : broken(proofOf(one), { expected: 'events of the current conversation', found: brief(stray) });
  }
}

const currentOf = (one: Assessed): JsonValue | undefined => one.standing?.event['conversation_id'];
const isOther = (item: JsonValue, one: Assessed): boolean =>
  isObject(item) && (item['conversation_id'] ?? conversationOf(one.action, one.call.data)) !== currentOf(one);

/** Manifest, policy and approval: with one of them missing a platform action is neither answered nor carried out. */
function* allThree(view: HostCase): Iterable<Finding> {
  const worked = answeredIn(view).has('platform_request_action');
  for (const one of assess(view)) {
    if (
      one.action !== 'platform_request_action' ||
      one.standing?.manifest === undefined ||
      one.wrongs.includes('argument')
    )
      continue;
    const { action } = one.call.data;
    const policy = isObject(one.standing.binding['resource_policy']) ? one.standing.binding['resource_policy'] : {};
    const holds = (list: string): boolean => Array.isArray(policy[list]) && policy[list].includes(action as JsonValue);
    const missing = [
      ...(manifestAllows(one.action, one.call.data, one.standing.manifest) ? [] : ['manifest']),
      ...(holds('allowed_platform_actions') ? [] : ['binding policy']),
      ...(holds('approved_platform_actions') ? [] : ["user's approval"]),
    ];
    if (missing.length === 0 || one.run === undefined) continue;
    const runId = one.run.runId;
    const others = assess(view).some(
      (other) => other.run === one.run && other.action === one.action && other.wrongs.length === 0,
    );
    const carried = others
      ? undefined
      : view.observations
          .filter((observation) => observation.n > one.call.n)
          .map((observation) => shownBy(view, observation))
          .find((shown) =>
            shown.deliveries?.some((delivery) => delivery.kind === 'action' && delivery.runId === runId),
          );
    if (one.ok || carried !== undefined)
      yield broken(carried === undefined ? proofOf(one) : [...proofOf(one), carried.n], {
        expected: `${String(action)} to be refused and not carried out: it lacks the ${missing.join(' and the ')}`,
        found: one.ok ? 'it was answered with code 0' : 'deliveries shows an action of this run',
      });
    else if (
      one.refusal !== undefined &&
      worked &&
      one.wrongs.every((wrong) => wrong === 'resource') &&
      !isThrottled(one)
    )
      yield kept(proofOf(one));
  }
}

/** By default the current thread: no item of another thread of the conversation. */
function* thread(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    const mine = one.standing?.event['thread_id'];
    if (one.api.family !== 'history' || !one.ok || typeof mine !== 'string') continue;
    if (conversationOf(one.action, one.call.data) !== undefined) continue;
    const others = view.submissions.filter(
      ({ n, event }) =>
        n < one.call.n &&
        event['conversation_id'] === currentOf(one) &&
        typeof event['thread_id'] === 'string' &&
        event['thread_id'] !== mine &&
        event['event_type'] === 'message.received',
    );
    if (others.length === 0) continue;
    const ids = new Set(others.map(({ event }) => event['event_id']));
    const stray = itemsOf(one).find(
      (item) =>
        isObject(item) &&
        (ids.has(item['event_id']) || (typeof item['thread_id'] === 'string' && item['thread_id'] !== mine)),
    );
    if (stray !== undefined)
      yield broken(proofOf(one), { expected: `items of thread ${mine} alone`, found: brief(stray) });
    else if (itemsOf(one).length > 0) yield kept(proofOf(one));
  }
}

const withOperations: readonly Family[] = ['models', 'tools', 'knowledge', 'history', 'events', 'artifacts'];

export const refusalJudges: readonly Judge<HostCase>[] = [
  ...byFamily(
    (family) => `v1/8/run-id-required-${family}`,
    FAMILIES,
    ['run-missing'],
    (family) => `a ${FAMILY_WORDS[family]} call without run_id`,
  ),
  inGeneral('v1/8/unknown-run-refused', ['run-unknown'], 'there is no such run'),
  inGeneral('v1/8/ended-run-refused', ['run-ended'], 'the run is over'),
  inGeneral('v1/8/identity-checked', ['identity-other'], 'the caller is not the plugin of the run'),
  inGeneral('v1/8/identity-required', ['identity-missing'], 'it tells no caller'),
  ...byFamily(
    (family) => `v1/8/grant-checked-${family}`,
    FAMILIES,
    ['resource'],
    (family) => `this run has no grant for this ${FAMILY_WORDS[family]} call`,
  ),
  ...byFamily(
    (family) => `v1/8/operation-checked-${family}`,
    withOperations,
    ['operation'],
    () => 'the operation was not granted',
  ),
  judge<HostCase>('v1/8/scope-state', (view) =>
    refused(
      view,
      ['scope', 'unknown-scope'],
      'the scope does not exist or is not enabled',
      ({ api }) => api.family === 'state',
    ),
  ),
  judge<HostCase>('v1/8/scope-history', otherHistory),
  judge<HostCase>('v1/8/scope-events', otherEvents),
  judge<HostCase>('v1/8/scope-artifacts', function* (view) {
    yield* refused(
      view,
      ['conversation'],
      'the artifact belongs to another conversation',
      ({ api }) => api.family === 'artifacts',
    );
    yield* takenOver(view);
  }),
  inGeneral('v1/8/deadline-checked', ['deadline'], 'the deadline of the run is past'),
  inGeneral('v1/8/arguments-checked', ['argument'], 'a required argument is missing or of another type'),
  judge<HostCase>('v1/8/platform-needs-all-three', allThree),
  judge<HostCase>('v1/8/history-thread', thread),
];
