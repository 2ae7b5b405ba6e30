import { expect } from 'vitest';
import type { Claims } from '../emulator/documents.ts';
import { send } from '../emulator/wire.ts';
import { observed } from '../cli/observe/support.ts';
import { startEmulator } from '../support/emulator.ts';
import { heading, until } from './console.ts';
import { browserTest, sharedContext } from './support.ts';

const PAGES = ['Overview', 'Launch', 'Traffic', 'Report'];

browserTest('the console of observe shows a service, its launch, traffic and report', async () => {
  const service = await startEmulator();
  const observer = await observed((await service.launch({ member: 'member-111' })) as never);
  const claims = observer.claims as unknown as Claims;
  const { code } = await observer.control<{ code: string }>('console/code', {});
  const page = await (await sharedContext()).newPage();
  await page.goto(`${observer.url}/_emulator/console/#code=${code}`);
  await heading(page).filter({ hasText: 'Overview' }).waitFor();
  await until(() => page.title(), 'Overview · lectern observe');
  const pages = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
  expect(await pages.allInnerTexts()).toEqual(PAGES);
  await page.getByText(service.url).first().waitFor();
  const right = (selector: string): Promise<number> =>
    page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().right`);
  expect(await right('.figures')).toBeCloseTo(await right('.figure:last-child'), -1);

  await send('GET', claims.storage.member, { token: claims.api.token });
  await send('GET', `${observer.url}/apps/me`, { token: claims.api.token });
  await pages.filter({ hasText: 'Traffic' }).click();
  const table = page.getByRole('table', { name: 'Traffic' });
  await table.getByText('member row · member-111').waitFor();
  await table.getByText('GET member row').waitFor();
  await table.getByText('/apps/me').click();
  await page.getByRole('heading', { name: 'Request 2', exact: true }).waitFor();

  await pages.filter({ hasText: 'Report' }).click();
  await page
    .getByRole('region', { name: 'Findings' })
    .getByText('GET /apps/me is a removed endpoint')
    .waitFor();

  await pages.filter({ hasText: 'Launch' }).click();
  await page.getByRole('main').getByRole('link').first().click();
  await page.getByRole('region', { name: 'Permits' }).waitFor();
  expect(await page.innerText('body')).not.toContain(claims.api.token);

  // The keys lead to the same pages.
  for (const key of ['g', 'r', 'g', 't']) await page.keyboard.press(key);
  await heading(page).filter({ hasText: 'Traffic' }).waitFor();
  await page.goBack();
  await until(() => heading(page).innerText(), 'Launch');
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await until(async () => (await keys.locator('dd').allInnerTexts()).slice(2), PAGES);
  await page.keyboard.press('Escape');

  await observer.close();
  const note = page.getByText('The observer does not respond');
  await note.waitFor();
  expect(await page.locator('.note', { has: note }).locator('.command').count()).toBe(0);
});
