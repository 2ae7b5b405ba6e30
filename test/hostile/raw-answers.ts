import { type Piece, type RawServer, startRawServer } from '../support/raw-server.ts';
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
