import {
  HttpError,
  noSuchAddress,
  type PlainRequest,
  type Reply,
  UNCACHED,
} from '../http/messages.ts';
import type { EmulatorState } from '../state/state.ts';
import { CONSOLE_PREFIX } from '../control/course-address.ts';
import { assetType } from './assets/assets.ts';
import { isOtherName, sourceOf } from './origins.ts';
import { readFile } from 'node:fs/promises';
import { getAsset, isSea } from 'node:sea';

const PAGE = 'index.html';
const FILES: readonly string[] = [PAGE, 'app.js', 'app.css'];

const ASSETS = 'assets/';

/**
 * Answers with the console's page, its script or its style. They contain no data of the emulator,
 * so they need no session. Every address below the prefix is the page, which has its own routes.
 */
export async function answerConsole(state: EmulatorState, request: PlainRequest): Promise<Reply> {
  const { method, target, headers } = request;
  const [path = ''] = target.slice(CONSOLE_PREFIX.length).split('?');
  if (method !== 'GET' && method !== 'HEAD') {
    throw new HttpError(405, 'method_not_allowed', 'only GET is allowed here', { allow: 'GET' });
  }
  if (isOtherName(state.urls, headers.host)) {
    return { status: 307, headers: { location: state.urls.api + target }, body: null };
  }
  const name = path.startsWith(ASSETS) ? path.slice(ASSETS.length) : PAGE;
  if (!FILES.includes(name)) noSuchAddress();
  const body = await readPackaged(`console/${name}`);
  if (body === undefined) {
    throw new HttpError(501, 'console.missing', 'the console is not built: npm run build');
  }
  return { status: 200, headers: { 'content-type': assetType(name), ...guards(state) }, body };
}

/**
 * Only the page's own script and style run, nothing may frame it, and it can only call this
 * emulator.
 */
function guards({ urls }: EmulatorState): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The second one is for uploads.
    `connect-src 'self' ${sourceOf(urls.blobs)}`,
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    ...UNCACHED,
  };
}

/** `dist`, from `dist`, from `dist/chunks` and from here. */
const FOLDERS = ['../dist/', '../../dist/', '../../../dist/'];

/** A file that the build leaves in `dist`, and that an executable carries in itself; undefined without it. */
async function readPackaged(name: string): Promise<string | undefined> {
  if (isSea()) return getAsset(name, 'utf8');
  for (const folder of FOLDERS) {
    try {
      return await readFile(new URL(folder + name, import.meta.url), 'utf8');
    } catch {
      // Not there: the next one.
    }
  }
  return undefined;
}
