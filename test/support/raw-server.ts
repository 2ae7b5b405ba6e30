import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { atEnd } from './scope.ts';
import { listening } from './service.ts';

/**
 * What a raw server does, in this order: bytes as they are (a text as Latin-1), a pause in
 * milliseconds, an orderly end (FIN), a reset (RST), or nothing more while the connection stays open.
 */
export type Piece = string | Uint8Array | { readonly wait: number } | 'FIN' | 'RST' | 'hold';

export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** From 0: its place on its connection. */
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
}

/**
 * A server on loopback that says exactly the bytes it is given, whether they are HTTP or not, and
 * counts what it saw. For answers that Node's own server would not send.
 */
export async function startRawServer({ answer }: RawServerOptions): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const received: Buffer[][] = [];
  /** What is being written to each connection: whether it can take more then. */
  const writing = new Map<Socket, { count: number; done: Promise<boolean> }>();
  // Node reads the requests; the pieces go past its responses, to the connection itself.
  const server = createServer(async (incoming) => {
    const { socket, method = '', url: target = '', headers } = incoming;
    const body = Buffer.concat(await incoming.toArray().catch(() => []));
    const on = writing.get(socket);
    if (on === undefined) return;
    const request = { method, target, headers, body, index: on.count++ };
    requests.push(request);
    on.done = on.done.then((open) => open && playPieces(socket, answer(request)));
  });
  server.on('connection', (socket: Socket) => {
    const chunks: Buffer[] = [];
    received.push(chunks);
    // The caller may go away at any time, and often does.
    socket.on('error', () => {});
    socket.setNoDelay(true);
    writing.set(socket, { count: 0, done: Promise.resolve(true) });
    socket.on('close', () => writing.delete(socket));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  });
  const port = await listening(server);
  atEnd(() => server.closeAllConnections());
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    connections: () => received.length,
    received,
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
