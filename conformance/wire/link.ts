// A link carries whole messages both ways; how it cuts and joins them is its own affair.
import type { JsonObject } from '../../common/json.ts';
import type { Generation } from './generation.ts';
import { type Decide, Interleaving, type LaneOf } from './interleaving.ts';
import { Queue } from './queue.ts';

export interface CloseReason {
  /** The far side, or we, ended it in order; else something broke. */
  readonly clean: boolean;
  readonly message: string;
  /** How the process behind the link ended, where there is one and it did. */
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
  /** The close code of a WebSocket. */
  readonly socketCode?: number;
}

export interface LinkEvents {
  /** `cost`: bytes on the wire or in memory, whichever is more. */
  readonly message: (message: JsonObject, cost: number) => void;
  /** Text where a message should be. */
  readonly noise?: (text: string, bytes: number) => void;
  /** A rule of the wire was broken by the far side. */
  readonly fault?: (code: string, message: string) => void;
  readonly close: (reason: CloseReason) => void;
}

export interface Link {
  readonly kind: 'memory' | 'stdio' | 'websocket';
  /** Starts delivery, after the caller's turn. Messages that came before are delivered first. */
  open(events: LinkEvents): void;
  /** Sends one whole message; resolves when the far side's buffer has taken it (backpressure), or the link is closed. */
  send(message: JsonObject): Promise<void> | void;
  close(reason?: string): Promise<void> | void;
  /** The far side turned out to be of this generation: mind its rules from here on. */
  tune?(generation: Generation): void;
}

/**
 * Two ends of one in-process link. Messages cross as JSON text, so neither side can reach into the other. As from a pipe, all that
 * one end says before it waits arrives in one turn; `byTurns`, and once messages are interleaved, one a turn.
 */
export function memoryLink(byTurns = false): [MemoryEnd, MemoryEnd] {
  const ends = [new MemoryEnd(byTurns), new MemoryEnd(byTurns)] as const;
  ends[0].far = ends[1];
  ends[1].far = ends[0];
  return [ends[0], ends[1]];
}

export class MemoryEnd implements Link {
  readonly kind = 'memory';
  far: MemoryEnd | undefined;
  #events: LinkEvents | undefined;
  #waiting: string[] = [];
  #closed = false;
  #outbox = new Queue<string>();
  #interleaving: Interleaving | undefined;
  #byTurns: boolean;
  #pumping = false;
  readonly #pump = (): void => this.#turn();

  constructor(byTurns: boolean) {
    this.#byTurns = byTurns;
  }

  /** Holds the next messages that are sent from this end back until they may go; the far end sends as it likes. */
  interleave(decide: Decide, laneOf: LaneOf): void {
    this.#interleaving = new Interleaving(decide, laneOf);
    // A schedule counts turns, so that both ends go by them.
    this.#byTurns = true;
    if (this.far !== undefined) this.far.#byTurns = true;
  }

  open(events: LinkEvents): void {
    // Not before the caller has set its handlers.
    queueMicrotask(() => {
      this.#events = events;
      for (const text of this.#waiting.splice(0)) this.#deliver(text);
      if (this.#closed) events.close({ clean: true, message: 'closed' });
    });
  }

  send(message: JsonObject): void {
    if (this.#closed) return;
    const text = JSON.stringify(message);
    if (this.#interleaving?.put(message, text) !== true) this.#outbox.push(text);
    if (this.#pumping) return;
    this.#pumping = true;
    if (this.#byTurns) queueMicrotask(this.#pump);
    else process.nextTick(this.#pump);
  }

  arrive(text: string): void {
    if (this.#closed) return;
    if (this.#events === undefined) this.#waiting.push(text);
    else this.#deliver(text);
  }

  close(reason = 'closed'): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events?.close({ clean: true, message: reason });
    const far = this.far;
    // What was sent before still arrives.
    const flush = (): void => {
      if (this.#hasMore) queueMicrotask(flush);
      else far?.close(reason);
    };
    queueMicrotask(flush);
  }

  get #hasMore(): boolean {
    return this.#outbox.length > 0 || this.#interleaving?.isEmpty === false;
  }

  #turn(): void {
    do {
      const text = this.#outbox.shift() ?? this.#interleaving?.turn();
      if (text !== undefined) this.far?.arrive(text);
    } while (this.#hasMore && !this.#byTurns);
    if (this.#hasMore) queueMicrotask(this.#pump);
    else this.#pumping = false;
  }

  #deliver(text: string): void {
    this.#events?.message(JSON.parse(text) as JsonObject, text.length);
  }
}
