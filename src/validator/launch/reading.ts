import { claimsFromText, type Violation, violation } from '../../contract/index.ts';
import { decodeUtf8, JsonSyntaxError, parsePointer } from '../../json/index.ts';
import { checkOddities, type Payload, readBody } from '../body.ts';

/** The text of a launch; a byte order mark is skipped, and invalid UTF-8 becomes U+FFFD. */
export function textOfLaunch(payload: Payload): string {
  return typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
}

/**
 * The losses of reading the claims: bytes that are not valid UTF-8, all but the last of equal
 * names, digits.
 */
export function checkReading(payload: Payload): Violation[] {
  const encoding = typeof payload === 'string' ? [] : checkEncoding(payload);
  const read = claimsFromText(textOfLaunch(payload));
  if ('fault' in read) return encoding;
  const several = read.hasSecond ? [violation('launch.several', '')] : [];
  const { text, at } = read.json;
  const body = readBody(text);
  if ('violation' in body) return [...encoding, ...several];
  const violations = checkOddities(body).map(({ code, path, params }) =>
    violation(code, claimPath(path, at), params),
  );
  return [...encoding, ...several, ...violations];
}

function checkEncoding(bytes: Uint8Array): Violation[] {
  try {
    decodeUtf8(bytes);
    return [];
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [violation('launch.encoding', '', { line: error.line, column: error.column })];
  }
}

/**
 * The claim path of a pointer: `/data/api/token` is `api.token` if the claims are at `/data`; a
 * pointer outside the claims is unchanged.
 */
function claimPath(pointer: string, at: string): string {
  if (!pointer.startsWith(`${at}/`)) return pointer;
  return (parsePointer(pointer.slice(at.length)) ?? []).join('.');
}
