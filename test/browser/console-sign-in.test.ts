import { expect } from 'vitest';
import { OWN_ADDRESS } from '../support/own-address.ts';
import { axeFindings, heading, openConsole, until } from './console.ts';
import { browserTest } from './support.ts';

/** The prefixes of keys, tokens and sessions, and the signature of a signed address. */
const SECRET = /\b(?:lt|pt|key|cs)_[\w-]{8,}|signature=\w+/;
const NO_SESSION = 'Open the console from a terminal';

browserTest('a code signs in one page, leaves its address, and a reload stays in', async () => {
  const { page, invited, context, at } = await openConsole();
  await until(() => page.title(), 'Overview · lectern emulator');
  await until(() => page.url(), at());
  await page.reload();
  await until(() => heading(page).innerText(), 'Overview');
  // Another tab has no session, and a code works once.
  const address = await invited('rows');
  const other = await context.newPage();
  await other.goto(at('rows'));
  await until(() => heading(other).innerText(), NO_SESSION);
  await other.getByText('lectern emulator open rows').waitFor();
  await other.goto(address);
  await heading(other).filter({ hasText: 'Rows' }).waitFor();
  const third = await context.newPage();
  await third.goto(address);
  await third.getByRole('alert').filter({ hasText: 'used already or is older' }).waitFor();
  await until(() => third.url(), at('rows'));
  // A page with a session keeps it.
  await page.goto(address);
  await heading(page).filter({ hasText: 'Rows' }).waitFor();
});

browserTest('a code pasted into the address of an open page signs it in', async () => {
  const { context, at, invited } = await openConsole();
  const page = await context.newPage();
  await page.goto(at());
  const fresh = await invited();
  await page.evaluate(`location.hash = ${JSON.stringify(new URL(fresh).hash)}`);
  await heading(page).filter({ hasText: 'Overview' }).waitFor();
  await until(() => page.url(), at());
});

browserTest('a code is valid for 60 seconds', async () => {
  let now = Date.UTC(2026, 9, 13, 12);
  const { served, at, context } = await openConsole('', { now: () => now });
  const { code, seconds } = await served.control('POST console/code');
  expect(seconds).toBe(60);
  now += 60_000;
  const page = await context.newPage();
  await page.goto(`${at()}#code=${code}`);
  await page.getByRole('alert').waitFor();
  await until(() => heading(page).innerText(), NO_SESSION);
});

browserTest('the page, its storage and its address contain no secret', async () => {
  const { page, served, go, launch, at } = await openConsole();
  await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
  const student = await launch({ role: 'student' });
  await student.upload('member', 'a.txt', 'hello');
  await student.get(student.file('member', 'a.txt'));
  await student.grade({ score: 0.5 });
  // Each page, with an element that exists once it has loaded.
  for (const [path, ready] of [
    ['', 'main tbody tr'],
    ['launch', 'option'],
    ['tokens', 'main tbody tr'],
    ['tools', 'main section'],
    ['traffic', 'main tbody tr'],
    ['traffic/1', '.headers'],
    ['traffic/3', '.headers'],
  ] as const) {
    await go(path);
    await page.locator(ready).first().waitFor({ state: 'attached' });
    const seen = await page.evaluate<string>(
      '[document.documentElement.outerHTML, location.href, JSON.stringify(localStorage)].join()',
    );
    expect(seen).not.toContain(served.controlToken);
    expect(seen).not.toContain(student.token);
    expect([path, SECRET.exec(seen)?.[0]]).toEqual([path, undefined]);
  }
  const kept = await page.evaluate<string[]>('Object.values(sessionStorage)');
  expect(kept).toHaveLength(1);
  expect(kept[0]).not.toContain(served.controlToken);
  expect(await page.context().cookies(at())).toEqual([]);
});

browserTest('another machine over plain http signs in with the token or a code only', async () => {
  const { served, at, context, problems } = await openConsole('', {
    host: OWN_ADDRESS ?? '127.0.0.1',
    controlToken: 'token-of-the-team',
  });
  const page = await context.newPage();
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await page.goto(at('tokens'));
  await until(() => heading(page).innerText(), NO_SESSION);
  expect(requested.filter((path) => !path.startsWith('/_emulator/console/'))).toEqual([]);
  const enter = async (token: string): Promise<void> => {
    await page.getByLabel('Token of the emulator').fill(token);
    await page.getByRole('button', { name: 'Enter' }).click();
  };
  await enter('wrong');
  await page.getByRole('alert').filter({ hasText: 'not the token of this emulator' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await enter('token-of-the-team');
  await heading(page).filter({ hasText: 'Tokens' }).waitFor();
  await page.getByRole('status', { name: 'Connection' }).getByText('live').waitFor();
  await served.control('POST launch', { member: 'member-111' });
  await page.getByText('Amina Abara').first().waitFor();
  const kept = await page.evaluate<string>(
    'JSON.stringify({ ...sessionStorage, ...localStorage })',
  );
  expect(kept + page.url() + (await page.content())).not.toContain('token-of-the-team');
  await page.reload();
  await heading(page).filter({ hasText: 'Tokens' }).waitFor();
  expect(problems.splice(0).filter((line) => !line.includes('Cross-Origin-Opener-Policy'))).toEqual(
    [],
  );
});
