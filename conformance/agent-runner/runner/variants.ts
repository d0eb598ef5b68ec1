// Other legal choices than the reference's: the suite must find nothing wrong with them. And runners that do nothing
// worth the name: they must not be found conformant.
import type { JsonObject } from '../../../common/json.ts';
import type { Variant } from '../../driving/suite.ts';
import { Refusal } from '../../wire/peer.ts';
import { componentOf } from '../reference-runner/container.ts';
import { referenceManifest } from '../reference-runner/manifest.ts';
import { failed, type Results, type RunnerParts } from '../reference-runner/parts.ts';
import { referenceParts } from '../reference-runner/reference.ts';
import { type ReferenceRunnerOptions, referenceRunnerTarget } from '../reference-runner/target.ts';
import { capable, declaring, editing, resealing, without } from './mutants/mutant.ts';

const variant = (
  id: string,
  what: string,
  parts: Partial<RunnerParts>,
  seat?: ReferenceRunnerOptions['seat'],
): Variant => ({
  id: `runner/${id}`,
  what,
  target: () => referenceRunnerTarget({ parts, ...(seat === undefined ? {} : { seat }) }),
});

const MINIMAL: JsonObject = {
  id: 'plugin:runcert/reference/default',
  name: 'default',
  label: { en_US: 'Minimal' },
  capabilities: {},
  permissions: {},
  context: {},
};

/** A runner with these results and nothing else. */
const saying = (manifest: JsonObject, ...results: readonly ReturnType<typeof failed>[]): Partial<RunnerParts> => ({
  manifests: [manifest],
  async *behave(): Results {
    yield* results;
  },
});

const DONE = { type: 'run.completed', data: {} };

export const honestVariants: readonly Variant[] = [
  variant('as-a-plugin', 'The reference as a plugin alone, without a Plugin Runtime.', {}, 'module'),
  variant('no-streaming', 'Does not stream, and says so.', { ...capable({ streaming: false }), streams: () => false }),
  variant('minimal', 'Asks for nothing and completes at once.', saying(MINIMAL, DONE)),
  variant(
    'says-it-at-the-end',
    'Puts its whole answer into run.completed.',
    saying(MINIMAL, {
      type: 'run.completed',
      data: { finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } },
    }),
  ),
  variant('streams-then-says-it', 'Streams its answer and puts the whole of it into run.completed.', {
    manifests: [{ ...MINIMAL, capabilities: { streaming: true } }],
    async *behave({ context }): Results {
      if (context.delivery.supports_streaming) yield* ['H', 'i'].map((piece) => referenceParts.delta(piece, piece));
      yield { type: 'run.completed', data: { message: { role: 'assistant', content: 'Hi' } } };
    },
  }),
  variant('chatty', 'Adds fields of its own to every result, and results of types of its own.', {
    ...editing((result) => [{ type: 'vendor.progress', data: { percent: 1 } }, result]),
    seal: (context, result, sequence) => ({
      ...referenceParts.seal(context, result, sequence),
      usage: { total_tokens: 3 },
      timestamp: 1,
      vendor: {},
    }),
    ...declaring({ vendor_note: 'n', metadata: { homepage: 'https://example.invalid' } }),
  }),
  variant('slow', 'Takes its time before every call.', {
    async *behave(run): Results {
      await run.clock.sleep(150, run.signal);
      for await (const result of referenceParts.behave(run)) {
        await run.clock.sleep(20, run.signal);
        yield result;
      }
    },
  }),
  variant('keeps-to-itself', 'Asks for every permission and uses no API.', {
    async *behave(run): Results {
      yield* [referenceParts.completed(run.context.input.text || 'Hm'), DONE].slice(
        run.context.delivery.max_message_size === null ? 0 : 1,
      );
    },
  }),
  variant('error-for-message', 'Says error where the protocol says message, as the SDK does.', {
    seal: (context, result, sequence) =>
      referenceParts.seal(
        context,
        result.type === 'run.failed'
          ? { ...result, data: { ...without(result.data, 'message'), error: result.data['message'] ?? '' } }
          : result,
        sequence,
      ),
  }),
  variant('whole-text-deltas', 'Repeats the whole text so far in each delta.', {
    delta: (_piece, whole) => referenceParts.delta(whole, whole),
  }),
  variant(
    'unnumbered',
    'Does not number its results.',
    resealing((sealed) => ({ ...sealed, sequence: null })),
  ),
  variant('not-interruptible', 'Does not know cancel_run, and does not declare interrupt.', {
    ...capable({ interrupt: false }),
    cancelled: () => {
      throw new Refusal('ValueError: Action cancel_run not found');
    },
  }),
  variant('wrapped-manifests', 'Lists its runners in the wrappers of the SDK.', {
    listing: (manifests) => ({
      runners: manifests.map((manifest) => ({
        plugin_author: 'runcert',
        plugin_name: 'reference',
        runner_name: 'default',
        manifest,
      })),
    }),
  }),
  variant('component-files', 'Lists its runners as the components’ own files, as older Runtimes do.', {
    listing: (manifests) => ({
      runners: manifests.map((manifest) => ({
        plugin_author: 'runcert',
        plugin_name: 'reference',
        runner_name: 'default',
        protocol_version: '1',
        manifest: componentOf(manifest),
      })),
    }),
  }),
  variant('binary-storage', 'Passes storage calls on under the names of the real Runtime.', {
    relay: (action, data) => {
      const [, verb, area, keys] = /^(get|set|delete)_(plugin|workspace|binding)_storage(_keys)?$/.exec(action) ?? [];
      return verb === undefined
        ? [action, data]
        : [`${verb}_binary_storage${keys ?? ''}`, { ...data, owner_type: area, owner: 'runcert/reference' }];
    },
  }),
  variant('two-runners', 'Brings two runners in one plugin.', {
    manifests: [
      referenceManifest,
      {
        ...MINIMAL,
        id: 'plugin:runcert/reference/spare',
        name: 'spare',
        permissions: {},
        capabilities: objectOf(referenceManifest, 'capabilities'),
      },
    ],
  }),
  variant('fails-politely', 'Refuses every event that is no message with run.failed.', {
    async *behave(run): Results {
      if (run.context.event.event_type === 'message.received') yield* referenceParts.behave(run);
      else yield failed('runner.event_unsupported', 'only messages');
    },
  }),
];

function objectOf(manifest: JsonObject, key: string): JsonObject {
  return manifest[key] as JsonObject;
}

/** What even a runner that does nothing, or only fails, really keeps: what it says of itself, and that its streams end. */
const DECLARES = [
  'v1/3/runner-declares-major',
  'v1/4.1/runtime-lists-runners',
  'v1/4.1/runtime-needs-no-payload',
  'v1/4.2/manifest-valid',
  'v1/4.2/id-format',
  'v1/4.2/id-stable',
  'v1/4.2/id-unique',
  'v1/4.2/name-is-runner-segment',
  'v1/4.3/capabilities-bool',
  'v1/4.3/state-not-a-capability',
  'v1/4.4/permissions-known',
];
const ENDS = [
  'v1/5.1/runtime-streams-results',
  'v1/5.1/runtime-unknown-runner',
  'v1/7.2/run-ends',
  'v1/10/stream-over-at-deadline',
];
/** A failure is a lawful end of a run, whatever came; and each is well-formed. */
const FAILS_WELL = [
  'v1/3/runner-other-host-major',
  'v1/4.2/config-schema-is-form',
  'v1/4.3/event-context-handled',
  'v1/5.1/runtime-serves-each-runner',
  'v1/5.5/optional-parties-tolerated',
  'v1/5.6/any-input-tolerated',
  'v1/5.10/runner-without-state',
  'v1/7.1/result-valid',
  'v1/7.1/run-id-echoed',
  'v1/7.1/sequence-integer',
  'v1/7.1/sequence-rises',
  'v1/7.2/exactly-one-terminal',
  'v1/7.2/terminal-is-last',
  'v1/9/run-failed-shape',
  'v1/10/no-result-after-deadline',
  'v1/10/runtime-interrupts',
  'v1/10/cancelled-code',
  'v1/10/quiet-after-cancel',
  'v1/10/cancel-answered',
  'v1/11/large-results-by-artifact',
  'v1/context-1/runs-kept-apart',
  'v1/context-1/streams-kept-apart',
];

export const vacuousVariants: readonly Variant[] = [
  {
    id: 'runner/does-nothing',
    what: 'Ends every stream without a result.',
    vacuous: { passes: [...DECLARES, ...ENDS] },
    target: () =>
      referenceRunnerTarget({
        parts: {
          ...saying(MINIMAL),
          onError: () => [],
          onDeadline: () => [],
          decline: () => [],
        },
      }),
  },
  {
    id: 'runner/only-fails',
    what: 'Fails every run at once.',
    vacuous: { passes: [...DECLARES, ...ENDS, ...FAILS_WELL] },
    target: () => referenceRunnerTarget({ parts: saying(referenceManifest, failed('runner.error', 'no')) }),
  },
];

export const runnerVariants: readonly Variant[] = [...honestVariants, ...vacuousVariants];
