// A link on the pipes of a child process.
import type { JsonObject } from '../../common/json.ts';
import { realClock } from '../driving/clock.ts';
import { ChildGroup, type ChildOptions, type ExitState } from './child.ts';
import { encodeText } from './fragment.ts';
import { type Generation, KIB, rulesOf } from './generation.ts';
import { LineDecoder } from './lines.ts';
import type { CloseReason, Link, LinkEvents } from './link.ts';
import { Tail } from './tail.ts';

export interface StdioOptions extends ChildOptions {
  readonly generation?: Generation;
  /** Bytes of stderr that are kept. */
  readonly stderrBytes?: number;
}

/** How long a closed pipe waits for the exit that explains it, and the other way round. */
const EXPLAIN_MS = 500;
/** Characters waiting to go out, over which `send` waits. */
const HIGH_WATER = 256 * KIB;
/** Characters that are worth a write of their own. */
const WRITE = KIB;

export class StdioLink implements Link {
  readonly kind = 'stdio';
  readonly child: ChildGroup;
  readonly stderr: Tail;
  #generation: Generation | undefined;
  #events: LinkEvents | undefined;
  #closed: CloseReason | undefined;
  #drains: (() => void)[] = [];
  #outbox = '';

  constructor(options: StdioOptions) {
    this.child = new ChildGroup(options);
    this.#generation = options.generation;
    this.stderr = new Tail(options.stderrBytes ?? 64 * KIB);
    this.child.process.stderr.on('data', (chunk: Buffer) => this.stderr.write(chunk));
    this.child.process.stdin.on('drain', () => this.#drained());
    this.child.process.stdin.on('error', (error) => this.#broken(error));
  }

  tune(generation: Generation): void {
    this.#generation = generation;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    const decoder = new LineDecoder(
      {
        message: (message, cost) => {
          if (this.#closed === undefined) events.message(message, cost);
        },
        noise: (text, bytes) => events.noise?.(text, bytes),
        fault: (fault) => {
          events.fault?.(fault.code, fault.message);
          if (fault.fatal) this.#close({ clean: false, message: fault.message });
        },
      },
      () => rulesOf(this.#generation),
    );
    const { stdout, stderr } = this.child.process;
    const [ended, explained] = [stdout, stderr].map(
      (pipe) =>
        new Promise<void>((resolve) => {
          pipe.once('end', resolve);
          pipe.once('close', resolve);
        }),
    ) as [Promise<void>, Promise<void>];
    stdout.on('data', (chunk: Buffer) => {
      if (this.#closed === undefined) decoder.write(chunk);
    });
    void this.#watchEnd(ended, explained, () => {
      if (this.#closed === undefined) decoder.end();
    });
  }

  send(message: JsonObject): Promise<void> | void {
    const { stdin } = this.child.process;
    if (this.#closed !== undefined || !stdin.writable) return;
    // What is sent in one turn goes out in few writes, yet not in one: the far side shall begin while we still write.
    if (this.#outbox === '') process.nextTick(() => this.#flush());
    this.#outbox += encodeText(JSON.stringify(message));
    if (this.#outbox.length > WRITE && !stdin.writableNeedDrain) this.#flush();
    if (stdin.writableNeedDrain || this.#outbox.length > HIGH_WATER)
      return new Promise((resolve) => this.#drains.push(resolve));
  }

  #flush(): void {
    const { stdin } = this.child.process;
    const text = this.#outbox;
    if (text === '') return;
    this.#outbox = '';
    if (!stdin.writable || stdin.write(text)) this.#drained();
  }

  /** Closes stdin, which ends a well-behaved child, and then ends the group, whatever it does. */
  async close(reason = 'closed by Runcert'): Promise<void> {
    this.#close({ clean: true, message: reason });
    // Before its parent goes and leaves it to init.
    this.child.seek();
    this.#flush();
    this.child.process.stdin.end();
    await Promise.race([this.child.exited, realClock.sleep(100)]);
    await this.child.end();
  }

  /** `explained`: what it wrote to stderr is in, so that its end can be told in its own words. */
  async #watchEnd(ended: Promise<void>, explained: Promise<void>, flush: () => void): Promise<void> {
    const exit = this.child.exited;
    await Promise.race([ended, exit]);
    await Promise.race([Promise.all([ended, explained, exit]), realClock.sleep(EXPLAIN_MS)]);
    flush();
    const state = await Promise.race([exit, realClock.sleep(0).then(() => undefined)]);
    this.#close(endReason(state));
  }

  #broken(error: Error): void {
    if (this.#closed !== undefined) return;
    this.#drained();
    // The exit, if there is one, explains it better; it closes the link.
    void Promise.race([this.child.exited, realClock.sleep(EXPLAIN_MS)]).then((state) => {
      if (state !== undefined || this.#closed !== undefined) return;
      this.#events?.fault?.('RUNCERT_TARGET_STDIN_CLOSED', 'the process closed its stdin while it goes on');
      this.#close({ clean: false, message: `the process closed its stdin (${error.message})` });
    });
  }

  #drained(): void {
    for (const resolve of this.#drains.splice(0)) resolve();
  }

  #close(reason: CloseReason): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#drained();
    // Nobody reads any more, and a full pipe must not keep the child from ending.
    this.child.process.stdout.resume();
    this.#events?.close(reason);
  }
}

function endReason(state: ExitState | Error | undefined): CloseReason {
  if (state === undefined) return { clean: false, message: 'the process closed its stdout while it goes on' };
  if (state instanceof Error) return { clean: false, message: `the process could not be started: ${state.message}` };
  const how = state.signal === null ? `exited with code ${state.code}` : `was ended by ${state.signal}`;
  return { clean: state.code === 0, message: `the process ${how}`, exit: state };
}
