// A link carries whole messages both ways; how it cuts and joins them is its own affair.
import type { JsonObject } from '../../common/json.ts';

export interface CloseReason {
  readonly clean: boolean;
  readonly message: string;
}

export interface LinkEvents {
  readonly message: (message: JsonObject) => void;
  /** Text where a message should be. */
  readonly noise?: (text: string, bytes: number) => void;
  /** A rule of the wire was broken by the far side. */
  readonly fault?: (code: string, message: string) => void;
  readonly close: (reason: CloseReason) => void;
}

export interface Link {
  readonly kind: 'memory' | 'stdio' | 'websocket';
  /** Starts delivery. Messages that came before are delivered first. */
  open(events: LinkEvents): void;
  /** Sends one whole message; resolves when the far side's buffer has taken it (backpressure). */
  send(message: JsonObject): Promise<void> | void;
  close(reason?: string): Promise<void> | void;
}

/** Two ends of one in-process link. Messages cross as JSON text, so neither side can reach into the other. */
export function memoryLink(): [Link, Link] {
  const ends = [new MemoryEnd(), new MemoryEnd()] as const;
  ends[0].far = ends[1];
  ends[1].far = ends[0];
  return [ends[0], ends[1]];
}

class MemoryEnd implements Link {
  readonly kind = 'memory';
  far: MemoryEnd | undefined;
  #events: LinkEvents | undefined;
  #waiting: string[] = [];
  #closed = false;

  open(events: LinkEvents): void {
    this.#events = events;
    for (const text of this.#waiting.splice(0)) this.#deliver(text);
    if (this.#closed) events.close({ clean: true, message: 'closed' });
  }

  send(message: JsonObject): void {
    if (this.#closed) return;
    const text = JSON.stringify(message);
    const far = this.far;
    queueMicrotask(() => far?.arrive(text));
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
    queueMicrotask(() => far?.close(reason));
  }

  #deliver(text: string): void {
    this.#events?.message(JSON.parse(text) as JsonObject);
  }
}
