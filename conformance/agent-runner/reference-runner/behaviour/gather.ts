// What the runner pulls before it thinks (§4.5): history, events, attachments, knowledge and tools, each only where granted.
import { Buffer } from 'node:buffer';

import type { JsonObject } from '../../../../common/json.ts';
import { list, member, text } from '../context.ts';
import type { Gathered, Run } from '../parts.ts';
import type { Page } from '../sdk/api.ts';
import { optional } from './run.ts';

const PAGES = 3;
const PAGE_SIZE = 20;
const WINDOW = 65_536;
const WINDOWS = 24;

export async function gather(run: Run): Promise<Gathered> {
  return {
    history: await readHistory(run),
    facts: await readKnowledge(run),
    attachments: await readAttachments(run),
    tools: await readTools(run),
  };
}

async function readHistory({ context, api, parts }: Run): Promise<string[]> {
  const { conversationId, latestCursor } = context;
  const items: JsonObject[] = [];
  if (context.may('history_page'))
    await parts.walk(latestCursor, PAGES, async (before) => {
      const page = await optional(() => api.history.page({ conversationId, before, limit: PAGE_SIZE }));
      items.push(...(page?.items ?? []));
      return page;
    });
  if (context.may('history_search') && context.text !== '')
    items.push(...((await optional(() => api.history.search(context.text))) ?? []));
  if (context.may('event_get')) await optional(() => api.events.get(context.eventId));
  if (context.may('event_page'))
    await parts.walk(undefined, PAGES, (before) => optional(() => api.events.page({ before, limit: PAGE_SIZE })));
  return items.flatMap((item) => text(item['content']) ?? []);
}

/** From page to page by the cursor that the last one gave, until it says that there is no more. */
export async function walk(
  start: string | undefined,
  most: number,
  read: (before: string | undefined) => Promise<Page | undefined>,
): Promise<void> {
  let cursor = start;
  for (let pages = 0; pages < most; pages++) {
    const page = await read(cursor);
    if (page === undefined || !page.hasMore || page.next === undefined) return;
    cursor = page.next;
  }
}

async function readAttachments({ context, api }: Run): Promise<string[]> {
  const texts: string[] = [];
  for (const id of context.attachments) {
    const about = context.may('artifact_metadata') ? await optional(() => api.artifacts.metadata(id)) : undefined;
    if (!context.may('artifact_read')) continue;
    const size = about?.['size_bytes'];
    const large = typeof size === 'number' && size > 2 * WINDOW;
    texts.push(large ? await readAtOnce(api, id) : await readByRange(api, id));
  }
  return texts;
}

async function readByRange(api: Run['api'], id: string): Promise<string> {
  let read = '';
  for (let window = 0; window < WINDOWS; window++) {
    const part = await optional(() => api.artifacts.readRange(id, read.length, WINDOW));
    const piece = decoded(part);
    read += piece;
    if (piece === '' || part?.['has_more'] !== true) break;
  }
  return read;
}

async function readAtOnce(api: Run['api'], id: string): Promise<string> {
  let read = '';
  await optional(async () => {
    for await (const part of api.artifacts.openStream(id)) read += decoded(part);
  });
  return read;
}

const decoded = (part: JsonObject | undefined): string =>
  Buffer.from(text(part?.['content_base64']) ?? '', 'base64').toString('latin1');

async function readKnowledge({ context, api }: Run): Promise<string[]> {
  const documents: string[] = [];
  for (const base of context.knowledgeBases) {
    if (!base.can('retrieve')) continue;
    const found = (await optional(() => api.knowledge.retrieve(base.id, context.text))) ?? [];
    documents.push(...found.flatMap((entry) => text(list(entry, 'content')[0]?.['text']) ?? []));
  }
  const ranker = context.models.find(
    (model) => model.names('rerank') || (model.kind === 'rerank' && model.can('rerank')),
  );
  if (ranker === undefined || documents.length < 2) return documents;
  const order = await optional(() => api.models.rerank(ranker.id, context.text, documents, documents.length));
  const ranked = (order ?? []).flatMap(({ index }) => (typeof index === 'number' ? (documents[index] ?? []) : []));
  return ranked.length > 0 ? ranked : documents;
}

/** The tools that may be called, as the model is told of them. */
async function readTools({ context, api }: Run): Promise<JsonObject[]> {
  const tools: JsonObject[] = [];
  for (const tool of context.tools) {
    let { description, parameters } = tool;
    if (parameters === undefined && tool.can('detail')) {
      const detail = (await optional(() => api.tools.detail(tool.id))) ?? {};
      description = text(detail['description']) ?? description;
      parameters = member(detail, 'parameters');
    }
    if (tool.can('call'))
      tools.push({ name: tool.id, description, human_desc: description, parameters: parameters ?? { type: 'object' } });
  }
  return tools;
}
