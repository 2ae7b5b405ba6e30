import type { Half, ShownRequest } from '../api.ts';
import { flagWord, quoted } from '../text.ts';

/** Headers that a client sets itself, or that do not matter. */
const OWN =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|user-agent|authorization|origin|referer|expect|keep-alive|accept|accept-language|sec-.*|cookie)$/;

/** A request as a curl command; the token is taken from `$TOKEN`. */
export function asCurl(request: ShownRequest, base: string): string {
  const { method, path, credential, captured } = request;
  const parts = ['curl -sS'];
  // Disables curl's patterns and the resolution of dots, so that the address is sent unchanged.
  if (/[[\]{}]/.test(path)) parts.push('-g');
  if (/\/\.{1,2}(?:\/|$)/.test(path)) parts.push('--path-as-is');
  if (method === 'HEAD') parts.push('-I');
  else if (method !== 'GET') parts.push(`-X ${quoted(method)}`);
  if (credential !== null) parts.push('-H "Authorization: Bearer $TOKEN"');
  const headers = (captured?.request.headers ?? []).filter(([name]) => !OWN.test(name));
  for (const [name, value] of headers) {
    parts.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  }
  const body = bodyOf(request);
  if (body !== undefined) {
    // Otherwise curl would declare it a form.
    const isTyped = headers.some(([name]) => name === 'content-type');
    if (!isTyped) parts.push(captured === null ? `-H '${JSON_TYPE}'` : "-H 'content-type:'");
    parts.push(body);
  }
  parts.push(quoted(base + path));
  return parts.join(' ');
}

const JSON_TYPE = 'content-type: application/json';

/** The body as sent; a file name as a placeholder if it was not kept completely. */
function bodyOf({ method, captured }: ShownRequest): string | undefined {
  const body = captured?.request.body;
  if (body?.bytes === 0 || (captured === null && !['PUT', 'PATCH', 'POST'].includes(method)))
    return undefined;
  const text = body?.cut === false ? body.text : null;
  // A command-line argument cannot contain a NUL.
  if (text === null || text.includes('\0')) return '--data-binary @body.json';
  return `--data-raw ${quoted(text)}`;
}

/** A request as a lectern command, with its full URL; '' if there is none for it. */
export function asLectern(request: ShownRequest, base: string): string {
  const { method, path, captured } = request;
  const url = quoted(base + path);
  const file = fileOf(captured?.request);
  // A provision address is given by its level, with the launch that contains it.
  const provision = /^\/provision\/v1\/(context|location)s/.exec(path);
  if (provision !== null) return `lectern provision ${provision[1]} -l request`;
  if (/^\/(contexts|account)\//.test(path)) return gradeCommand(captured?.request, url);
  if (!path.startsWith('/data/')) return '';
  const set = /^(.*\/files)(?:\/([^?]*))?$/.exec(path);
  if (set === null) return rowCommand(method, url, file);
  const [, files = '', key = ''] = set;
  const row = quoted(base + files);
  const name = quoted(safeDecode(key));
  if (key === '') return `lectern files ls ${row}`;
  if (method === 'PUT')
    return `lectern files upload ${row} FILE ${flagWord('--key', safeDecode(key))}`;
  return `lectern files ${method === 'DELETE' ? 'rm' : 'stat'} ${row} ${name}${method === 'DELETE' ? ' --yes' : ''}`;
}

function rowCommand(method: string, url: string, file: string): string {
  if (method === 'PUT') return `${file} | lectern storage put ${url} --yes`;
  if (method === 'PATCH') return `${file} | lectern storage patch ${url}`;
  return `lectern storage get ${url}`;
}

/** Prints the body of a request for a pipe. */
function fileOf(sent: Half | undefined): string {
  const body = sent?.body;
  const isWhole = body !== null && body !== undefined && !body.cut && body.text !== null;
  return isWhole ? `printf %s ${quoted(body.text ?? '')}` : 'cat body.json';
}

const GRADE_FIELDS = ['score', 'max_score', 'comment', 'activity_progress', 'grading_progress'];

function gradeCommand(sent: Half | undefined, url: string): string {
  const grade = { score: 'SCORE', ...gradeIn(sent?.body?.text ?? '') };
  const flags = GRADE_FIELDS.flatMap((name) => {
    const value = grade[name as keyof typeof grade] ?? '';
    return value === '' ? [] : [flagWord(`--${name.replace('_', '-')}`, String(value))];
  });
  return `lectern grade submit --url ${url} ${flags.join(' ')}`;
}

function gradeIn(text: string): object {
  try {
    return JSON.parse(text) as object;
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
