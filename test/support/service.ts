import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './lectern.ts';
import { atEnd } from './scope.ts';

/** A request as it arrived, byte for byte. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query as they were on the wire. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type Handler = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

export interface Service {
  readonly origin: string;
  readonly port: number;
  readonly requests: SeenRequest[];
}

/**
 * A real HTTP server on loopback that answers as the test says and logs every request. For answers
 * that the emulator, which behaves like the service, does not give.
 */
export async function startService(
  handler: Handler,
  options: {
    /** Uses TLS, with the untrusted certificate of `LOCALHOST_PEM`. */
    readonly tls?: boolean;
    /** Closes no connection because it is idle. */
    readonly keepsIdle?: boolean;
  } = {},
): Promise<Service> {
  const requests: SeenRequest[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      // The caller went away: there is no response to send.
      return;
    }
    const seen = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: incoming.headers,
      rawHeaders: incoming.rawHeaders,
      body: Buffer.concat(chunks),
    };
    requests.push(seen);
    await handler(seen, response);
  };
  const pem = options.tls ? readFileSync(LOCALHOST_PEM) : undefined;
  const server =
    pem === undefined ? createServer(answer) : createHttpsServer({ key: pem, cert: pem }, answer);
  if (options.keepsIdle) server.keepAliveTimeout = 0;
  const port = await listening(server);
  atEnd(() => server.closeAllConnections());
  const origin = pem === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  return { origin, port, requests };
}

/** A certificate for localhost and its key, in one file. */
export const LOCALHOST_PEM = fileURLToPath(new URL('localhost.pem', import.meta.url));

/** Lets a server listen on a free port of loopback, and returns it; closed with the test. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Answers everything with this text, however it is meant. */
export function text(status: number, body = '', headers: Record<string, string> = {}): Handler {
  return (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** Answers everything with this JSON. */
export function json(status: number, value: unknown): Handler {
  return (_, response) => answerJson(response, status, value);
}

/** The record that a service answers the submission of a grade with. */
export function attemptRecord(more: Record<string, unknown> = {}) {
  return {
    id: 'attempt-1',
    status: 'success',
    score: 0.5,
    max_score: null,
    activity_progress: 'Completed',
    grading_progress: 'FullyGraded',
    submitted: '2026-11-20T10:00:00.000Z',
    lineitem: 'https://lms.example/lineitems/1',
    data: {
      comment: '',
      response: { status: 200, body: {} },
      error: '',
      source_type: 'launch_token',
      source_id: 'u',
    },
    annotations: { member: 'm-1', location: 'l-1', app: 'a', context: 'c-1' },
    ...more,
  };
}

/** Saves a launch for a service in a file and returns its path. */
export const launchFile = (origin: string, more: Record<string, unknown> = {}): string =>
  claimsFile(launchFor(origin, more));

/** Saves claims in a file and returns its path. */
export function claimsFile(claims: unknown): string {
  const path = join(temporaryFolder(), 'launch.json');
  writeFileSync(path, JSON.stringify(claims));
  return path;
}

/** In a launch, for one of staff: without `--member` it submits no grade. */
export const INSTRUCTOR = {
  user: { member: 'm-1', groups: ['instructor'], full_name: 'Amina Example' },
};

/** A launch of a student whose URLs are on one origin, as awkward as real ones may be. */
export function launchFor(origin: string, more: Record<string, unknown> = {}) {
  const row = (kind: string): string =>
    `${origin}/v0/r%2Fows/${kind}/%7Eopaque?sig=a%2Fb&k=${kind}`;
  const files = (kind: string): string => `${origin}/v0/f%69les/${kind}?set=%20${kind}`;
  const kinds = ['context', 'location', 'member', 'member_location'];
  return {
    iss: origin,
    api: { token: 'launch-token-canary-1', expires: 1_790_000_000_000, idle: 43_200 },
    storage: Object.fromEntries(kinds.map((kind) => [kind, row(kind)])),
    files: Object.fromEntries(kinds.map((kind) => [kind, files(kind)])),
    grade: { submit: `${origin}/contexts/c-1/locations/l-1/members/m-1/grades?x=%2e` },
    user: { member: 'm-1', groups: ['student'] },
    location: { id: 'l-1', extid: 'x-1' },
    context: 'c-1',
    ...more,
  };
}
