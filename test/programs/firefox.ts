import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'undici';
import { expect } from 'vitest';
import { atEnd, waitingFor } from '../support/scope.ts';
import { testIn } from '../browser/support.ts';

/** Debian's, unless a machine has one elsewhere. */
const FIREFOX = process.env.LECTERN_FIREFOX ?? '/usr/bin/firefox-esr';

/** It asks its maker for nothing, and tests have no first run. */
const PREFERENCES = [
  'app.normandy.enabled',
  'browser.shell.checkDefaultBrowser',
  'datareporting.policy.dataSubmissionEnabled',
  'network.captive-portal-service.enabled',
  'network.connectivity-service.enabled',
].map((name) => `user_pref("${name}", false);\n`);

/** A test in Firefox. */
export function firefoxTest(name: string, body: () => Promise<void>): void {
  testIn({ name: 'Firefox', path: FIREFOX, variable: 'LECTERN_FIREFOX' }, name, body);
}

interface BrowsingContext {
  readonly context: string;
  readonly url: string;
  readonly children: readonly BrowsingContext[] | null;
}

/** Of all tests of a file, which ends it. */
let firefox: { readonly bidi: Promise<Bidi>; readonly end: () => Promise<void> } | undefined;

export async function endFirefox(): Promise<void> {
  await firefox?.end();
  firefox = undefined;
}

/** A tab with storage of its own, driven by WebDriver BiDi. `errors` are what its pages wrote to the console. */
export async function firefoxTab() {
  firefox ??= startFirefox();
  const bidi = await waitingFor('Firefox to be ready', firefox.bidi);
  const { userContext } = await bidi<{ userContext: string }>('browser.createUserContext', {});
  atEnd(() => bidi('browser.removeUserContext', { userContext }));
  bidi.errors.length = 0;
  const { context } = await bidi<BrowsingContext>('browsingContext.create', {
    type: 'tab',
    userContext,
  });
  const wait = 'complete';
  const tree = async (): Promise<BrowsingContext | undefined> => {
    const { contexts } = await bidi<{ contexts: BrowsingContext[] }>('browsingContext.getTree', {
      root: context,
    });
    return contexts[0];
  };
  const frame = async () => (await tree())?.children?.[0];
  /** Evaluates an expression in the page, or in its first frame. */
  const run = async <Result>(script: string, where = 'page'): Promise<Result> => {
    const target = { context: where === 'page' ? context : (await frame())?.context };
    const answer = await bidi<Evaluated>('script.evaluate', {
      // What comes out of a page is JSON: BiDi has a form of its own for each kind of value.
      expression: `Promise.resolve(${script}).then((value) => JSON.stringify(value ?? null))`,
      target,
      awaitPromise: true,
    });
    if (answer.type !== 'success') throw new Error(JSON.stringify(answer.exceptionDetails));
    return JSON.parse(answer.result.value) as Result;
  };
  return {
    go: async (url: string) =>
      void (await bidi('browsingContext.navigate', { context, url, wait })),
    reload: async () => void (await bidi('browsingContext.reload', { context, wait })),
    /** Moves by this many pages in the history. */
    move: async (delta: number) =>
      void (await bidi('browsingContext.traverseHistory', { context, delta })),
    run,
    /** Waits until an expression holds; it may be that of a page that is gone meanwhile. */
    until: async (script: string, where?: 'frame'): Promise<void> => {
      const holds = (): Promise<unknown> => run(script, where).catch(() => false);
      await expect.poll(holds, { message: script }).toBeTruthy();
    },
    frameUrl: async () => (await frame())?.url,
    errors: bidi.errors,
  };
}

interface Evaluated {
  readonly type: string;
  readonly result: { readonly value: string };
  readonly exceptionDetails: unknown;
}

function startFirefox(): NonNullable<typeof firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'lectern-firefox-'));
  writeFileSync(join(profile, 'user.js'), PREFERENCES.join(''));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(FIREFOX, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise((resolve) => void child.once('exit', resolve));
  const end = async (): Promise<void> => {
    child.kill();
    await exited;
    rmSync(profile, { recursive: true, force: true });
  };
  const address = new Promise<string>((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [, url] = /^WebDriver BiDi listening on (\S+)$/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  return { bidi: address.then(connect), end };
}

interface Message {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
  readonly method?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
}

type Bidi = (<Result>(method: string, params: object) => Promise<Result>) & {
  readonly errors: string[];
};

async function connect(url: string): Promise<Bidi> {
  const socket = new WebSocket(`${url}/session`);
  const waiting = new Map<number, (message: Message) => void>();
  const errors: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.params?.level === 'error') errors.push(String(message.params.text));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  let last = 0;
  const call = async <Result>(method: string, params: object): Promise<Result> => {
    const id = ++last;
    const answered = new Promise<Message>((resolve) => void waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error, message } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error}: ${message}`);
    return result as Result;
  };
  await call('session.new', { capabilities: {} });
  await call('session.subscribe', { events: ['log.entryAdded'] });
  return Object.assign(call, { errors });
}
