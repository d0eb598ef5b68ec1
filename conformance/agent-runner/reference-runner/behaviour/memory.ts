// What the runner keeps from run to run: a count of turns in state (§5.10), a note in each storage area that is open to it.
import { Buffer } from 'node:buffer';
import { member } from '../context.ts';
import type { Results, Run } from '../parts.ts';
import { optional } from './run.ts';

const TURNS = 'reference.turns';
const DRAFT = 'reference.draft';
const PROFILE = 'reference/profile';
const SCRATCH = 'reference/scratch';

/** How many turns this conversation has had: from the state API if granted, else from the snapshot in the context. */
export async function recall({ context, api }: Run): Promise<number> {
  for (const area of context.storage) {
    const keys = (await optional(() => api.storage.list(area))) ?? [];
    if (keys.includes(PROFILE)) await optional(() => api.storage.get(area, PROFILE));
    await optional(() => api.storage.set(area, SCRATCH, base64(context.eventId)));
  }
  const snapshot = member(context.state, 'conversation')[TURNS];
  if (!context.may('state')) return countIn(snapshot);
  const stored = await optional(() => api.state.get('conversation', TURNS));
  await optional(() => api.state.set('runner', DRAFT, { event_id: context.eventId }));
  return countIn(stored ?? snapshot);
}

/** Writes the count back: as a result for the Host to apply, and the drafts are cleared away. */
export async function* remember({ context, api }: Run, turns: number): Results {
  for (const area of context.storage) {
    await optional(() => api.storage.set(area, PROFILE, base64(String(turns))));
    await optional(() => api.storage.get(area, PROFILE));
    await optional(() => api.storage.delete(area, SCRATCH));
  }
  if (!context.may('state')) return;
  await optional(() => api.state.delete('runner', DRAFT));
  yield { type: 'state.updated', data: { scope: 'conversation', key: TURNS, value: turns } };
}

const countIn = (value: unknown): number => (typeof value === 'number' && Number.isInteger(value) ? value : 0);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
