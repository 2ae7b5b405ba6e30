import { type Redact, redactJson } from '../../redaction.ts';
import type { StoredWhole } from './stored-exchange.ts';
import { type PlainRequest, type Reply, sizeOf } from '../http/messages.ts';

/** How many bytes are kept of each body. */
export const KEPT_BODY_BYTES = 64 * 1024;

/** The headers and bodies of an exchange, without secrets. */
export type Whole = Omit<StoredWhole, 'number' | 'bytes' | 'dropped'>;

const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);

/** `path` is the target of the request as it is stored. */
export function wholeOf(
  { method, headers, body, target }: PlainRequest,
  reply: Reply,
  path: string,
  redact: Redact,
): Whole {
  const hasNone = method === 'GET' || method === 'HEAD';
  const sent =
    hasNone && !(body instanceof Uint8Array) ? bodyOf(NOTHING, redact) : bodyOf(body, redact);
  const answered = answerOf(reply, redact);
  const fields = fieldsOf(headers);
  const request = redactJson(fields, redact);
  return {
    request,
    response: redactJson(fieldsOf(reply.headers), redact),
    sent: sent.text,
    sent_bytes: sent.bytes,
    answered: answered.text,
    answered_bytes: answered.bytes,
    exact: path === target && request === fields && sent.isExact ? 1 : 0,
  };
}

/** JSON list of names and values. */
function fieldsOf(headers: PlainRequest['headers']): string {
  const fields: [name: string, value: string][] = [];
  for (const name in headers) {
    for (const value of [headers[name] ?? []].flat()) fields.push([name, shown(name, value)]);
  }
  return JSON.stringify(fields);
}

/** A value without a credential, or the query of a redirect, which may be signed. */
function shown(name: string, value: string): string {
  const header = name.toLowerCase();
  if (CREDENTIALS.has(header)) return value.replace(/^(\w+ )?.*$/s, '$1…');
  return header === 'location' ? value.replace(/\?.*$/s, '?…') : value;
}

interface KeptBody {
  readonly text: string | null;
  readonly bytes: number | null;
  /** Whether the text is the whole body, as it was sent. */
  readonly isExact: boolean;
}

const NOTHING = new Uint8Array();
const STREAMED: KeptBody = { text: null, bytes: null, isExact: false };

function answerOf(reply: Reply, redact: Redact): KeptBody {
  const { body } = reply;
  if (typeof body === 'string') return bodyOf(Buffer.from(body), redact);
  if (body instanceof Uint8Array) return bodyOf(body, redact);
  return sizeOf(reply) === 0 ? bodyOf(NOTHING, redact) : STREAMED;
}

function bodyOf(body: PlainRequest['body'], redact: Redact): KeptBody {
  if (!(body instanceof Uint8Array)) return STREAMED;
  const read = textOf(body.subarray(0, KEPT_BODY_BYTES));
  const text = read === null ? null : redact(read);
  const isExact = text !== null && text === read && body.length <= KEPT_BODY_BYTES;
  return { text, bytes: body.length, isExact };
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(bytes: Uint8Array): string | null {
  const text = UTF8.decode(bytes);
  // The last character may be cut in two.
  return text.slice(0, -3).includes('\ufffd') ? null : text;
}
