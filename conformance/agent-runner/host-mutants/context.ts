// §2, §4.3 to §5.9, §12: the context that a run gets.
import type { JsonObject } from '../../../common/json.ts';
import type { ContextParts } from '../reference-host/context.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import type { TranscriptItem } from '../reference-host/stores/transcript.ts';
import { type Change, context, inContext, memberOf, mutant } from './mutant.ts';

/** Builds contexts with a look at what was said before. */
const remembering =
  (
    change: (whole: JsonObject, earlier: readonly TranscriptItem[], parts: ContextParts) => JsonObject,
  ): (() => Change) =>
  () => {
    let earlier: readonly TranscriptItem[] = [];
    return {
      handlesOf: (run, event, memory) => {
        earlier = memory.transcript.filter(
          (item) => item.conversation_id === run.scope.conversation_id && item.seq < event.seq,
        );
        return HOST_PARTS.handlesOf(run, event, memory);
      },
      ...context((whole, parts) => change(whole, earlier, parts)),
    };
  };
const texts = (items: readonly TranscriptItem[]): string[] => items.map(({ content }) => content ?? '');
const inlined = (whole: JsonObject, items: readonly TranscriptItem[]): JsonObject =>
  items.length === 0 ? whole : { ...whole, metadata: { recent: texts(items) } };

const without = (part: string, ...members: readonly string[]): Change =>
  inContext(part, () => Object.fromEntries(members.map((member) => [member, null])));

export const contextMutants = [
  mutant(
    'binding-shown',
    'Puts the binding and its policies into the context.',
    '2/binding-hidden',
    context((whole, { binding }) => ({ ...whole, metadata: { binding: { binding_id: binding.binding_id } } })),
  ),
  mutant(
    'policies-shown',
    'Tells the runner what the binding’s policies say, by their own names.',
    '2/binding-hidden',
    context((whole, { binding }) => ({
      ...whole,
      metadata: { policy: { allowed_tool_names: binding.tools === null ? null : [...binding.tools] } },
    })),
  ),
  mutant(
    'policies-in-config',
    'Mixes the binding into the configuration that it holds.',
    '2/binding-hidden',
    context((whole, { binding }) => ({
      ...whole,
      config: { ...memberOf(whole, 'config'), state_policy: { state_scopes: [...binding.state_scopes] } },
    })),
  ),
  mutant(
    'trigger-by-binding',
    'Takes an event for the system’s own where its binding names types of events.',
    '2/binding-shapes-four-parts',
    inContext('trigger', ({ source = null }, { binding }) => ({
      source: binding.event_types.length > 0 ? 'system' : source,
    })),
  ),
  mutant(
    'binding-in-event',
    'Lets the binding write into the data of the event.',
    '2/binding-shapes-four-parts',
    inContext('event', ({ data }, { binding }) => ({
      data: { ...(data as JsonObject), bound_by: binding.binding_id },
    })),
  ),
  mutant(
    'tail-for-self-managed',
    'Inlines the last turn for runners that manage their context themselves.',
    '4.3/self-managed-no-history',
    remembering((whole, earlier, { descriptor }) =>
      descriptor.capabilities['self_managed_context'] ? inlined(whole, earlier.slice(-1)) : whole,
    ),
  ),
  mutant(
    'full-history',
    'Inlines the whole history of the conversation.',
    ['4.5/no-full-history', '4.5/only-current-event'],
    remembering(inlined),
  ),
  mutant(
    'last-turn',
    'Inlines the turn before this one.',
    '4.5/only-current-event',
    remembering((whole, earlier) => inlined(whole, earlier.slice(-1))),
  ),
  mutant(
    'policy-window',
    'Inlines the last turn for runners whose context policy cannot pull history.',
    '4.5/policy-is-no-window',
    remembering((whole, earlier, { descriptor: { context: policy } }) =>
      policy['supports_history_pull'] === false || 'bootstrap' in policy ? inlined(whole, earlier.slice(-1)) : whole,
    ),
  ),
  mutant(
    'max-round',
    'Sends a window of history as a number of rounds.',
    '4.5/no-window-field',
    inContext('runtime', () => ({ metadata: { 'max-round': 10 } })),
  ),
  mutant(
    'history-limit',
    'Tells how much history it would have sent.',
    '4.5/no-window-field',
    inContext('runtime', () => ({ metadata: { historyLimit: 10 } })),
  ),
  mutant('no-runner-id', 'Asks for a run without the runner’s id.', '5.1/request-shape', {
    runRequest: (descriptor, given) => {
      const { runner_id: _id, ...rest } = HOST_PARTS.runRequest(descriptor, given);
      return rest;
    },
  }),
  mutant(
    'wrong-runner-name',
    'Asks for a runner by another name than the binding’s.',
    '5.1/request-names-bound-runner',
    {
      runRequest: (descriptor, given) => ({
        ...HOST_PARTS.runRequest(descriptor, given),
        runner_name: `${descriptor.name}-2`,
      }),
    },
  ),
  mutant(
    'context-invalid',
    'Sends an inline mode that there is not.',
    '5.2/context-valid',
    inContext('context', ({ inline_policy: policy }) => ({
      inline_policy: { ...(policy as JsonObject), mode: 'everything' },
    })),
  ),
  mutant(
    'context-without-state',
    'Leaves the state out of the context.',
    '5.2/context-valid',
    context(({ state: _state, ...whole }) => whole),
  ),
  mutant('run-id-reused', 'Gives every run the same id.', '5.2/run-id-unique', { runIdOf: () => 'run' }),
  mutant(
    'event-id-changed',
    'Gives the event an id of its own making.',
    '5.2/event-present',
    inContext('event', ({ event_id: id }) => ({ event_id: `${id}-1` })),
  ),
  mutant(
    'input-with-history',
    'Puts what was said before in front of the input.',
    '5.2/input-is-current',
    remembering((whole, earlier) => {
      const input = memberOf(whole, 'input');
      return { ...whole, input: { ...input, text: [...texts(earlier), String(input['text'] ?? '')].join('\n') } };
    }),
  ),
  mutant(
    'messages',
    'Sends a list of messages.',
    '5.2/no-messages',
    context((whole) => ({ ...whole, messages: [] })),
  ),
  mutant(
    'bootstrap',
    'Sends a bootstrap window.',
    '5.2/no-bootstrap',
    context((whole) => ({ ...whole, bootstrap: { messages: [] } })),
  ),
  mutant(
    'adapter-core',
    'Repeats the input inside the adapter.',
    '5.2/adapter-non-core',
    context((whole) => ({ ...whole, adapter: { extra: { input: whole['input']! } } })),
  ),
  mutant(
    'adapter-window',
    'Sends the last turns by way of the adapter.',
    '12/adapter-no-window',
    remembering((whole, earlier) => ({ ...whole, adapter: { extra: { recent: texts(earlier) } } })),
  ),
  mutant(
    'adapter-prompt',
    'Sends a system prompt by way of the adapter.',
    '12/adapter-no-instructions',
    context((whole) => ({ ...whole, adapter: { extra: { system_prompt: 'You are helpful.' } } })),
  ),
  mutant(
    'config-dropped',
    'Sends no configuration.',
    '5.2/config-from-binding',
    context((whole) => ({ ...whole, config: {} })),
  ),
  mutant(
    'config-per-runner',
    'Sends every binding of a runner the configuration of its first.',
    '5.2/config-per-binding',
    () => {
      const first = new Map<string, JsonObject>();
      return context((whole, { run }) => {
        const config = first.get(run.runner_id) ?? (whole['config'] as JsonObject);
        first.set(run.runner_id, config);
        return { ...whole, config };
      });
    },
  ),
  mutant(
    'source-as-is',
    'Sends the name of the platform as the source of the trigger.',
    '5.3/source-known',
    inContext('trigger', () => ({ source: 'telegram' })),
  ),
  mutant(
    'trigger-other',
    'Triggers by another type than the event’s.',
    '5.3/trigger-agrees-with-event',
    inContext('trigger', () => ({ type: 'pipeline.query' })),
  ),
  mutant(
    'event-time-dropped',
    'Drops the time of the event.',
    '5.4/event-time-and-source',
    without('event', 'event_time'),
  ),
  mutant(
    'event-source-renamed',
    'Gives every event the source platform.',
    '5.4/event-time-and-source',
    inContext('event', () => ({ source: 'everywhere' })),
  ),
  mutant('raw-ref-dropped', 'Drops the reference to the raw event.', '5.4/raw-ref-passed', without('event', 'raw_ref')),
  mutant('raw-inline', 'Sends large event data as it is.', '5.4/large-raw-by-reference', {
    moveOutLarge: (event, most) => {
      const light = HOST_PARTS.moveOutLarge(event, most);
      return { ...light, event: { ...light.event, data: event.data } };
    },
  }),
  mutant(
    'thread-dropped',
    'Drops the thread of the conversation.',
    '5.5/conversation-inlined',
    without('conversation', 'thread_id'),
  ),
  mutant(
    'bot-dropped',
    'Drops the bot of the conversation.',
    '5.5/bot-workspace-inlined',
    without('conversation', 'bot_id'),
  ),
  mutant(
    'workspace-dropped',
    'Drops the workspace of the conversation.',
    '5.5/bot-workspace-inlined',
    without('conversation', 'workspace_id'),
  ),
  mutant(
    'actor-dropped',
    'Drops the actor.',
    '5.5/actor-inlined',
    context((whole) => ({ ...whole, actor: null })),
  ),
  mutant('actor-anonymous', 'Drops the id of the actor.', '5.5/actor-inlined', without('actor', 'actor_id')),
  mutant(
    'subject-dropped',
    'Drops the subject.',
    '5.5/subject-inlined',
    context((whole) => ({ ...whole, subject: null })),
  ),
  mutant(
    'text-touched',
    'Adds a space to the text of the input.',
    '5.6/text-inlined',
    inContext('input', ({ text }) => ({ text: typeof text === 'string' ? `${text} ` : text! })),
  ),
  mutant(
    'contents-first',
    'Sends only the first element of the input.',
    '5.6/contents-inlined',
    inContext('input', ({ contents }) => ({ contents: (contents as JsonObject[]).slice(0, 1) })),
  ),
  mutant(
    'contents-reversed',
    'Sends the elements of the input in another order.',
    '5.6/contents-inlined',
    inContext('input', ({ contents }) => ({ contents: (contents as JsonObject[]).toReversed() })),
  ),
  mutant(
    'attachments-dropped',
    'Drops attachments.',
    '5.6/attachments-inlined',
    inContext('input', () => ({ attachments: [] })),
  ),
  mutant('small-moved', 'Moves every element of the input out of the event.', '5.6/contents-inlined', {
    moveOutLarge: (event, most) => {
      const all = HOST_PARTS.moveOutLarge(event, 0);
      const light = HOST_PARTS.moveOutLarge(event, most);
      return {
        ...light,
        event: { ...light.event, input: { ...light.event.input, contents: all.event.input.contents } },
      };
    },
  }),
  mutant('moved-and-cut', 'Keeps the first kilobyte of what it takes out of an event.', '5.6/moved-input-reachable', {
    givenArtifact: (moved, run, now) =>
      HOST_PARTS.givenArtifact({ ...moved, content: moved.content?.subarray(0, 1024) ?? null }, run, now),
  }),
  mutant('subject-whole', 'Sends the data of a subject as it is, however large.', '5.4/large-raw-by-reference', {
    moveOutLarge: (event, most) => {
      const light = HOST_PARTS.moveOutLarge(event, most);
      return { ...light, event: { ...light.event, subject: event.subject } };
    },
  }),
  mutant('attachments-whole', 'Sends attachments with all their bytes.', '5.6/large-input-by-reference', {
    moveOutLarge: (event, most) => {
      const light = HOST_PARTS.moveOutLarge(event, most);
      const { attachments } = event.input;
      return { ...light, event: { ...light.event, input: { ...light.event.input, attachments } } };
    },
  }),
  mutant('nobody-not-run', 'Refuses events that nobody did.', 'host-4/sound-event-run', {
    readEnvelope: (value) => {
      const read = HOST_PARTS.readEnvelope(value);
      return 'problem' in read || read.actor !== null ? read : { problem: 'event.actor' };
    },
  }),
  mutant(
    'platform-capabilities-dropped',
    'Does not tell the runner what is special about the platform.',
    '5.7/delivery-inlined',
    inContext('delivery', () => ({ platform_capabilities: {} })),
  ),
  mutant('moved-and-lost', 'Takes large parts out of an event and keeps them nowhere.', '5.6/moved-input-reachable', {
    moveOutLarge: (event, most) => ({ ...HOST_PARTS.moveOutLarge(event, most), moved: [] }),
  }),
  mutant('contents-inline', 'Sends large pictures and files as they are.', '5.6/large-input-by-reference', {
    moveOutLarge: (event, most) => {
      const light = HOST_PARTS.moveOutLarge(event, most);
      return { ...light, event: { ...light.event, input: { ...light.event.input, contents: event.input.contents } } };
    },
  }),
  mutant(
    'delivery-edit-dropped',
    'Tells the runner that no surface can edit.',
    '5.7/delivery-inlined',
    inContext('delivery', () => ({ supports_edit: false })),
  ),
  mutant(
    'delivery-target-dropped',
    'Does not tell the runner where its answer goes.',
    '5.7/delivery-inlined',
    inContext('delivery', () => ({ reply_target: null })),
  ),
  mutant(
    'inline-policy-lies',
    'Says that everything was inlined.',
    '5.8/inline-policy-honest',
    inContext('context', ({ inline_policy: policy }) => ({
      inline_policy: { ...(policy as JsonObject), messages_complete: true },
    })),
  ),
  mutant(
    'inline-count-lies',
    'Says that three messages were inlined.',
    '5.8/inline-policy-honest',
    inContext('context', ({ inline_policy: policy }) => ({
      inline_policy: { ...(policy as JsonObject), delivered_count: 3 },
    })),
  ),
  mutant(
    'inline-count-zero',
    'Inlines the last turn and says that it inlined none of the tail.',
    '5.8/inline-policy-honest',
    remembering((whole, earlier) => {
      const access = memberOf(whole, 'context');
      const policy = { ...memberOf(access, 'inline_policy'), mode: 'recent_tail', delivered_count: 0 };
      return { ...inlined(whole, earlier.slice(-1)), context: { ...access, inline_policy: policy } };
    }),
  ),
  mutant(
    'wrong-handle',
    'Names another conversation as the current one.',
    '5.8/conversation-handle',
    inContext('context', () => ({ conversation_id: 'another' })),
  ),
  mutant(
    'no-history-before',
    'Says that there is never any history.',
    '5.8/history-before-told',
    inContext('context', () => ({ has_history_before: false })),
  ),
  mutant(
    'always-history-before',
    'Says that there is always some history.',
    '5.8/history-before-told',
    inContext('context', () => ({ has_history_before: true })),
  ),
  mutant(
    'cursor-nowhere',
    'Gives a latest cursor that it does not understand itself.',
    '5.8/latest-cursor-works',
    inContext('context', () => ({ latest_cursor: 'latest' })),
  ),
  mutant('cursor-behind', 'Gives a latest cursor that lies behind the present event.', '5.8/latest-cursor-works', {
    handlesOf: (run, event, memory) => {
      const { latest_cursor } = HOST_PARTS.handlesOf(run, { ...event, seq: event.seq + 1 }, memory);
      return { ...HOST_PARTS.handlesOf(run, event, memory), latest_cursor };
    },
  }),
  mutant(
    'no-trace',
    'Sends no trace id.',
    '5.9/trace-id',
    inContext('runtime', () => ({ trace_id: '' })),
  ),
  mutant(
    'deadline-in-ms',
    'Gives the deadline in milliseconds.',
    '5.9/deadline-in-epoch-seconds',
    inContext('runtime', ({ deadline_at: at }) => ({ deadline_at: typeof at === 'number' ? at * 1000 : null })),
  ),
  mutant(
    'static-refs-change',
    'Gives static content another hash in every run.',
    '5.9/static-refs-stable',
    inContext('runtime', (_runtime, { run }) => ({
      static_refs: { resources: { ref: 'resources', hash: run.run_id } },
    })),
  ),
  mutant(
    'static-refs-bare',
    'Refers to static content without version or hash.',
    '5.9/static-refs-stable',
    inContext('runtime', () => ({ static_refs: { resources: { ref: 'resources' } } })),
  ),
  mutant(
    'history-listed',
    'Lists the history among the resources.',
    '6/history-not-enumerated',
    inContext('resources', () => ({ history: [] })),
  ),
];
