/**
 * Opaque URLs. "Every storage, files and grade URL arrives inside a launch and is opaque; a caller
 * never builds one." They are taken apart as text, since the platform's URL class rewrites what it
 * parses (`%2e%2e`, tabs, quotes, an empty path); it is asked for the origin only.
 */
export interface OpaqueUrl {
  /** Normalised as browsers compare origins: `https://host` or `http://host:port`. */
  readonly origin: string;
  /** Unchanged, from the first slash after the authority up to the query; may be empty. */
  readonly path: string;
  /** Unchanged, with its `?`; empty if there is none. */
  readonly query: string;
}

// The path starts with a slash: after the authority some parsers take a backslash for a slash,
// others for userinfo.
const SHAPE = /^(https?:\/\/[^/?#\\]+)(\/[^?#]*)?(\?[^#]*)?(#.*)?$/i;

type SplitUrl = OpaqueUrl | { readonly fault: string };

/**
 * Splits a URL byte for byte, or returns why it cannot be called. A fragment is never sent. A call
 * needs the parts in several places.
 */
export const splitUrl = cachingLast(takeApart);

/** The URLs of a bulk run differ, but have one base, which takes longer to parse than the rest. */
const originOfBase = cachingLast((base) => (URL.canParse(base) ? new URL(base).origin : undefined));

function cachingLast<Result>(of: (text: string) => Result): (text: string) => Result {
  let last: { readonly text: string; readonly result: Result } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: of(text) };
    return last.result;
  };
}

/** Replaces a secret of an address that is shown. */
export const HIDDEN = '(hidden)';
/** The fault of an address that was copied from where its secrets are hidden. */
export const HIDDEN_FAULT = `it has ${HIDDEN} in place of a secret`;

/** Hosts of mail filters, which put an address of their own in place of each one in a mail. */
const MAIL_FILTER =
  /[/.](?:safelinks\.protection\.outlook\.com|urldefense\.(?:com|us|proofpoint\.com)|mimecast(?:protect)?\.com|linkprotect\.cudasvc\.com|secure-web\.cisco\.com|protection\.sophos\.com)$/;

function takeApart(url: string): SplitUrl {
  const match = SHAPE.exec(url);
  if (!match) return { fault: 'it is not an http or https URL' };
  if (decodedOrSame(url).includes(HIDDEN)) return { fault: HIDDEN_FAULT };
  // Some program on the way would rewrite characters that are invalid in a request line.
  if (/[^\x21-\x7e]/.test(url))
    return { fault: 'it contains a space, a control character or a non-ASCII character' };
  const [, base = '', path = '', query = ''] = match;
  if (base.includes('@')) return { fault: 'it contains a user name or password' };
  const origin = originOfBase(base);
  if (origin === undefined) return { fault: 'its host or port is malformed' };
  if (MAIL_FILTER.test(origin)) return { fault: 'a mail filter put its own address there' };
  return { origin, path, query };
}

/** The origin of a URL; undefined if it cannot be called. */
export function originOf(url: string): string | undefined {
  const split = splitUrl(url);
  return 'fault' in split ? undefined : split.origin;
}

/** Whether an origin is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. */
export const isLoopback = cachingLast((origin) => {
  const host = new URL(origin).hostname;
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
});

/** The URL of one file of a set: `<files URL>/<key>`, the key before the query. */
export function fileUrl(filesUrl: string, key: string): string {
  const head = withoutQuery(filesUrl);
  return `${head}/${encodeURIComponent(key)}${filesUrl.slice(head.length)}`;
}

/** A URL without its query, which may contain a signature. */
export function withoutQuery(url: string): string {
  return url.replace(/[?#].*/s, '');
}

/** A URL for messages: without its query, user name and password. */
export function shownUrl(url: string): string {
  const shown = withoutQuery(url).replace(/^(\w+:\/\/)[^/]*@/, '$1…@');
  return shown === '' ? '(an empty URL)' : shown;
}

/** A text without its percent-encoding; unchanged if that is not valid. */
export function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
