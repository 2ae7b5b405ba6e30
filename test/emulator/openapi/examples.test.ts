import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { findExample } from '../../../src/cli/explain/find-example.ts';
import { CODES, type Code, type CodeRow } from '../../../src/contract/index.ts';
import { createEmulator, type Emulator, type PlainRequest } from '../../../src/emulator/index.ts';
import { bodyTooLarge } from '../../../src/emulator/http/messages.ts';
import { START } from '../subject.ts';
import { formOf } from '../wire.ts';

/*
 * The examples of the OpenAPI documents, as a run of the default world has them. `npx vitest run
 * test/emulator/openapi/examples.test.ts -u` writes them again.
 */

const FILE = resolve(import.meta.dirname, '../../../src/emulator/openapi/examples.json');
const CONTROL_TOKEN = 'control-token';

interface Sent {
  readonly token?: string;
  readonly json?: unknown;
  readonly form?: { readonly headers: Record<string, string>; readonly body: Uint8Array };
  readonly headers?: Record<string, string>;
}

interface Example {
  readonly target: string;
  readonly request?: unknown;
  answer?: unknown;
}

/** An emulator whose IDs and times are the same in every run, whatever seed the other tests have. */
function unvarying(): Emulator {
  let count = 0;
  const random = (bytes: number): Uint8Array =>
    createHash('sha512').update(`example ${count++}`).digest().subarray(0, bytes);
  return createEmulator({ random, now: () => START, controlToken: CONTROL_TOKEN });
}

async function exchange(emulator: Emulator, method: string, url: string, sent: Sent) {
  const { urls } = emulator.state;
  const origin = url.startsWith(urls.blobs) ? 'blobs' : 'api';
  const target = url.slice(urls[origin].length);
  const { token = '', json, form, headers } = sent;
  const body = form?.body ?? (json === undefined ? '' : JSON.stringify(json));
  const request: PlainRequest = {
    method,
    target,
    origin,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...form?.headers,
      ...headers,
    },
    body: Buffer.from(body),
  };
  const reply = await emulator.handle(request);
  const isText = typeof reply.body === 'string' || reply.body instanceof Uint8Array;
  const type = reply.headers['content-type'];
  const isJson = isText && type === 'application/json';
  const text = isText ? Buffer.from(reply.body as string).toString() : '';
  const answer: unknown = isJson ? JSON.parse(text) : undefined;
  const example: Example = {
    target,
    ...(json !== undefined && { request: json }),
    ...(answer !== undefined && { answer: shown(answer) }),
  };
  return { status: reply.status, answer: answer as never, example };
}

/** Durations, and what is computed from them, differ from run to run. */
const VARYING: Readonly<Record<string, unknown>> = {
  ms: 1,
  started: new Date(START).toISOString(),
};

/** The beginning of long lists, without what differs from run to run. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 2).map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, VARYING[name] ?? shown(each)]);
  return Object.fromEntries(entries);
}

interface Claims {
  readonly launch_id: string;
  readonly api: { readonly token: string };
  readonly storage: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly provision: Readonly<Record<string, string>>;
  readonly grade: { readonly submit: string };
}

const ROW = { theme: 'dark', answers: [3, 1, 2] };
const PATCH = { patch: [{ op: 'add', path: '/draft/title', value: 'Cells' }] };
const BYTES = 'What I saw under the microscope';
const DECLARED = { size: BYTES.length, filename: 'Notes.txt' };
const GRADE = { score: 0.85, max_score: 20, comment: 'Well observed' };

/** What a tool does, each under the name of its operation. */
async function serviceExamples(): Promise<Record<string, Example>> {
  const emulator = unvarying();
  const found: Record<string, Example> = {};
  const launch = emulator.launch({ role: 'instructor', location: 'essay-1' }) as never as Claims;
  const { token } = launch.api;
  const call = async (name: string, method: string, url: string, sent: Sent = { token }) => {
    const done = await exchange(emulator, method, url, sent);
    expect([name, done.status], JSON.stringify(done.answer)).toEqual([name, done.status]);
    expect(done.status, name).toBeLessThan(300);
    found[name] = done.example;
    return done.answer;
  };
  for (const kind of ['context', 'location', 'member', 'member_location']) {
    const Kind = kind.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    const [row = '', files = ''] = [launch.storage[kind], launch.files[kind]];
    await call(`put${Kind}Row`, 'PUT', row, { token, json: ROW });
    await call(`patch${Kind}Row`, 'PATCH', row, { token, json: PATCH });
    await call(`get${Kind}Row`, 'GET', row);
    const file = `${files}/notes.txt`;
    const declared = { token, json: DECLARED };
    const form: { url: string; fields: Record<string, string> } = await call(
      `declare${Kind}File`,
      'PUT',
      file,
      declared,
    );
    await call('uploadFile', 'POST', form.url, { form: formOf(form.fields, BYTES) });
    await call(`list${Kind}Files`, 'GET', files);
    const record: { url: string } = await call(`get${Kind}File`, 'GET', file);
    await call('downloadFile', 'GET', record.url, {});
    await call(`delete${Kind}File`, 'DELETE', file);
  }
  await call('submitGrade', 'POST', launch.grade.submit, { token, json: GRADE });
  const account = emulator.launch({ role: 'student', account: true }) as never as Claims;
  const student = { token: account.api.token, json: GRADE };
  await call('submitAccountGrade', 'POST', account.grade.submit, student);
  for (const level of ['context', 'location'] as const) {
    const name = `finish${level === 'context' ? 'Context' : 'Location'}Provisioning`;
    await call(name, 'PUT', launch.provision[level] ?? '');
  }
  return found;
}

/** The query of a GET, or the body, of each operation; with what to fill in of what came before. */
const CONTROL: readonly (readonly [name: string, taken?: Readonly<Record<string, unknown>>])[] = [
  ['GET ready'],
  ['GET clock'],
  ['GET world'],
  ['GET state'],
  ['GET members', { search: 'amina' }],
  ['POST launch', { role: 'student', member: 'member-111' }],
  ['POST launch/token', { role: 'student', sign: 'plain' }],
  ['GET launch', { launch_id: '$launch_id' }],
  ['GET tokens', { live: true }],
  ['POST provision-request', { course: 'biology-102' }],
  ['POST lms', { location: 'essay-2', refuse: { status: 422, body: 'closed', times: 1 } }],
  ['POST key', { tool: 'essay' }],
  ['POST tool', { tool: 'sketch', action: 'publish', visibility: 'private' }],
  ['POST adopt', { course: 'biology-101', tool: 'essay', code: 'current' }],
  ['POST member/groups', { member: 'member-112', groups: ['student', 'team-a'] }],
  ['POST member/remove', { member: 'member-115' }],
  ['POST fault', { method: 'GET', path: '/row', status: 503 }],
  ['GET faults'],
  ['POST fault/remove', { id: 1 }],
  ['POST fault/clear', {}],
  ['GET rows', { limit: 2 }],
  ['GET row', { row: 'context/essay/biology-101' }],
  ['GET row/versions', { row: 'member/essay/member-111' }],
  ['POST file/declare', { row: 'member/essay/member-111', key: 'plan.txt', size: 5 }],
  ['GET file-sets', { limit: 2 }],
  ['GET files', { row: 'member/essay/member-111' }],
  ['POST file/link', { row: 'member/essay/member-111', key: 'notes.txt' }],
  ['POST file/delete', { row: 'member/essay/member-111', key: 'notes.txt' }],
  ['GET attempts', { status: 'success' }],
  ['GET gradebook'],
  ['GET requests', { limit: 2 }],
  ['GET request', { number: 1 }],
  ['POST requests/replay', { number: 1 }],
  ['GET report'],
  ['POST locations', { answer: { locations: [{ extid: 'a', title: 'First essay' }] } }],
  ['GET clock/ends', { seconds: '3600,43200' }],
  ['POST clock', { advance_seconds: 3600 }],
  ['GET summary'],
  ['POST token/end', { launch_id: '$launch_id' }],
  ['POST console/code', {}],
  ['POST console/session', { code: '$code' }],
  ['POST reset', {}],
];

async function controlExamples(): Promise<Record<string, Example>> {
  const emulator = unvarying();
  const api = `${emulator.state.urls.api}/_emulator/`;
  const token = CONTROL_TOKEN;
  const filled: Record<string, unknown> = {};
  const fill = (given: unknown): unknown =>
    typeof given === 'string' && given.startsWith('$') ? filled[given] : given;
  const student = emulator.launch({ member: 'member-111' }) as never as Claims;
  filled.$launch_id = student.launch_id;
  const own = { token: student.api.token };
  const declared = await exchange(emulator, 'PUT', `${student.files.member}/notes.txt`, {
    ...own,
    json: DECLARED,
  });
  const { url, fields }: { url: string; fields: Record<string, string> } = declared.answer;
  await exchange(emulator, 'POST', url, { form: formOf(fields, BYTES) });
  await exchange(emulator, 'PUT', student.storage.member ?? '', { ...own, json: ROW });
  await exchange(emulator, 'POST', student.grade.submit, { ...own, json: GRADE });
  const found: Record<string, Example> = {};
  for (const [name, taken = {}] of CONTROL) {
    const [method = '', path = ''] = name.split(' ');
    const given = Object.fromEntries(Object.entries(taken).map(([each, is]) => [each, fill(is)]));
    const query = new URLSearchParams(given as Record<string, string>).toString();
    const isGet = method === 'GET';
    const address = `${api}${path}${isGet && query !== '' ? `?${query}` : ''}`;
    const sent = isGet ? { token } : { token, json: given };
    const { status, answer, example } = await exchange(emulator, method, address, sent);
    expect(status, `${name} ${JSON.stringify(answer)}`).toBe(200);
    if (name === 'POST console/code') filled.$code = (answer as { code: string }).code;
    // The schema of the answer is enough here.
    delete example.answer;
    found[name] = example;
  }
  return found;
}

interface Envelope {
  readonly error: { readonly code: string; readonly message: string };
}

/** Errors that the contract does not list, each with its message. */
async function ownErrors(): Promise<Record<string, string>> {
  const emulator = unvarying();
  const api = `${emulator.state.urls.api}/_emulator/`;
  const token = CONTROL_TOKEN;
  const tooLarge = bodyTooLarge();
  const found: Record<string, string> = {};
  const call = async (method: string, path: string, sent: Sent): Promise<void> => {
    const { status, answer } = await exchange(emulator, method, api + path, sent);
    const { error }: Envelope = answer;
    found[`${status} ${error.code}`] = error.message;
  };
  await call('GET', 'clock', {});
  await call('POST', 'console/session', { json: { code: 'used' } });
  const made = await exchange(emulator, 'POST', `${api}console/code`, { token, json: {} });
  const { code }: { code: string } = made.answer;
  const opened = await exchange(emulator, 'POST', `${api}console/session`, { json: { code } });
  const { session }: { session: string } = opened.answer;
  await call('GET', 'state', { token: session });
  await call('GET', 'clock', { token, headers: { 'sec-fetch-site': 'cross-site' } });
  await call('GET', 'nothing', { token });
  const row = 'member/essay/member-111';
  const stale = `row?row=${encodeURIComponent(row)}&expected=stale`;
  await call('POST', stale, { token, json: {} });
  await call('POST', 'stop', { token, json: {} });
  await call('POST', 'reset', { token, json: {}, headers: { 'content-type': 'text/plain' } });
  await call('POST', 'stop', { token, json: {} });
  await call('POST', 'lms', { token, json: { slow_ms: 'long' } });
  return {
    ...found,
    [`${tooLarge.status} ${tooLarge.code}`]: tooLarge.message,
    '500 internal': 'a bug in the emulator',
    '503 emulator.reset': 'the emulator was reset or stopped',
    '503 store_failed': 'the disk is full; nothing took effect',
  };
}

/** A message of each code that refuses a request, as its example in the reference has it. */
async function messages(): Promise<Record<string, string>> {
  const codes = (Object.keys(CODES) as Code[]).filter(
    (code) => (CODES[code] as CodeRow).status !== undefined,
  );
  const entries = codes.map(async (code) => {
    const found = await findExample(code);
    return [code, found.find((each) => each.code === code)?.message ?? ''] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

test('the examples of the OpenAPI documents equal the requests and responses of an emulator', async () => {
  const examples = {
    service: await serviceExamples(),
    control: await controlExamples(),
    errors: await ownErrors(),
    messages: await messages(),
  };
  const text = await format(JSON.stringify(examples), { parser: 'json', printWidth: 100 });
  await expect(text).toMatchFileSnapshot(FILE);
});
