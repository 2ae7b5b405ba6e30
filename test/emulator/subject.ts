import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, test } from 'vitest';
import { serveEmulator, type Served } from '../../src/emulator/index.ts';
import { formOf, keyUrl, send, type Answer, type Sent } from './wire.ts';

/**
 * What the rules are checked on: the emulator over HTTP or, with LECTERN_LIVE_LAUNCH naming a file
 * with the claims of a launch into a course made for tests, a live service. There, what needs
 * another launch or the control side is skipped.
 */
export interface Subject {
  readonly launch: (wish?: Wish) => Promise<Launch>;
  readonly provisionRequest: (wish?: Wish) => Promise<Launch>;
  /** Calls the control side; the answer's body. */
  readonly control: (path: string, body?: object) => Promise<any>; // oxlint-disable-line typescript/no-explicit-any
}

export interface Wish {
  readonly role?: 'student' | 'assistant' | 'instructor' | 'manager';
  readonly member?: string;
  readonly course?: string;
  readonly location?: string;
  readonly tool?: string;
  readonly account?: boolean;
}

type Row = 'context' | 'location' | 'member' | 'member_location';
type ParentRow = 'parent_context' | 'parent_location';

/** A launch, and calls made with its token. */
export interface Launch {
  readonly claims: any; // oxlint-disable-line typescript/no-explicit-any
  readonly token: string;
  readonly row: (row: Row | ParentRow) => string;
  readonly files: (row: Row) => string;
  readonly file: (row: Row, key: string) => string;
  readonly submit: string;
  readonly call: (method: string, url: string, sent?: Sent) => Promise<Answer>;
  readonly get: (url: string) => Promise<Answer>;
  readonly put: (url: string, json: unknown) => Promise<Answer>;
  readonly patch: (url: string, operations: unknown) => Promise<Answer>;
  readonly grade: (body: unknown, url?: string) => Promise<Answer>;
  /** Declares a file and posts the form, whatever comes back; the last answer. */
  readonly upload: (
    row: Row,
    key: string,
    bytes: string | Uint8Array,
    more?: object,
  ) => Promise<Answer>;
}

/** The live service has nothing to check this with. */
class NotAvailable extends Error {}

/** The emulator's clock stands still at this instant unless a test moves it. */
export const START = Date.UTC(2026, 9, 13, 8);

let served: Served | undefined;
const live = process.env.LECTERN_LIVE_LAUNCH;

/** States a rule of the contract as a test. */
export function rule(name: string, check: (subject: Subject) => Promise<void>): void {
  test(name, async (context) => {
    try {
      await check(live === undefined ? await emulated() : liveSubject(live));
    } catch (error) {
      if (error instanceof NotAvailable) context.skip(error.message);
      throw error;
    }
  });
}

/** Like `rule`, once for each case; `%s` in the name is the case's first element. */
export function rules<Case extends readonly [string, ...unknown[]]>(
  name: string,
  cases: readonly Case[],
  check: (subject: Subject, ...parts: [...Case]) => Promise<void>,
): void {
  for (const each of cases) {
    rule(name.replace('%s', each[0]), (subject) => check(subject, ...each));
  }
}

beforeEach(async () => {
  if (served !== undefined) await controlOf(served)('reset', {});
});

afterAll(async () => {
  await served?.close();
  served = undefined;
});

/** The emulator that the tests of this file share; each starts with the default world. */
async function emulated(): Promise<Subject> {
  served ??= await serveEmulator({
    controlToken: 'control',
    pid: process.pid,
    now: () => START,
    report: (error) => {
      throw error;
    },
  });
  return subjectOf(served);
}

/** The subject that a served emulator is. */
export function subjectOf(emulator: Served): Subject {
  const control = controlOf(emulator);
  const taken = async (path: string, wish: Wish): Promise<Launch> =>
    launchOf((await control(path, wish)).claims);
  return {
    control,
    launch: (wish = {}) => taken('launch', wish),
    provisionRequest: (wish = {}) => taken('provision-request', wish),
  };
}

function controlOf(emulator: Served): Subject['control'] {
  return async (path, body) => {
    const url = `${emulator.url}/_emulator/${path}`;
    const token = emulator.controlToken;
    const sent = body === undefined ? { token } : { token, json: body };
    const answer = await send(body === undefined ? 'GET' : 'POST', url, sent);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json();
  };
}

function liveSubject(file: string): Subject {
  const claims = JSON.parse(readFileSync(file, 'utf8')) as { user?: { groups?: string[] } };
  const groups = claims.user?.groups ?? [];
  const isStaff = ['manager', 'instructor', 'assistant'].some((group) => groups.includes(group));
  const none = async (): Promise<never> => {
    throw new NotAvailable('a live service has no control side');
  };
  const launch = async ({ role = 'student', ...more }: Wish = {}): Promise<Launch> => {
    if (Object.keys(more).length > 0 || isStaff === (role === 'student')) return none();
    return launchOf(claims);
  };
  return { launch, provisionRequest: none, control: none };
}

// oxlint-disable-next-line typescript/no-explicit-any
export function launchOf(claims: any): Launch {
  const token: string = claims.api.token;
  const call: Launch['call'] = (method, url, sent) => send(method, url, { token, ...sent });
  const file: Launch['file'] = (row, key) => keyUrl(claims.files[row], key);
  return {
    claims,
    token,
    row: (row) => claims.storage[row],
    files: (row) => claims.files[row],
    file,
    submit: claims.grade?.submit,
    call,
    get: (url) => call('GET', url),
    put: (url, json) => call('PUT', url, { json }),
    patch: (url, operations) => call('PATCH', url, { json: { patch: operations } }),
    grade: (body, url = claims.grade.submit) => call('POST', url, { json: body }),
    upload: async (row, key, bytes, more = {}) => {
      const json = { size: Buffer.byteLength(bytes), ...more };
      const declared = await call('PUT', file(row, key), { json });
      if (declared.status !== 200) return declared;
      const { url, fields } = declared.json();
      return send('POST', url, formOf(fields, bytes));
    },
  };
}
