import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { isObject } from '../contract/index.ts';
import { errorReply, HttpError } from '../emulator/http/messages.ts';
import { jsonOf } from './body.ts';

/** A body as it is recorded: a text where it is one, and a stream where it was not kept. */
export function recordedBody(
  body: Buffer | undefined,
  size: number,
): string | Uint8Array | Readable | null {
  if (body === undefined) return size === 0 ? null : Readable.from([]);
  const text = body.toString();
  return text.includes('\ufffd') ? body : text;
}

/** The answer to a declaration, or a file's record, without what gives access to the bytes. */
export function withoutSignature(body: Buffer): Buffer {
  const answer = jsonOf(body);
  if (!isObject(answer) || typeof answer.url !== 'string') return body;
  const { fields } = answer;
  const names = isObject(fields) ? Object.keys(fields).map((name) => [name, '…'] as const) : [];
  const url = answer.url.replace(/\?.*/s, '?…');
  const hidden = { ...answer, url, ...(isObject(fields) && { fields: Object.fromEntries(names) }) };
  return Buffer.from(JSON.stringify(hidden));
}

export const REFUSED = 421;

/** Refuses a request that the proxy does not forward. */
export function refuseTarget(response: ServerResponse, why: string): void {
  send(response, new HttpError(REFUSED, 'observe.other_target', `${why} (lectern observe)`));
}

/** The service does not answer, or its answer broke off. */
export function failAnswer(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const why = `lectern observe got no answer from the service: ${code ?? message}`;
  send(response, new HttpError(502, 'observe.no_answer', why));
}

function send(response: ServerResponse, error: HttpError): void {
  const { status, headers, body } = errorReply(error);
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
}
