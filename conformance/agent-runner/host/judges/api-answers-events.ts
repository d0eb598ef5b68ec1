// What the event log answers: the record of one event and pages of them, true and small (§8, MODELS §5).
import { isObject, type JsonValue } from '../../../../common/json.ts';
import { type Finding, hold, type Judge, judge } from '../../../judging/judge.ts';
import { AgentEventRecord, EventPage } from '../../oracle/answers.ts';
import type { HostCase } from '../view.ts';
import {
  aboveLimit,
  answer,
  answersOf,
  inJson,
  misfit,
  pageFits,
  textsIn,
  turnsBefore,
  verdict,
} from './api-answers-base.ts';
import { assess, isGranted } from './authorization-assess.ts';
import { brief, itemsOf, proofOf, told } from './authorization-refusals.ts';

/** What the record of an event tells beside its id, and where the event has it. */
const TOLD: readonly (readonly [field: string, ...path: readonly string[]])[] = [
  ['event_type', 'event_type'],
  ['event_time', 'event_time'],
  ['source', 'source'],
  ['bot_id', 'bot_id'],
  ['workspace_id', 'workspace_id'],
  ['conversation_id', 'conversation_id'],
  ['thread_id', 'thread_id'],
  ['actor_type', 'actor', 'actor_type'],
  ['actor_id', 'actor', 'actor_id'],
  ['actor_name', 'actor', 'actor_name'],
  ['subject_type', 'subject', 'subject_type'],
  ['subject_id', 'subject', 'subject_id'],
];

/** A record that tells something else than the event that was submitted under its id. What it leaves out, it does not tell. */
function untrue(view: HostCase, record: JsonValue | undefined): string | undefined {
  if (!isObject(record)) return undefined;
  const same = view.submissions.filter(({ event }) => event['event_id'] === record['event_id']);
  if (same.length !== 1) return undefined;
  for (const [field, ...path] of TOLD) {
    const told = record[field] ?? null;
    let due: JsonValue | undefined = same[0]!.event;
    for (const step of path) due = isObject(due) ? due[step] : undefined;
    // A source is required of an event; where one has none, the host must make it up.
    if (field === 'source' && due === undefined) continue;
    if (told !== null && told !== (due ?? null)) return `${field} ${brief(told)} of an event with ${brief(due)}`;
  }
  return undefined;
}

/** More than 64 KiB of an event has no place in its record. */
const LARGE = 64 * 1024;

function* small(view: HostCase): Iterable<Finding> {
  for (const one of [...answersOf(view, 'event_get'), ...answersOf(view, 'event_page')]) {
    const turns =
      one.action === 'event_get'
        ? view.submissions.filter(({ event }) => event['event_id'] === one.call.data['event_id'])
        : turnsBefore(view, one);
    const large = turns.flatMap(({ event }) =>
      textsIn([event['data'], event['raw_ref'], event['input']]).filter((text) => text.length > LARGE),
    );
    if (large.length === 0 || (itemsOf(one).length === 0 && one.reply!.data['event_id'] === undefined)) continue;
    const said = JSON.stringify(one.reply!.data);
    const whole = large.find((text) => said.length >= text.length && said.includes(inJson(text)));
    yield verdict(
      one,
      'records or references without large payloads',
      whole === undefined ? undefined : `a text of ${whole.length} characters in the answer`,
    );
  }
}

export const eventJudges: readonly Judge<HostCase>[] = [
  judge<HostCase>('v1/8/answer-event-get', function* (view) {
    for (const one of answersOf(view, 'event_get')) {
      const { data } = one.reply!;
      yield verdict(
        one,
        'the record of that event',
        misfit(AgentEventRecord, data) ??
          (data['event_id'] === one.call.data['event_id'] ? undefined : `event ${brief(data['event_id'])}`) ??
          untrue(view, data),
      );
    }
    for (const one of assess(view))
      if (one.action === 'event_get' && isGranted(one) && one.refusal !== undefined && !one.busy)
        yield hold(false, proofOf(one), {
          expected: 'the record of the current event',
          found: told(one.refusal),
        });
  }),
  answer('v1/8/answer-event-page', 'event_page', 'a page of event records', (data, one, view) => {
    const { event_types: types } = one.call.data;
    const other = itemsOf(one).find(
      (item) => isObject(item) && Array.isArray(types) && !types.includes(item['event_type'] ?? null),
    );
    return (
      pageFits(EventPage, data) ??
      aboveLimit(one) ??
      itemsOf(one)
        .map((item) => untrue(view, item))
        .find((wrong) => wrong !== undefined) ??
      (other === undefined ? undefined : `${brief(other)} for event_types ${brief(types)}`)
    );
  }),
  judge<HostCase>('v1/8/answer-events-small', small),
];
