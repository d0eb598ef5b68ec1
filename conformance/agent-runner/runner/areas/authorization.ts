// §8, §11: everything granted, nothing, and every part between, under ids that nobody may bend.
import fc from 'fast-check';
import type { JsonObject } from '../../../../common/json.ts';
import { API } from '../api.ts';
import { anyAnswer, anyWorld, ruleWith } from '../stimuli/answers.ts';
import { anyContext, plainContext } from '../stimuli/context.ts';
import { anyGrants, asked, everything, type Grants } from '../stimuli/grants.ts';
import { AWKWARD_IDS } from '../stimuli/ids.ts';
import type { RunnerStimulus, World } from '../stimulus.ts';
import { type Chosen, planFor, runnerArea } from './area.ts';
import { withLatest } from './read-model.ts';
import { grantedThenNot } from './state-limits.ts';

const WORLD: World = {
  model: [{ text: 'Let me see', tools: ['*'] }, { text: 'Done' }],
  history: 30,
  pageCap: 10,
  cursor: 'Cursor/ ',
};

export const authorization = runnerArea({
  id: 'authorization',
  runs: 480,
  stimulus: (chosen) =>
    fc
      .record({
        context: anyContext('run-0', anyGrants(chosen.runner)),
        world: anyWorld,
        answers: fc.array(ruleWith(anyAnswer), { maxLength: 1 }),
      })
      .map((plan): RunnerStimulus => ({ runs: [planFor(chosen, plan)] })),
  corners: (chosen) => {
    const all = everything(chosen.runner);
    const with_ = (grants: Grants, over: JsonObject = {}): RunnerStimulus => ({
      runs: [planFor(chosen, { context: plainContext('run-0', grants, over), world: WORLD })],
    });
    const flags = [...new Set(Object.values(API).flatMap(({ flag }) => flag ?? []))];
    const attachments = (id: string): JsonObject => ({ input: { text: 'Read', attachments: [{ artifact_id: id }] } });
    return [
      with_(all, attachments('artifact-1')),
      with_({ resources: {}, apis: {} }, attachments('artifact-1')),
      grantedThenNot(chosen, plainContext('run-0', all)),
      {
        runs: [
          planFor(chosen, {
            context: withLatest(plainContext('run-0', all), { history: 3, cursor: 'Cursor ' }),
            world: { ...WORLD, history: 3, cursor: 'Cursor ' },
          }),
        ],
      },
      // One kind withheld at a time: a call that follows had no other reason to be left out.
      ...Object.keys(all.resources).map((kind) =>
        with_({ ...all, resources: Object.fromEntries(Object.entries(all.resources).filter(([key]) => key !== kind)) }),
      ),
      ...flags.map((flag) => with_({ ...all, apis: { ...all.apis, [flag]: false } }, attachments('artifact-1'))),
      ...['plugin', 'workspace', 'binding'].map((area) =>
        with_({
          ...all,
          resources: {
            ...all.resources,
            storage: { ...(all.resources['storage'] as JsonObject), [`${area}_storage`]: false },
          },
        }),
      ),
      with_({
        ...all,
        resources: {
          ...all.resources,
          platform_capabilities: Object.fromEntries(asked(chosen.runner, 'platform_api').map((name) => [name, false])),
        },
      }),
      ...narrowed(all, chosen),
      // What models write for arguments is text, and not always an object.
      ...['[1]', 'not JSON'].flatMap((json) =>
        asked(chosen.runner, 'tools').length === 0 ? [] : wanting(chosen, all, json),
      ),
      ...AWKWARD_IDS.map((id) =>
        with_(
          everything(chosen.runner, (name) => (name === 'ranker' ? `${id}*` : id)),
          {
            ...attachments(id),
            event: { event_id: id, event_type: 'message.received', source: 'platform' },
            context: {
              conversation_id: id,
              inline_policy: { mode: 'current_event' },
              available_apis: all.apis,
            },
          },
        ),
      ),
    ];
  },
});

/** The model wants a tool called, with these arguments. */
const wanting = (chosen: Chosen, grants: Grants, json: string): RunnerStimulus[] => {
  const message = {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'call', type: 'function', function: { name: 'tool', arguments: json } }],
  };
  return [
    { action: 'invoke_llm', nth: 1, answer: { kind: 'success' as const, data: { message } } },
    { action: 'invoke_llm_stream', nth: 1, answer: { kind: 'success' as const, data: { chunk: message } } },
  ].map((rule) => ({
    runs: [planFor(chosen, { context: plainContext('run-0', grants), world: WORLD, answers: [rule] })],
  }));
};

/** The same resources with one operation alone, of those that the manifest asks for. */
const narrowed = ({ resources, apis }: Grants, chosen: Chosen): RunnerStimulus[] =>
  ['models', 'tools', 'knowledge_bases'].flatMap((kind) =>
    asked(chosen.runner, kind).map((operation): RunnerStimulus => {
      const entries = (resources[kind] as JsonObject[]).map(({ model_type: _type, ...entry }) => ({
        ...entry,
        operations: [operation],
      }));
      const context = plainContext('run-0', { resources: { ...resources, [kind]: entries }, apis });
      return { runs: [planFor(chosen, { context, world: WORLD })] };
    }),
  );
