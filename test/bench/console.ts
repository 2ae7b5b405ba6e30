import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM, LAUNCH_OPTIONS } from '../browser/chromium.ts';
import { type Claims, controlToken, launch, operate, start } from './emulator.ts';
import type { Line } from './figure.ts';
import { requestsPerSecond } from './load.ts';
import type { Bench } from './main.ts';
import { BINARY, timed } from './processes.ts';

const PAIRS = 7;
const MEMBERS = 30_000;
const CONNECTIONS = 64;
/** What the issue of the console asks for. */
const OVERVIEW_MS = 1000;
const SEARCH_MS = 200;
const ANSWER_BYTES = 1024 * 1024;
const STALL_MS = 250;
const REQUESTS = 10_000;

const SEED = {
  tools: [{ id: 'essay' }],
  courses: [
    {
      id: 'large',
      title: 'A large course',
      members: Array.from({ length: MEMBERS }, (_, number) => ({
        id: `member-${number}`,
        given_name: `Given${number}`,
        family_name: `Family${number % 1000}`,
        groups: [number === 0 ? 'instructor' : 'student'],
      })),
      locations: [{ id: 'one', tool: 'essay', title: 'One' }],
    },
  ],
};

/** The lists, with a search that finds nothing: they look at everything. */
const SEARCHED = ['members', 'tokens', 'rows', 'file-sets', 'attempts', 'gradebook'];
const ANSWERS = [
  'summary',
  'world',
  'report',
  'requests?limit=1000',
  'clock/ends?seconds=3600',
  ...SEARCHED.map((list) => `${list}?limit=500`),
];

/** The console with 30,000 members, each with a row and a grade, beside what it may take. */
export const consolePages: Bench = async (lines, folder) => {
  const seed = join(folder, 'seed.json');
  writeFileSync(seed, JSON.stringify(SEED));
  const args = [BINARY, 'emulator', 'start', '--json', '--memory', '--seed', seed];
  // First, so that no emulator is left if there is no browser.
  const browser = await chromium.launch({ ...LAUNCH_OPTIONS, executablePath: CHROMIUM });
  const served = await start(args, folder);
  try {
    const token = controlToken(served.url, folder);
    const claims = await launch(served.url, folder, { role: 'instructor' });
    await fill(claims);
    const { code } = await operate<{ code: string }>(served.url, folder, 'console/code', {});
    const page = await browser.newPage();
    const at = (path: string): string => `${served.url}/_emulator/console/${path}`;
    await page.goto(`${at('')}#code=${code}`);
    await page.locator('.figures').waitFor();
    const line = (name: string, pair: Line['pair']): Line => {
      return { name: `console: ${name}`, goal: { atMost: 1 }, pairs: PAIRS, pair };
    };
    const get = (path: string): Promise<number> =>
      answerBytes(`${served.url}/_emulator/${path}`, token);
    await lines([
      line('overview of 30,000 members / 1 s', async () => [
        await overviewMs(page, at('')),
        OVERVIEW_MS,
      ]),
      ...SEARCHED.map((list) =>
        line(`search of 30,000 ${list} / 200 ms`, async () => [
          await timed(() => get(`${list}?search=nobody`)),
          SEARCH_MS,
        ]),
      ),
      line('search as typed in Rows / 200 ms', async () => [
        await typedMs(page, at('rows')),
        SEARCH_MS,
      ]),
      line('largest answer / 1 MB', async () => {
        let most = 0;
        for (const path of ANSWERS) most = Math.max(most, await get(path));
        return [most, ANSWER_BYTES];
      }),
      line('longest stall during 10,000 requests / 250 ms', async () => [
        await stallUnderLoad(page, at('traffic'), claims),
        STALL_MS,
      ]),
    ]);
  } finally {
    await browser.close();
    served.child.kill();
  }
};

/** A row and a grade for each member, written by staff. */
async function fill({ api, storage, grade }: Claims): Promise<void> {
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' };
  const call = async (method: string, url: string, body: string): Promise<void> => {
    const response = await fetch(url, { method, headers, body });
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status}`);
    await response.arrayBuffer();
  };
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < MEMBERS) {
      const member = `member-${next++}`;
      await call('PUT', storage.member.replace('member-0', member), '{"step":1}');
      await call('POST', grade.submit.replace('member-0', member), '{"score":0.5}');
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

async function answerBytes(url: string, token: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return (await response.arrayBuffer()).byteLength;
}

/** From the address to the figures. */
function overviewMs(page: Page, address: string): Promise<number> {
  return timed(async () => {
    await page.goto(address);
    await page.getByText('30,000 people').waitFor();
  });
}

/** From the last letter to the result, including the time that the page waits for more letters. */
async function typedMs(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.getByText(/of 30,0\d\d/).waitFor();
  return page.evaluate<number>(`new Promise((resolve) => {
    const input = document.querySelector('input[data-filter]');
    const started = performance.now();
    new MutationObserver((_, observer) => {
      if (!document.querySelector('.pager')?.textContent.includes('of 1')) return;
      observer.disconnect();
      resolve(performance.now() - started);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    input.value = 'member/essay/member-29999';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  })`);
}

/** How many requests there were: the last number in "71,234 requests" or "the latest 10,000 of 71,234". */
const SHOWN = `Number(document.querySelector('[aria-label=Shown]').textContent
  .match(/[0-9,]+/g)?.at(-1).replaceAll(',', '') ?? 0)`;

/** The longest time in which the page of the traffic does nothing else while 10,000 requests come. */
async function stallUnderLoad(page: Page, address: string, claims: Claims): Promise<number> {
  await page.goto(address);
  await page.getByText('live', { exact: true }).waitFor();
  await page.evaluate(`(() => {
    globalThis.longest = 0;
    let before = performance.now();
    globalThis.watching = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - before);
      before = now;
    }, 5);
  })()`);
  const before = await page.evaluate<number>(SHOWN);
  const shot = { method: 'GET', url: claims.storage.member, token: claims.api.token };
  for (let sent = 0; sent < REQUESTS;) sent += (await requestsPerSecond(shot, 500)) / 2;
  await page.waitForFunction(`(${SHOWN}) >= ${before + REQUESTS}`);
  return page.evaluate<number>('clearInterval(watching), longest');
}
