// Asking a model, calling the tools that it wants, and saying what it says (§5.7, §7.2).
import { Buffer } from 'node:buffer';
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import type { Message, ToolCall, ToolFunction } from '../../../../schemas/agent-runner/2026-06-03/types.ts';
import type { Gathered, ResultBody, Results, Run } from '../parts.ts';
import { Speaker } from './speak.ts';

export async function* think(run: Run, { history, facts, attachments, tools }: Gathered): Results {
  const { event, input, config } = run.context;
  const speaker = new Speaker(run);
  const messages: Message[] = [
    { role: 'system', content: JSON.stringify([config['prompt'], event, facts]) },
    ...[...history.toReversed(), input.text, input.contents, attachments].map((content) => ({ role: 'user', content })),
  ];
  // The last time no tools are offered, so that it comes to an end.
  for (const offered of [tools, tools, []]) {
    const calls: ToolCall[] = [];
    for await (const { content, tool_calls } of ask(run, messages, offered)) {
      calls.push(...(tool_calls ?? []));
      if (typeof content === 'string') yield* speaker.say(content);
    }
    yield* speaker.stop();
    if (calls.length === 0) return;
    messages.push({ role: 'assistant', tool_calls: calls });
    for (const call of calls)
      messages.push({ role: 'tool', tool_call_id: call.id, content: yield* run.parts.useTool(run, call) });
  }
}

/** The first model that answers, streaming or at once. One that breaks off later cannot be replaced by another. */
async function* ask(
  { context, api: { models } }: Run,
  messages: readonly Message[],
  tools: readonly ToolFunction[],
): AsyncGenerator<Message> {
  let refused: unknown;
  for (const { model_id } of context.resources.models)
    for (const way of [streamed, invoked]) {
      const chunks = way(model_id);
      try {
        const first = await chunks.next();
        if (!first.done) yield first.value;
      } catch (error) {
        refused ??= error;
        continue;
      }
      return yield* chunks;
    }
  if (refused !== undefined) throw refused;

  async function* streamed(model: string): AsyncGenerator<Message, void> {
    for await (const { chunk } of models.stream(model, messages, tools)) if (chunk !== null) yield chunk;
  }
  async function* invoked(model: string): AsyncGenerator<Message, void> {
    yield (await models.invoke(model, messages, tools)).message;
  }
}

/** Above so many characters a tool's result is handed over as an artifact (§11), and named instead of repeated. */
const LARGE = 32_768;
const STORED = 'stored as an artifact';

/** Calls a tool between its two telemetry events. What goes wrong is told to the model, not thrown. */
export async function* useTool({ api }: Run, { id, function: wanted }: ToolCall): Results<string> {
  const about = { tool_call_id: id, tool_name: wanted.name };
  const done = (outcome: JsonObject): ResultBody => ({ type: 'tool.call.completed', data: { ...about, ...outcome } });
  yield { type: 'tool.call.started', data: about };
  try {
    const parameters: unknown = JSON.parse(wanted.arguments);
    const { result } = await api.tools.call(wanted.name, isObject(parameters) ? parameters : {});
    const content = JSON.stringify(result);
    if (content.length <= LARGE) {
      yield done({ result: result as JsonValue });
      return content;
    }
    const content_base64 = Buffer.from(content).toString('base64');
    yield { type: 'artifact.created', data: { artifact_type: 'tool_result', content_base64 } };
    yield done({ result: STORED });
    return STORED;
  } catch (error) {
    yield done({ error: String(error) });
    return String(error);
  }
}
