import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Dispatcher } from 'undici';
import { decompressed, PassedBody } from './body.ts';

/** Headers of one connection: each side has its own (RFC 9110, 7.6.1). */
const OF_CONNECTION = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Where a request is forwarded to, and how. */
export interface Forwarding {
  readonly agent: Dispatcher;
  readonly origin: string;
  /** Path and query, byte for byte. */
  readonly target: string;
  /** Gets the body of the request, and whether bodies are looked at. */
  readonly sent: PassedBody;
  readonly isKept: boolean;
  /** Another body for a success, such as one with the signed address of the proxy. */
  readonly rewrite?: ((body: Buffer) => Buffer) | undefined;
  /** Called with the body of the request, before the answer is sent back. */
  readonly whenSent?: (body: Buffer | undefined) => Promise<void>;
  /** Called before the last byte of the answer is sent. */
  readonly passed: (passed: Passed) => void;
}

/** A request and its answer as they passed. */
export interface Passed {
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly answered: PassedBody;
  /** The body as it is recorded; undefined if it was not kept. */
  readonly body: Buffer | undefined;
  /** Whether the answer came to its end. */
  readonly isWhole: boolean;
}

/**
 * Sends a request on as it came, and its answer back. Nothing is retried or followed; only an answer
 * with a signed address is decoded and changed.
 *
 * @throws the service does not answer; nothing was sent back yet
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { agent, origin, target, sent, isKept, rewrite, passed, whenSent }: Forwarding,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { statusCode, headers, body } = await agent.request({
    origin,
    path: target,
    method: request.method as Dispatcher.HttpMethod,
    headers: passedHeaders(request.rawHeaders, ['host']),
    body: hasBody(request)
      ? streamOf(
          watched(passing(request, sent), request.headers['content-length'], async () =>
            whenSent?.(sent.bytes),
          ),
        )
      : null,
    responseHeaders: 'raw',
    signal: gone.signal,
  });
  // The object store says why it refuses.
  const answered = new PassedBody(isKept || statusCode >= 400);
  const raw = (headers as unknown as Buffer[]).map(String);
  const named = byName(raw);
  const done = (kept: Buffer | undefined, isWhole = true): void =>
    passed({ status: statusCode, headers: named, answered, body: kept, isWhole });
  const decoded = (bytes: Buffer | undefined): Buffer | undefined =>
    decompressed(bytes, named['content-encoding']);
  response.sendDate = false;
  if (rewrite !== undefined && statusCode < 300) {
    for await (const chunk of body) answered.add(chunk as Buffer);
    const whole = decoded(answered.bytes);
    const changed = whole && rewrite(whole);
    const bytes = changed ?? answered.bytes;
    if (bytes === undefined) throw new Error('the answer has too many bytes to find its address');
    const more = changed === undefined ? [] : ['content-encoding'];
    done(changed ?? whole);
    response.writeHead(statusCode, [
      ...passedHeaders(raw, ['content-length', ...more]),
      'content-length',
      String(bytes.length),
    ]);
    response.end(bytes);
    return;
  }
  // A 204 has no content and no length, whatever the service says (RFC 9110, 8.6 and 15.3.5).
  const isBare = statusCode === 204;
  response.writeHead(statusCode, passedHeaders(raw, isBare ? ['content-length'] : []));
  if (isBare) {
    await body.dump().catch(() => {});
    done(undefined);
    response.end();
    return;
  }
  const length = named['content-length'];
  // Its first bytes may take long to come.
  if (length === undefined) response.flushHeaders();
  const end = async (isWhole: boolean): Promise<void> => done(decoded(answered.bytes), isWhole);
  const chunks = watched(passing(body, answered), length, end);
  await pipeline(streamOf(chunks), response);
}

function streamOf(chunks: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(chunks, { objectMode: false });
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || Number(length ?? 0) > 0;
}

/** Headers in their order and spelling, without those of the connection. */
function passedHeaders(raw: readonly string[], without: readonly string[]): string[] {
  const named = raw.flatMap((name, at) =>
    at % 2 === 0 && name.toLowerCase() === 'connection' ? (raw[at + 1] ?? '').split(',') : [],
  );
  const left = new Set([...without, ...named.map((each) => each.trim().toLowerCase())]);
  return raw.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const lower = name.toLowerCase();
    return OF_CONNECTION.has(lower) || left.has(lower) ? [] : [name, raw[at + 1] ?? ''];
  });
}

function byName(raw: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {};
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    named[name] = named[name] === undefined ? value : `${named[name]}, ${value}`;
  }
  return named;
}

async function* passing(
  chunks: AsyncIterable<Uint8Array>,
  body: PassedBody,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    body.add(chunk);
    yield chunk;
  }
}

/**
 * Calls `ended` before the chunk that completes a body of this length, else at the end of the stream;
 * once, also if the stream breaks off.
 */
async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  length: string | undefined,
  ended: (isWhole: boolean) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let left = Number(length ?? Infinity);
  let isEnded = false;
  let isWhole = false;
  try {
    for await (const chunk of chunks) {
      left -= chunk.length;
      if (left <= 0 && !isEnded) {
        isEnded = true;
        await ended(true);
      }
      yield chunk;
    }
    isWhole = true;
  } finally {
    if (!isEnded) await ended(isWhole);
  }
}
