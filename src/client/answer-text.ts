import { pageText } from './page-text.ts';
import type { Redact } from '../redaction.ts';

const MAX_CHARACTERS = 500;
const ENVELOPE_FIELDS = ['error', 'errors', 'detail', 'title', 'reason', 'description'];

/**
 * The message in an error response, in any envelope ("the service's standard error envelope; its
 * fields: not shown"): an object with `message`, `error`, `error.message`, `detail` or `errors[]`,
 * plain text, or HTML. Secrets are redacted, and the text is truncated; the caller has to escape it.
 */
export function answerText(bytes: Uint8Array, redact: Redact = (text) => text): string {
  const text = new TextDecoder().decode(bytes).trim();
  const message = text.startsWith('<') ? pageText(text) : (jsonText(text) ?? text);
  const line = redact(message).replace(/\s+/g, ' ').trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
}

function jsonText(text: string): string | undefined {
  try {
    return envelopeText(JSON.parse(text), 4) ?? '';
  } catch {
    return undefined;
  }
}

function envelopeText(value: unknown, levels: number): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || levels === 0) return undefined;
  if (Array.isArray(value)) {
    const texts = value.flatMap((item) => envelopeText(item, levels - 1) ?? []);
    return texts.length > 0 ? texts.join('; ') : undefined;
  }
  const fields = value as Record<string, unknown>;
  // `error` beside `message` is often just the status phrase, so `message` goes first.
  if (typeof fields.message === 'string' && fields.message !== '') return fields.message;
  // "403, no message" is an empty `message`; a code beside it is not a message.
  const fallback = Object.hasOwn(fields, 'message') ? [] : ['code'];
  for (const name of [...ENVELOPE_FIELDS, ...fallback]) {
    const text = envelopeText(fields[name], levels - 1);
    if (text !== undefined && text !== '') return text;
  }
  return fieldErrorsText(fields.errors, levels - 1);
}

/** `errors: { score: ["must be …"] }`, as in some frameworks. */
function fieldErrorsText(errors: unknown, levels: number): string | undefined {
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors)) return undefined;
  const texts = Object.entries(errors).flatMap(([field, value]) => {
    const text = envelopeText(value, levels);
    return text === undefined ? [] : [`${field} ${text}`];
  });
  return texts.length > 0 ? texts.join('; ') : undefined;
}

/** An HTTP date starts with the name of a day, in each of its three forms (RFC 9110, 5.6.7). */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** An HTTP date in milliseconds since the epoch; undefined if it is invalid. */
export function httpDateMs(header: string | undefined): number | undefined {
  const ms = HTTP_DATE.test(header ?? '') ? Date.parse(header ?? '') : NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * `Retry-After` as milliseconds from `now` (ms since the epoch): seconds or an HTTP date. Undefined
 * for 0, a date in the past, or an invalid value.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const ms = (httpDateMs(text) ?? secondsIn(text) * 1000 + now) - now;
  return ms > 0 ? Math.ceil(ms) : undefined;
}

function secondsIn(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
}
