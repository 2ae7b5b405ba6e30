import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Piece, type RawServer, startRawServer } from '../support/raw-server.ts';
import { atEnd } from '../support/scope.ts';
import { launchFile } from '../support/service.ts';

export interface FilesService extends RawServer {
  /** The path of a launch. */
  readonly launch: string;
}

/** A grade attempt as the service records it. */
export const ATTEMPT = {
  id: 'attempt-1',
  status: 'success',
  score: 0.5,
  max_score: null,
  activity_progress: 'Completed',
  grading_progress: 'FullyGraded',
  submitted: '2026-11-01T10:00:00Z',
  lineitem: 'https://lms.test/lineitems/1',
  data: { comment: '', response: null, error: '', source_type: 'launch_token', source_id: 'u-1' },
  annotations: { member: 'm-1', location: 'l-1', app: 'tool', context: 'c-1' },
};

/** The head of an answer, with the length of its body unless `more` has one. */
export function head(length: number, more: readonly string[] = []): string {
  const lines = ['HTTP/1.1 200 OK', `content-length: ${length}`, ...more];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A whole answer of JSON. */
export function jsonAnswer(value: unknown): string {
  const text = JSON.stringify(value);
  return head(Buffer.byteLength(text)) + text;
}

/**
 * A service that has a file of `size` bytes under every key, and responds with `bytes` to a download or
 * an upload.
 */
export async function startFiles(
  size: number,
  bytes: () => Iterable<Piece> | AsyncIterable<Piece>,
): Promise<FilesService> {
  const url = (): string => `${service.origin}/bytes?signature=0123456789abcdef`;
  const record = () => ({
    key: 'file.bin',
    size,
    modified: 1_700_000_000_000,
    content_type: 'application/octet-stream',
    url: url(),
    expires: Date.now() + 60_000,
  });
  const service = await startRawServer({
    answer: ({ method, target }) => {
      if (target.startsWith('/bytes')) return bytes();
      if (method === 'PUT') return [jsonAnswer({ url: url(), fields: { policy: 'p' } })];
      const isListing = target.includes('/context?');
      return [jsonAnswer(isListing ? [] : record())];
    },
  });
  return { ...service, launch: launchFile(service.origin) };
}

/**
 * A service that takes an upload in parts of a size, and answers at its end unless it is silent.
 * What the signed form adds to the file is not counted.
 */
export async function startSlowUpload(speed: {
  readonly bytes: number;
  readonly everyMs: number;
  readonly isSilent?: boolean;
}) {
  const received: number[] = [];
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    const isUpload = method === 'POST';
    if (isUpload) return void takeSlowly(request, response);
    const form = { url: `${origin()}/bytes`, fields: {} };
    const record = { key: 'file.bin', size: received.at(-1), modified: 1, url: form.url };
    request.resume();
    response.end(JSON.stringify(method === 'PUT' ? form : url.includes('/context?') ? [] : record));
  });
  const takeSlowly = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let size = 0;
    let all = Buffer.alloc(0);
    const ended = new Promise<void>((resolve) => void request.once('end', resolve));
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (all.length < 1000) all = Buffer.concat([all, chunk]);
      if (size < speed.bytes) return;
      size = 0;
      request.pause();
      const timer = setTimeout(() => request.resume(), speed.everyMs);
      atEnd(() => clearTimeout(timer));
    });
    await ended;
    const headLength = all.indexOf('\r\n\r\n') + 4;
    const boundary = all.indexOf('\r\n');
    const around = headLength + boundary + '\r\n--\r\n'.length;
    received.push(Number(request.headers['content-length']) - around);
    if (!speed.isSilent) response.writeHead(204).end();
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { launch: launchFile(origin()), received: () => received };
}
