// Calls of every API action that are right in every way, ways to make each wrong, and runs around them.
import { isObject, type JsonObject } from '../../../../common/json.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { APIS } from '../../oracle/calls.ts';
import { limitOf } from '../../oracle/measure.ts';
import { say } from '../say.ts';
import { type Beat, type Call, contextOf, type Script, type Step, selfRun } from '../stimulus.ts';
import {
  AUTHOR,
  binding,
  declaredBy,
  event,
  FULL_PERMISSIONS,
  idOf,
  manifest,
  marked,
  OPEN_POLICY,
  settle,
  submit,
} from './kit.ts';

/** What this host has to be called: its actions, and what can be granted. */
export interface Offering {
  readonly actions: readonly string[];
  readonly limits: JsonObject;
  readonly models: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  readonly bases: readonly string[];
  /** A question that one of the bases answers, for each that the host tells one of. */
  readonly questions: readonly string[];
  readonly platform: readonly string[];
  /** Calls that may come within a second without a thought. */
  readonly pace: number;
  readonly rate: number | undefined;
}

export function offeringOf(info: TargetInfo): Offering {
  const { limits, inventory } = declaredBy(info);
  const known = Object.keys(APIS).filter((action) => info.traits.includes(`api:${action}`));
  const list = (name: string): readonly JsonObject[] =>
    Array.isArray(inventory[name]) ? inventory[name].filter(isObject) : [];
  const rate = limitOf(limits, 'calls_per_second');
  const actions = Array.isArray(inventory['platform_actions']) ? inventory['platform_actions'].map(String) : [];
  return {
    // A host that was never probed may have them all.
    actions: known.length > 0 ? known : Object.keys(APIS),
    limits,
    models: list('models'),
    tools: list('tools'),
    bases: list('knowledge_bases').map((one) => String(one['kb_id'])),
    questions: list('knowledge_bases').flatMap(({ example }) =>
      isObject(example) && typeof example['query_text'] === 'string' ? [example['query_text']] : [],
    ),
    platform: actions.length > 0 ? actions : ['message.edit'],
    pace: Math.max(1, Math.floor((rate ?? 40) / 2)),
    rate,
  };
}

/** A model that can do this; where the host tells nothing, the first that the context grants. */
export function modelFor(offering: Offering, operation: string): unknown {
  const fit = offering.models.find(
    ({ operations }) => !Array.isArray(operations) || operations.length === 0 || operations.includes(operation),
  );
  return fit?.['model_id'] ?? contextOf('resources', 'models', 0, 'model_id');
}
const toolOf = ({ tools }: Offering) => tools.find((one) => one['fails'] !== true);

export const fileOf = (run: number): string => `file-${run}`;
export const BYTES = Buffer.from('The quick brown fox jumps over the lazy dog. 你好 🤖').toString('base64');
const words = [{ role: 'user', content: 'Is anybody there?' }];

/** The arguments of a right call, for the run that a submission of this number began. */
export function rightArguments(offering: Offering, action: string, run: number): JsonObject {
  const tool = toolOf(offering);
  const named = tool?.['tool_name'] ?? contextOf('resources', 'tools', 0, 'tool_name');
  const area = APIS[action]!.operation;
  const all: Readonly<Record<string, unknown>> = {
    invoke_llm: { llm_model_uuid: modelFor(offering, 'invoke'), messages: words },
    invoke_llm_stream: { llm_model_uuid: modelFor(offering, 'stream'), messages: words },
    invoke_rerank: {
      rerank_model_uuid: modelFor(offering, 'rerank'),
      query: 'harbour',
      documents: ['a garden', 'the harbour', 'a pilot'],
      top_k: 2,
    },
    get_tool_detail: { tool_name: named },
    call_tool: { tool_name: named, parameters: tool?.['example'] ?? {} },
    retrieve_knowledge_base: {
      kb_id: offering.bases[0] ?? contextOf('resources', 'knowledge_bases', 0, 'kb_id'),
      query_text: 'harbour',
      top_k: 3,
    },
    history_page: { limit: Math.min(5, limitOf(offering.limits, 'history_page_items') ?? 5) },
    history_search: { query: 'what was said', top_k: 5 },
    event_get: { event_id: `event-${run}` },
    event_page: { limit: Math.min(5, limitOf(offering.limits, 'event_page_items') ?? 5) },
    artifact_metadata: { artifact_id: fileOf(run) },
    artifact_read: {
      artifact_id: fileOf(run),
      offset: 0,
      length: Math.min(16, limitOf(offering.limits, 'artifact_read_bytes') ?? 16),
    },
    artifact_open_stream: { artifact_id: fileOf(run) },
    state_get: { scope: 'conversation', key: 'kept' },
    state_set: { scope: 'conversation', key: 'key', value: { said: marked(`state${run}`) } },
    state_delete: { scope: 'conversation', key: 'gone' },
    [`get_${area}_storage`]: { key: 'kept' },
    [`set_${area}_storage`]: { key: 'key', value_base64: base64(marked(`stored${run}`)) },
    [`delete_${area}_storage`]: { key: 'gone' },
    [`get_${area}_storage_keys`]: { prefix: '' },
    platform_request_action: {
      action: offering.platform[0],
      target: { message_id: 'm-1' },
      payload: { text: 'hello!' },
    },
  };
  return all[action] as JsonObject;
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A call of this run, as it stands in its script. */
export const call = (action: string, data: JsonObject, more: Partial<Call> = {}): Call => ({
  call: action,
  data: { run_id: selfRun, ...data },
  ...more,
});

export const right = (offering: Offering, action: string, run: number): Call =>
  call(action, rightArguments(offering, action, run));

/** Puts there what right calls of these actions will ask for. */
export function prepare(actions: readonly string[], run: number): readonly Beat[] {
  const areas = ['plugin', 'workspace', 'binding'].filter((area) =>
    actions.some((action) => action.includes(`${area}_storage`)),
  );
  return [
    ...(actions.some((action) => action.startsWith('artifact'))
      ? [
          say.artifact({
            artifact_id: fileOf(run),
            artifact_type: 'file',
            mime_type: 'text/plain',
            name: `note-${run}.txt`,
            content_base64: BYTES,
          }),
          { wait: 20 },
        ]
      : []),
    ...areas.flatMap((area) =>
      ['kept', 'gone'].map((key) =>
        call(`set_${area}_storage`, { key, value_base64: base64(marked(`${key}-${area}${run}`)) }),
      ),
    ),
    ...(actions.some((action) => action.startsWith('state'))
      ? ['kept', 'gone'].map((key) =>
          call('state_set', { scope: 'conversation', key, value: marked(`${key}-state${run}`) }),
        )
      : []),
  ];
}

/** Ways to say wrongly which run it is, and who calls. */
export const RUN_FLAWS: Readonly<Record<string, (right: Call) => Call>> = {
  'run-absent': ({ data: { run_id: _, ...data }, ...rest }) => ({ ...rest, data }),
  'run-null': (call) => ({ ...call, data: { ...call.data, run_id: null } }),
  'run-empty': (call) => ({ ...call, data: { ...call.data, run_id: '' } }),
  'run-unknown': (call) => ({ ...call, data: { ...call.data, run_id: 'run-that-never-was' } }),
  'identity-other': (call) => ({ ...call, as: 'mallory/evil' }),
  'identity-neighbour': (call) => ({ ...call, as: `${AUTHOR}/other` }),
  'identity-namesake': (call) => ({ ...call, as: 'mallory/probe' }),
  'identity-absent': (call) => ({ ...call, as: null }),
  'identity-empty': (call) => ({ ...call, as: '' }),
};

/** What is almost the right run or the right caller: a host that compares loosely takes it for that. */
export const NEAR_MISSES: readonly ((right: Call) => Call)[] = [
  (call) => ({ ...call, data: { ...call.data, run_id: { ...selfRun, more: '0' } as unknown as string } }),
  ...[
    `${AUTHOR}/probe-2`,
    `${AUTHOR}/prob`,
    'mallory/probe',
    `${AUTHOR}/probe`.toUpperCase(),
    `${AUTHOR}/probe/main`,
  ].map((as) => (call: Call) => ({ ...call, as })),
];

const OTHER_TYPE: Readonly<Record<string, readonly unknown[]>> = {
  text: [7, { an: 'object' }, ['a list'], true],
  object: ['a text', 7, ['a list']],
  list: ['a text', 7, { an: 'object' }],
};

/** Every way in which one required argument can be missing or of another type. */
export function argumentFlaws(action: string, data: JsonObject): readonly JsonObject[] {
  return Object.entries(APIS[action]!.required).flatMap(([field, kind]) => {
    const { [field]: _, ...rest } = data;
    return [
      rest,
      ...(kind === 'any'
        ? []
        : [null, ...(OTHER_TYPE[kind] ?? [])].map((value) => ({ ...rest, [field]: value as string }))),
    ];
  });
}

/** Arguments that a host may take or refuse, but for no other reason than that they are odd. */
export const ODD: Readonly<Record<string, readonly JsonObject[]>> = {
  history_page: [
    { limit: -1 },
    { limit: 'ten' },
    { before_cursor: 'no such cursor' },
    { direction: 'sideways' },
    { include_artifacts: 'yes' },
    { limit: 1e300 },
  ],
  history_search: [
    { query: 'x', top_k: -1 },
    { query: 'x', filters: 'none' },
  ],
  event_page: [{ limit: -1 }, { before_cursor: '☃' }, { event_types: 'all' }, { limit: 2.5 }],
  artifact_read: [{ offset: -1, length: 4 }, { offset: 0, length: -4 }, { offset: 'start' }],
  invoke_rerank: [{ top_k: -3 }, { top_k: 'many' }],
  retrieve_knowledge_base: [{ top_k: -3 }, { filters: 'none' }],
};

export const oddCalls = (offering: Offering, action: string, run: number): readonly Call[] =>
  (ODD[action] ?? []).map((odd) => call(action, { ...rightArguments(offering, action, run), ...odd }));

/** Waits where more calls than the pace would fall into one second. */
export class Pacer {
  #left: number;
  readonly #pace: number;
  constructor({ pace }: Pick<Offering, 'pace'>) {
    this.#pace = pace;
    this.#left = pace;
  }

  beats(beats: readonly Beat[]): Beat[] {
    return beats.flatMap((beat): Beat[] => ('call' in beat && this.#isTooMany() ? [{ wait: 1100 }, beat] : [beat]));
  }

  steps(steps: readonly Step[]): Step[] {
    return steps.flatMap((step): Step[] =>
      step.do === 'call' && this.#isTooMany() ? [{ do: 'wait', ms: 1100 }, step] : [step],
    );
  }

  #isTooMany(): boolean {
    if (this.#left-- > 0) return false;
    this.#left = this.#pace - 1;
    return true;
  }
}

/** One run: whose runner, under what policies, for which event, doing what. */
export interface Part {
  readonly runner?: string;
  readonly binding?: string;
  readonly event?: JsonObject;
  readonly resource?: JsonObject;
  readonly state?: JsonObject;
  readonly config?: JsonObject;
  readonly beats: readonly Beat[];
  readonly cancelled?: Script['cancelled'];
}

/** The submission of run number `run`, from 0; its event is `event-<run>`. */
export function part(run: number, of: Part, offering: Offering, pacer: Pacer): Step {
  const change: JsonObject = {
    runner_id: idOf(of.runner ?? 'main'),
    ...(of.binding === undefined ? {} : { binding_id: of.binding }),
    resource_policy: {
      ...OPEN_POLICY,
      allowed_platform_actions: offering.platform,
      approved_platform_actions: offering.platform,
      ...of.resource,
    },
    ...(of.state === undefined ? {} : { state_policy: of.state }),
    ...(of.config === undefined ? {} : { runner_config: of.config }),
  };
  const script: Script = {
    beats: pacer.beats(of.beats),
    ...(of.cancelled === undefined ? {} : { cancelled: of.cancelled }),
  };
  return submit(event(run, of.event), binding(change), script);
}

/** Runners of one plugin: `main` asks for everything, the others for what they are given. */
export const runners = (
  offering: Offering,
  permissions: Readonly<Record<string, JsonObject>> = {},
): readonly JsonObject[] => [
  manifest('main', { permissions: { ...FULL_PERMISSIONS, platform_api: offering.platform } }),
  ...Object.entries(permissions).map(([name, asked]) => manifest(name, { permissions: asked })),
];

export const ending: readonly Beat[] = [say.message(marked('answer')), say.completed()];

/** Runs one after the other, each settled before the next begins. */
export const inTurn = (offering: Offering, parts: readonly Part[], pacer = new Pacer(offering)): readonly Step[] =>
  parts.flatMap((one, run) => {
    const step = part(run, one, offering, pacer);
    return [step, settle(run, 4000 + lengthOf(step))];
  });

/** How long a script waits in all, graces of up to five seconds among it. */
const lengthOf = (step: Step): number =>
  step.do === 'submit'
    ? step.script.beats.reduce(
        (sum, beat) => sum + ('wait' in beat ? beat.wait + 5000 * Math.max(0, beat.graces ?? 0) : 0),
        0,
      )
    : 0;
