import type { Half, ShownRequest } from '../shapes.ts';
import { quoted } from '../text.ts';

/** Headers that a client makes itself, or that say nothing of the request. */
const OWN =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|user-agent|authorization|origin|referer|expect|keep-alive|accept|accept-language|sec-.*|cookie)$/;

/** A request as a curl command; the token is taken from `$TOKEN`. */
export function asCurl(request: ShownRequest, base: string): string {
  const { method, path, credential, captured } = request;
  const parts = ['curl -sS'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (credential !== null) parts.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of captured?.request.headers ?? []) {
    if (!OWN.test(name)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  if (captured === null && hasBody(method)) parts.push("-H 'content-type: application/json'");
  const body = bodyOf(request);
  if (body !== undefined) parts.push(`--data-binary ${quoted(body)}`);
  parts.push(quoted(base + path));
  return parts.join(' ');
}

function hasBody(method: string): boolean {
  return ['PUT', 'PATCH', 'POST'].includes(method);
}

/** The body as sent; the name of a file to be put in its place where it was not kept whole. */
function bodyOf({ method, captured }: ShownRequest): string | undefined {
  if (!hasBody(method)) return undefined;
  const body = captured?.request.body;
  if (body === null || body === undefined || body.cut || body.text === null) return '@body.json';
  return body.bytes === 0 ? undefined : body.text;
}

/** A request as a lectern command, by its full URL; '' where there is none for it. */
export function asLectern(request: ShownRequest, base: string): string {
  const { method, path, captured } = request;
  const url = quoted(base + path);
  const file = fileOf(captured?.request);
  if (path.startsWith('/provision/')) return 'lectern provision context';
  if (/^\/(contexts|account)\//.test(path)) return gradeCommand(captured?.request, url);
  if (!path.startsWith('/data/')) return '';
  const set = /^(.*\/files)(?:\/([^?]*))?$/.exec(path);
  if (set === null) return rowCommand(method, url, file);
  const [, files = '', key = ''] = set;
  const row = quoted(base + files);
  const name = quoted(safeDecode(key));
  if (key === '') return `lectern files ls ${row}`;
  if (method === 'PUT') return `lectern files upload ${row} FILE --key ${name}`;
  return `lectern files ${method === 'DELETE' ? 'rm' : 'stat'} ${row} ${name}${method === 'DELETE' ? ' --yes' : ''}`;
}

function rowCommand(method: string, url: string, file: string): string {
  if (method === 'PUT') return `${file} | lectern storage put ${url} --yes`;
  if (method === 'PATCH') return `${file} | lectern storage patch ${url}`;
  return `lectern storage get ${url}`;
}

/** What puts out the body of a request. */
function fileOf(sent: Half | undefined): string {
  const body = sent?.body;
  const isWhole = body !== null && body !== undefined && !body.cut && body.text !== null;
  return isWhole ? `printf %s ${quoted(body.text ?? '')}` : 'cat body.json';
}

interface Grade {
  readonly score?: unknown;
  readonly max_score?: unknown;
  readonly comment?: unknown;
  readonly activity_progress?: unknown;
  readonly grading_progress?: unknown;
}

function gradeCommand(sent: Half | undefined, url: string): string {
  const grade = gradeIn(sent?.body?.text ?? '');
  const flags = [
    ['--score', grade.score ?? 'SCORE'],
    ['--max-score', grade.max_score],
    ['--comment', grade.comment],
    ['--activity-progress', grade.activity_progress],
    ['--grading-progress', grade.grading_progress],
  ].flatMap(([flag, value]) =>
    value === undefined || value === null
      ? []
      : [`${String(flag)} ${quoted(String(value as string))}`],
  );
  return `lectern grade submit --url ${url} ${flags.join(' ')}`;
}

function gradeIn(text: string): Grade {
  try {
    return JSON.parse(text) as Grade;
  } catch {
    return {};
  }
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
