// queue_snapshot: queued turns of each thread, in order. A whole list replaces, an operation changes one entry.
import { isObject } from '../../../common/json.ts';
import { fieldOf, pick, type RuntimeEvent } from '../event.ts';
import { defineModel, honest, keep, known, type Seen, seenAt } from './model.ts';

const STARTED = 20;

export interface QueueEntry {
  turnId: string;
  source: string | undefined;
  policy: string | undefined;
  status: string;
}

interface Queue extends Seen {
  threadId: string;
  entries: QueueEntry[];
  policy: string | undefined;
  /** Turns that started though no `queue.changed` took them out. */
  startedUntold: string[];
}

export interface QueueState {
  threads: Map<string, Queue>;
}

export const queue = defineModel({
  name: 'queue_snapshot',
  initial: (): QueueState => ({ threads: new Map() }),
  on: {
    'queue.changed': (state, event) => change(queueOf(state, event), event),
    'turn.started': (state, event) => {
      const queue = state.threads.get(event.threadId ?? '');
      if (queue === undefined) return;
      const at = queue.entries.findIndex(({ turnId }) => turnId === event.turnId);
      if (at === -1) return;
      const [started] = queue.entries.splice(at, 1);
      keep(queue.startedUntold, started!.turnId, STARTED);
      queue.seen = seenAt(event);
    },
  },
  show: (state, fresh) => ({
    status: state.threads.size === 0 ? 'unknown' : 'known',
    threads: [...state.threads.values()].map((queue) => ({
      thread_id: known(queue.threadId || undefined),
      ...honest('current', queue, fresh),
      policy: known(queue.policy),
      queued_turns: queue.entries.map((entry, order) => ({
        turn_id: entry.turnId,
        order,
        source: known(entry.source),
        policy: known(entry.policy),
        status: entry.status,
      })),
      /** Nothing but an explicit fact resumes a queue after a restart. */
      resume_state: queue.entries.length === 0 ? 'not_applicable' : fresh.ended ? 'awaiting_resume' : 'queued',
      started_without_queue_change: queue.startedUntold,
    })),
    freshness: fresh,
  }),
});

function queueOf(state: QueueState, event: RuntimeEvent): Queue {
  const threadId = event.threadId ?? '';
  let queue = state.threads.get(threadId);
  if (queue === undefined) {
    queue = { threadId, entries: [], policy: undefined, startedUntold: [], seen: seenAt(event) };
    state.threads.set(threadId, queue);
    queue = state.threads.get(threadId)!;
  }
  return queue;
}

function change(queue: Queue, event: RuntimeEvent): void {
  queue.seen = seenAt(event);
  queue.policy = event.text('policy') ?? queue.policy;
  const whole = event.list('queuedTurns');
  if (whole !== undefined) {
    queue.entries = entriesOf(whole, queue.entries);
    return;
  }
  const turnId = event.id('queuedTurnId') ?? event.id('turnId');
  if (turnId === undefined) return;
  const at = queue.entries.findIndex((entry) => entry.turnId === turnId);
  const position = event.number('position');
  switch (event.text('op')) {
    case 'add':
      if (at === -1)
        insert(
          queue,
          { turnId, source: event.text('source'), policy: event.text('policy'), status: 'queued' },
          position,
        );
      return;
    case 'remove':
      if (at !== -1) queue.entries.splice(at, 1);
      return;
    case 'promote':
    case 'reorder':
      if (at !== -1) insert(queue, queue.entries.splice(at, 1)[0]!, position ?? 0);
      return;
    case 'policy':
      if (at !== -1) queue.entries[at]!.policy = event.text('policy');
      return;
    default:
  }
}

function insert(queue: Queue, entry: QueueEntry, position = queue.entries.length): void {
  queue.entries.splice(Math.max(0, position), 0, entry);
}

/** The entries of a whole list, by their `order` where they give one; what an entry leaves out stays as it was known. */
export function entriesOf(whole: readonly unknown[], before?: readonly QueueEntry[]): QueueEntry[] {
  const entries: { entry: QueueEntry; order: number }[] = [];
  for (const [index, item] of whole.entries()) {
    const read = (name: string): unknown => (isObject(item) ? pick(item, fieldOf(name)) : undefined);
    const turnId = typeof item === 'string' ? item : (read('turnId') ?? read('queuedTurnId'));
    if (typeof turnId !== 'string') continue;
    const old = before?.find((entry) => entry.turnId === turnId);
    const order = read('order');
    const text = (name: string): string | undefined =>
      typeof read(name) === 'string' ? (read(name) as string) : undefined;
    entries.push({
      entry: {
        turnId,
        source: text('source') ?? old?.source,
        policy: text('policy') ?? old?.policy,
        status: text('status') ?? 'queued',
      },
      order: typeof order === 'number' ? order : index,
    });
  }
  return entries.sort((a, b) => a.order - b.order).map(({ entry }) => entry);
}
