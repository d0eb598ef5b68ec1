// §8, §11: calls that are not what they should be, and calls that nobody granted.
import type { JsonObject } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import { optional } from '../../reference-runner/behaviour/run.ts';
import type { Results, Run, RunnerParts } from '../../reference-runner/parts.ts';
import { referenceParts } from '../../reference-runner/reference.ts';
import { asking, capable, mutant, without } from './mutant.ts';

/** No check of its own, and one call more than the context grants. */
const overreaching = (call: (run: Run) => Promise<unknown>): Partial<RunnerParts> => ({
  refuse: () => undefined,
  gather: async (run) => {
    await optional(() => call(run));
    return referenceParts.gather(run);
  },
});

const MODEL_CALLS = ['invoke_llm', 'invoke_llm_stream'];

export const authorizationMutants: readonly Mutant[] = [
  mutant(
    'call-of-no-run',
    ['8/runner-carries-run-id'],
    'Asks for history without saying for which run.',
    asking(['history_page'], (data) => without(data, 'run_id')),
  ),
  mutant(
    'call-of-another-run',
    ['8/runner-carries-run-id'],
    'Calls tools under a run_id of its own making.',
    asking(['call_tool'], (data) => ({ ...data, run_id: 'run-of-mine' })),
  ),
  mutant(
    'call-long-after',
    ['8/runner-carries-run-id'],
    'Reads its state once more, twenty seconds after its run is over.',
    {
      bound: () => new AbortController().signal,
      async *behave(run): Results {
        try {
          yield* referenceParts.behave(run);
        } finally {
          void run.clock
            .sleep(20_000)
            .then(() => run.api.state.get('conversation', 'afterwards'))
            .catch(() => undefined);
        }
      },
    },
  ),
  mutant(
    'call-without-parameters',
    ['8/runner-call-valid'],
    'Calls tools without parameters.',
    asking(['call_tool'], (data) => without(data, 'parameters')),
  ),
  mutant(
    'arguments-as-they-came',
    ['8/runner-call-valid'],
    'Passes on what a model wrote for arguments, whether it is an object or not.',
    {
      useTool: async function* ({ api }, { function: { name, arguments: json } }) {
        const read = async (): Promise<JsonObject> => JSON.parse(json) as JsonObject;
        return String(
          await read().then(
            (parameters) => optional(() => api.tools.call(name, parameters)),
            () => 'no JSON',
          ),
        );
      },
    },
  ),
  mutant(
    'prompt-of-nobody',
    ['8/runner-call-valid'],
    'Sends models messages whose role is empty.',
    asking(MODEL_CALLS, (data) => ({ ...data, messages: [{ role: '', content: 'hi' }] })),
  ),
  mutant(
    'top-k-in-words',
    ['8/runner-call-valid'],
    'Asks knowledge for "five" results.',
    asking(['retrieve_knowledge_base'], (data) => ({ ...data, top_k: 'five' })),
  ),
  mutant('identity-left-out', ['8/runtime-adds-identity'], 'Passes calls on without saying whose they are.', {
    identify: (_identity, data) => data,
  }),
  mutant('identity-of-another', ['8/runtime-adds-identity'], 'Passes calls on in another plugin’s name.', {
    identify: (_identity, data) => ({ ...data, caller_plugin_identity: 'acme/other' }),
  }),
  mutant(
    'tools-undeclared',
    ['4.3/tool-call-needs-capability'],
    'Calls tools without declaring it.',
    capable({ tool_calling: false }),
  ),
  mutant(
    'knowledge-undeclared',
    ['4.3/retrieval-needs-capability'],
    'Retrieves knowledge without declaring it.',
    capable({ knowledge_retrieval: false }),
  ),
  mutant(
    'platform-undeclared',
    ['4.3/platform-needs-capability'],
    'Asks for platform actions without declaring it.',
    capable({ platform_api: false }),
  ),
  mutant('model-ids-trimmed', ['11/ids-opaque'], 'Trims and folds the ids of models.', {
    refuse: () => undefined,
    ...asking(MODEL_CALLS, (data) => ({
      ...data,
      llm_model_uuid: String(data['llm_model_uuid']).trim().toLowerCase(),
    })),
  }),
  mutant(
    'cursors-trimmed',
    ['11/ids-opaque'],
    'Trims cursors.',
    asking(['history_page', 'event_page'], (data) => ({
      ...data,
      before_cursor: typeof data['before_cursor'] === 'string' ? data['before_cursor'].toLowerCase() : null,
    })),
  ),
  mutant('latest-cursor-folded', ['11/ids-opaque'], 'Folds the cursor that its context gives it.', {
    walk: (start, most, read) => referenceParts.walk(start === null ? null : start.toLowerCase(), most, read),
  }),
  mutant(
    'ids-decoded',
    ['11/ids-opaque'],
    'Decodes the ids of artifacts as if they were URLs.',
    asking(['artifact_metadata', 'artifact_read'], (data) => ({
      ...data,
      artifact_id: unescape(String(data['artifact_id'])),
    })),
  ),
  mutant(
    'ungranted-model',
    ['11/runner-granted-models'],
    'Asks a model that is not among its resources.',
    overreaching(({ api }) => api.models.invoke('gpt-of-my-choice', [{ role: 'user', content: 'hi' }], [])),
  ),
  mutant(
    'ungranted-operation',
    ['6/runner-listed-operations'],
    'Invokes models that it may only stream from.',
    overreaching(async ({ api, context }) => {
      for (const { model_id, operations } of context.resources.models)
        if (!operations.includes('invoke')) await api.models.invoke(model_id, [{ role: 'user', content: 'hi' }], []);
    }),
  ),
  mutant(
    'ungranted-tool',
    ['11/runner-granted-tools'],
    'Calls a tool that is not among its resources.',
    overreaching(({ api }) => api.tools.call('shell', {})),
  ),
  mutant(
    'ungranted-knowledge',
    ['11/runner-granted-knowledge'],
    'Asks a knowledge base that is not among its resources.',
    overreaching(({ api }) => api.knowledge.retrieve('all-of-it', 'secrets')),
  ),
  mutant(
    'ungranted-history',
    ['11/runner-granted-history'],
    'Reads history whether granted or not.',
    overreaching(({ api }) => api.history.page({ limit: 5 })),
  ),
  mutant(
    'ungranted-events',
    ['11/runner-granted-events'],
    'Reads events whether granted or not.',
    overreaching(({ api, context }) => api.events.get(context.event.event_id)),
  ),
  mutant(
    'ungranted-artifacts',
    ['11/runner-granted-artifacts'],
    'Reads artifacts whether granted or not.',
    overreaching(async ({ api, context }) => {
      for (const { artifact_id } of context.input.attachments) await api.artifacts.readRange(artifact_id);
    }),
  ),
  mutant(
    'ungranted-state',
    ['11/runner-granted-state'],
    'Reads state whether granted or not.',
    overreaching(({ api }) => api.state.get('conversation', 'reference.turns')),
  ),
  mutant(
    'ungranted-storage',
    ['11/runner-granted-storage'],
    'Writes to the workspace whether granted or not.',
    overreaching(({ api }) => api.storage.set('workspace', 'k', 'YQ==')),
  ),
  mutant(
    'ungranted-platform',
    ['11/runner-granted-platform'],
    'Asks for a platform action that is not offered.',
    overreaching(({ api }) => api.platform.requestAction('message.delete', {})),
  ),
  mutant(
    'other-conversation',
    ['11/runner-own-conversation'],
    'Reads the history of another conversation.',
    asking(['history_page'], (data) => ({ ...data, conversation_id: 'somebody-else' })),
  ),
  mutant('pages-on', ['context-1/runner-paging-ends'], 'Goes on to the next page though there is no more.', {
    walk: async (start, most, read) => {
      let cursor = start;
      for (let pages = 0; pages < most; pages++) {
        const page = await read(cursor);
        if (typeof page?.next_cursor !== 'string') return;
        cursor = page.next_cursor;
      }
    },
  }),
  mutant(
    'counts-cursors',
    ['context-1/runner-paging-ends'],
    'Makes the next cursor itself instead of taking the one given.',
    {
      walk: async (start, most, read) => {
        let cursor = start;
        for (let pages = 0; pages < most; pages++) {
          const page = await read(cursor);
          if (!page?.has_more) return;
          cursor = String(page.items.length * (pages + 1));
        }
      },
    },
  ),
];
