import type { Answers } from '../../emulator/index.ts';
import { countText } from '../output/units.ts';
import type { Called, Context } from '../runtime.ts';
import { isStandardOutput, writeOutput } from '../shared/write-output.ts';
import { note } from '../output/notes.ts';
import { control, controlBytes, linesOf } from './control.ts';
import type { REQUESTS_FLAGS } from './flags.ts';
import { STATUS_CODES } from 'node:http';

/** Writes the requests to a file as HAR 1.2, one after another, because bodies may take megabytes. */
export async function writeHar(
  context: Called<typeof REQUESTS_FLAGS>,
  file: string,
): Promise<void> {
  const { filter, limit, after } = context.options;
  const asked = { filter, limit, after };
  const lines = linesOf(controlBytes(context, 'GET requests/captured', asked));
  const { counts, text } = harLog(lines, await control(context, 'GET summary'));
  await writeOutput(context, file, text);
  await noteHar(context, file, counts);
}

export async function noteHar(
  context: Context,
  file: string,
  { entries }: { readonly entries: number },
): Promise<void> {
  const where = isStandardOutput(file) ? '' : ` in ${file}`;
  await note(context, `${countText(entries, 'request')}${where}`);
}

/** A HAR 1.2 log of captured requests, a line each; its count is complete when the text was read. */
export function harLog(lines: AsyncIterable<string>, bases: Bases) {
  const counts = { entries: 0 };
  const creator = JSON.stringify({ name: 'lectern', version: __VERSION__ });
  const text = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`{"log":{"version":"1.2","creator":${creator},"entries":[`);
    for await (const line of lines) {
      const request = JSON.parse(line) as Captured;
      yield Buffer.from(
        `${counts.entries === 0 ? '' : ','}\n${JSON.stringify(harEntry(request, bases))}`,
      );
      counts.entries++;
    }
    yield Buffer.from(']}}\n');
  };
  return { counts, text: text() };
}

type Captured = Answers['GET request'];
type Half = NonNullable<Captured['captured']>['request'];

/** The base URLs of the two origins of an emulator. */
interface Bases {
  readonly base_url: string;
  readonly blob_url: string;
}

/**
 * A request as an entry of HAR 1.2. Fields that HAR does not have start with an underscore, as it
 * requires.
 */
function harEntry(request: Captured, bases: Bases) {
  const { started, ms, number, launch_id, credential, fault, error, time } = request;
  return {
    startedDateTime: started,
    time: ms,
    request: requestOf(request, bases),
    response: responseOf(request),
    cache: {},
    // The emulator measures only the total.
    timings: { send: 0, wait: ms, receive: 0 },
    _number: number,
    _emulatorTime: time,
    _credential: credential,
    _launchId: launch_id,
    _fault: fault,
    _error: error,
  };
}

function requestOf({ method, path, origin, captured }: Captured, bases: Bases) {
  const url = urlOf(path, origin === 'blobs' ? bases.blob_url : bases.base_url);
  const query = [...new URL(url).searchParams];
  const half = captured?.request;
  const type = headerOf(half, 'content-type');
  const text = half?.body?.text ?? '';
  return {
    method,
    url,
    ...MESSAGE,
    headers: headersOf(half),
    queryString: query.map(([name, value]) => ({ name, value })),
    ...(text !== '' && { postData: { mimeType: type, text, ...commentOf(half) } }),
    bodySize: half?.body?.bytes ?? -1,
  };
}

function responseOf({ status, bytes, captured }: Captured) {
  const half = captured?.response;
  const text = half?.body?.text ?? '';
  return {
    // HAR uses 0 for no response.
    status: status ?? 0,
    statusText: (status !== null && STATUS_CODES[status]) || '',
    ...MESSAGE,
    headers: headersOf(half),
    content: {
      size: half?.body?.bytes ?? bytes,
      mimeType: headerOf(half, 'content-type') || 'x-unknown',
      ...(text !== '' && { text }),
      ...commentOf(half),
    },
    redirectURL: headerOf(half, 'location').replaceAll('…', 'REDACTED'),
    bodySize: bytes,
  };
}

/** Fields of a message that the emulator does not know or show. */
const MESSAGE = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };

/**
 * In a URL the mark of a redacted secret would have to be encoded, and a truncated path may end
 * within an escape.
 */
function urlOf(path: string, base: string): string {
  const marked = path.replaceAll('…', 'REDACTED').replace(/%(?![\da-f]{2})/gi, '%25');
  const absolute = marked.startsWith('/') ? base + marked : marked;
  if (URL.canParse(absolute)) return encoded(absolute);
  return `${base}/${encodeURIComponent(marked)}`;
}

/** Encodes only characters that a URI cannot contain. */
function encoded(url: string): string {
  const whole = url.replace(/\p{Surrogate}/gu, '\ufffd');
  return whole.replace(/[^\w%.~:/?#[\]@!$&'()*+,;=-]/gu, (each) => encodeURIComponent(each));
}

function headersOf(half: Half | undefined) {
  return (half?.headers ?? []).map(([name, value]) => ({ name, value }));
}

function headerOf(half: Half | undefined, wanted: string): string {
  return half?.headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
}

/** Why a body is missing or incomplete. */
function commentOf(half: Half | undefined): { readonly comment?: string } {
  const body = half?.body;
  if (half === undefined || body === undefined) return {};
  if (body === null) return { comment: 'the bytes of a file are not kept' };
  if (body.dropped) return { comment: 'the text was dropped for later requests' };
  if (body.text === null) return { comment: 'the body is not text' };
  return body.cut ? { comment: `the beginning of ${body.bytes} bytes` } : {};
}
