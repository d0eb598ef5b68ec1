// What each result of a runner says, as events. A message that is completed completes no turn, an action that is asked for waits for nobody.
import { isObject, type JsonObject } from '../../common/json.ts';
import type { Say } from './scribe.ts';

/** What a run's results have said so far. */
export interface Telling {
  readonly say: Say;
  /** Tools that the host let the runner use. */
  readonly tools: ReadonlySet<string>;
  /** The text of each message so far, by its step. */
  readonly texts: Map<string, string>;
  readonly calls: Map<string, string>;
  messages: number;
  /** The step of the message that is being sent. */
  open: string | undefined;
}

type Tell = (telling: Telling, data: JsonObject) => void;

/** Arguments and results up to this many characters stand in the event; longer ones are referred to. */
const SMALL = 1024;

export const tellers: Readonly<Record<string, Tell>> = {
  'message.delta': (telling, { chunk }) => {
    if (!isObject(chunk)) return;
    const step_id = stepOf(telling, chunk, false);
    const text = suffix(chunk, telling.texts.get(step_id) ?? '');
    telling.texts.set(step_id, (telling.texts.get(step_id) ?? '') + (text ?? ''));
    telling.say(
      'model.delta',
      { role: textOf(chunk['role']), ...contentOf(telling.say, step_id, text ?? chunk['content']) },
      { step_id },
    );
  },
  'message.completed': (telling, { message }) => {
    if (isObject(message)) messageCompleted(telling, message);
  },
  'tool.call.started': (telling, data) => {
    const { tool_call_id, tool_name, parameters } = data;
    if (typeof tool_call_id !== 'string') return unpaired(telling, 'tool.call.started', 'it names no tool_call_id');
    const step_id = `call:${tool_call_id}`;
    telling.calls.set(tool_call_id, step_id);
    toolStarted(telling, { tool_call_id, step_id }, textOf(tool_name), parameters);
  },
  'tool.call.completed': (telling, { tool_call_id, result, error }) => {
    const step_id = typeof tool_call_id === 'string' ? telling.calls.get(tool_call_id) : undefined;
    if (step_id === undefined) return unpaired(telling, 'tool.call.completed', 'no tool.call.started came before it');
    telling.calls.delete(String(tool_call_id));
    toolEnded(telling, { tool_call_id: String(tool_call_id), step_id }, result, error);
  },
  'artifact.created': ({ say }, { artifact_id, mime_type, size_bytes, sha256 }) => {
    if (typeof artifact_id !== 'string') return;
    say('artifact.changed', {
      artifact_id,
      read_ref: `artifact:${artifact_id}`,
      media_type: textOf(mime_type),
      size_bytes: typeof size_bytes === 'number' ? size_bytes : undefined,
      version_id: textOf(sha256),
    });
  },
  'state.updated': ({ say }, { scope, key, value }) => {
    const held = sized(value, `state:${String(scope)}/${String(key)}`);
    say(scope === 'conversation' ? 'thread.updated' : 'langbot.state.updated', {
      scope,
      key,
      ...held('value', 'value_ref'),
    });
  },
  'action.requested': ({ say }, { action, target }) => {
    say('permission.evaluated', {
      decision: 'unavailable',
      decision_source: 'host_policy',
      decision_reason: 'action.requested is reserved in v1: the host notes it and carries nothing out',
      action,
      scope: isObject(target) ? JSON.stringify(target) : textOf(target),
    });
    say('runtime.warning', {
      code: 'action_not_carried_out',
      message: `action.requested: ${String(action)}`,
      native_type: 'action.requested',
    });
  },
};

/** The runner speaks: which model it asked, and how that went, only the runner knows. */
export function messageCompleted(telling: Telling, message: JsonObject): void {
  const step_id = stepOf(telling, message, true);
  telling.texts.delete(step_id);
  telling.say(
    'model.completed',
    {
      role: textOf(message['role']),
      ...contentOf(telling.say, step_id, message['content']),
      provider_lifecycle: 'unavailable',
      usage: 'unknown',
      stop_reason: 'unknown',
    },
    { step_id },
  );
}

/** Who let the tool run is told where the host knows it, and left open where it does not. */
export function toolStarted(
  { say, tools }: Telling,
  ids: Readonly<Record<string, string>>,
  tool_name: string | undefined,
  parameters: unknown,
): void {
  const granted = tool_name !== undefined && tools.has(tool_name);
  say(
    'permission.evaluated',
    granted
      ? {
          decision: 'allow',
          decision_source: 'host_policy',
          decision_reason: 'the tool is among the resources of the run',
        }
      : {
          decision: 'unavailable',
          decision_source: 'unavailable',
          decision_reason: 'the host did not offer this tool; the runner has it from elsewhere',
        },
    ids,
  );
  say(
    'tool.started',
    { tool_name, ...sized(parameters ?? {}, `input:${ids['step_id']}`)('safe_args', 'input_ref') },
    ids,
  );
}

export function toolEnded(
  { say }: Telling,
  ids: Readonly<Record<string, string>>,
  result: unknown,
  error: unknown,
): void {
  if (error !== undefined && error !== null && error !== '')
    say(
      'tool.failed',
      {
        error: isObject(error) ? error : { message: String(error) },
        error_category: 'unknown',
        retryability: 'unknown',
      },
      ids,
    );
  else say('tool.result', { output_ref: `output:${ids['step_id']}`, ...sized(result, '')('preview', undefined) }, ids);
}

function unpaired({ say }: Telling, native_type: string, why: string): void {
  say('runtime.warning', { code: 'unpaired_tool_result', message: `${native_type}: ${why}`, native_type });
}

/** The step of a message: named by the runner, or else one after the other. */
function stepOf(telling: Telling, message: JsonObject, ends: boolean): string {
  const named = textOf(message['resp_message_id']);
  if (named !== undefined) return `message:${named}`;
  telling.open ??= `message:${++telling.messages}`;
  const step = telling.open;
  if (ends) telling.open = undefined;
  return step;
}

/** The text that a chunk adds: some runners send all of it again with the last one. */
function suffix(chunk: JsonObject, before: string): string | undefined {
  const { content, all_content, is_final } = chunk;
  if (typeof content !== 'string') return undefined;
  const again = is_final === true && content === all_content && before !== '' && content.startsWith(before);
  return again ? content.slice(before.length) : content;
}

/** Text as it is; elements without the bytes in them, which are told of as output that stands elsewhere. */
function contentOf(say: Say, step: string, content: unknown): Record<string, unknown> {
  if (content === undefined || content === null) return {};
  if (typeof content === 'string') return { text: content };
  if (!Array.isArray(content)) return { content };
  return {
    content: content.map((element: unknown, i) => {
      if (!isObject(element)) return element;
      const bytes = Object.keys(element).filter((name) => name.endsWith('base64') && typeof element[name] === 'string');
      if (bytes.length === 0) return element;
      const output_ref = `output:${step}/${i}`;
      const size_bytes = bytes.reduce((sum, name) => sum + Math.floor((String(element[name]).length * 3) / 4), 0);
      say(
        'output.spilled',
        { output_ref, owner: 'model', size_bytes, encoding: 'base64', truncation: 'none' },
        { step_id: step },
      );
      return { ...Object.fromEntries(Object.entries(element).filter(([name]) => !bytes.includes(name))), output_ref };
    }),
  };
}

/** A value under one name if it is small, and its reference under another if it is not. */
const sized =
  (value: unknown, ref: string) =>
  (small: string, large: string | undefined): Record<string, unknown> => {
    if (value === undefined) return {};
    if ((JSON.stringify(value) ?? '').length <= SMALL) return { [small]: value };
    return large === undefined ? {} : { [large]: ref };
  };

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
