const MAX_CHARACTERS = 500;
const ENVELOPE_FIELDS = ['error', 'errors', 'detail', 'title', 'reason', 'description'];

/**
 * The message in an error answer, whatever envelope it comes in ("the service's standard error
 * envelope; its fields: not shown"): an object with `message`, `error`, `error.message`, `detail` or
 * `errors[]`, plain text, or HTML. Without any of the secrets, should the service repeat them, and cut
 * to a sane length after that; escaping is left to where it is shown.
 */
export function answerText(bytes: Uint8Array, secrets: readonly string[] = []): string {
  const text = new TextDecoder().decode(bytes).trim();
  const message = text.startsWith('<') ? markupText(text) : (jsonText(text) ?? text);
  const line = redacted(message, secrets).replace(/\s+/g, ' ').trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line;
}

/** A text without any of the secrets. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
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
  // `error` beside `message` is often just the status phrase, so the more telling field goes first.
  if (typeof fields.message === 'string' && fields.message !== '') return fields.message;
  // "403, no message" is told by an empty one, and a code beside it is none.
  const fallback = Object.hasOwn(fields, 'message') ? [] : ['code'];
  for (const name of [...ENVELOPE_FIELDS, ...fallback]) {
    const found = envelopeText(fields[name], levels - 1);
    if (found !== undefined && found !== '') return found;
  }
  return fieldErrorsText(fields.errors, levels - 1);
}

/** `errors: { score: ["must be …"] }`, as some frameworks answer. */
function fieldErrorsText(errors: unknown, levels: number): string | undefined {
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors)) return undefined;
  const texts = Object.entries(errors).flatMap(([field, value]) => {
    const found = envelopeText(value, levels);
    return found === undefined ? [] : [`${field} ${found}`];
  });
  return texts.length > 0 ? texts.join('; ') : undefined;
}

/** The readable part of an HTML or XML answer: its message or title, else its text without tags. */
function markupText(markup: string): string {
  const message = /<Message>([^<]*)<\/Message>/i.exec(markup)?.[1];
  const code = /<Code>([^<]*)<\/Code>/i.exec(markup)?.[1];
  if (message !== undefined || code !== undefined) {
    return unescapeMarkup([code, message].filter(Boolean).join(': '));
  }
  const heading = /<title[^>]*>([^<]*)<\/title>|<h1[^>]*>([^<]*)<\/h1>/i.exec(markup);
  if (heading) return unescapeMarkup(heading[1] ?? heading[2] ?? '');
  const body = markup.replace(/<(script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ');
  return unescapeMarkup(body);
}

function unescapeMarkup(text: string): string {
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => names[name] ?? '');
}

/** An HTTP date starts with the name of a day, in each of its three forms (RFC 9110, 5.6.7). */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * `Retry-After` as milliseconds from `now` (ms since the epoch): seconds or an HTTP date. One that
 * asks for no wait, such as 0, a date that has passed or what is neither, is none.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const ms = HTTP_DATE.test(text) ? Date.parse(text) - now : secondsIn(text) * 1000;
  return ms > 0 ? Math.ceil(ms) : undefined;
}

function secondsIn(text: string): number {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
}
