// A WebSocket that Runcert opens.
import { WebSocket } from 'ws';
import { EXIT, RuncertError } from '../../common/error.ts';
import { MESSAGE_BYTES } from './generation.ts';
import { SocketLink, type SocketLinkOptions } from './websocket.ts';

export interface ConnectOptions extends SocketLinkOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until the connection must stand. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

export async function connect(url: string, options: ConnectOptions = {}): Promise<SocketLink> {
  const timeout = options.timeout ?? 10_000;
  const socket = new WebSocket(url, {
    headers: { ...options.headers },
    handshakeTimeout: timeout,
    maxPayload: MESSAGE_BYTES,
    maxFragments: 4096,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const link = new SocketLink(socket, options);
  const stop = (): void => socket.terminate();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once('close', (code) => reject(new Error(`closed with code ${code}`)));
    });
    return link;
  } catch (error) {
    socket.terminate();
    throw new RuncertError(
      'RUNCERT_TARGET_CONNECT',
      `No WebSocket connection to ${url}: ${(error as Error).message}.`,
      {
        place: 'connect',
        remedy:
          (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
            ? 'Nobody listens there: start the target first, or correct the port.'
            : 'Check that the target listens on this address and path, and that it is a ws:// address.',
        exit: EXIT.inconclusive,
        cause: error,
      },
    );
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
}
