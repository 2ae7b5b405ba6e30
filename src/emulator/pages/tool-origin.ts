import { decodedOrSame, servedFolder } from '../../contract/index.ts';
import { guessMimetype } from '../../contract/mimetype.ts';
import { type PlainRequest, type Reply, UNCACHED } from '../http/messages.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Ticket, Token } from '../state/records.ts';
import { claimsOf } from '../service/launches/claims.ts';
import { openCode } from '../service/hosted/upload.ts';
import { type AssetName, READING, READING_HEADER, asset, fillPage } from './assets/assets.ts';
import { sourceOf } from './origins.ts';

/**
 * Headers of every response of a tool's origin: only the course page may frame it, nothing is cached,
 * and no referrer is sent, since the URL contains a ticket.
 */
function headersFor(state: EmulatorState): Record<string, string> {
  return {
    'content-security-policy': `frame-ancestors ${sourceOf(state.urls.api)}`,
    'referrer-policy': 'no-referrer',
    ...UNCACHED,
    'cross-origin-resource-policy': 'same-origin',
    [READING_HEADER]: READING,
  };
}

/** The emulator's own pages on a tool's origin run no scripts. */
const OWN_PAGE_CSP = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; ";

/**
 * Answers on the origin of a hosted tool: `/l/<ticket>/…` is the tool's code, everything else is the
 * emulator's.
 */
export async function answerToolOrigin(
  state: EmulatorState,
  tool: string,
  request: PlainRequest,
): Promise<Reply> {
  const reply = await route(state, tool, request);
  return { ...reply, headers: { ...headersFor(state), ...reply.headers } };
}

async function route(state: EmulatorState, tool: string, request: PlainRequest): Promise<Reply> {
  const path = request.target.replace(/[?#].*$/s, '');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const [, place, name = '', rest] = /^\/(l|_service)\/([^/]+)(\/.*)?$/s.exec(path) ?? [];
  if (!isRead) return place === undefined ? NOT_FOUND : NOT_ALLOWED;
  if (place === '_service' && rest === undefined) {
    const [, ticket = ''] = request.target.split('?');
    return name === 'service.js' ? serviceScript(state, tool, ticket) : ownFile(state, name);
  }
  const launched = place === 'l' ? launchOf(state, tool, name) : undefined;
  const reply = launched && (await toolFile(state, launched, rest));
  if (reply !== undefined) return reply;
  return isOpened(request) ? noFilePage(state, path, launched) : NOT_FOUND;
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };
const NOT_FOUND: Reply = {
  status: 404,
  headers: PLAIN,
  body: 'There is nothing at this address.\n',
};
const NOT_ALLOWED: Reply = { status: 405, headers: PLAIN, body: 'This method is not allowed.\n' };

interface LaunchOfTicket {
  readonly ticket: Ticket;
  readonly token: Token;
}

/** A ticket is only valid on the origin of its own tool. */
function launchOf(state: EmulatorState, tool: string, name: string): LaunchOfTicket | undefined {
  const ticket = state.hosted.tickets.get(name);
  if (ticket === undefined || ticket.tool !== tool) return undefined;
  const token = state.tokens.ofLaunch(ticket.launch_id);
  return token && { ticket, token };
}

async function ownFile(state: EmulatorState, name: string): Promise<Reply> {
  if (name === 'page.css') return asset('page.css');
  return name === 'ended' ? ownPage(state, 200, 'ended.html') : NOT_FOUND;
}

async function ownPage(
  state: EmulatorState,
  status: number,
  name: AssetName,
  values: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const page = await asset(name);
  const body = fillPage(String(page.body), values);
  const csp = `${OWN_PAGE_CSP}frame-ancestors ${state.urls.api}`;
  return { ...page, body, status, headers: { ...page.headers, 'content-security-policy': csp } };
}

/** The script of a tool's pages, preceded by its launch, which is null if it is gone. */
async function serviceScript(state: EmulatorState, tool: string, ticket: string): Promise<Reply> {
  const launched = launchOf(state, tool, ticket);
  const launch = launched && {
    claims: claimsOf(state, launched.token),
    service: state.urls.api,
  };
  const script = await asset('service.js');
  const body = `window.lecternLaunch = ${JSON.stringify(launch ?? null)};\n${String(script.body)}`;
  return { ...script, body };
}

/** Whether the request opens a page, rather than loading a file for one. */
function isOpened({ headers }: PlainRequest): boolean {
  const { 'sec-fetch-dest': kind } = headers;
  if (kind !== undefined) return kind === 'iframe' || kind === 'document';
  return String(headers.accept).includes('text/html');
}

/** Explains that a page cannot be reloaded because its address is not of a file. */
function noFilePage(
  state: EmulatorState,
  path: string,
  launched: LaunchOfTicket | undefined,
): Promise<Reply> {
  const start = launched && `/l/${launched.ticket.ticket}/`;
  const shown = start !== undefined && path.startsWith(start) ? path.slice(start.length) : path;
  return ownPage(state, 404, start === undefined ? 'no-address.html' : 'no-file.html', {
    path: decodedOrSame(shown),
    start: start ?? '',
  });
}

/** A file of the code, by its exact name; for a folder, its `index.html`. */
async function toolFile(
  state: EmulatorState,
  { ticket: { ticket, tool, version }, token: { course } }: LaunchOfTicket,
  rest: string | undefined,
): Promise<Reply | undefined> {
  if (rest === undefined) {
    return { status: 308, headers: { location: `/l/${ticket}/` }, body: null };
  }
  const archive = await openCode(state, tool, version);
  if (archive === undefined) return noCodePage(state, { tool, version, course });
  const requested = decodedOrSame(rest.slice(1));
  const folder = servedFolder(archive.files.map((file) => file.path));
  const isFolder = requested === '' || requested.endsWith('/');
  const path = folder + (isFolder ? `${requested}index.html` : requested);
  const bytes = await archive.read(path);
  if (bytes === undefined)
    return requested === '' ? ownPage(state, 404, 'no-index.html') : undefined;
  const type = guessMimetype(path);
  const isPage = type === 'text/html' || type === 'application/xhtml+xml';
  const body = isPage ? withScript(bytes, `/_service/service.js?${ticket}`) : bytes;
  return { status: 200, headers: { 'content-type': type }, body };
}

/** Names the newest version with code, if there is one, since the course runs another. */
async function noCodePage(
  state: EmulatorState,
  { tool, version, course }: { tool: string; version: number; course: string },
): Promise<Reply> {
  const codes = state.hosted.codes.all('tool = ?', [tool]);
  if (codes.length === 0) return ownPage(state, 404, 'no-code.html');
  const newest = codes.reduce((most, code) => Math.max(most, code.version), 0);
  const values = { tool, course, version: String(version), newest: String(newest) };
  return ownPage(state, 404, 'version-without-code.html', values);
}

/** The inside of a tag, where ">" may occur in quotes. */
const INSIDE = `(?:"[^"]*"|'[^']*'|[^'">])*`;
const SPACE = '(?:\\s|<!--[^]*?-->|<\\?[^>]*>)*';

/**
 * What may precede the content of a page's head: a byte order mark, comments, the doctype, and the
 * optional tags `html` and `head`.
 */
const BEFORE_HEAD = new RegExp(
  `^(?:\u00ef\u00bb\u00bf)?${SPACE}(?:<!doctype${INSIDE}>${SPACE})?` +
    `(?:<html(?=[\\s/>])${INSIDE}>${SPACE})?(?:<head(?=[\\s/>])${INSIDE}>)?`,
  'i',
);

/** Inserts a script into a page so that it runs before everything else; other bytes are unchanged. */
export function withScript(page: Buffer, src: string): Buffer {
  const at = BEFORE_HEAD.exec(page.toString('latin1'))?.[0].length ?? 0;
  const script = Buffer.from(`<script src="${src}"></script>`);
  return Buffer.concat([page.subarray(0, at), script, page.subarray(at)]);
}
