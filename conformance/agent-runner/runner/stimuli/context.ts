// Contexts as a conforming host may build them (§5.2): anything that the model allows, granting no more than was asked for.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { valid } from '../../../../schemas/agent-runner/2026-06-03/arbitraries.ts';
import type { Grants } from './grants.ts';

/** The event types of the documents, one that nobody knows yet, and one that no stable name has. */
export const EVENT_TYPES = [
  'message.received',
  'message.edited',
  'message.recalled',
  'group.member_joined',
  'friend.request_received',
  'schedule.fired',
  'vendor.some_future_event',
] as const;

/** A small, plain context with these grants: one message, nothing optional. */
export function plainContext(runId: string, { resources, apis }: Grants, over: JsonObject = {}): JsonObject {
  return {
    run_id: runId,
    trigger: { type: 'message.received', source: 'platform' },
    event: { event_id: 'event-1', event_type: 'message.received', source: 'platform', data: {} },
    conversation: { conversation_id: 'conversation-1' },
    actor: { actor_type: 'user', actor_id: 'user-1' },
    subject: { subject_type: 'message', subject_id: 'message-1' },
    input: { text: 'Hello there', contents: [{ type: 'text', text: 'Hello there' }], attachments: [] },
    delivery: { surface: 'chat', supports_streaming: true },
    resources,
    context: {
      conversation_id: 'conversation-1',
      inline_policy: { mode: 'current_event' },
      available_apis: apis,
    },
    state: { conversation: {}, actor: {}, subject: {}, runner: {} },
    runtime: { trace_id: 'trace-1', protocol_version: '1' },
    ...over,
  };
}

const quiet = { extras: false, maxItems: 2, maxDepth: 2 } as const;
/** Of a model, with every optional member now and then absent or null. */
const model = <Name extends Parameters<typeof valid>[0]>(name: Name): fc.Arbitrary<JsonObject> =>
  valid(name, quiet) as fc.Arbitrary<unknown> as fc.Arbitrary<JsonObject>;

export const anyEventType: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('message.received') },
  { weight: 2, arbitrary: fc.constantFrom(...EVENT_TYPES) },
);

/** Texts at which bytes and characters differ. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '你好'.repeat(20), '👩‍👩‍👧‍👦'.repeat(5), 'é'.repeat(64)) },
);

export const anyInput: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: anyText.map((text) => ({ text, contents: [{ type: 'text', text }], attachments: [] })) },
  { weight: 2, arbitrary: model('AgentInput') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<JsonObject>({}, { text: null }, { text: '' }, { contents: [], attachments: [] }),
  },
);

export const anyDelivery: fc.Arbitrary<JsonObject> = fc
  .record({
    delivery: model('DeliveryContext'),
    streaming: fc.boolean(),
    size: fc.option(fc.oneof(fc.integer({ min: 4, max: 64 }), fc.constantFrom(16, 4096, null)), { nil: undefined }),
  })
  .map(({ delivery: { max_message_size: _size, ...delivery }, streaming, size }) => ({
    ...delivery,
    supports_streaming: streaming,
    ...(size === undefined ? {} : { max_message_size: size }),
  }));

/** Deadlines are the plan's to set, and versions those of an area of their own. */
const anyRuntime: fc.Arbitrary<JsonObject> = model('AgentRuntimeContext').map(
  ({ deadline_at: _deadline, protocol_version: _version, ...runtime }) => runtime,
);

const optional = (arbitrary: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject | null | undefined> =>
  fc.oneof(
    { weight: 3, arbitrary },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );

/** Any context with these grants. */
export function anyContext(runId: string, grants: fc.Arbitrary<Grants>): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      granted: grants,
      source: fc.constantFrom('platform', 'webui', 'api', 'scheduler', 'system', 'host_adapter'),
      event: model('AgentEventContext'),
      type: anyEventType,
      conversation: optional(model('ConversationContext')),
      actor: optional(model('ActorContext')),
      subject: optional(model('SubjectContext')),
      input: anyInput,
      delivery: anyDelivery,
      access: model('ContextAccess'),
      state: model('AgentRunState'),
      runtime: anyRuntime,
      config: fc.option(model('AdapterContext'), { nil: undefined }),
      adapter: optional(model('AdapterContext')),
      metadata: fc.option(fc.constant<JsonObject>({ note: 'n' }), { nil: undefined }),
    })
    .map(({ granted, source, type, event, access, ...rest }) => {
      const { latest_cursor: _cursor, ...handles } = access;
      return defined({
        run_id: runId,
        trigger: { type, source },
        event: { ...event, event_type: type },
        ...rest,
        resources: granted.resources,
        context: { ...handles, available_apis: granted.apis },
      });
    });
}

const defined = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
