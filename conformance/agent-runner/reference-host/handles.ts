// Where an event stands in the log (§5.8): the handles by which a runner pulls what came before it.
import { cursorOf } from './api/paging.ts';
import type { Handles } from './context.ts';
import type { RunStart } from './shapes.ts';
import type { Memory } from './stores/memory.ts';
import type { EventRecord } from './stores/records.ts';

/** `before_cursor: latest_cursor` gives the newest items before this event; its own turn is written down already. */
export function handlesOf(run: RunStart, event: EventRecord, memory: Memory): Handles {
  const { conversation_id, thread_id } = run.scope;
  const own = memory.transcript.filter(
    (item) => item.conversation_id === conversation_id && item.thread_id === thread_id,
  );
  return {
    latest_cursor: cursorOf('history', event),
    event_seq: event.seq,
    has_history_before: own.some(({ seq }) => seq < event.seq),
  };
}
