// events.get, events.page (§8; AGENT_CONTEXT §4.3): what happened in the current conversation, as small records.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { deny } from '../refusal.ts';
import type { EventRecord } from '../stores/records.ts';
import { type ApiAction, argumentsOf, type CallScene, type Checked } from './action.ts';
import { pageAnswer, pageOf, placeOf } from './paging.ts';

const events =
  (operation: string) =>
  (_data: JsonObject, { session }: CallScene): Checked =>
    session.grants.events.includes(operation) ? undefined : deny('unauthorized');

/** Events of this run, and of the current conversation and thread. */
export function mayReadEvent(event: EventRecord, { session }: CallScene): boolean {
  const { conversation_id, thread_id } = session.run.scope;
  if (event.internal) return false;
  if (event.run_id === session.run.run_id) return true;
  return conversation_id !== null && event.conversation_id === conversation_id && event.thread_id === thread_id;
}

/** AgentEventRecord: identity and a summary, no payload. */
export function showEvent(record: EventRecord): JsonObject {
  const { data: _data, internal: _internal, run_id: _run, runner_id: _runner, actor, subject, ...event } = record;
  const { actor_type, actor_id, actor_name } = isObject(actor) ? actor : {};
  const { subject_type, subject_id } = isObject(subject) ? subject : {};
  return { ...event, actor_type, actor_id, actor_name, subject_type, subject_id };
}

const get: ApiAction = {
  api: 'events.get',
  resource: ({ event_id }) => event_id,
  checkArguments: argumentsOf('EventGetRequest'),
  checkGrant: events('get'),
  // An event out of scope and one that never was look the same from here.
  checkScope: (data, scene) => (findEvent(data, scene) === undefined ? deny('not_found') : undefined),
  perform: (data, scene) => ({ data: showEvent(findEvent(data, scene)!) }),
};

const findEvent = ({ event_id }: JsonObject, scene: CallScene): EventRecord | undefined =>
  scene.memory.events.findLast((event) => event.event_id === event_id && mayReadEvent(event, scene));

const page: ApiAction = {
  api: 'events.page',
  scope: ({ conversation_id }) => conversation_id,
  checkArguments: argumentsOf('EventPageRequest'),
  checkGrant: events('page'),
  checkScope: ({ conversation_id }, { session }) =>
    isHere(conversation_id, session.run.scope.conversation_id) ? undefined : deny('unauthorized'),
  perform: (data, scene) => {
    const { event_types: types } = data;
    const all = scene.memory.events.filter(
      (event) => mayReadEvent(event, scene) && (!Array.isArray(types) || types.includes(event.event_type)),
    );
    const found = pageOf(all, {
      before: placeOf('events', data['before_cursor']),
      limit: Math.min((data['limit'] as number | null | undefined) ?? 50, scene.limits.event_page_items),
    });
    return { data: pageAnswer('events', found, showEvent) };
  },
};

const isHere = (wanted: JsonValue | undefined, here: string | null): boolean =>
  wanted === undefined || wanted === null || wanted === here;

export const eventActions: Readonly<Record<string, ApiAction>> = { event_get: get, event_page: page };
