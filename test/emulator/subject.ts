import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Code, type RowKind, type RowName, violation } from '../../src/contract/index.ts';
import type { LaunchRequest, Served, ServeOptions } from '../../src/emulator/index.ts';
import { type Choices, chosenBy, FREEDOMS, type Vary } from '../../src/emulator/freedom/vary.ts';
import { refuses } from '../../src/emulator/service/refuse.ts';
import { observed } from '../cli/observe/support.ts';
import { serveSeeded } from '../support/emulator.ts';
import { atEnd } from '../support/scope.ts';
import type { Claims, ControlCall } from './documents.ts';
import { formOf, hangUp, keyUrl, send, type Answer, type Sent } from './wire.ts';

export const SEEDS = Array.from({ length: 30 }, (_, seed) => seed);

/** A seed that chooses a value of one freedom, and varies no other. */
export function seedOf(name: keyof Choices, value: string): Vary {
  const seed = SEEDS.find((each) => chosenBy({ seed: each }).choices[name] === value) ?? -1;
  return { seed, only: [name] };
}

/**
 * What the rules are checked on: the emulator over HTTP or, with LECTERN_LIVE_LAUNCH naming a file
 * with the claims of a launch into a course made for tests, a live service. There, what needs
 * another launch or the control side is skipped.
 */
export interface Subject {
  readonly launch: (request?: LaunchRequest) => Promise<Launch>;
  readonly provisionRequest: (request?: LaunchRequest) => Promise<Launch>;
  /** Whether it fills in what the contract leaves open as lectern does without --vary. */
  readonly isRead: (name: keyof Choices) => boolean;
  /** Whether it refuses what has this code, which is a warning or an error of the validator. */
  readonly refuses: (code: Code) => boolean;
  /** Calls the control side; the answer's body. */
  readonly control: ControlCall;
}

/** A launch, and calls made with its token. */
export interface Launch {
  readonly claims: Claims;
  readonly token: string;
  readonly row: (row: RowName) => string;
  readonly files: (row: RowKind) => string;
  readonly file: (row: RowKind, key: string) => string;
  readonly submit: string;
  readonly call: (method: string, url: string, sent?: Sent) => Promise<Answer>;
  readonly get: (url: string) => Promise<Answer>;
  readonly put: (url: string, json: unknown) => Promise<Answer>;
  readonly patch: (url: string, operations: unknown) => Promise<Answer>;
  readonly grade: (body: unknown, url?: string) => Promise<Answer>;
  /** Declares a file and posts the form, whatever comes back; the last answer. */
  readonly upload: (
    row: RowKind,
    key: string,
    bytes: string | Uint8Array,
    more?: object,
  ) => Promise<Answer>;
}

/** The live service has nothing to check this with. */
class NotAvailable extends Error {}

/** The emulator's clock is stopped at this instant until a test moves it. */
export const START = Date.UTC(2026, 9, 13, 8);

const live = process.env.LECTERN_LIVE_LAUNCH;

/** The emulator that the rules of a file share; each starts with the default world. */
function emulatorTestWith(vary: Vary | undefined) {
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern.
  return test.extend('served', { scope: 'file' }, async ({}, { onCleanup }) => {
    const served = await serveSeeded({
      controlToken: 'control',
      pid: process.pid,
      now: () => START,
      report: (error) => {
        throw error;
      },
      ...(vary && { vary }),
    });
    onCleanup(() => served.close());
    return served;
  });
}

/** Leads every launch through an observer, which must find no difference from the contract. */
export const isObserved = process.env.LECTERN_TEST_OBSERVED !== undefined;

/** The emulator as it is, and as these seeds vary what the contract leaves open. */
const seeds = Number(process.env.LECTERN_VARY_SEEDS ?? 1);
const VARIED = [undefined, ...Array.from({ length: seeds }, (_, at) => ({ seed: at + 1 }))].map(
  (vary) => ({ vary, choices: chosenBy(vary).choices, emulatorTest: emulatorTestWith(vary) }),
);

/**
 * States a rule of the contract as a test. One that reads what the contract leaves open as lectern does
 * names the freedoms: it is checked where the first value of each is in force.
 */
export function rule(
  name: string,
  check: (subject: Subject) => Promise<void>,
  readings: readonly (keyof Choices)[] = [],
): void {
  if (live === undefined) {
    for (const { vary, choices, emulatorTest } of VARIED) {
      if (!readings.every(readAsUsual(choices))) continue;
      emulatorTest(vary ? `${name} (--vary ${vary.seed})` : name, async ({ served }) => {
        const subject = subjectOf(served);
        await subject.control('reset', {});
        await (isObserved ? checkObserved(subject, check) : check(subject));
      });
    }
    return;
  }
  test(name, async ({ skip }) => {
    await check(liveSubject(live)).catch((error) => {
      if (error instanceof NotAvailable) skip(error.message);
      throw error;
    });
  });
}

/** Checks a rule through an observer of each launch. */
async function checkObserved(
  subject: Subject,
  check: (subject: Subject) => Promise<void>,
): Promise<void> {
  const observers: Awaited<ReturnType<typeof observed>>[] = [];
  const led = async (launch: Promise<Launch>): Promise<Launch> => {
    const observer = await observed((await launch).claims as never);
    observers.push(observer);
    return launchOf(observer.claims as unknown as Claims);
  };
  await check({
    ...subject,
    launch: (request) => led(subject.launch(request)),
    provisionRequest: (request) => led(subject.provisionRequest(request)),
  });
  expect(observers.flatMap((each) => each.differences())).toEqual([]);
}

/** Like `rule`, once for each case; `%s` in the name is the case's first element. */
export function rules<Case extends readonly [string, ...unknown[]]>(
  name: string,
  cases: readonly Case[],
  check: (subject: Subject, ...parts: [...Case]) => Promise<void>,
  readings?: readonly (keyof Choices)[],
): void {
  for (const each of cases) {
    rule(name.replace('%s', each[0]), (subject) => check(subject, ...each), readings);
  }
}

/** Which first values are in force. */
function readAsUsual(choices: Choices): Subject['isRead'] {
  return (name) => choices[name] === FREEDOMS[name].values[0][0];
}

/** The subject that a served emulator is. */
export function subjectOf(emulator: Served): Subject {
  const control = controlOf(emulator.url, emulator.controlToken);
  return {
    control,
    isRead: readAsUsual(emulator.emulator.state.choices),
    refuses: (code) => refuses(emulator.emulator.state, violation(code, '')),
    launch: async (request = {}) => launchOf((await control('launch', request)).claims),
    provisionRequest: async (request = {}) =>
      launchOf((await control('provision-request', request)).claims),
  };
}

/** An emulator, and calls of it. */
export interface Emulated extends Subject {
  readonly served: Served;
  /** Requests to the control side, by their path below it; whatever comes back. */
  readonly operate: (method: string, path: string, sent?: Sent) => Promise<Answer>;
  /** Ends it: another one may use its data and its ports. */
  readonly close: () => Promise<void>;
}

async function start(options: ServeOptions): Promise<Emulated> {
  const served = await serveSeeded({ controlToken: 'control', pid: process.pid, ...options });
  const operate: Emulated['operate'] = (method, path, sent) =>
    send(method, `${served.url}/_emulator/${path}`, { token: 'control', ...sent });
  const close = async (): Promise<void> => {
    await served.close();
    hangUp();
  };
  return { served, operate, close, ...subjectOf(served) };
}

/** An emulator of the test's own. */
export async function emulated(options: ServeOptions = {}): Promise<Emulated> {
  const emulator = await start(options);
  atEnd(emulator.served.close);
  return emulator;
}

/** An emulator of the tests of a file: each has the default world, and the launch of a student. */
export function emulatedOnce(options: ServeOptions = {}): Emulated & { readonly student: Launch } {
  const emulator = {} as Emulated & { student: Launch };
  beforeAll(async () => {
    Object.assign(emulator, await start({ now: () => START, ...options }));
  });
  beforeEach(async () => {
    await emulator.control('reset', {});
    emulator.student = await emulator.launch();
  });
  afterAll(() => emulator.served.close());
  return emulator;
}

/** Calls the control side of the emulator at `url`; fails where it refuses. */
export function controlOf(url: string, token: string | undefined): ControlCall {
  return async (path: string, body?: object) => {
    const sent = body === undefined ? { token } : { token, json: body };
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await send(method, `${url}/_emulator/${path}`, sent);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json<never>();
  };
}

/** The one with that ID, which is known to be there. */
export function byId<Item extends { readonly id: string }>(
  items: readonly Item[],
  wanted: string,
): Item {
  const found = items.find(({ id }) => id === wanted);
  if (!found) throw new Error(`none of them is ${wanted}`);
  return found;
}

function liveSubject(file: string): Subject {
  const claims = JSON.parse(readFileSync(file, 'utf8')) as Claims;
  const { groups } = claims.user;
  const isStaff = ['manager', 'instructor', 'assistant'].some((group) => groups.includes(group));
  const none = async (): Promise<never> => {
    throw new NotAvailable('a live service has no control side');
  };
  const launch = async ({ role = 'student', ...more }: LaunchRequest = {}): Promise<Launch> => {
    if (Object.keys(more).length > 0 || isStaff === (role === 'student')) return none();
    return launchOf(claims);
  };
  return {
    launch,
    provisionRequest: none,
    isRead: () => false,
    refuses: () => false,
    control: none,
  };
}

export function launchOf(claims: Claims): Launch {
  const { token } = claims.api;
  const call: Launch['call'] = (method, url, { headers, ...sent } = {}) => {
    const typed = sent.body === undefined ? {} : { 'content-type': 'application/json' };
    return send(method, url, { token, headers: { ...typed, ...headers }, ...sent });
  };
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
      if (!declared.isSuccess) return declared;
      const { url, fields } = declared.json();
      return send('POST', url, formOf(fields, bytes));
    },
  };
}
