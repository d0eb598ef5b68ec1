// tool_inventory_snapshot: the tools of the latest catalogue of each thread. Never resolved is `unknown`, not empty.
import type { RuntimeEvent } from '../event.ts';
import { pickFrom } from '../event.ts';
import { defineModel, honest, keepIn, known, type Seen, seenAt } from './model.ts';

const THREADS = 50;

interface Inventory extends Seen {
  threadId: string;
  turnId: string | undefined;
  mode: string | undefined;
  caller: string | undefined;
  tools: readonly unknown[];
  /** Why the catalogue may not hold any more. */
  staleBecause: string | undefined;
}

export interface InventoryState {
  threads: Map<string, Inventory>;
}

export const toolInventory = defineModel({
  name: 'tool_inventory_snapshot',
  initial: (): InventoryState => ({ threads: new Map() }),
  on: {
    'tool.catalog.resolved': (state, event) => {
      const tools = event.list('tools');
      if (tools === undefined) return;
      const threadId = event.threadId ?? '';
      state.threads.delete(threadId);
      const inventory: Inventory = {
        threadId,
        turnId: event.turnId,
        mode: event.text('mode'),
        caller: event.text('caller'),
        tools,
        staleBecause: undefined,
        seen: seenAt(event),
      };
      keepIn(state.threads, threadId, inventory, THREADS);
    },
    'policy.changed': (state, event) => outdate(state, event),
  },
  show: (state, fresh) => ({
    status: state.threads.size === 0 ? 'unknown' : 'known',
    threads: [...state.threads.values()].map((inventory) => ({
      thread_id: known(inventory.threadId || undefined),
      turn_id: known(inventory.turnId),
      mode: known(inventory.mode),
      caller: known(inventory.caller),
      ...(inventory.staleBecause === undefined
        ? honest('current', inventory, fresh)
        : { status: 'stale', because: inventory.staleBecause }),
      tools: inventory.tools.map((tool) => ({
        tool_name: known(pickFrom(tool, 'toolName') as string | undefined),
        policy: known(pickFrom(tool, 'policy') as string | undefined),
        runtime_owner: known(pickFrom(tool, 'runtimeOwner') as string | undefined),
        is_destructive: known(pickFrom(tool, 'isDestructive') as boolean | undefined),
        is_read_only: known(pickFrom(tool, 'isReadOnly') as boolean | undefined),
      })),
    })),
    freshness: fresh,
  }),
});

function outdate(state: InventoryState, event: RuntimeEvent): void {
  for (const inventory of state.threads.values()) {
    if (event.threadId === undefined || event.threadId === inventory.threadId) {
      inventory.staleBecause = `policy.changed${event.text('reason') === undefined ? '' : `: ${event.text('reason')}`}`;
    }
  }
}
