// A WebSocket server that misbehaves in one named way: `node hostile-socket.mjs MODE`. It prints its port.
// It speaks TCP and writes RFC 6455 frames by hand, so that it can break them.
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

const mode = process.argv[2];
const frame = (opcode, payload, { fin = true } = {}) => {
  const body = Buffer.from(payload);
  const head =
    body.length < 126
      ? Buffer.from([(fin ? 0x80 : 0) | opcode, body.length])
      : body.length < 65536
        ? Buffer.from([(fin ? 0x80 : 0) | opcode, 126, body.length >> 8, body.length & 255])
        : Buffer.concat([
            Buffer.from([(fin ? 0x80 : 0) | opcode, 127, 0, 0, 0, 0]),
            Buffer.from(Uint32Array.of(body.length).buffer).reverse(),
          ]);
  return Buffer.concat([head, body]);
};
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const repeat = (socket, bytes) => {
  const more = () => {
    while (!socket.destroyed) if (!socket.write(bytes)) return socket.once('drain', more);
  };
  more();
};

/** After the upgrade. */
const modes = {
  silent: () => {},
  'closes-tcp': (socket) => socket.destroy(),
  'sends-binary': (socket) => socket.write(frame(BINARY, Buffer.from([0xff, 0x00, 0xfe]))),
  'sends-broken-utf8': (socket) => socket.write(frame(TEXT, Buffer.from([0x7b, 0xff, 0xfe]))),
  'pings-for-ever': (socket) => repeat(socket, Buffer.concat(Array(100).fill(frame(PING, 'x')))),
  'sends-64-mib': (socket) => {
    const head = Buffer.from([0x81, 127, 0, 0, 0, 0, 4, 0, 0, 0]);
    socket.write(head);
    repeat(socket, Buffer.alloc(65536, 'x'));
  },
  'fragments-for-ever': (socket) => {
    socket.write(frame(TEXT, '{"a":"', { fin: false }));
    repeat(socket, frame(0, 'x', { fin: false }));
  },
  'sends-a-reserved-opcode': (socket) => socket.write(frame(11, 'x')),
  'sends-masked-frames': (socket) => socket.write(Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5])),
  'sends-garbage-texts': (socket) => repeat(socket, frame(TEXT, 'log line, no frame '.repeat(50))),
  'floods-frames': (socket) =>
    repeat(socket, frame(TEXT, `{"seq_id":9,"code":0,"message":"","data":{"text":"${'x'.repeat(4000)}"}}`)),
  'dies-mid-frame': (socket) => {
    socket.write(Buffer.from([0x81, 120, 0x7b, 0x22]));
    socket.end();
  },
  'half-a-message': (socket) => {
    socket.write(frame(TEXT, `{"a":"${'x'.repeat(65_530)}`));
    setTimeout(() => socket.write(frame(CLOSE, Buffer.from([3, 232]))), 100);
  },
};

const server = createServer((socket) => {
  socket.on('error', () => {});
  if (mode === 'accepts-tcp-only') return;
  if (mode === 'answers-http-500') return socket.end('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n');
  if (mode === 'redirects')
    return socket.end('HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n');
  if (mode === 'speaks-no-http') return socket.end('SSH-2.0-OpenSSH_9.0\r\n');
  if (mode === 'endless-headers') {
    socket.write('HTTP/1.1 101 Switching Protocols\r\n');
    return repeat(socket, Buffer.from('X-A: b\r\n'.repeat(1000)));
  }
  socket.once('data', (request) => {
    const key = /sec-websocket-key: (\S+)/i.exec(request.toString('latin1'))?.[1] ?? '';
    const accept =
      mode === 'wrong-accept-key'
        ? 'AAAA'
        : createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const code = /^closes-with-(\d+)$/.exec(mode)?.[1];
    if (code !== undefined) socket.write(frame(CLOSE, Buffer.from([Number(code) >> 8, Number(code) & 255])));
    else modes[mode]?.(socket);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
