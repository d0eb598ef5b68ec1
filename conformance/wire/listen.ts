// A WebSocket server for one connection at a time: on the loopback interface, and with a token where one is set.
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { EXIT, RuncertError } from '../../common/error.ts';
import { realClock } from '../driving/clock.ts';
import { MESSAGE_BYTES } from './generation.ts';
import { SocketLink, type SocketLinkOptions } from './websocket.ts';

export interface ListenOptions extends SocketLinkOptions {
  /** Listen on an address that other machines reach. Needs a token. */
  readonly anyAddress?: boolean;
  /** Whoever connects must show it: `Authorization: Bearer …`, or a header of `tokenHeaders`. */
  readonly token?: string;
  readonly tokenHeaders?: readonly string[];
  /** The token may come later, in the first frame, from peers that cannot send headers: let those in without any. */
  readonly lateToken?: boolean;
  /** Told when somebody was turned away. */
  readonly refused?: (why: string) => void;
}

/** Connections that are turned away before the server closes for good: a storm must not keep it busy. */
const MAX_REFUSED = 1000;

export class Listener {
  readonly url: string;
  #server: Server;
  #sockets: WebSocketServer;
  #options: ListenOptions;
  #current: WebSocket | undefined;
  #waiting: ((link: SocketLink) => void) | undefined;
  #ready: SocketLink | undefined;
  #refusals = 0;

  private constructor(server: Server, url: string, options: ListenOptions) {
    this.#server = server;
    this.#options = options;
    this.url = url;
    this.#sockets = new WebSocketServer({
      server,
      maxPayload: MESSAGE_BYTES,
      maxFragments: 4096,
      perMessageDeflate: false,
      verifyClient: (info, done) => {
        const why = this.#refuse(info.req);
        if (why !== undefined) this.#turnedAway(why.reason);
        done(why === undefined, why?.status, why?.reason);
      },
    });
    this.#sockets.on('connection', (socket) => this.#take(socket));
    this.#sockets.on('error', () => {});
    this.#sockets.on('wsClientError', (_error, socket) => socket.destroy());
  }

  /** Listens on the address of a ws:// URL; port 0 picks a free one, and `url` then holds it. */
  static async on(address: string, options: ListenOptions = {}): Promise<Listener> {
    const url = parseListenUrl(address, options);
    const server = createServer((_request, response) => response.writeHead(426).end('This is a WebSocket address.\n'));
    server.headersTimeout = 10_000;
    server.maxConnections = 64;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(Number(url.port || 80), host, resolve);
      });
    } catch (error) {
      throw new RuncertError('RUNCERT_TARGET_LISTEN', `Cannot listen on ${address}: ${(error as Error).message}.`, {
        place: 'start',
        remedy: 'Choose a free port (port 0 picks one), or end what listens there.',
        exit: EXIT.inconclusive,
        cause: error,
      });
    }
    url.port = String((server.address() as AddressInfo).port);
    return new Listener(server, url.href, options);
  }

  /** The next connection; undefined when none came in time. */
  async accept(timeout: number, signal?: AbortSignal): Promise<SocketLink | undefined> {
    if (this.#ready !== undefined) {
      const link = this.#ready;
      this.#ready = undefined;
      return link;
    }
    const stop = new AbortController();
    const over = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const link = await Promise.race([
      new Promise<SocketLink>((resolve) => {
        this.#waiting = resolve;
      }),
      realClock.sleep(timeout, over).then(() => undefined),
    ]);
    stop.abort();
    this.#waiting = undefined;
    return link;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(socket: WebSocket): void {
    // Two that connected in the same instant: the first one has the seat.
    if (this.#current !== undefined && this.#current.readyState <= 1) {
      this.#turnedAway('one connection at a time');
      socket.on('error', () => {});
      socket.close(1013, 'one connection at a time');
      return;
    }
    this.#current = socket;
    const link = new SocketLink(socket, this.#options);
    if (this.#waiting !== undefined) this.#waiting(link);
    else this.#ready = link;
  }

  #refuse(request: IncomingMessage): { readonly status: number; readonly reason: string } | undefined {
    if (this.#current !== undefined && this.#current.readyState <= 1)
      return { status: 503, reason: 'one connection at a time' };
    const { token, tokenHeaders = [], lateToken } = this.#options;
    if (token === undefined) return undefined;
    const bearer = request.headers.authorization?.replace(/^Bearer /i, '');
    const shown = [bearer, ...tokenHeaders.map((name) => request.headers[name.toLowerCase()])].filter(
      (value) => typeof value === 'string',
    );
    if (shown.length === 0 && lateToken) return undefined;
    return shown.some((value) => same(value, token)) ? undefined : { status: 401, reason: 'wrong or missing token' };
  }

  #turnedAway(why: string): void {
    this.#options.refused?.(why);
    if (++this.#refusals === MAX_REFUSED) {
      this.#options.refused?.(`more than ${MAX_REFUSED} refused connections: no more are taken`);
      this.#server.close();
    }
  }
}

/** Compares without telling by its time how much was right. */
export const same = (a: string, b: string): boolean =>
  Buffer.byteLength(a) === Buffer.byteLength(b) && timingSafeEqual(Buffer.from(a), Buffer.from(b));

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function parseListenUrl(address: string, options: ListenOptions): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw new RuncertError('RUNCERT_LISTEN_URL', `"${address}" is no URL to listen on.`, {
      remedy: 'Write it as ws://127.0.0.1:PORT/path.',
    });
  }
  if (url.protocol !== 'ws:')
    throw new RuncertError('RUNCERT_LISTEN_URL', `Runcert listens on ws:// addresses, not on ${url.protocol}//.`, {
      remedy: 'Write it as ws://127.0.0.1:PORT/path; put a proxy before it where TLS is needed.',
    });
  if (!LOOPBACK.test(url.hostname) && !(options.anyAddress && options.token))
    throw new RuncertError('RUNCERT_LISTEN_URL', `${url.hostname} can be reached from other machines.`, {
      remedy: 'Listen on 127.0.0.1, or allow any address and set a token.',
    });
  return url;
}
