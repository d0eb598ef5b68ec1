// What the runner keeps from run to run: which event it saw last, in state (§5.10) and in each storage area that is open to it.
import { Buffer } from 'node:buffer';
import type { Results, Run } from '../parts.ts';
import { optional } from './run.ts';

const LAST = 'reference.last';
const DRAFT = 'reference.draft';

/** Reads what the last run left, and makes a draft of what this one will. */
export async function recall({ context: { event }, api }: Run): Promise<void> {
  await optional(() => api.state.get('conversation', LAST));
  await optional(() => api.state.set('runner', DRAFT, event.event_id));
}

/** The draft is cleared away, storage is written and read again, and the Host is told what to keep, where it lets runners keep state. */
export async function* remember({ context, api }: Run): Results {
  const { event_id } = context.event;
  await optional(() => api.state.delete('runner', DRAFT));
  for (const area of ['plugin', 'workspace', 'binding'] as const) {
    await optional(() => api.storage.set(area, LAST, Buffer.from(event_id).toString('base64')));
    await optional(() => api.storage.get(area, LAST));
    await optional(() => api.storage.list(area));
    await optional(() => api.storage.delete(area, LAST));
  }
  if (context.context.available_apis.state)
    yield { type: 'state.updated', data: { scope: 'conversation', key: LAST, value: event_id } };
}
