import type { Readable } from 'node:stream';
import type { MaybePromise } from './maybe-promise.ts';
import {
  bodyText,
  checkObjectText,
  explainViolation,
  refusal,
  violation,
  type Code,
  type Params,
  type Violation,
} from '../../contract/index.ts';

/** A request as a plain object: what a listener has in hand before any wrapping. */
export interface PlainRequest {
  readonly method: string;
  /** Path and query as they stood in the request line, byte for byte. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
  /** Which of the two origins was called: the service's API, or the one of signed addresses. */
  readonly origin: 'api' | 'blobs';
  /** Aborts when the caller has gone; made for those alone who wait. */
  readonly signal?: () => AbortSignal;
}

/** An answer as a plain object. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read to its end or destroyed: it holds something open until then. */
  readonly body: string | Uint8Array | Readable | null;
  /** A fault of the wire: the connection is dropped after this many bytes of the body, at 0 with no answer at all. */
  readonly cutAfterBytes?: number;
}

/** Lets go of an answer that is not sent. */
export function discard({ body }: Reply): void {
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) body.destroy();
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** An answer with a JSON body. */
export function jsonReply(status: number, value: unknown): Reply {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(value) };
}

/** An answer whose body is JSON already. */
export function rawJsonReply(body: string | Uint8Array): Reply {
  return { status: 200, headers: JSON_HEADERS, body };
}

/** 204, no body. */
export const NO_CONTENT: Reply = { status: 204, headers: {}, body: null };

/** The one way out of a handler that will not do what was asked; answered in the error envelope. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Refuses with a code of the contract: its status and its words. */
export function refuse(code: Code, params: Params = {}): never {
  refuseWith(violation(code, '', params));
}

/** Refuses with the first of the violations that the service answers with, if there is one. */
export function refuseAny(violations: readonly Violation[]): void {
  const found = refusal(violations);
  if (found !== undefined) refuseWith(found);
}

/** Refuses with a violation that a rule of the contract has found. */
export function refuseWith(found: Violation): never {
  const { status, message } = explainViolation(found);
  throw new HttpError(status ?? 422, found.code, message);
}

/**
 * The service's "standard error envelope" ("Errors", other rules 2: its fields are not shown).
 * A refusal that the contract gives no message has none here.
 */
export function errorReply({ status, code, message, headers }: HttpError): Reply {
  const error = message === '' ? { code } : { code, message };
  return { ...jsonReply(status, { error }), headers: { ...JSON_HEADERS, ...headers } };
}

/** Nothing of the service answers at this address. */
export function noSuchAddress(): never {
  throw new HttpError(404, 'not_found', 'no such address');
}

/** Lets only these methods through. */
export function allowMethods(request: PlainRequest, ...methods: string[]): void {
  if (methods.includes(request.method)) return;
  const message = `${request.method} is not allowed here`;
  throw new HttpError(405, 'method_not_allowed', message, { allow: methods.join(', ') });
}

/** More than this a JSON body may not have, white space and all; it bounds memory, not rows. */
export const BODY_MAX_BYTES = 64 * 1024 * 1024;

/** The refusal of a body beyond that bound. */
export function bodyTooLarge(): HttpError {
  return new HttpError(413, 'body_too_large', `a body has at most ${BODY_MAX_BYTES} bytes`);
}

/** The whole body. */
export function bodyOf({ body }: PlainRequest): MaybePromise<Uint8Array> {
  return body instanceof Uint8Array ? body : collected(body);
}

async function collected(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a body to its end and keeps nothing: a caller that is still sending may not see the answer. */
export async function drain({ body }: PlainRequest): Promise<void> {
  if (body instanceof Uint8Array) return;
  for await (const _ of body);
}

/** Reads a body that must be a JSON object; refuses any other. */
export async function objectOf(request: PlainRequest): Promise<Record<string, unknown>> {
  return JSON.parse(objectTextOf(await bodyOf(request))) as Record<string, unknown>;
}

/** The text of a body that must be a JSON object; refuses any other. */
export function objectTextOf(body: Uint8Array): string {
  const read = bodyText(body);
  if ('violation' in read) refuseWith(read.violation);
  const wrong = checkObjectText(read.text);
  if (wrong !== undefined) refuseWith(wrong);
  return read.text;
}

/** The credential of an `Authorization: Bearer …` header. */
export function bearerOf({ headers }: Pick<PlainRequest, 'headers'>): string | undefined {
  const header = headers.authorization;
  if (typeof header !== 'string') return undefined;
  // As nearly everybody writes it.
  if (header.length > 7 && header.startsWith('Bearer ') && header.indexOf(' ', 7) === -1) {
    return header.slice(7);
  }
  return /^bearer +(\S+) *$/i.exec(header)?.[1];
}
