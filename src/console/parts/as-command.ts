import type { Answers } from '../../emulator/control/index.ts';
import { flagWord, quoted } from '../text.ts';

// Not of `api.ts`, which needs a browser.
type ShownRequest = Answers['GET request'];
type Half = NonNullable<ShownRequest['captured']>['request'];

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
  const { method, path, about, captured } = request;
  const [level = '', kind = level] = about?.split(' ') ?? [];
  // Before the query.
  const [, files = '', key = '', query = ''] = /^([^?]*)\/([^/?]*)(.*)$/s.exec(path) ?? [];
  const call = {
    level,
    url: quoted(base + path),
    body: bodyCommand(captured?.request),
    sent: captured?.request,
    set: quoted(base + files + query),
    key: safeDecode(key),
  };
  return COMMANDS[`${method} ${kind}`]?.(call) ?? '';
}

interface Called {
  readonly url: string;
  /** Prints the body. */
  readonly body: string;
  readonly sent: Half | undefined;
  /** Of a file: the URL of its set, and its key. */
  readonly set: string;
  readonly key: string;
  /** Of a provision URL: `context` or `location`. */
  readonly level: string;
}

/** By the method and what was called. */
const COMMANDS: Readonly<Record<string, (called: Called) => string>> = {
  'GET row': ({ url }) => `lectern storage get ${url}`,
  'PUT row': ({ url, body }) => `${body} | lectern storage put ${url} --yes`,
  'PATCH row': ({ url, body }) => `${body} | lectern storage patch ${url}`,
  'GET files': ({ url }) => `lectern files ls ${url}`,
  'GET file': ({ set, key }) => `lectern files stat ${set} ${quoted(key)}`,
  'PUT file': ({ set, key }) => `lectern files upload ${set} FILE ${flagWord('--key', key)}`,
  'DELETE file': ({ set, key }) => `lectern files rm ${set} ${quoted(key)} --yes`,
  'POST grade': ({ url, sent }) => gradeCommand(sent, url),
  'PUT provision': ({ level, url }) => `lectern provision ${level} --url ${url}`,
};

/** Prints the body of a request for a pipe. */
function bodyCommand(sent: Half | undefined): string {
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
