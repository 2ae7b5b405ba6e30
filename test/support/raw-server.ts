import { createServer, type Socket } from 'node:net';
import { atEnd } from './scope.ts';
import { listening } from './service.ts';

/**
 * What a raw server does, in this order: bytes as they are (a text as Latin-1), a pause in
 * milliseconds, an orderly end (FIN), a reset (RST), or nothing more while the connection stays open.
 */
export type Piece = string | Uint8Array | { readonly wait: number } | 'FIN' | 'RST' | 'hold';

/** A request as it came, as far as HTTP can be read out of the bytes. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** From 0: the connection that it came on, and its place there. */
  readonly connection: number;
  readonly index: number;
}

export interface RawServerOptions {
  /** Pieces for each request that is whole. One connection's answers follow one another. */
  readonly answer: (request: RawRequest) => Iterable<Piece> | AsyncIterable<Piece>;
}

export interface RawServer {
  readonly origin: string;
  /** Every request that came whole. */
  readonly requests: readonly RawRequest[];
  /** How many connections were made, whether a request came on them or not. */
  readonly connections: () => number;
  /** All bytes that came, by connection. */
  readonly received: readonly Buffer[][];
  /** Resolves when no connection is open. */
  readonly idle: () => Promise<void>;
}

/**
 * A server on loopback that says exactly the bytes it is given, whether they are HTTP or not, and
 * counts what it saw. For answers that Node's own server would not send.
 */
export async function startRawServer(options: RawServerOptions): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const received: Buffer[][] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    const connection = received.push([]) - 1;
    // The caller may go away at any time, and often does.
    socket.on('error', () => {});
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    void converse(socket, connection);
  };
  const converse = async (socket: Socket, connection: number): Promise<void> => {
    const reader = requestReader(connection);
    let writing = Promise.resolve(true);
    socket.on('data', (chunk: Buffer) => {
      received[connection]?.push(chunk);
      for (const request of reader(chunk)) {
        requests.push(request);
        writing = writing.then((open) => open && playPieces(socket, options.answer(request)));
      }
    });
  };
  const port = await listening(createServer(serve));
  atEnd(() => sockets.forEach((socket) => socket.destroy()));
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    connections: () => received.length,
    received,
    // Not by `once` of events, which rejects where the other end has reset the connection.
    idle: async () => {
      for (const socket of sockets) await closed(socket);
    },
  };
}

/** Does the pieces one after another; resolves with whether the connection can take more. */
async function playPieces(
  socket: Socket,
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
): Promise<boolean> {
  for await (const piece of pieces) {
    if (socket.destroyed) return false;
    if (piece === 'FIN') socket.end();
    else if (piece === 'RST') socket.resetAndDestroy();
    else if (piece === 'hold') await closed(socket);
    else if (typeof piece === 'string' || piece instanceof Uint8Array) await write(socket, piece);
    else await new Promise<void>((resolve) => void setTimeout(resolve, piece.wait));
  }
  return socket.writable;
}

async function write(socket: Socket, piece: string | Uint8Array): Promise<void> {
  const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
  if (!socket.writable || socket.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}

function closed(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}

/** Reads requests off one connection; a body has a Content-Length or is chunked, as lectern sends it. */
function requestReader(connection: number): (chunk: Buffer) => RawRequest[] {
  let chunks: Buffer[] = [];
  let size = 0;
  // Large bodies come in many chunks, and are put together only once they can be whole.
  let needed = 0;
  let index = 0;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    const found: RawRequest[] = [];
    while (size >= needed) {
      const unread = Buffer.concat(chunks);
      const read = readRequest(unread);
      const used = typeof read === 'number' ? 0 : read.length;
      chunks = [unread.subarray(used)];
      size = unread.length - used;
      needed = typeof read === 'number' ? read : 1;
      if (typeof read === 'number') continue;
      found.push({ ...read.request, connection, index });
      index += 1;
    }
    return found;
  };
}

type ReadRequest = {
  readonly request: Omit<RawRequest, 'connection' | 'index'>;
  readonly length: number;
};

/** The request at the start of these bytes, or how many bytes there must be before it can be whole. */
function readRequest(bytes: Buffer): ReadRequest | number {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return bytes.length + 1;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [method = '', target = ''] = first.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  ) as Record<string, string>;
  const start = end + 4;
  const length = Number(headers['content-length'] ?? 0);
  if (!/chunked/i.test(headers['transfer-encoding'] ?? '')) {
    if (bytes.length < start + length) return start + length;
    const body = bytes.subarray(start, start + length);
    return { request: { method, target, headers, body }, length: start + length };
  }
  const read = readChunks(bytes, start);
  if (!read) return bytes.length + 1;
  return { request: { method, target, headers, body: read.body }, length: read.end };
}

function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16);
    const from = line + 2;
    if (bytes.length < from + size + 2) return undefined;
    if (!(size > 0)) return { body: Buffer.concat(parts), end: from + 2 };
    parts.push(bytes.subarray(from, from + size));
    at = from + size + 2;
  }
}
