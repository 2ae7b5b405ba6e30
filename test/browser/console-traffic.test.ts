import { expect } from 'vitest';
import { send } from '../emulator/wire.ts';
import { openConsole, until } from './console.ts';
import { browserTest } from './support.ts';

browserTest('Traffic opens a request next to the list, which keeps its position', async () => {
  const { page, launch, go } = await openConsole();
  const student = await launch({ role: 'student' });
  for (let step = 0; step < 90; step++) await student.get(student.row('member'));
  await go('traffic');
  const link = page.getByRole('link', { name: /GET member row · Amina Abara/ }).nth(70);
  await link.scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate<number>('scrollY');
  expect(scrolled).toBeGreaterThan(500);
  await link.click();
  await page.getByRole('heading', { name: 'Request 20', exact: true }).waitFor();
  const at = (): Promise<number> => page.evaluate<number>('scrollY');
  expect(await at()).toBeGreaterThan(scrolled - 300);
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'Request 19', exact: true }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.getByRole('heading', { name: 'Request 21', exact: true }).waitFor();
  expect(page.url()).toMatch(/traffic\/21$/);
  await page.getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.press('Enter');
  await until(() => page.url().endsWith('/traffic'), true);
  expect(await page.evaluate('document.activeElement.href')).toMatch(/traffic\/21$/);
});

browserTest('Traffic shows who called whose row and what failed inside a 200', async () => {
  const { page, launch, served, go } = await openConsole();
  const student = await launch({ member: 'member-113' });
  const staff = await launch({ role: 'instructor' });
  await student.get(student.row('member'));
  await send('GET', student.row('member'));
  await served.control('POST lms', { refuse: { status: 422, body: 'no' } });
  await staff.grade({ score: 0.5 }, staff.submit?.replace('member-101', 'member-113'));
  await go('traffic');
  const table = page.getByRole('table', { name: 'Traffic' });
  const row = (words: string) => table.getByRole('row').filter({ hasText: words });
  await row('GET member row · Chidi Costa')
    .filter({ hasText: 'no token' })
    .getByText('401')
    .waitFor();
  await row('POST grade · Chidi Costa').filter({ hasText: 'by Mara Lindqvist' }).waitFor();
  await row('POST grade').getByText('200 failed').waitFor();
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.fill('person:CHIDI status:401');
  await page.getByText('1 of 3 requests').waitFor();
  await until(() => table.locator('tbody tr').count(), 1);
});

browserTest('Traffic gets the pages of its list from the emulator', async () => {
  const { page, launch, go } = await openConsole();
  const student = await launch({ role: 'student' });
  await Promise.all(Array.from({ length: 230 }, () => student.get(student.row('member'))));
  await go('traffic');
  const rows = page.getByRole('table', { name: 'Traffic' }).locator('tbody tr');
  await until(() => rows.count(), 100);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('button', { name: 'Older' }).click();
  await until(() => rows.count(), 30);
  await page.reload();
  await until(() => rows.count(), 30);
  await page.getByRole('button', { name: 'Newest' }).click();
  await until(() => rows.count(), 100);
});

browserTest('Gradebook shows the LMS of each placement, and one switch changes it', async () => {
  const { page, served, go } = await openConsole();
  await served.control('POST lms', {
    location: 'essay-1',
    refuse: { status: 422, members: ['member-111'] },
    slow_ms: 40,
  });
  await go('gradebook');
  const placements = page.getByRole('table', { name: 'LMS by placement' });
  await placements.getByText('Refuses some: member-111, 422; slow: 40 ms').waitFor();
  const lms = page.getByRole('group', { name: 'LMS' });
  for (const name of ['Accept', 'Refuse'])
    expect(await lms.getByLabel(name).isChecked()).toBe(false);
  await placements.getByRole('link', { name: 'First essay' }).first().click();
  await page.getByText('Refuses some: member-111').waitFor();
  await lms.getByLabel('No column').check();
  await page.getByText('no line item; slow: 40 ms').waitFor();
  const { locations } = await served.control('GET world');
  const of = (id: string) => locations.find((each) => each.id === id)?.lms;
  expect(of('essay-1')).toMatchObject({ column: 'missing', refuse: null, slow_ms: 40 });
  expect(of('essay-2')).toMatchObject({ column: 'present', slow_ms: 0 });
});

browserTest('a switch for all placements makes no column, and keeps each delay', async () => {
  const { page, served, go } = await openConsole();
  await served.control('POST lms', { location: 'essay-1', slow_ms: 40 });
  await go('gradebook');
  const lms = page.getByRole('group', { name: 'LMS' });
  const placements = page.getByRole('table', { name: 'LMS by placement' });
  for (const [name, first, second] of [
    ['Refuse', 'Refuses every score: 422; slow: 40 ms', 'no line item; Refuses every score: 422'],
    ['Accept', 'Accepts every score; slow: 40 ms', 'no line item'],
  ] as const) {
    await lms.getByLabel(name, { exact: true }).check();
    await placements.getByText(first, { exact: true }).waitFor();
    await placements.getByText(second, { exact: true }).waitFor();
  }
});

browserTest('Report groups findings by code, and the navigation counts errors', async () => {
  const { page, launch, served, go } = await openConsole();
  const { token } = await launch({ role: 'student' });
  for (let at = 0; at < 27; at++) await send('GET', `${served.url}/apps/old-${at}`, { token });
  await go('report');
  const findings = page.getByRole('region', { name: 'Findings' });
  await until(() => findings.locator('.entries > li').count(), 1);
  await until(() => findings.getByRole('link').count(), 3);
  await findings.getByRole('button', { name: '24 more' }).click();
  await until(() => findings.getByRole('link').count(), 27);
  const focused = 'document.activeElement.innerText';
  expect(await page.evaluate(focused)).toBe('Fewer');
  await page.keyboard.press('Enter');
  await until(() => findings.getByRole('link').count(), 3);
  expect(await page.evaluate(focused)).toBe('24 more');
  await page.getByRole('link', { name: /^Report \d+ errors?$/ }).waitFor();
});
