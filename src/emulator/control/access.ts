import { CONTROL_PREFIX, CONSOLE_PREFIX } from './address.ts';
import { CODE_MS } from './sessions.ts';
import { bearerOf, HttpError, jsonReply, type PlainRequest, type Reply } from '../http/messages.ts';
import { objectOf } from '../service/refuse.ts';
import { text } from '../http/fields.ts';
import type { Control } from './control.ts';

/**
 * A browser tells where a request comes from: other ports of this machine are other origins but the
 * same site, and even an image can be asked for from there. A page may be opened from anywhere.
 */
export function checkSite({ method, target, headers }: PlainRequest): void {
  const { 'sec-fetch-site': site, 'sec-fetch-dest': kind } = headers;
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (method === 'GET' && kind === 'document' && target.startsWith(CONSOLE_PREFIX)) return;
  throw new HttpError(403, 'foreign_site', 'requests from other sites are refused');
}

/** The control token may do everything, a page of the console nearly so. */
export function checkCaller(
  { token, sessions }: Control,
  request: PlainRequest,
  name: string,
): void {
  const bearer = bearerOf(request);
  if (token !== undefined && bearer === token) return;
  if (!sessions.has(bearer)) {
    throw new HttpError(401, 'control.token', 'the control side needs its own bearer token');
  }
  if (TOKEN_ONLY.has(name)) {
    throw new HttpError(403, 'control.token', 'this is done by the command line only');
  }
}

export const SESSION = 'POST console/session';
export const NEW_CODE = 'POST console/code';

/** Whether a request is for a page of the console, and not for one of the two operations below its address. */
export function isOfConsolePage({ method, target }: PlainRequest): boolean {
  if (!target.startsWith(CONSOLE_PREFIX)) return false;
  return ![SESSION, NEW_CODE].includes(`${method} ${target.slice(CONTROL_PREFIX.length)}`);
}

/** What holds every secret at once, or lets others in. */
const TOKEN_ONLY: ReadonlySet<string> = new Set([
  'GET export',
  'POST import',
  'POST fixture',
  'GET state',
  NEW_CODE,
]);

/** Trades a code for a session; the code is worth nothing afterwards. */
export async function openSession({ sessions }: Control, request: PlainRequest): Promise<Reply> {
  checkContentType(request, 'application/json');
  const session = sessions.trade(text(await objectOf(request), 'code'));
  if (session !== undefined) return jsonReply(200, { session });
  const message = `this code was used already or is older than ${CODE_MS / 1000} seconds`;
  throw new HttpError(401, 'console.code', message);
}

/**
 * A page can send other types than these without asking first, and a body without a type. Programs,
 * which name no `Origin`, may leave the type out.
 */
export function checkContentType(
  { method, headers }: PlainRequest,
  expected: 'application/json' | 'application/zip',
): void {
  if (method !== 'POST') return;
  const { 'content-type': given, origin } = headers;
  if (given === undefined && origin === undefined) return;
  if (String(given).split(';')[0]?.trim().toLowerCase() === expected) return;
  throw new HttpError(415, 'control.content_type', `send this as ${expected}`);
}
