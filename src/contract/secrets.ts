/** What looks like a secret by its form; `redactor` finds those that are known. */

/** Secrets within a text: a token as in launches, a key by its usual prefix. */
const PARTS = [
  /eyJ[\w-]{5,}(\.[\w-]*)*/g,
  /\b[a-z]{2,8}_(live|test)_\w{4,}/gi,
  /\b(lt|pt|key)_(?=[a-z-]*\d)[\da-z-]{12,}/gi,
  /(?<=\bbearer\s{1,9})\S{8,}/gi,
  // A password in an address, even with characters that should be encoded; a port is none,
  // but no path of a ledger has an @.
  /(?<=\bpostgres(?:ql)?:\/\/[^\s:@[]{0,200}:)\S{1,1000}(?=@)/gi,
  /(?<=\w:\/\/[^\s/?#:@[]{0,200}:)(?!\d+(?:[/?#]|$))\S{1,1000}(?=@)/g,
];
/** `name=value` in the query of an address, or in a connection string. */
const PARAMETER = /(?<=[\s?&;#])([\w%.-]+)(\s*=\s*)[^\s&;#]+/g;
const SECRET_NAME = /token|secret|passw|passphrase|^pass$|pwd|api_?key/i;
/** Three parts, the last of which is not a file extension. */
const TOKEN = /^[\w-]{8,}\.[\w-]{8,}\.([\w-]{6,})?$/;
/** As people name things: `astronomy-101-autumn2026`. */
const WORDS = /^[a-z]{0,20}\d{0,6}(?:[-_.][a-z]{0,20}\d{0,6})*$/i;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the name of a setting or of a parameter, encoded or not, is that of a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent));
}

/**
 * A text in which each apparent secret is cut to its first characters.
 *
 * @param isId it was given as an ID, which may be long
 */
export function maskSecrets(text: string, isId = false): string {
  const isClaims = text.trimStart().startsWith('{');
  const isToken = TOKEN.test(text) || (!isId && isOpaque(text));
  if (isClaims || (isToken && !WORDS.test(text))) return head(text);
  return PARTS.reduce((rest, part) => rest.replace(part, head), text).replace(
    PARAMETER,
    (whole, name: string, sign: string) => (isSecretName(name) ? `${name}${sign}…` : whole),
  );
}

function head(secret: string): string {
  return `${secret.slice(0, 4)}…`;
}

/** Long, with letters and digits, and neither a path nor an ID. */
function isOpaque(text: string): boolean {
  const isWord = text.length >= 32 && !/[./\\\s]/.test(text) && !UUID.test(text);
  return isWord && /\d/.test(text) && /[a-z]/i.test(text);
}
