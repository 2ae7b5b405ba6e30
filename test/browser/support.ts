import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Frame } from 'playwright-core';
import { test } from 'vitest';
import type { Answers, ServeOptions } from '../../src/emulator/index.ts';
import { serveSeeded } from '../support/emulator.ts';
import { start } from '../cli/emulator/running.ts';
import { controlOf } from '../emulator/subject.ts';
import { send } from '../emulator/wire.ts';
import { startBinary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';
import { zipOf } from '../support/zip.ts';
import { CHROMIUM, HEADLESS, LAUNCH_OPTIONS } from './chromium.ts';

/** Of all files of a worker: they end with the process. */
let browser: Promise<Browser> | undefined;
let shared: Promise<BrowserContext> | undefined;

/** A browser of a machine, and the variable that names another one. */
interface Installed {
  readonly name: string;
  readonly path: string;
  readonly variable: string;
}

/** Why a test in a browser is left out; undefined where there is one. Throws in CI, where there must be. */
function whyLeftOut({ name, path, variable }: Installed, isCi: boolean): string | undefined {
  if (existsSync(path)) return undefined;
  const why = `there is no ${name} at ${path}; name another in ${variable}`;
  if (isCi) throw new Error(why);
  return why;
}

const IN_CHROMIUM = { name: 'Chromium', variable: 'LECTERN_CHROMIUM' };

/** A test in the whole Chromium, which blocks what a third party keeps; with a context of its own. */
export function wholeBrowserTest(
  name: string,
  body: (context: BrowserContext) => Promise<void>,
): void {
  testIn({ ...IN_CHROMIUM, path: CHROMIUM }, name, async () => {
    const whole = await chromium.launch({ ...LAUNCH_OPTIONS, executablePath: CHROMIUM });
    atEnd(() => whole.close());
    await body(await contextOf(whole));
  });
}

/** A test in Chromium. */
export function browserTest(name: string, body: () => Promise<void>): void {
  testIn({ ...IN_CHROMIUM, path: HEADLESS }, name, body);
}

/** A test in a real browser: left out, with the reason, where there is none; a failure in CI. */
export function testIn(installed: Installed, name: string, body: () => Promise<void>): void {
  test(name, async (context) => {
    const why = whyLeftOut(installed, Boolean(process.env.CI));
    if (why !== undefined) {
      // The reporter counts what is left out, and names neither the tests nor the reason.
      process.stderr.write(`left out: ${name}: ${why}\n`);
      context.skip(why);
    }
    await body();
  });
}

async function newContext(): Promise<BrowserContext> {
  browser ??= chromium.launch(LAUNCH_OPTIONS);
  return contextOf(await browser);
}

async function contextOf(started: Browser): Promise<BrowserContext> {
  const context = await started.newContext();
  context.setDefaultTimeout(120_000);
  return context;
}

/**
 * A context of the test's own: for one that sets the clock of its pages, listens to all of them, or
 * opens the pages of two people.
 */
export async function browserContext(): Promise<BrowserContext> {
  const context = await newContext();
  atEnd(() => context.close());
  return context;
}

/** The context of most tests, empty at the start of each: a new one costs as much as the rest of a test. */
export async function sharedContext(): Promise<BrowserContext> {
  shared ??= newContext();
  const context = await shared;
  atEnd(async () => {
    const [page] = context.pages();
    if (page === undefined) return;
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
    await context.clearPermissions();
    await Promise.all(context.pages().map((each) => each.close()));
  });
  return context;
}

export type Emulated = ReturnType<typeof emulatedAt>;
export type Course = Awaited<ReturnType<typeof openCourse>>;

/** An emulator of the test's own: the built binary, its clock the machine's. */
export async function emulated(args: readonly string[] = []): Promise<Emulated> {
  const home = temporaryFolder();
  const { ready } = await start(['--memory', ...args], { home }, startBinary);
  const [record = ''] = readdirSync(`${home}/emulators`);
  const known = JSON.parse(readFileSync(`${home}/emulators/${record}`, 'utf8')) as {
    control_token: string;
  };
  return emulatedAt(ready.base_url, ready.blob_url, home, known.control_token);
}

/** An emulator in this process, whose machine's clock is stopped. */
export function emulatedAtNoon() {
  const noon = Date.UTC(2026, 9, 13, 12);
  return emulatedHere({ now: () => noon });
}

/** An emulator in this process. */
export async function emulatedHere(options: ServeOptions = {}) {
  const served = await serveSeeded({ controlToken: 'c', pid: process.pid, ...options });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= served.close());
  atEnd(close);
  return { ...emulatedAt(served.url, served.blobUrl, '', 'c'), close };
}

function emulatedAt(url: string, blobUrl: string, home: string, token: string) {
  /** Uploads the files of a tool. */
  const upload = (files: Readonly<Record<string, string>>, tool = 'sketch') =>
    uploadTool({ url, token }, `tool=${tool}`, files);
  return { url, blobUrl, home, token, control: controlOf(url, token), upload };
}

/** Uploads the files of a tool; returns what the emulator answers. */
export async function uploadTool(
  { url, token }: { readonly url: string; readonly token: string },
  query: string,
  files: Readonly<Record<string, string>>,
): Promise<Answers['POST tool/upload']> {
  const body = zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
  const headers = { 'content-type': 'application/zip' };
  const address = `${url}/_emulator/tool/upload?${query}`;
  const answer = await send('POST', address, { token, body, headers });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json();
}

/** Launches a tool and opens its course page, with the tool in its frame. */
export async function openCourse(
  emulator: Emulated,
  request: object = {},
  context?: BrowserContext,
) {
  const wish = { tool: 'sketch', role: 'student', ...request };
  const { claims, course_page: address } = await emulator.control('launch', wish);
  const page = await (context ?? (await sharedContext())).newPage();
  await page.goto(address);
  const frame = (): Frame => {
    const found = page.frames().find((each) => each.parentFrame() === page.mainFrame());
    if (!found) throw new Error('the page has no frame');
    return found;
  };
  await frame().waitForLoadState();
  /** Waits for words in the status line. */
  const says = (words: string | RegExp): Promise<void> =>
    page.getByRole('status').filter({ hasText: words }).waitFor();
  /** Evaluates in the frame. */
  const run = <Result>(script: string): Promise<Result> =>
    frame().evaluate(script) as Promise<Result>;
  return { emulator, page, address, frame, claims, says, run };
}

/** A tool that shows the claims it was given, and what it hears. */
export const TOOL = {
  'index.html': `<!doctype html><title>Tool</title><main data-service-tool>tool</main>
<script type="module" src="js/tool.js"></script>`,
  'js/tool.js': `
    globalThis.heard = [];
    globalThis.claims = (await window.service.launch()).claims;
    globalThis.call = (url, init = {}) => fetch(url, {
      ...init, headers: { authorization: 'Bearer ' + claims.api.token, ...init.headers },
    });
    globalThis.listen = (prevents) => addEventListener('service-session-expired', (event) => {
      heard.push({ detail: event.detail, target: event.target.tagName, composed: event.composed });
      if (prevents) event.preventDefault();
    });
    globalThis.isReady = true;`,
};

/** An emulator with a tool of its own making, on its course page, ready. */
export async function courseWithTool(
  files: Readonly<Record<string, string>> = TOOL,
  request: object = {},
  context?: BrowserContext,
): Promise<Course> {
  const emulator = await emulatedAtNoon();
  await emulator.upload(files);
  return readyCourse(emulator, request, context);
}

export async function readyCourse(
  emulator: Emulated,
  request: object = {},
  context?: BrowserContext,
): Promise<Course> {
  const course = await openCourse(emulator, request, context);
  await course.frame().waitForFunction('globalThis.isReady');
  return course;
}
