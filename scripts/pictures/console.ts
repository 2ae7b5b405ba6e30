import { createHash } from 'node:crypto';
import { type Browser, chromium, type Page } from 'playwright-core';
import type * as library from '../../src/index.ts';
import { type Launch, readLaunch } from '../../src/contract/index.ts';
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

/** The built library: the emulator's pages are bundled. */
const LIBRARY = new URL('../../dist/index.js', import.meta.url).href;

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
    await emulator.close();
  }
}

type Control = Awaited<ReturnType<typeof startEmulator>>['control'];

/** The built emulator, with a fixed clock; its IDs and tokens are the same in every run. */
async function startEmulator() {
  const { EXAMPLE_SEED, serveEmulator } = (await import(LIBRARY)) as typeof library;
  let count = 0;
  const random = (bytes: number): Buffer =>
    createHash('shake256', { outputLength: bytes }).update(`pictures ${count++}`).digest();
  const ports = { port: PORT, blobPort: PORT + 1 };
  return serveEmulator({ ...ports, now: () => Date.parse(NOW), random, seed: EXAMPLE_SEED });
}

async function signedIn(browser: Browser, control: Control): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 700 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.clock.install({ time: NOW });
  const { code } = await control('POST console/code');
  await page.goto(`${URL_OF}/_emulator/console/#code=${code}`);
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
  const launch = async (wish: object) => {
    const { claims } = await control('POST launch', { location: 'reading-1', ...wish });
    return readLaunch(claims);
  };
  const call = async (
    { token }: Launch,
    method: string,
    to: string | undefined | null,
    body?: object,
  ): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    await (await fetch(String(to), { method, headers, ...sent })).arrayBuffer();
  };
  const staff = await launch({ role: 'instructor' });
  await call(staff, 'PUT', staff.storage.context, { settings: { theme: 'dark', nights: 14 } });
  const refuse = { status: 422, body: 'the grading period is closed' };
  const members = ['astronomy-2026-student-3'];
  await control('POST lms', { location: 'reading-1', refuse: { ...refuse, members } });
  for (let at = 1; at <= 8; at++) {
    const student = await launch({ member: `astronomy-2026-student-${at}` });
    const { member, context } = student.storage;
    await call(student, 'GET', context);
    await call(student, 'PUT', member, { nights: [{ night: 1, phase: 'waxing crescent' }] });
    const value = { night: 2, phase: 'first quarter', note: 'clouds until ten' };
    await call(student, 'PATCH', member, { patch: [{ op: 'add', path: '/nights/-', value }] });
    await call(student, 'POST', student.gradeSubmit, { score: at / 10, comment: 'Careful work.' });
    if (at === 5) await call(student, 'PUT', context, { settings: {} });
  }
  await fetch(`${URL_OF}/data/none`);
}
