// models.invoke, models.stream, models.rerank (§8).
import type { JsonObject } from '../../../../common/json.ts';
import { ranked, WORDS } from '../inventory.ts';
import { deny } from '../refusal.ts';
import { type ApiAction, argumentsOf, type CallScene, type Checked } from './action.ts';

const conversation = argumentsOf('InvokeLLMRequest');

const granted =
  (field: string, operation: string) =>
  (data: JsonObject, { session }: CallScene): Checked =>
    session.grants.models.get(data[field] as string)?.includes(operation) ? undefined : deny('unauthorized');

const invoke: ApiAction = {
  api: 'models.invoke',
  resource: ({ llm_model_uuid }) => llm_model_uuid,
  checkArguments: conversation,
  checkGrant: granted('llm_model_uuid', 'invoke'),
  // Every model of this host says the same: it shows how calls are granted, not what models are for.
  perform: () => ({ data: { message: { role: 'assistant', content: WORDS.join('') } } }),
};

const stream: ApiAction = {
  api: 'models.stream',
  streams: true,
  resource: ({ llm_model_uuid }) => llm_model_uuid,
  checkArguments: conversation,
  checkGrant: granted('llm_model_uuid', 'stream'),
  perform: () => ({
    stream: WORDS.map((content, index) => ({
      chunk: { role: 'assistant', content, is_final: index === WORDS.length - 1, msg_sequence: index },
    })),
  }),
};

const rerank: ApiAction = {
  api: 'models.rerank',
  resource: ({ rerank_model_uuid }) => rerank_model_uuid,
  checkArguments: argumentsOf('InvokeRerankRequest'),
  checkGrant: granted('rerank_model_uuid', 'rerank'),
  perform: ({ documents, top_k }) => {
    const found = ranked(documents as readonly string[]);
    const best = found.slice(0, (top_k as number | null | undefined) ?? found.length);
    return { data: { results: best.map(({ index, score }) => ({ index, relevance_score: score })) } };
  },
};

export const modelActions: Readonly<Record<string, ApiAction>> = {
  invoke_llm: invoke,
  invoke_llm_stream: stream,
  invoke_rerank: rerank,
};
