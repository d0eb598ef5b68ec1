// The link of a process that was started as a child: frames come on its stdin and go out on its stdout.
import type { JsonObject } from '../../common/json.ts';
import { encodeLines } from './fragment.ts';
import { rulesOf } from './generation.ts';
import { LineDecoder } from './lines.ts';
import type { CloseReason, Link, LinkEvents } from './link.ts';

interface Pipes {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Nothing else may write to stdout while this link lives: logs go to stderr. */
export class OwnStdioLink implements Link {
  readonly kind = 'stdio';
  #pipes: Pipes;
  #events: LinkEvents | undefined;
  #closed: CloseReason | undefined;
  #drains: (() => void)[] = [];

  constructor(pipes: Pipes = { input: process.stdin, output: process.stdout }) {
    this.#pipes = pipes;
    pipes.output.on('drain', () => this.#drained());
    // The far side is gone; its closed stdin says so as well.
    pipes.output.on('error', (error) => this.#close({ clean: false, message: error.message }));
  }

  open(events: LinkEvents): void {
    this.#events = events;
    const decoder = new LineDecoder(
      {
        message: (message, bytes) => events.message(message, bytes),
        noise: (text, bytes) => events.noise?.(text, bytes),
        fault: (fault) => {
          events.fault?.(fault.code, fault.message);
          if (fault.fatal) this.#close({ clean: false, message: fault.message });
        },
      },
      () => rulesOf(undefined),
    );
    this.#pipes.input.on('data', (chunk: Buffer) => {
      if (this.#closed === undefined) decoder.write(chunk);
    });
    this.#pipes.input.on('end', () => {
      if (this.#closed === undefined) decoder.end();
      this.#close({ clean: true, message: 'stdin was closed' });
    });
  }

  send(message: JsonObject): Promise<void> | void {
    if (this.#closed !== undefined) return;
    if (this.#pipes.output.write(`${encodeLines(JSON.stringify(message)).join('\n')}\n`)) return;
    return new Promise((resolve) => this.#drains.push(resolve));
  }

  close(reason = 'closed'): void {
    this.#close({ clean: true, message: reason });
  }

  #drained(): void {
    for (const resolve of this.#drains.splice(0)) resolve();
  }

  #close(reason: CloseReason): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#drained();
    this.#events?.close(reason);
  }
}
