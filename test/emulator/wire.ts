import { Agent, request as httpRequest } from 'node:http';
import type { Answered } from './documents.ts';

/** An answer as it came off the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; throws where it is no JSON. */
  readonly json: <Document = Answered>() => Document;
}

export interface Sent {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly json?: unknown;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Lets go of all connections: what answers on a port from now on is somebody else. */
export function hangUp(): void {
  agent.destroy();
}

/**
 * Sends a request with the URL byte for byte as it is, which neither fetch nor the URL class would
 * do, and follows nothing.
 */
export function send(method: string, url: string, sent: Sent = {}): Promise<Answer> {
  const [, host = '', port = '', path = ''] = /^http:\/\/([^/:]+):(\d+)(.*)$/.exec(url) ?? [];
  const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json);
  const headers = {
    ...(sent.token !== undefined && { authorization: `Bearer ${sent.token}` }),
    ...(sent.json !== undefined && { 'content-type': 'application/json' }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    ...sent.headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent, method, host, port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: response.headers, bytes, text, json: () => JSON.parse(text) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** A multipart form of fields in their order, then the parts that are given as they are. */
export function formOf(
  fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
  file: Uint8Array | string | undefined,
  after: readonly (readonly [string, string])[] = [],
): { headers: Record<string, string>; body: Buffer } {
  const boundary = 'xYzBoundary7';
  const field = ([name, value]: readonly [string, string]): Buffer =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
  const before = Array.isArray(fields) ? fields : Object.entries(fields);
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const body = Buffer.concat([
    ...before.map(field),
    ...(file === undefined ? [] : [Buffer.from(head), Buffer.from(file), Buffer.from('\r\n')]),
    ...after.map(field),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body };
}

/** `<files URL>/<key>`: the key goes before the query. */
export function keyUrl(filesUrl: string, key: string): string {
  const [path, query] = filesUrl.split('?');
  return `${path}/${key}${query === undefined ? '' : `?${query}`}`;
}
