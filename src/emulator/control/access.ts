import { createHash, timingSafeEqual } from 'node:crypto';
import { CONTROL_PREFIX } from '../../control-request.ts';
import { CONSOLE_PREFIX } from './course-address.ts';
import { bearerOf, HttpError, type PlainRequest } from '../http/messages.ts';

/**
 * Refuses requests of other sites, by the browser's own headers: another port of this machine is
 * another origin but the same site, and can request even an image from here. Pages may be opened
 * from anywhere.
 */
export function checkSite({ method, target, headers }: PlainRequest): void {
  const { 'sec-fetch-site': site, 'sec-fetch-dest': kind } = headers;
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (method === 'GET' && kind === 'document' && target.startsWith(CONSOLE_PREFIX)) return;
  throw new HttpError(403, 'foreign_site', 'requests from other sites are refused');
}

/** The credentials of the control API, of which a caller needs one. */
export interface Credentials {
  readonly token: string | undefined;
  readonly sessions: ConsoleSessions;
}

/** The control token permits everything, a session of the console almost everything. */
export function checkCaller(
  credentials: Credentials,
  request: PlainRequest,
  access: string | undefined,
): void {
  const bearer = bearerOf(request);
  if (isControlToken(credentials, bearer)) return;
  if (!credentials.sessions.has(bearer)) {
    throw new HttpError(401, 'control.token', 'the control side needs its own bearer token');
  }
  if (access === 'token') {
    throw new HttpError(403, 'control.token', 'this is done by the command line only');
  }
}

/** Compares digests, in constant time. */
function isControlToken({ token }: Pick<Credentials, 'token'>, bearer?: string): boolean {
  if (token === undefined || bearer === undefined) return false;
  return timingSafeEqual(digest(token), digest(bearer));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The operations below the address of the console. */
const BELOW_CONSOLE: readonly string[] = ['POST console/session', 'POST console/code'];

/** Whether a request is for a page of the console, not for an operation below its address. */
export function isOfConsolePage({ method, target }: PlainRequest): boolean {
  if (!target.startsWith(CONSOLE_PREFIX)) return false;
  return !BELOW_CONSOLE.includes(`${method} ${target.slice(CONTROL_PREFIX.length)}`);
}

/** Trades a code for a session; the code cannot be used again. */
export function openSession(sessions: ConsoleSessions, code: string): { session: string } {
  const session = sessions.trade(code);
  if (session !== undefined) return { session };
  const message = `this code was used already or is older than ${CODE_MS / 1000} seconds`;
  throw new HttpError(401, 'console.code', message);
}

/**
 * A page can send other types, or none, without a preflight. Programs, which send no `Origin`, may
 * leave the type out.
 */
export function checkContentType(
  { method, headers }: PlainRequest,
  types: readonly string[] = ['application/json'],
): void {
  if (method !== 'POST') return;
  const { 'content-type': given, origin } = headers;
  if (given === undefined && origin === undefined) return;
  if (types.includes(String(given).split(';')[0]?.trim().toLowerCase() ?? '')) return;
  throw new HttpError(415, 'control.content_type', `send this as ${types.join(' or ')}`);
}

/** How long a code is valid. */
export const CODE_MS = 60_000;

/**
 * The sessions of console pages. A page trades a code, which works once and for a minute, for a
 * session, which lasts until the emulator ends. Both are random.
 */
export class ConsoleSessions {
  readonly #secret: () => string;
  readonly #now: () => number;
  /** When each code was made. */
  readonly #codes = new Map<string, number>();
  readonly #sessions = new Set<string>();

  /** `now` is the machine's clock in ms: the emulator's own is moved at will. */
  constructor(secret: () => string, now: () => number) {
    this.#secret = secret;
    this.#now = now;
  }

  newCode(): string {
    const code = this.#secret();
    this.#codes.set(code, this.#now());
    return code;
  }

  /** Trades a code for a session; undefined if it was used already, is too old or unknown. */
  trade(code: string): string | undefined {
    const made = this.#codes.get(code) ?? Number.NEGATIVE_INFINITY;
    this.#codes.delete(code);
    if (this.#now() - made >= CODE_MS) return undefined;
    const session = `cs_${this.#secret()}`;
    this.#sessions.add(session);
    return session;
  }

  has(session: string | undefined): boolean {
    return session !== undefined && this.#sessions.has(session);
  }
}
