import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM, LAUNCH_OPTIONS } from '../../test/browser/chromium.ts';

/** The time of the emulator and of its pages. */
const NOW = '2026-10-13T08:00:00.000Z';
/** A part of the addresses that the pages show. */
const PORT = 20_164;
const URL_OF = `http://127.0.0.1:${PORT}`;

/** The pages, each with how it comes to what is shown. */
const SHOTS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  overview: (page) => open(page, '', '.figures'),
  launch: async (page) => {
    await open(page, 'launch', 'option');
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.getByRole('region', { name: 'Permits' }).waitFor();
  },
  traffic: async (page) => {
    await open(page, 'traffic', 'tbody tr');
    await page
      .getByRole('link', { name: /^PATCH/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Response body' }).waitFor();
  },
  gradebook: (page) => open(page, 'gradebook', 'tbody tr'),
};

interface Claims {
  readonly api: { readonly token: string };
  readonly storage: Readonly<Record<'member' | 'context', string>>;
  readonly grade: { readonly submit: string };
}

/** Pictures of the console of an emulator in which a course is at work. */
export async function* picturesOfConsole(): AsyncGenerator<{ name: string; png: Buffer }> {
  const emulator = await startEmulator();
  const browser = await chromium.launch({ ...LAUNCH_OPTIONS, executablePath: CHROMIUM });
  try {
    await work(emulator.control);
    const page = await signedIn(browser, emulator.control);
    for (const [name, show] of Object.entries(SHOTS)) {
      await show(page);
      await page.mouse.move(0, 0);
      yield { name, png: await page.screenshot({ animations: 'disabled', caret: 'hide' }) };
    }
  } finally {
    await browser.close();
    await emulator.stop();
  }
}

type Control = (operation: string, body?: object) => Promise<Record<string, unknown>>;

/** The built emulator, with a fixed clock. */
async function startEmulator(): Promise<{ control: Control; stop: () => Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'pictures-'));
  const start = ['bin/lectern.js', 'emulator', 'start', '--memory', '--seed', 'example'];
  const ports = ['--port', String(PORT), '--blob-port', String(PORT + 1)];
  const child = spawn(
    process.execPath,
    ['--import', './scripts/pictures/fixed.js', ...start, ...ports],
    {
      env: { ...process.env, LECTERN_HOME: home, PICTURES_NOW: NOW },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const failure = text(child.stderr);
  const ended = once(child, 'close').then(() => false);
  const isReady = once(child.stdout, 'data').then(() => true);
  if (!(await Promise.race([isReady, ended]))) throw new Error(await failure);
  const [record = ''] = readdirSync(join(home, 'emulators'));
  const known = JSON.parse(readFileSync(join(home, 'emulators', record), 'utf8')) as {
    control_token: string;
  };
  return {
    control: async (operation, body = {}) => {
      const headers = {
        authorization: `Bearer ${known.control_token}`,
        'content-type': 'application/json',
      };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${URL_OF}/_emulator/${operation}`, sent);
      if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
      return (await response.json()) as Record<string, unknown>;
    },
    stop: async () => {
      child.kill('SIGINT');
      await ended;
      rmSync(home, { recursive: true });
    },
  };
}

async function signedIn(browser: Browser, control: Control): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 700 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.clock.install({ time: NOW });
  const { code } = await control('console/code');
  await page.goto(`${URL_OF}/_emulator/console/#code=${code as string}`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return page;
}

async function open(page: Page, path: string, ready: string): Promise<void> {
  await page.goto(new URL(`/_emulator/console/${path}`, page.url()).href);
  await page.locator(ready).first().waitFor({ state: 'attached' });
  await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
}

/** A morning in a course: students write their diaries, are graded, and some calls fail. */
async function work(control: Control): Promise<void> {
  const launch = async (wish: object): Promise<Claims> =>
    (await control('launch', { location: 'reading-1', ...wish })).claims as never;
  const call = async (
    { api }: Claims,
    method: string,
    to: string,
    body?: object,
  ): Promise<void> => {
    const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    await (await fetch(to, { method, headers, ...sent })).arrayBuffer();
  };
  const staff = await launch({ role: 'instructor' });
  await call(staff, 'PUT', staff.storage.context, { settings: { theme: 'dark', nights: 14 } });
  const refuse = { status: 422, body: 'the grading period is closed' };
  const members = ['astronomy-2026-student-3'];
  await control('lms', { location: 'reading-1', refuse: { ...refuse, members } });
  for (let at = 1; at <= 8; at++) {
    const student = await launch({ member: `astronomy-2026-student-${at}` });
    const { member, context } = student.storage;
    await call(student, 'GET', context);
    await call(student, 'PUT', member, { nights: [{ night: 1, phase: 'waxing crescent' }] });
    const value = { night: 2, phase: 'first quarter', note: 'clouds until ten' };
    await call(student, 'PATCH', member, { patch: [{ op: 'add', path: '/nights/-', value }] });
    await call(student, 'POST', student.grade.submit, { score: at / 10, comment: 'Careful work.' });
    if (at === 5) await call(student, 'PUT', context, { settings: {} });
  }
  await fetch(`${URL_OF}/data/none`);
}
