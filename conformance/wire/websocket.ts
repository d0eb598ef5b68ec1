// A link on one WebSocket, whichever side opened it.
import type { RawData, WebSocket } from 'ws';
import type { JsonObject } from '../../common/json.ts';
import { realClock } from '../driving/clock.ts';
import { type Generation, rulesOf } from './generation.ts';
import type { CloseReason, Link, LinkEvents } from './link.ts';
import { encodePieces, PieceDecoder } from './pieces.ts';

export interface SocketLinkOptions {
  readonly generation?: Generation;
  /** Milliseconds the far side has to answer a close before the socket is cut. */
  readonly patience?: number;
}

/** Bytes waiting to go out, over which `send` waits. */
const HIGH_WATER = 1024 * 1024;
/** Control frames in a row, without a message between them, that a peer may send. */
const MAX_PINGS = 10_000;

export class SocketLink implements Link {
  readonly kind = 'websocket';
  #socket: WebSocket;
  #options: SocketLinkOptions;
  #generation: Generation | undefined;
  #events: LinkEvents | undefined;
  #closed: CloseReason | undefined;
  #early: Buffer[] = [];
  #earlyFaults: (readonly [code: string, message: string])[] = [];
  #decoder: PieceDecoder | undefined;
  #broken: string | undefined;
  #pings = 0;

  constructor(socket: WebSocket, options: SocketLinkOptions = {}) {
    this.#socket = socket;
    this.#options = options;
    this.#generation = options.generation;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data: RawData) => this.#take(data as Buffer));
    socket.on('ping', () => this.#pinged());
    socket.on('error', (error) => this.#failed(error));
    socket.on('close', (code, reason) => this.#ended(code, reason.toString('utf8').slice(0, 200)));
  }

  tune(generation: Generation): void {
    this.#generation = generation;
  }

  open(events: LinkEvents): void {
    this.#events = events;
    const decoder = new PieceDecoder(
      {
        message: (message, cost) => events.message(message, cost),
        noise: (text, bytes) => events.noise?.(text, bytes),
        fault: (fault) => {
          events.fault?.(fault.code, fault.message);
          if (fault.fatal) this.#cut(fault.message);
        },
      },
      () => rulesOf(this.#generation),
    );
    // Not before the caller has set its handlers.
    queueMicrotask(() => {
      const early = this.#early.splice(0);
      this.#decoder = decoder;
      for (const message of early) decoder.write(message);
      for (const [code, message] of this.#earlyFaults) events.fault?.(code, message);
      if (this.#closed !== undefined) events.close(this.#closed);
    });
  }

  send(message: JsonObject): Promise<void> | void {
    if (this.#closed !== undefined || this.#socket.readyState !== this.#socket.OPEN) return;
    const pieces = encodePieces(JSON.stringify(message), rulesOf(this.#generation));
    for (const { text, fin } of pieces.slice(0, -1)) this.#socket.send(text, { fin, binary: false }, ignore);
    const last = pieces[pieces.length - 1]!;
    if (this.#socket.bufferedAmount < HIGH_WATER) this.#socket.send(last.text, { fin: true, binary: false }, ignore);
    else return new Promise((resolve) => this.#socket.send(last.text, { fin: true, binary: false }, () => resolve()));
  }

  async close(reason = 'closed by Runcert'): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      if (this.#socket.readyState === this.#socket.CLOSED) resolve();
      else this.#socket.once('close', () => resolve());
    });
    this.#close({ clean: true, message: reason });
    this.#socket.close(1000);
    await Promise.race([gone, realClock.sleep(this.#options.patience ?? 1000)]);
    this.#socket.terminate();
  }

  #take(message: Buffer): void {
    if (this.#closed !== undefined) return;
    this.#pings = 0;
    if (this.#decoder !== undefined) this.#decoder.write(message);
    else if (this.#early.push(message) > 1000) this.#cut('more than 1000 messages before the handshake');
  }

  #pinged(): void {
    if (++this.#pings <= MAX_PINGS || this.#closed !== undefined) return;
    this.#fault('RUNCERT_WIRE_PINGS', `more than ${MAX_PINGS} pings in a row and no message between them`);
    this.#cut('pings without end');
  }

  #failed(error: Error & { readonly code?: string }): void {
    this.#broken = error.message;
    const fault = FAULTS[error.code ?? ''];
    if (fault === undefined || this.#closed !== undefined) return;
    this.#fault(fault, error.message);
    // Without waiting for the far side to close in order: it has broken the order already.
    this.#cut(`a WebSocket rule was broken: ${error.message}`);
  }

  #fault(code: string, message: string): void {
    // It may come with the upgrade, before anybody listens.
    if (this.#decoder !== undefined) this.#events?.fault?.(code, message);
    else this.#earlyFaults.push([code, message]);
  }

  #ended(code: number, reason: string): void {
    if (this.#closed === undefined) this.#decoder?.end();
    const words = `the connection was closed with code ${code}${reason === '' ? '' : ` (${reason})`}`;
    this.#close({
      clean: code === 1000 || code === 1001 || code === 1005,
      message: this.#broken === undefined ? words : `${words}: ${this.#broken}`,
      socketCode: code,
    });
  }

  #cut(message: string): void {
    this.#close({ clean: false, message });
    this.#socket.terminate();
  }

  #close(reason: CloseReason): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#early = [];
    this.#events?.close(reason);
  }
}

const ignore = (): void => {};

/** Errors of the WebSocket library that mean that the far side broke RFC 6455. */
const FAULTS: Readonly<Record<string, string>> = {
  WS_ERR_INVALID_UTF8: 'RUNCERT_WIRE_UTF8',
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'RUNCERT_WIRE_TOO_LARGE',
  WS_ERR_TOO_MANY_BUFFERED_PARTS: 'RUNCERT_WIRE_TOO_LARGE',
  WS_ERR_INVALID_OPCODE: 'RUNCERT_WIRE_SOCKET',
  WS_ERR_INVALID_CLOSE_CODE: 'RUNCERT_WIRE_SOCKET',
  WS_ERR_INVALID_CONTROL_PAYLOAD_LENGTH: 'RUNCERT_WIRE_SOCKET',
  WS_ERR_EXPECTED_FIN: 'RUNCERT_WIRE_SOCKET',
  WS_ERR_EXPECTED_MASK: 'RUNCERT_WIRE_SOCKET',
  WS_ERR_UNEXPECTED_MASK: 'RUNCERT_WIRE_SOCKET',
  WS_ERR_UNEXPECTED_RSV_1: 'RUNCERT_WIRE_SOCKET',
  WS_ERR_UNEXPECTED_RSV_2_3: 'RUNCERT_WIRE_SOCKET',
};
