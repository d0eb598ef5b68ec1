// tools.get_detail, tools.call, knowledge.retrieve (§8).
import type { JsonObject } from '../../../../common/json.ts';
import { ranked } from '../inventory.ts';
import { deny } from '../refusal.ts';
import { type ApiAction, argumentsOf, type CallScene, type Checked } from './action.ts';

const tool =
  (operation: string) =>
  (data: JsonObject, { session }: CallScene): Checked =>
    session.grants.tools.get(data['tool_name'] as string)?.includes(operation) ? undefined : deny('unauthorized');

const find = ({ tool_name }: JsonObject, { inventory }: CallScene) =>
  inventory.tools.find(({ name: own }) => own === tool_name)!;

const getDetail: ApiAction = {
  api: 'tools.get_detail',
  resource: ({ tool_name }) => tool_name,
  checkArguments: argumentsOf('GetToolDetailRequest'),
  checkGrant: tool('detail'),
  perform: (data, scene) => {
    const { name: own, description, parameters } = find(data, scene);
    return { data: { tool: { name: own, description, human_desc: description, parameters } } };
  },
};

const call: ApiAction = {
  api: 'tools.call',
  resource: ({ tool_name }) => tool_name,
  checkArguments: argumentsOf('CallToolRequest'),
  checkGrant: tool('call'),
  perform: (data, scene) => ({ data: { result: find(data, scene).run(data['parameters'] as JsonObject) } }),
};

const retrieve: ApiAction = {
  api: 'knowledge.retrieve',
  resource: ({ kb_id }) => kb_id,
  checkArguments: argumentsOf('RetrieveKnowledgeRequest'),
  checkGrant: ({ kb_id }, { session }) =>
    session.grants.knowledge.get(kb_id as string)?.includes('retrieve') ? undefined : deny('unauthorized'),
  perform: ({ kb_id, top_k }, { inventory }) => {
    const { passages } = inventory.knowledge.find((base) => base.id === kb_id)!;
    const best = ranked(passages).slice(0, (top_k as number | null | undefined) ?? 5);
    return { data: { results: best.map(({ index, score }) => ({ content: passages[index]!, score })) } };
  },
};

export const toolActions: Readonly<Record<string, ApiAction>> = {
  get_tool_detail: getDetail,
  call_tool: call,
  retrieve_knowledge_base: retrieve,
};
