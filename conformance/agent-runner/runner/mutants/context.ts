// §3, §5, §9: a runner that cannot take what a host may send.
import { canonical, type JsonObject } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import type { RunContext } from '../../reference-runner/context.ts';
import { failed } from '../../reference-runner/parts.ts';
import { referenceParts } from '../../reference-runner/reference.ts';
import type { ApiError } from '../../reference-runner/sdk/api-error.ts';
import { listAt, objectAt } from '../grants.ts';
import { withoutUnknown } from '../models.ts';
import { endingOn, mutant, SILENT } from './mutant.ts';

const raw = ({ context }: { readonly context: RunContext }): JsonObject => context as unknown as JsonObject;
const stumble = failed('runner.unsupported', 'this runner cannot take that');

export const contextMutants: readonly Mutant[] = [
  mutant(
    'stops-at-other-major',
    ['3/runner-other-host-major'],
    'Stops without a word when the host speaks another version.',
    {
      decline: () => [],
      ...endingOn(({ context }) => context.runtime.protocol_version !== '1'),
      ...SILENT,
    },
  ),
  mutant(
    'strict-context',
    ['3/runner-reads-added-context-fields'],
    'Refuses contexts with fields that it does not know.',
    {
      decline: (context) =>
        canonical(context) === canonical(withoutUnknown(raw({ context })))
          ? []
          : [failed('runner.context_invalid', 'extra fields')],
    },
  ),
  mutant(
    'strict-answers',
    ['3/runner-reads-added-answer-fields'],
    'Fails when an answer holds a field that it does not know.',
    {
      accept: (action, data) => {
        if ('x_future' in data) throw new Error(`extra fields in the answer to ${action}`);
        return data;
      },
    },
  ),
  mutant(
    'text-only',
    ['4.3/multimodal-handled'],
    'Declares multimodal input and fails on anything but text.',
    endingOn(
      ({ context: { input } }) => input.contents.some(({ type }) => type !== 'text') || input.attachments.length > 0,
      stumble,
    ),
  ),
  mutant(
    'messages-only',
    ['4.3/event-context-handled'],
    'Declares event context and stops without a word on other events.',
    {
      ...endingOn(({ context }) => context.event.event_type !== 'message.received'),
      ...SILENT,
    },
  ),
  mutant(
    'needs-adapter',
    ['5.2/runner-without-adapter'],
    'Fails where the adapter sends nothing of its own.',
    endingOn((run) => !raw(run)['adapter'], stumble),
  ),
  mutant(
    'needs-conversation',
    ['5.5/optional-parties-tolerated'],
    'Stops without a word where there is no conversation.',
    {
      ...endingOn((run) => !raw(run)['conversation']),
      ...SILENT,
    },
  ),
  mutant(
    'needs-message-chain',
    ['5.6/runner-without-message-chain'],
    'Fails without the platform’s message chain.',
    endingOn((run) => !objectAt(raw(run), 'input')['message_chain'], stumble),
  ),
  mutant('needs-text', ['5.6/any-input-tolerated'], 'Stops without a word where the input has no text.', {
    ...endingOn(({ context }) => !context.input.text),
    ...SILENT,
  }),
  mutant('needs-locale', ['5.9/runtime-optionals-tolerated'], 'Stops without a word where the host names no locale.', {
    ...endingOn((run) => !objectAt(raw(run), 'runtime')['locale']),
    ...SILENT,
  }),
  mutant(
    'needs-state',
    ['5.10/runner-without-state'],
    'Fails where state is not granted.',
    endingOn(({ context }) => !context.context.available_apis.state, stumble),
  ),
  mutant('needs-a-past', ['5.10/runner-without-state'], 'Stops without a word where its state is empty.', {
    ...endingOn(({ context }) => Object.keys(context.state.conversation).length === 0),
    ...SILENT,
  }),
  mutant('breaks-on-refusal', ['9/runner-survives-errors'], 'Stops without a word when an API refuses.', {
    errorOf: () => new TypeError('unexpected refusal') as unknown as ApiError,
    ...SILENT,
  }),
  mutant(
    'breaks-on-nonsense',
    ['9/runner-survives-malformed-answers'],
    'Stops without a word when an answer has not the shape that it expects.',
    {
      accept: (action, data) => {
        if (action === 'history_page' && !Array.isArray(data['items'])) throw new TypeError('items is not iterable');
        return data;
      },
      ...SILENT,
    },
  ),
  mutant(
    'strict-in-tools',
    ['3/runner-reads-added-context-fields'],
    'Refuses tools with fields that it does not know.',
    {
      decline: ({ resources }) =>
        resources.tools.some((tool) => 'x_future' in tool) ? [failed('runner.context_invalid', 'extra fields')] : [],
    },
  ),
  mutant(
    'strict-in-items',
    ['3/runner-reads-added-answer-fields'],
    'Fails when an item of a page holds a field that it does not know.',
    {
      accept: (action, data) => {
        if (listAt(data, 'items').some((item) => 'x_future' in item)) throw new Error(`extra fields in ${action}`);
        return data;
      },
    },
  ),
  ...(
    [
      ['file', 'an artifact', (action) => action.startsWith('artifact_')],
      ['tool', 'a tool', (action) => action === 'call_tool'],
      ['note', 'state that it deletes', (action) => action === 'state_delete'],
    ] as const satisfies readonly (readonly [string, string, (action: string) => boolean])[]
  ).map(([name, words, meant]) =>
    mutant(
      `breaks-on-refused-${name}`,
      ['9/runner-survives-errors'],
      `Stops without a word when it is refused ${words} as not found.`,
      () => {
        let last = '';
        return {
          request: (context, action, data) => {
            last = action;
            return referenceParts.request(context, action, data);
          },
          errorOf: (answer) =>
            meant(last) && objectAt(answer.data, 'error')['code'] === 'not_found'
              ? (new TypeError('unexpected refusal') as unknown as ApiError)
              : referenceParts.errorOf(answer),
          ...SILENT,
        };
      },
    ),
  ),
  ...(
    [
      ['needs-chunks', 'a model tells its usage and says nothing', 'invoke_llm_stream', ({ chunk }) => chunk === null],
      [
        'needs-written-items',
        'an item of the history has no text',
        'history_page',
        (data) => listAt(data, 'items').some(({ content }) => typeof content !== 'string'),
      ],
      [
        'needs-bytes',
        'a file is kept elsewhere',
        'artifact_read',
        (data) => typeof data['content_base64'] !== 'string',
      ],
    ] as const satisfies readonly (readonly [string, string, string, (data: JsonObject) => boolean])[]
  ).map(([id, words, meant, shows]) =>
    mutant(id, ['7.2/exactly-one-terminal'], `Stops without a word when ${words}.`, {
      accept: (action, data) => {
        if (action === meant && shows(data)) throw new TypeError('not what it looks for');
        return data;
      },
      // What goes wrong otherwise it tells as it should.
      onError: (error) => (error instanceof TypeError ? [] : referenceParts.onError(error)),
    }),
  ),
];
