// What models, tools and knowledge bases answer (§8, MODELS §5).
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { type Finding, type Judge, judge } from '../../../judging/judge.ts';
import {
  CallToolAnswer,
  KnowledgeResults,
  Message,
  MessageChunk,
  RerankResults,
  ToolDetail,
  Usage,
} from '../../oracle/answers.ts';
import type { HostCase } from '../view.ts';
import { answer, inJson, misfit, tooMany, topOf, verdict } from './api-answers-base.ts';
import { type Assessed, assess } from './authorization-assess.ts';
import { brief } from './authorization-refusals.ts';
import { inventoryOf } from './authorization-world.ts';

/** Pieces with a chunk or a usage, then the end. */
function* stream(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    if (one.action !== 'invoke_llm_stream' || one.wrongs.length > 0 || one.reply?.code !== 0) continue;
    if (one.refusal !== undefined && one.reply !== one.refusal) continue;
    const pieces = one.call.replies.filter(({ end }) => !end);
    if (pieces.length === 0) continue;
    const lastChunk = pieces.findLastIndex(({ data }) => isObject(data['chunk']));
    const wrong = pieces
      .map(({ data }, index) => {
        const { chunk, usage } = data;
        if (isObject(chunk) && chunk['is_final'] === true && index < lastChunk)
          return `piece ${index} says that it is the final one`;
        if ((chunk === undefined || chunk === null) && (usage === undefined || usage === null))
          return `piece ${index} has neither chunk nor usage`;
        return (
          (chunk === undefined || chunk === null
            ? undefined
            : (misfit(MessageChunk, chunk, 'chunk') ?? bySomebodyElse(chunk))) ??
          (usage === undefined || usage === null ? undefined : misfit(Usage, usage, 'usage'))
        );
      })
      .find((one) => one !== undefined);
    const ended = one.call.replies.some(({ end }) => end);
    if (!ended && view.end?.how !== 'done') continue;
    yield verdict(one, 'pieces of a message, then the end', wrong ?? (ended ? undefined : 'no end came'));
  }
}

/** What a model says, the assistant says. */
const bySomebodyElse = (message: JsonValue | undefined): string | undefined =>
  isObject(message) && message['role'] !== 'assistant' ? `role ${brief(message['role'])}` : undefined;

const rerank = answer(
  'v1/8/answer-models-rerank',
  'invoke_rerank',
  'positions with scores, best first, each once, at most top_k',
  ({ results }, one) => {
    const unfit = misfit(RerankResults, results, 'results');
    if (unfit !== undefined || !Array.isArray(results)) return unfit;
    const { documents } = one.call.data;
    const size = Array.isArray(documents) ? documents.length : 0;
    const entries = results as unknown as readonly { index: number; relevance_score: number }[];
    const out = entries.find(({ index }) => index < 0 || index >= size);
    if (out !== undefined) return `index ${out.index} for ${size} documents`;
    if (new Set(entries.map(({ index }) => index)).size < entries.length) return 'an index comes twice';
    const rises = entries.find(
      ({ relevance_score }, at) => at > 0 && relevance_score > entries[at - 1]!.relevance_score,
    );
    return rises === undefined ? tooMany(entries.length, one) : `scores rise at index ${rises.index}`;
  },
);

const isEmpty = (content: JsonValue | undefined): boolean =>
  content === undefined || content === '' || (Array.isArray(content) && content.length === 0);

/** What the host itself says that only another knowledge base holds, or that this one answers to this question. */
function ofAnotherBase({ results }: JsonObject, { call }: Assessed, view: HostCase): string | undefined {
  const { kb_id: base, query_text: query, filters } = call.data;
  const said = JSON.stringify(results ?? null);
  for (const [id, { query: question, content }] of inventoryOf(view).examples) {
    const there = said.includes(inJson(content));
    if (id !== base && there) return `a passage of ${brief(id)}`;
    const asked = id === base && query === question && filters == null && call.data['top_k'] === EXAMPLES;
    if (asked && !there) return `no passage with ${brief(content)}`;
  }
  return undefined;
}

/** The words of an example stand in one of so many passages. */
const EXAMPLES = 5;

export const modelJudges: readonly Judge<HostCase>[] = [
  answer(
    'v1/8/answer-models-invoke',
    'invoke_llm',
    'a message',
    ({ message }) => misfit(Message, message, 'message') ?? bySomebodyElse(message),
  ),
  judge<HostCase>('v1/8/answer-models-stream', stream),
  rerank,
  answer(
    'v1/8/answer-tools-detail',
    'get_tool_detail',
    'name, description and parameters of that tool',
    ({ tool }, one) => {
      const unfit = misfit(ToolDetail, tool, 'tool');
      return (
        unfit ??
        (isObject(tool) && tool['name'] !== one.call.data['tool_name']
          ? `another tool: ${brief(tool['name'])}`
          : undefined)
      );
    },
  ),
  answer('v1/8/answer-tools-call', 'call_tool', 'a result', (data) => misfit(CallToolAnswer, data)),
  answer(
    'v1/8/answer-knowledge-retrieve',
    'retrieve_knowledge_base',
    'its passages, at most top_k',
    (data, one, view) => {
      const { results } = data;
      const unfit = misfit(KnowledgeResults, results, 'results');
      const top = topOf(one) ?? 5;
      return (
        unfit ??
        ofAnotherBase(data, one, view) ??
        (Array.isArray(results) && results.length > top ? `${results.length} passages for top_k ${top}` : undefined) ??
        (Array.isArray(results) && results.some((one) => isObject(one) && isEmpty(one['content']))
          ? 'a passage that says nothing'
          : undefined)
      );
    },
  ),
];
