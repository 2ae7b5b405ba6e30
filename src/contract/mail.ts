import { ENTITY, entityCharacter } from './entities.ts';
import { ROW_SIZE } from './limits.ts';

/*
 * The readable parts of a saved mail (RFC 5322, MIME): as far as needed to find a launch in it.
 */

/** Larger parts are attachments, not texts. */
const MOST_CHARACTERS = ROW_SIZE.context.bytes;
const MOST_LEVELS = 5;
const MAIL_START = /^(?:From |[\w-]+:)/;
const MAIL_FIELD = /^(?:mime-version|content-type|content-transfer-encoding|received|from):/im;

/** The decoded texts of a saved mail, HTML as text; none if it is no mail. */
export function mailTexts(text: string): string[] {
  if (!MAIL_START.test(text) || !MAIL_FIELD.test(headOf(text))) return [];
  return textsOf(text, MOST_LEVELS);
}

function headOf(part: string): string {
  const end = part.search(/\r?\n\r?\n/);
  return end < 0 ? '' : part.slice(0, end).replace(/\r?\n[ \t]+/g, ' ');
}

function textsOf(part: string, levels: number): string[] {
  const head = headOf(part);
  const body = part.slice(part.search(/\r?\n\r?\n/)).replace(/^\r?\n\r?\n/, '');
  const type = fieldOf(head, 'content-type') || 'text/plain';
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (/^multipart\//i.test(type) && boundary !== undefined) {
    const parts = body.split(`--${boundary}`).slice(1, -1);
    return levels === 0 ? [] : parts.flatMap((each) => textsOf(each.trimStart(), levels - 1));
  }
  if (/^message\/rfc822/i.test(type)) return levels === 0 ? [] : textsOf(body, levels - 1);
  if (!/^text\/|json/i.test(type) || body.length > MOST_CHARACTERS) return [];
  const encoding = fieldOf(head, 'content-transfer-encoding');
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1];
  const decoded = decodedBody(body, encoding, charset);
  return [/^text\/html/i.test(type) ? htmlText(decoded) : decoded];
}

function fieldOf(head: string, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
}

/** Of UTF-8 if the charset is unknown. */
function textOf(bytes: Uint8Array, charset?: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function decodedBody(body: string, encoding: string, charset?: string): string {
  if (/^quoted-printable$/i.test(encoding)) return unquotedText(body, charset);
  if (!/^base64$/i.test(encoding)) return body;
  try {
    const binary = atob(body.replace(/\s+/g, ''));
    return textOf(
      Uint8Array.from(binary, (character) => character.charCodeAt(0)),
      charset,
    );
  } catch {
    return body;
  }
}

/** An address behind Outlook's Safe Links. */
const SAFE_LINK =
  /https:\/\/[\w.-]+\.safelinks\.protection\.outlook\.com\/[^\s"'<>\\?]{0,50}\?url=([^\s"'<>\\&]+)[^\s"'<>\\]*/gi;
const MARKDOWN_LINK = /\[(https?:\/\/[^\s"[\]]+)\]\(\1\)/g;
/** Of Slack, and in mails as text: `address <address>`. */
const LINK = /( ?)<(https?:\/\/[^\s"<>|]+)(?:\|[^"<>]*)?>/g;
const ADDRESS = /https?:\/\/[^\s"'<>]+/g;

/** A text without what mails, chats and HTML make of the addresses in it. */
export function withPlainAddresses(text: string): string {
  return text
    .replace(SAFE_LINK, (_, address: string) => percentDecoded(address))
    .replace(MARKDOWN_LINK, '$1')
    .replace(LINK, (_, space: string, address: string, at: number, whole: string) => {
      const before = whole.slice(0, at);
      const isTwice = before.endsWith(address) || before.endsWith(address.replace(/\/$/, ''));
      return isTwice ? '' : space + address;
    })
    .replace(ADDRESS, (address) => address.replaceAll('&amp;', '&'));
}

/** The text of a body in quoted-printable (RFC 2045, section 6.7). */
export function unquotedText(body: string, charset?: string): string {
  return bytesDecoded(body.replace(/=[ \t]*\r?\n/g, ''), /(?:=[\da-f]{2})+/gi, charset);
}

/** A text without the escapes of a URL; one that is none stays. */
export function percentDecoded(text: string): string {
  return bytesDecoded(text, /(?:%[\da-f]{2})+/gi);
}

function bytesDecoded(text: string, runs: RegExp, charset?: string): string {
  return text.replace(runs, (run) => {
    const bytes = run.slice(1).split(/[=%]/);
    return textOf(
      Uint8Array.from(bytes, (digits) => Number.parseInt(digits, 16)),
      charset,
    );
  });
}

/** HTML, or text with the escapes of HTML, as text. */
export function htmlText(html: string): string {
  return withoutEntities(
    html.replace(/<(?:br|\/p|\/div|\/tr|\/li)\b[^<>]*>/gi, '\n').replace(/<\/?[a-z][^<>]*>/gi, ''),
  );
}

/** A text without the escapes of HTML. */
export function withoutEntities(text: string): string {
  return text.replaceAll(ENTITY, entityCharacter);
}
