// What the runner pulls before it thinks (§4.5): history, events, attachments, knowledge and tools.
import type { ContentElement, ToolFunction } from '../../../../schemas/agent-runner/2026-06-03/types.ts';
import type { RunContext } from '../context.ts';
import type { Gathered, Page, Run } from '../parts.ts';
import { optional } from './run.ts';

const PAGES = 3;
const PAGE_SIZE = 20;

export async function gather(run: Run): Promise<Gathered> {
  return {
    history: await readHistory(run),
    facts: await readKnowledge(run),
    attachments: await readAttachments(run),
    tools: await readTools(run),
  };
}

async function readHistory({ context, api, parts }: Run): Promise<string[]> {
  const { conversation_id, latest_cursor } = context.context;
  const texts: string[] = [];
  await parts.walk(latest_cursor, PAGES, async (before_cursor) => {
    const page = await optional(() => api.history.page({ conversation_id, before_cursor, limit: PAGE_SIZE }));
    page?.items.forEach(({ content }) => void texts.push(JSON.stringify(content)));
    return page;
  });
  await optional(() => api.history.search(queryOf(context)));
  await optional(() => api.events.get(context.event.event_id));
  await parts.walk(null, PAGES, (before_cursor) =>
    optional(() => api.events.page({ before_cursor, limit: PAGE_SIZE })),
  );
  return texts;
}

/** From page to page by the cursor that the last one gave, until it says that there is no more. */
export async function walk(
  start: string | null,
  most: number,
  read: (before: string | null) => Promise<Page | undefined>,
): Promise<void> {
  let cursor = start;
  for (let pages = 0; pages < most; pages++) {
    const page = await read(cursor);
    if (!page?.has_more) return;
    cursor = page.next_cursor;
  }
}

/** What each is, how it begins, and the whole of it, piece by piece. */
async function readAttachments({ context, api }: Run): Promise<ContentElement[]> {
  const files: ContentElement[] = [];
  for (const { artifact_id } of context.input.attachments) {
    await optional(() => api.artifacts.metadata(artifact_id));
    await optional(() => api.artifacts.readRange(artifact_id));
    await optional(async () => {
      for await (const { content_base64: file_base64 } of api.artifacts.openStream(artifact_id))
        files.push({ type: 'file_base64', file_base64 });
    });
  }
  return files;
}

/** What the knowledge bases know, in the order of the first model that can tell what matters most. */
async function readKnowledge({ context, api }: Run): Promise<string[]> {
  const documents: string[] = [];
  for (const { kb_id } of context.resources.knowledge_bases) {
    const found = await optional(() => api.knowledge.retrieve(kb_id, queryOf(context)));
    found?.results.forEach(({ content }) => void documents.push(JSON.stringify(content)));
  }
  for (const { model_id } of context.resources.models) {
    const order = await optional(() => api.models.rerank(model_id, queryOf(context), documents));
    if (order !== undefined) return order.results.map(({ index }) => String(documents[index]));
  }
  return documents;
}

/** What it is all about: the text, or the event where there is none. */
const queryOf = ({ input, event }: RunContext): string => input.text ?? event.event_type;

/** The tools as the model is told of them. */
async function readTools({ context, api }: Run): Promise<ToolFunction[]> {
  const tools: ToolFunction[] = [];
  for (const { tool_name: name } of context.resources.tools) {
    const detail = await optional(() => api.tools.detail(name));
    tools.push(detail?.tool ?? { name });
  }
  return tools;
}
