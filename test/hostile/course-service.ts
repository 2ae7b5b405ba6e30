import type { ServerResponse } from 'node:http';
import { waitingFor } from '../support/scope.ts';
import {
  attemptRecord,
  claimsFile,
  launchFor,
  type SeenRequest,
  startService,
} from '../support/service.ts';

/**
 * The stage of an exchange when it is held: the request has come and did nothing yet; it took effect
 * and no byte of the answer went out; half of the answer did.
 */
export type Stage = 'asked' | 'done' | 'half';

/** A moment in the life of a command: the `nth` request (from 0) that matches, at a stage. */
export interface Moment {
  readonly method: string;
  readonly target: RegExp;
  readonly stage: Stage;
  readonly nth?: number;
}

/** An exchange that is held. */
export interface Held {
  /** Lets it continue. */
  readonly release: () => void;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

interface StoredFile {
  readonly bytes: Buffer;
  readonly modified: number;
}

/** The addresses of a launch of this service, by what they are for. */
export const AT = {
  row: /\/rows\//,
  files: /\/files\//,
  upload: /^\/up\//,
  bytes: /^\/down\//,
  grade: /\/grades/,
};

const FIRST_DATE = 1_700_000_000_000;

/**
 * Rows, files and grades behind real HTTP, which stop at a moment that a test names. Every row is
 * `{"a":1,"b":2}` at first, and every file set holds `old.bin`.
 */
export async function startCourse() {
  const rows = new Map<string, string>();
  const files = new Map<string, StoredFile>([
    ['old.bin', { bytes: Buffer.alloc(200_000, 7), modified: FIRST_DATE }],
  ]);
  /** The members that a grade was recorded for, in their order. */
  const grades: string[] = [];
  let awaited: (Moment & { left: number; reached: (held: Held) => void }) | undefined;

  const service = await startService(async (request, response) => {
    const moment = take(request);
    const stop = async (stage: Stage): Promise<void> => {
      if (moment?.stage === stage)
        await new Promise<void>((release) => void moment.reached({ release }));
    };
    await stop('asked');
    const answer = effect(request);
    await stop('done');
    await send(response, answer, stop);
  });

  const take = ({ method, target }: SeenRequest): typeof awaited => {
    if (awaited?.method !== method || !awaited.target.test(target)) return undefined;
    const found = awaited;
    found.left -= 1;
    if (found.left >= 0) return undefined;
    awaited = undefined;
    return found;
  };

  const effect = (request: SeenRequest): Answer => {
    const { method, target } = request;
    if (AT.row.test(target)) return rowAnswer(rows, request);
    if (AT.grade.test(target)) return gradeAnswer(grades, request);
    const [, address, key] = /^\/(files|up|down)\/[^/]+(?:\/(.*))?$/.exec(target) ?? [];
    if (address === 'down' && key)
      return { status: 200, body: files.get(key)?.bytes ?? Buffer.of() };
    if (address === 'up' && key) return keepUpload(files, key, request.body);
    return fileAnswer(files, service.origin, method, key);
  };

  const claims = claimsOf(service.origin);
  const launch = claimsFile(claims);
  return {
    origin: service.origin,
    requests: service.requests,
    files,
    grades,
    /** The path of a launch. */
    launch,
    row: (name: string): string => rows.get(name) ?? FIRST_ROW,
    setRow: (name: string, text: string): void => void rows.set(name, text),
    /** Resolves when the moment has come, and holds it. */
    moment: (moment: Moment): Promise<Held> =>
      waitingFor(
        `${moment.method} ${moment.target} to be ${moment.stage}`,
        new Promise((reached) => {
          awaited = { ...moment, left: moment.nth ?? 0, reached };
        }),
      ),
    /** How many requests there were with a method, to such addresses. */
    count: (method: string, target: RegExp): number =>
      service.requests.filter((each) => each.method === method && target.test(each.target)).length,
  };
}

export type Course = Awaited<ReturnType<typeof startCourse>>;

const FIRST_ROW = '{"a":1,"b":2}';

function claimsOf(origin: string) {
  const kinds = ['context', 'location', 'member', 'member_location'];
  const all = (path: string) =>
    Object.fromEntries(kinds.map((kind) => [kind, `${origin}/${path}/${kind}`]));
  return launchFor(origin, {
    storage: all('rows'),
    files: all('files'),
    grade: { submit: `${origin}/contexts/c-1/locations/l-1/members/m-1/grades` },
  });
}

async function send(
  response: ServerResponse,
  { status, body }: Answer,
  stop: (stage: Stage) => Promise<void>,
): Promise<void> {
  if (response.destroyed) return;
  if (status === 204) {
    response.writeHead(status).end();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  const middle = Math.ceil(body.length / 2);
  response.write(body.subarray(0, middle));
  await stop('half');
  response.end(body.subarray(middle));
}

function json(status: number, value: unknown): Answer {
  return { status, body: Buffer.from(JSON.stringify(value)) };
}

const NO_CONTENT: Answer = { status: 204, body: Buffer.of() };

/** Patches add and replace top-level names only. */
function rowAnswer(rows: Map<string, string>, { method, target, body }: SeenRequest): Answer {
  const name = target.replace('/rows/', '');
  const text = rows.get(name) ?? FIRST_ROW;
  if (method === 'GET') return { status: 200, body: Buffer.from(text) };
  if (method === 'PUT') rows.set(name, body.toString());
  else {
    const row = JSON.parse(text) as Record<string, unknown>;
    const { patch } = JSON.parse(body.toString()) as { patch: { path: string; value: unknown }[] };
    for (const { path, value } of patch) row[path.slice(1)] = value;
    rows.set(name, JSON.stringify(row));
  }
  return NO_CONTENT;
}

function fileAnswer(
  files: Map<string, StoredFile>,
  origin: string,
  method: string,
  key: string | undefined,
): Answer {
  const item = (each: string) => ({
    key: each,
    size: files.get(each)?.bytes.length,
    modified: files.get(each)?.modified,
  });
  if (key === undefined) return json(200, [...files.keys()].map(item));
  if (method === 'PUT') return json(200, { url: `${origin}/up/x/${key}`, fields: { policy: 'p' } });
  if (!files.has(key)) return json(404, { message: 'no file has the key' });
  const url = `${origin}/down/x/${key}`;
  return json(200, { ...item(key), content_type: 'x/y', url, expires: Date.now() + 300_000 });
}

/** The file is last in the form, after a part that names it. */
function keepUpload(files: Map<string, StoredFile>, key: string, form: Buffer): Answer {
  const start = form.indexOf('\r\n\r\n', form.indexOf('name="file"')) + 4;
  const bytes = form.subarray(start, form.lastIndexOf('\r\n--'));
  files.set(key, { bytes, modified: Date.now() });
  return NO_CONTENT;
}

function gradeAnswer(grades: string[], { target, body }: SeenRequest): Answer {
  const member = /members\/([^/]+)/.exec(target)?.[1] ?? '';
  const { score } = JSON.parse(body.toString()) as { score: number };
  const id = `attempt-${grades.push(member)}`;
  const annotations = { member, location: 'l-1', app: 'tool-1', context: 'c-1' };
  return json(200, attemptRecord({ id, score, annotations }));
}
