import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { answerText } from '../../src/client/answer-text.ts';
import type { Answered } from './documents.ts';

/** An answer as it came off the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** Whether the status is 2xx. */
  readonly isSuccess: boolean;
  /** The message of an error, in any envelope. */
  readonly message: string;
  /** The parsed body; throws where it is no JSON. */
  readonly json: <Document = Answered>() => Document;
}

/** Matches any 2xx, where the contract names none. */
export const SUCCESS = {
  asymmetricMatch: (status: number): boolean => status >= 200 && status < 300,
  toString: () => '2xx',
};

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
        resolve({
          status,
          headers: response.headers,
          bytes,
          text,
          isSuccess: SUCCESS.asymmetricMatch(status),
          message: answerText(bytes),
          json: () => JSON.parse(text),
        });
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

/** A plain connection: what is written on it is written as it is, whatever HTTP says of it. */
export interface Connection {
  readonly write: (bytes: string | Uint8Array) => void;
  /** Writes piece by piece, no faster than they are taken, until all are or the connection has ended. */
  readonly stream: (pieces: Iterable<string | Uint8Array>) => Promise<void>;
  /** Resolves with all that came so far, once it satisfies the test or the connection has ended. */
  readonly until: (isEnough: (text: string) => boolean) => Promise<string>;
  /** Resolves with all that came, when the other side has closed. */
  readonly ended: Promise<string>;
  /** Reads no more, and stays. */
  readonly stall: () => void;
  readonly destroy: () => void;
  /** Bytes that neither the other side nor the system between has taken yet. */
  readonly unsent: () => number;
}

/** Connects to the origin of a URL. Errors of the connection count as its end. */
export function connectTo(url: string): Connection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  const changed = new Set<() => void>();
  const notify = (): void => changed.forEach((check) => check());
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    notify();
  });
  socket.on('error', () => {});
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => {
      resolve(received);
      notify();
    });
  });
  return {
    write: (bytes) => void socket.write(bytes),
    stream: async (pieces) => {
      for (const piece of pieces) {
        if (!socket.writable) return;
        if (!socket.write(piece)) await Promise.race([drained(socket), ended]);
      }
    },
    until: (isEnough) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!isEnough(received) && !socket.closed) return;
          changed.delete(check);
          resolve(received);
        };
        changed.add(check);
        check();
      }),
    ended,
    stall: () => void socket.pause(),
    destroy: () => void socket.destroy(),
    unsent: () => socket.writableLength,
  };
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
  });
}

/** The bytes of a request as they go over the wire; `Content-Length` as the body has it. */
export function requestBytes(
  method: string,
  url: string,
  { token, headers = {}, body = '' }: Sent = {},
): string {
  const { host } = new URL(url);
  const lines = [
    `${method} ${url.slice(url.indexOf(host) + host.length)} HTTP/1.1`,
    ...Object.entries({
      host,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body.length > 0 && { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${String(body)}`;
}

/** The status of each answer in a text of answers. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
