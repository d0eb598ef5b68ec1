// What a case shows to be there: models and tools that the host declared, events submitted, artifacts made, cursors handed out.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { shownBy } from '../shown.ts';
import type { HostCase, HostRun } from '../view.ts';

export interface Inventory {
  /** Did the host tell what it has? */
  readonly known: boolean;
  readonly models: ReadonlySet<string>;
  readonly tools: ReadonlySet<string>;
  readonly knowledge: ReadonlySet<string>;
  /** What each model can do, as far as the host tells. */
  readonly operations: ReadonlyMap<string, readonly unknown[]>;
  /** Questions with words that one knowledge base answers to them, and no other holds. */
  readonly examples: ReadonlyMap<string, { readonly query: string; readonly content: string }>;
  /** Tools whose every call fails. */
  readonly failing: ReadonlySet<string>;
}

export function inventoryOf(view: HostCase): Inventory {
  const declared = view.head.target.declared['inventory'];
  const inventory: JsonObject = isObject(declared) ? declared : {};
  const entries = (list: string): readonly JsonObject[] => {
    const value = inventory[list];
    return Array.isArray(value) ? value.filter(isObject) : [];
  };
  const names = (list: string, id: string): ReadonlySet<string> => new Set(entries(list).map((one) => String(one[id])));
  return {
    known: isObject(declared),
    models: names('models', 'model_id'),
    operations: new Map(
      entries('models').flatMap(({ model_id: id, operations }) =>
        Array.isArray(operations) && operations.length > 0 ? [[String(id), operations] as const] : [],
      ),
    ),
    tools: names('tools', 'tool_name'),
    knowledge: names('knowledge_bases', 'kb_id'),
    examples: new Map(
      entries('knowledge_bases').flatMap(({ kb_id: id, example }) => {
        const { query_text: query, content } = isObject(example) ? example : {};
        const told = typeof query === 'string' && typeof content === 'string' && content !== '';
        return told ? [[String(id), { query, content }] as const] : [];
      }),
    ),
    failing: view.features.has('faults')
      ? new Set(entries('tools').flatMap((one) => (one['fails'] === true ? [String(one['tool_name'])] : [])))
      : new Set(),
  };
}

export interface Artifact {
  readonly id: string;
  readonly runId: string;
  /** The run whose runner made it; none where it came with an event. */
  readonly maker?: HostRun;
  /** When its maker sent it. */
  readonly at?: number;
  readonly conversation: JsonValue | undefined;
  /** Its bytes, where the recording holds them. */
  readonly bytes: Buffer | undefined;
  readonly mimeType: JsonValue | undefined;
  readonly type: JsonValue | undefined;
  /** Epoch seconds. */
  readonly expiresAt: number | undefined;
  /** The host shows it, or has answered for it. */
  readonly stored: boolean;
  readonly data: JsonObject;
}

/** Artifacts by id, as runs made them. An id that two runs used stands for neither. */
export function artifactsOf(view: HostCase): ReadonlyMap<string, Artifact> {
  const found = new Map<string, Artifact>();
  const twice = new Set<string>();
  const shown = new Set<unknown>();
  for (const observation of view.observations)
    for (const artifact of shownBy(view, observation).artifacts ?? []) shown.add(artifact['artifact_id']);
  for (const call of view.calls)
    if (call.action.startsWith('artifact_') && call.reply?.code === 0) shown.add(call.data['artifact_id']);
  const add = (artifact: Artifact): void => {
    if (found.has(artifact.id)) twice.add(artifact.id);
    found.set(artifact.id, artifact);
  };
  for (const run of view.runs) for (const artifact of madeBy(run, shown)) add(artifact);
  for (const { event, run } of view.submissions) {
    const input = isObject(event['input']) ? event['input'] : {};
    for (const ref of Array.isArray(input['attachments']) ? input['attachments'].filter(isObject) : [])
      if (typeof ref['artifact_id'] === 'string')
        // What a host makes of an attachment's content is its own affair: that it is there is all that is known.
        add({
          ...blank,
          id: ref['artifact_id'],
          runId: run?.runId ?? '',
          conversation: event['conversation_id'] ?? undefined,
          data: ref,
        });
  }
  for (const id of twice) {
    const { maker: _, ...one } = found.get(id)!;
    const unsure = { bytes: undefined, mimeType: undefined, expiresAt: undefined, conversation: undefined };
    found.set(id, { ...one, ...unsure, stored: false });
  }
  for (const id of shown) if (typeof id === 'string' && !found.has(id)) found.set(id, { ...blank, id });
  return found;
}

const blank: Artifact = {
  id: '',
  runId: '',
  conversation: undefined,
  bytes: undefined,
  mimeType: undefined,
  type: undefined,
  expiresAt: undefined,
  stored: false,
  data: {},
};

function madeBy(run: HostRun, shown: ReadonlySet<unknown>): readonly Artifact[] {
  return run.pushed.flatMap(({ at, value }) => {
    const data =
      isObject(value) && value['type'] === 'artifact.created' && isObject(value['data']) ? value['data'] : {};
    const { artifact_id: id, content_base64: content, expires_at: expires } = data;
    if (typeof id !== 'string' || (isObject(value) && value['run_id'] !== run.runId)) return [];
    return [
      {
        id,
        runId: run.runId,
        maker: run,
        at,
        conversation: run.submission?.event['conversation_id'] ?? undefined,
        bytes: typeof content === 'string' ? Buffer.from(content, 'base64') : undefined,
        mimeType: data['mime_type'],
        type: data['artifact_type'],
        expiresAt: typeof expires === 'number' ? expires : undefined,
        stored: shown.has(id),
        data,
      },
    ];
  });
}

/** Every event id that the recording knows, with its conversation where that is known. */
export function eventsOf(view: HostCase): ReadonlyMap<string, JsonValue | undefined> {
  const found = new Map<string, JsonValue | undefined>();
  const note = (record: JsonValue | undefined): void => {
    if (isObject(record) && typeof record['event_id'] === 'string' && !found.has(record['event_id']))
      found.set(record['event_id'], undefined);
  };
  for (const { event } of view.submissions)
    if (typeof event['event_id'] === 'string') {
      const conversation = event['conversation_id'] ?? undefined;
      const known = found.has(event['event_id']) && found.get(event['event_id']) !== conversation;
      found.set(event['event_id'], known ? undefined : conversation);
    }
  for (const observation of view.observations)
    for (const record of shownBy(view, observation).events ?? []) note(record);
  for (const { action, reply } of view.calls)
    if (action === 'event_page' && Array.isArray(reply?.data['items']))
      for (const item of reply.data['items']) note(item);
  return found;
}

/** Every cursor that the host gave away. */
export function cursorsOf(view: HostCase): ReadonlySet<string> {
  const found = new Set<string>();
  const note = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') found.add(value);
  };
  for (const run of view.runs) {
    const access = run.context['context'];
    if (isObject(access)) note(access['latest_cursor']);
  }
  for (const { reply } of view.calls) {
    if (reply === undefined || reply.code !== 0) continue;
    for (const name of ['next_cursor', 'prev_cursor']) note(reply.data[name]);
    if (Array.isArray(reply.data['items']))
      for (const item of reply.data['items']) if (isObject(item)) note(item['cursor']);
  }
  return found;
}
