// A log from ops: the reference runtime plays them in this process, on a clock that only counts.
import type { JsonObject } from '../../../common/json.ts';
import { Refusal } from '../../wire/peer.ts';
import { ReferenceRuntime, type RuntimeOptions } from '../reference/runtime.ts';
import { memoryStore } from '../reference/store.ts';
import { Named, type Op } from './op.ts';

const EPOCH = Date.UTC(2026, 4, 8);

/** A runtime whose clock moves one second with every event. */
export function countingRuntime(options: Partial<RuntimeOptions> = {}): ReferenceRuntime {
  let seconds = 0;
  return new ReferenceRuntime({ store: memoryStore(), now: () => EPOCH + 1000 * seconds++, ...options });
}

/** Plays the ops; what the runtime refuses leaves nothing behind. */
export function playOps(runtime: ReferenceRuntime, ops: readonly Op[], named = new Named()): readonly JsonObject[] {
  let seen = runtime.events(0).length;
  for (const op of ops) {
    if ('load' in op) continue;
    if ('restart' in op) runtime.restart();
    else {
      try {
        runtime.command(op.command, named.fill(op.input));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
    const fresh = runtime.events(seen);
    for (const event of fresh) named.see(event);
    seen += fresh.length;
  }
  return runtime.events(0);
}

export const logOf = (ops: readonly Op[], options: Partial<RuntimeOptions> = {}): readonly JsonObject[] =>
  playOps(countingRuntime(options), ops);
