// §5.7, §7, §9, §11: wrong results, and runs that do not end as they should.
import type { JsonObject } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import { inProcessTarget } from '../../../targets/in-process.ts';
import { runtimeSeat } from '../../../targets/runtime.ts';
import { completed } from '../../reference-runner/behaviour/speak.ts';
import type { RunContext } from '../../reference-runner/context.ts';
import { failed, type Results } from '../../reference-runner/parts.ts';
import { referenceParts } from '../../reference-runner/reference.ts';
import { serveRunner } from '../../reference-runner/target.ts';
import { asking, capable, changing, editing, mutant, resealing, SILENT, without } from './mutant.ts';

/** Says nothing before the end, and then this. */
const lastWord = (content: string): ReturnType<typeof editing> =>
  editing((result) => {
    if (result.type === 'message.completed') return [];
    const message = { role: 'assistant', content };
    return [result.type === 'run.completed' ? { ...result, data: { ...result.data, message } } : result];
  });

const forEver = (): Promise<never> => new Promise(() => {});

export const streamMutants: readonly Mutant[] = [
  mutant('empty-responses', ['5.1/runtime-streams-results'], 'Forwards a state update as an empty response.', {
    forward: (result) => (result['type'] === 'state.updated' ? {} : result),
  }),
  mutant(
    'any-runner-will-do',
    ['5.1/runtime-unknown-runner'],
    'Runs its own runner when it is asked for one that it does not have.',
    {
      route: (request, manifests) => referenceParts.route(request, manifests) ?? 'default',
    },
  ),
  mutant('streams-undeclared', ['4.3/delta-needs-streaming'], 'Streams without declaring it.', {
    ...capable({ streaming: false }),
    streams: ({ context }) => context.delivery.supports_streaming,
  }),
  mutant('streams-anywhere', ['5.7/no-delta-off-surface'], 'Streams on surfaces that do not.', { streams: () => true }),
  mutant('any-size', ['5.7/runner-max-message-size'], 'Takes no notice of the largest message that a surface takes.', {
    fit: (_run, whole) => [whole],
  }),
  mutant('counts-characters', ['5.7/runner-max-message-size'], 'Counts characters where bytes are meant.', {
    fit: ({ context }, whole) => {
      const points = [...whole];
      const limit = context.delivery.max_message_size ?? points.length;
      return points.length <= limit ? [whole] : [points.slice(0, limit).join(''), points.slice(limit).join('')];
    },
  }),
  mutant(
    'long-last-word',
    ['5.7/runner-max-message-size'],
    'Ends the run with a message that is larger than the surface takes.',
    lastWord('long'.repeat(2000)),
  ),
  mutant('off-by-one', ['5.7/runner-max-message-size'], 'Lets messages be one byte too large.', {
    fit: (run, whole) =>
      referenceParts.fit(
        {
          ...run,
          context: {
            ...run.context,
            delivery: {
              ...run.context.delivery,
              max_message_size: run.context.delivery.max_message_size && run.context.delivery.max_message_size + 1,
            },
          },
        },
        whole,
      ),
  }),
  mutant(
    'null-data',
    ['7.1/result-valid'],
    'Sends null for data where there is none.',
    resealing((sealed) => (sealed['type'] === 'run.completed' ? { ...sealed, data: null } : sealed)),
  ),
  mutant(
    'type-as-number',
    ['7.1/result-valid'],
    'Numbers its state updates instead of naming them.',
    resealing((sealed) => (sealed['type'] === 'state.updated' ? { ...sealed, type: 6 } : sealed)),
  ),
  mutant(
    'run-id-shouted',
    ['7.1/run-id-echoed'],
    'Gives the run_id back in capitals.',
    resealing((sealed) => ({ ...sealed, run_id: String(sealed['run_id']).toUpperCase() })),
  ),
  mutant(
    'sequence-as-text',
    ['7.1/sequence-integer'],
    'Numbers its results in texts.',
    resealing((sealed) => ({ ...sealed, sequence: String(sealed['sequence']) })),
  ),
  mutant(
    'sequence-from-zero',
    ['7.1/sequence-rises'],
    'Counts its results from 0.',
    resealing((sealed) => ({ ...sealed, sequence: Number(sealed['sequence']) - 1 })),
  ),
  mutant(
    'sequence-stands',
    ['7.1/sequence-rises'],
    'Gives its second and third result the same number.',
    resealing((sealed) => ({ ...sealed, sequence: Math.min(2, Number(sealed['sequence'])) })),
  ),
  mutant(
    'bare-delta',
    ['7.2/message-delta-payload'],
    'Puts the piece into text instead of chunk.',
    changing('message.delta', ({ chunk }) => ({ text: chunk })),
  ),
  mutant(
    'bare-message',
    ['7.2/message-completed-payload'],
    'Puts the text where the message belongs.',
    changing('message.completed', () => ({ message: 'Hello' })),
  ),
  mutant(
    'delta-of-nobody',
    ['7.2/message-delta-payload'],
    'Leaves the role of its deltas empty.',
    changing('message.delta', ({ chunk }) => ({ chunk: { ...(chunk as JsonObject), role: '' } })),
  ),
  mutant(
    'message-of-nobody',
    ['7.2/message-completed-payload'],
    'Leaves the role of its messages empty.',
    changing('message.completed', ({ message }) => ({ message: { ...(message as JsonObject), role: '' } })),
  ),
  mutant(
    'nameless-tool',
    ['7.2/tool-started-payload'],
    'Does not say which tool it starts.',
    changing('tool.call.started', (data) => without(data, 'tool_name')),
  ),
  mutant(
    'nameless-result',
    ['7.2/tool-completed-payload'],
    'Does not say which tool has ended.',
    changing('tool.call.completed', (data) => without(data, 'tool_name')),
  ),
  mutant(
    'artifact-of-no-type',
    ['7.2/artifact-created-payload'],
    'Makes artifacts of no type.',
    changing('artifact.created', (data) => without(data, 'artifact_type')),
  ),
  mutant(
    'artifact-of-empty-type',
    ['7.2/artifact-created-payload'],
    'Makes artifacts whose type is empty.',
    changing('artifact.created', (data) => ({ ...data, artifact_type: '' })),
  ),
  mutant(
    'state-without-value',
    ['7.2/state-updated-payload'],
    'Updates state and gives no value.',
    changing('state.updated', (data) => without(data, 'value')),
  ),
  mutant(
    'action-by-name',
    ['7.2/action-requested-payload'],
    'Names the action under another key.',
    changing('action.requested', ({ action, ...data }) => ({ ...data, name: action })),
  ),
  mutant(
    'action-of-no-name',
    ['7.2/action-requested-payload'],
    'Asks for an action and leaves its name empty.',
    changing('action.requested', (data) => ({ ...data, action: '' })),
  ),
  mutant(
    'completed-with-text',
    ['7.2/completed-payload'],
    'Ends with a text where a message may stand.',
    changing('run.completed', (data) => ({ ...data, message: 'bye' })),
  ),
  mutant('waits-for-ever', ['7.2/run-ends'], 'Never ends a run whose input is empty.', {
    async *behave(run): Results {
      if (!run.context.input.text) await forEver();
      yield* referenceParts.behave(run);
    },
  }),
  {
    id: 'runner/dies',
    what: 'Drops the link when an event has no input.',
    clauses: ['v1/7.2/run-ends'],
    target: () =>
      inProcessTarget(runtimeSeat, {
        kind: 'reference',
        play: (peer, { clock }) => {
          const decline = ({ input }: RunContext): [] => {
            if (input.text === null && input.contents.length + input.attachments.length === 0) void peer.close();
            return [];
          };
          const die = { ...referenceParts, decline };
          serveRunner(peer, { clock, seat: 'runtime', parts: die });
        },
      }),
  },
  mutant('no-terminal', ['7.2/exactly-one-terminal'], 'Ends a run by ending the stream.', {
    ...editing((result) => (result.type === 'run.completed' ? [] : [result])),
    ...SILENT,
  }),
  mutant('two-terminals', ['7.2/exactly-one-terminal'], 'Completes a run twice.', {
    ...editing((result) => (result.type === 'run.completed' ? [result, result] : [result])),
    ends: () => false,
    ...SILENT,
  }),
  mutant(
    'throws-outright',
    ['7.2/exactly-one-terminal'],
    'Lets the stream end without a word when the model refuses.',
    SILENT,
  ),
  mutant('afterthought', ['7.2/terminal-is-last'], 'Sends a state update after the end.', {
    ...editing((result) =>
      result.type === 'run.completed'
        ? [result, { type: 'state.updated', data: { scope: 'runner', key: 'k', value: 1 } }]
        : [result],
    ),
    ends: () => false,
    ...SILENT,
  }),
  mutant('second-thoughts', ['7.2/completed-agrees-with-deltas'], 'Completes another text than it streamed.', {
    completed: (text) => completed(`${text} (edited)`),
  }),
  mutant(
    'other-last-word',
    ['7.2/completed-agrees-with-deltas'],
    'Streams one text and ends the run with another.',
    lastWord('...'),
  ),
  mutant(
    'tool-unannounced',
    ['7.2/tool-completed-after-started'],
    'Reports the end of a tool call whose start it never told.',
    editing((result) => (result.type === 'tool.call.started' ? [] : [result])),
  ),
  mutant(
    'tool-left-open',
    ['7.2/tool-started-completed'],
    'Never reports the end of a tool call.',
    editing((result) => (result.type === 'tool.call.completed' ? [] : [result])),
  ),
  mutant(
    'waits-for-action',
    ['7.2/action-effect-not-relied-on'],
    'Fails when the action that it asked for has no effect.',
    {
      async *act(run): Results {
        for await (const result of referenceParts.act(run)) {
          yield result;
          if (result.type !== 'action.requested') continue;
          await run.clock.sleep(5000, run.signal);
          yield failed('runner.action_unconfirmed', 'the action had no effect');
        }
      },
    },
  ),
  mutant(
    'waits-for-action-for-ever',
    ['7.2/action-effect-not-relied-on', '7.2/run-ends'],
    'Waits for the effect of an action without end.',
    {
      async *act(run): Results {
        for await (const result of referenceParts.act(run)) {
          yield result;
          if (result.type === 'action.requested') await forEver();
        }
      },
    },
  ),
  mutant(
    'other-scope',
    ['7.3/runner-state-scope'],
    'Keeps state in a scope that there is not.',
    asking(['state_set', 'state_delete'], (data) => ({ ...data, scope: 'binding' })),
  ),
  mutant(
    'empty-key',
    ['7.3/runner-state-key'],
    'Keeps state under an empty key.',
    asking(['state_set'], (data) => ({ ...data, key: '' })),
  ),
  mutant('state-ungranted', ['7.3/runner-state-granted'], 'Updates state where it is not granted.', {
    async *remember(run): Results {
      yield* referenceParts.remember(run);
      if (!run.context.context.available_apis.state)
        yield { type: 'state.updated', data: { scope: 'conversation', key: 'reference.last', value: 1 } };
    },
  }),
  mutant('inlines-attachments', ['11/large-results-by-artifact'], 'Repeats whole attachments in its answer.', {
    async *think(run, gathered): Results {
      yield* referenceParts.think(run, gathered);
      const whole = gathered.attachments.map(({ file_base64 }) => file_base64).join('');
      if (whole !== '') yield completed(whole);
    },
  }),
  mutant(
    'failure-without-code',
    ['9/run-failed-shape'],
    'Fails without a code.',
    changing('run.failed', (data) => without(data, 'code')),
  ),
  mutant(
    'failure-without-words',
    ['9/run-failed-shape'],
    'Fails without a message.',
    changing('run.failed', (data) => without(data, 'message')),
  ),
  mutant(
    'failure-maybe-retryable',
    ['9/run-failed-shape'],
    'Says in a word whether to try again.',
    changing('run.failed', (data) => ({ ...data, retryable: 'maybe' })),
  ),
];
