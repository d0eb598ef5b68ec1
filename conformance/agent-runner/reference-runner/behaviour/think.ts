// Asking a model, calling the tools that it wants, and saying what it says (§5.7, §7.2).
import { Buffer } from 'node:buffer';
import { isObject, type JsonObject } from '../../../../common/json.ts';
import { list, member, type Resource, text } from '../context.ts';
import type { Gathered, ResultBody, Results, Run, ToolCall } from '../parts.ts';
import { ApiError } from '../sdk/api-error.ts';
import { Speaker } from './speak.ts';

const TURNS = 4;

/** The answer of one model turn: what it said and which tools it wants. */
interface Turn {
  readonly content: string;
  readonly calls: readonly ToolCall[];
}

export async function* think(run: Run, gathered: Gathered): Results {
  const { context, parts } = run;
  if (context.text === '' && context.media === 0 && context.attachments.length === 0) return;
  const speaker = new Speaker(run);
  const models = context.models.filter(
    (model) => model.kind !== 'rerank' && (model.can('invoke') || model.can('stream')),
  );
  if (models.length === 0) {
    yield* speaker.say(`You said: ${context.text}`);
    yield* speaker.stop();
    return;
  }
  const messages = promptOf(run, gathered);
  for (let turn = 0; turn < TURNS; turn++) {
    const tools = turn < TURNS - 1 ? gathered.tools : [];
    const { content, calls } = yield* ask(run, models, messages, tools, speaker);
    yield* speaker.stop();
    if (calls.length === 0) return;
    messages.push({ role: 'assistant', content, tool_calls: calls.map(asMessage) });
    for (const call of calls) {
      const told = yield* parts.useTool(run, call);
      messages.push({ role: 'tool', tool_call_id: call.id, content: told });
    }
  }
}

/** The first model that answers. One that breaks off after it has been heard cannot be replaced by another. */
async function* ask(
  run: Run,
  models: readonly Resource[],
  messages: readonly JsonObject[],
  tools: readonly JsonObject[],
  speaker: Speaker,
): Results<Turn> {
  let last: unknown;
  for (const model of models) {
    try {
      return yield* askOne(run, model, messages, tools, speaker);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'deadline_exceeded' || error.code === 'cancelled' || speaker.heard) throw error;
      last = error;
    }
  }
  throw last;
}

async function* askOne(
  { api, parts, ...run }: Run,
  model: Resource,
  messages: readonly JsonObject[],
  tools: readonly JsonObject[],
  speaker: Speaker,
): Results<Turn> {
  if (!model.can('stream') || (!parts.streams({ api, parts, ...run }) && model.can('invoke'))) {
    const message = await api.models.invoke(model.id, messages, tools);
    const content = text(message['content']) ?? '';
    yield* speaker.say(content);
    return { content, calls: callsIn(message) };
  }
  let content = '';
  const calls: ToolCall[] = [];
  for await (const chunk of api.models.stream(model.id, messages, tools)) {
    const piece = text(chunk['content']) ?? '';
    content += piece;
    calls.push(...callsIn(chunk));
    yield* speaker.say(piece);
  }
  return { content, calls };
}

/** Above this a tool's result is handed over as an artifact (§11), and named instead of repeated. */
const LARGE = 32_768;

/** Calls a tool between its two telemetry events. A refusal is told to the model, not thrown. */
export async function* useTool({ context, api }: Run, { id, name, parameters }: ToolCall): Results<string> {
  yield { type: 'tool.call.started', data: { tool_call_id: id, tool_name: name, parameters } };
  const done = (outcome: JsonObject): ResultBody => ({
    type: 'tool.call.completed',
    data: { tool_call_id: id, tool_name: name, ...outcome },
  });
  try {
    const result = await api.tools.call(name, parameters);
    const content = JSON.stringify(result);
    if (Buffer.byteLength(content) <= LARGE) {
      yield done({ result: isObject(result) ? result : { value: result }, error: null });
      return content;
    }
    const artifact = `${context.runId}:${id}`;
    yield {
      type: 'artifact.created',
      data: {
        artifact_id: artifact,
        artifact_type: 'tool_result',
        mime_type: 'application/json',
        name: `${name}.json`,
        size_bytes: Buffer.byteLength(content),
        content_base64: Buffer.from(content).toString('base64'),
      },
    };
    yield done({ result: { artifact_id: artifact }, error: null });
    return `stored as artifact ${artifact}`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield done({ result: null, error: error.message });
    if (error.code === 'deadline_exceeded' || error.code === 'cancelled') throw error;
    return `error: ${error.code}`;
  }
}

function promptOf({ context }: Run, { history, facts, attachments }: Gathered): JsonObject[] {
  const instruction = text(context.config['prompt']) ?? 'Answer briefly.';
  const asides = [
    ...facts.map((fact) => `Known: ${fact}`),
    ...attachments.map((content) => `Attached: ${content.slice(0, 200)}`),
    ...(context.media > 0 ? [`${context.media} elements are no text.`] : []),
  ];
  return [
    { role: 'system', content: [instruction, ...asides].join('\n') },
    ...history.toReversed().map((content) => ({ role: 'user', content })),
    { role: 'user', content: context.text },
  ];
}

/** A tool call as a message of the conversation carries it. */
const asMessage = ({ id, name, parameters }: ToolCall): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(parameters) },
});

/** Tool calls in a message; arguments come as JSON text, and what cannot be read is an empty object. */
function callsIn(message: JsonObject): ToolCall[] {
  return list(message, 'tool_calls').flatMap((call) => {
    const wanted = member(call, 'function');
    const id = text(call['id']);
    const name = text(wanted['name']);
    return id === undefined || name === undefined ? [] : [{ id, name, parameters: argumentsIn(wanted['arguments']) }];
  });
}

function argumentsIn(json: unknown): JsonObject {
  try {
    const value: unknown = JSON.parse(String(json));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
