// §8: hosts that answer wrongly for models, tools and knowledge bases.
import { actions, answers, listOf, memberOf, mutant } from './mutant.ts';

export const modelAnswerMutants = [
  mutant(
    'model-as-user',
    'Gives the words of a model to the user.',
    '8/answer-models-invoke',
    answers(['invoke_llm'], (data) => ({ message: { ...memberOf(data, 'message'), role: 'user' } })),
  ),
  mutant(
    'all-chunks-final',
    'Says of every piece that it is the final one.',
    '8/answer-models-stream',
    actions(['invoke_llm_stream'], ({ perform }) => ({
      perform: (data, scene) => ({
        stream: (perform(data, scene).stream ?? []).map((piece) => ({
          chunk: { ...memberOf(piece, 'chunk'), is_final: true },
        })),
      }),
    })),
  ),
  mutant(
    'passages-empty',
    'Finds passages and does not give their words.',
    '8/answer-knowledge-retrieve',
    answers(['retrieve_knowledge_base'], (data) => ({
      results: listOf(data, 'results').map(({ content: _, ...one }) => one),
    })),
  ),
  mutant(
    'invoke-bare-text',
    'Answers a model call with a bare text.',
    '8/answer-models-invoke',
    answers(['invoke_llm'], () => ({ text: 'hello' })),
  ),
  mutant(
    'stream-bare-text',
    'Streams bare texts.',
    '8/answer-models-stream',
    actions(['invoke_llm_stream'], () => ({ perform: () => ({ stream: [{ text: 'hello' }] }) })),
  ),
  mutant(
    'rerank-unsorted',
    'Answers documents in the order in which they came.',
    '8/answer-models-rerank',
    answers(['invoke_rerank'], (data) => ({
      results: listOf(data, 'results').toSorted((a, b) => Number(a['relevance_score']) - Number(b['relevance_score'])),
    })),
  ),
  mutant(
    'rerank-all',
    'Answers more documents than top_k.',
    '8/answer-models-rerank',
    actions(['invoke_rerank'], ({ perform }) => ({
      perform: (data, scene) => perform({ ...data, top_k: null }, scene),
    })),
  ),
  mutant(
    'detail-of-another',
    'Answers the detail of another tool.',
    '8/answer-tools-detail',
    answers(['get_tool_detail'], (data) => ({ tool: { ...memberOf(data, 'tool'), name: 'another' } })),
  ),
  mutant(
    'call-without-result',
    'Answers a tool call without its result.',
    '8/answer-tools-call',
    answers(['call_tool'], () => ({})),
  ),
  mutant(
    'retrieve-elsewhere',
    'Answers from another knowledge base than the one asked for.',
    '8/answer-knowledge-retrieve',
    actions(['retrieve_knowledge_base'], ({ perform }) => ({
      perform: (data, scene) => {
        const other = scene.inventory.knowledge.find(({ id }) => id !== data['kb_id']);
        return perform({ ...data, kb_id: other!.id }, scene);
      },
    })),
  ),
  mutant(
    'retrieve-everywhere',
    'Answers from every knowledge base there is, whichever was asked for.',
    '8/answer-knowledge-retrieve',
    actions(['retrieve_knowledge_base'], ({ perform }) => ({
      perform: (data, scene) => {
        const results = scene.inventory.knowledge.flatMap(({ id }) =>
          listOf(perform({ ...data, kb_id: id, top_k: 2 }, scene).data ?? {}, 'results'),
        );
        return { data: { results: results.slice(0, Number(data['top_k'] ?? 5)) } };
      },
    })),
  ),
  mutant(
    'retrieve-all',
    'Answers more passages than top_k.',
    '8/answer-knowledge-retrieve',
    actions(['retrieve_knowledge_base'], ({ perform }) => ({
      perform: (data, scene) => perform({ ...data, top_k: 1000 }, scene),
    })),
  ),
];
